// The module for browsers is bounded in size; what browsers show is asked of the server.
#if !(_pointerBitWidth(_32))
  import PushContracts

  extension BrowserPreview {
    /// The preview as an SVG picture, one screen for each kind of browser, complete like those of phones.
    ///
    /// - Parameter screens: the names of the browsers; nil for the two that draw most, on a computer and on a phone.
    public func svg(_ options: PictureOptions = PictureOptions(), screens names: [String]? = nil) -> String {
      BrowserBoard(preview: self, appearance: options.appearance, hasCaptions: options.hasCaptions)
        .draw(screens.filter { names?.contains($0.screen.name) ?? BrowserBoard.usual.contains($0.screen.name) })
    }

    /// The preview in one sentence, for those who hear it.
    var accessibleText: String {
      if let silence { return "Nothing is shown: \(silence)" }
      return "\(siteName): " + [title, notification.body].compactMap { $0 }.joined(separator: ". ")
    }
  }

  /// Draws the notifications of browsers, each on a piece of its screen.
  struct BrowserBoard {
    /// The browsers that are drawn unless others are named.
    static let usual = ["chrome-desktop", "chrome-android"]
    private static let margin = 24
    private static let captionHeight = 30
    private static let width = 412
    private static let cardX = 14
    private static let lineHeight = 20

    let preview: BrowserPreview
    let appearance: Appearance
    let hasCaptions: Bool
    private var palette: Palette { .android(appearance) }

    init(preview: BrowserPreview, appearance: Appearance, hasCaptions: Bool) {
      self.preview = preview
      self.appearance = appearance
      self.hasCaptions = hasCaptions
    }

    func draw(_ screens: [BrowserPreview.Screen]) -> String {
      draw(preview.silence.map { [silent($0)] } ?? screens.map(panel))
    }

    private func draw(_ panels: [Panel]) -> String {
      var canvas = Canvas(width: 0, isMirrored: false)
      var y = Self.margin
      for panel in panels {
        if hasCaptions {
          canvas.text(
            panel.caption, Self.margin + 6, y + 16, room: Self.width - 12, font: .init(14, 600), fill: palette.caption)
          y += Self.captionHeight
        }
        canvas.append(panel.canvas, x: Self.margin, y: y)
        y += panel.height + Self.margin
      }
      return wrap(canvas, width: Self.width + 2 * Self.margin, height: y)
    }

    /// A tray: its notifications below each other on a computer.
    static func tray(_ previews: [BrowserPreview], count: Int, _ siteName: String, _ appearance: Appearance) -> String {
      let empty = BrowserPreview(silence: "no notification", siteName: siteName, contract: nil)
      let board = BrowserBoard(preview: previews.first ?? empty, appearance: appearance, hasCaptions: true)
      let cards = previews.compactMap { preview in
        preview.screens.first.map {
          (board: Self(preview: preview, appearance: appearance, hasCaptions: false), shown: $0)
        }
      }
      let height = cards.reduce(84) { $0 + $1.board.height(of: $1.shown) + 8 }
      var canvas = Canvas(width: width, isMirrored: false)
      board.ground(&canvas, height, isPhone: false)
      var y = 54
      for card in cards {
        let own = card.board.height(of: card.shown)
        card.board.card(card.shown, &canvas, y: y, height: own)
        y += own + 8
      }
      return board.draw([Panel(caption: "\(siteName) · \(count)", detail: "", height: height, canvas: canvas)])
    }

    /// The height of a card.
    func height(of shown: BrowserPreview.Screen) -> Int {
      let texts = 40 + (shown.title.lines.count + shown.body.lines.count) * Self.lineHeight
      let hasIcon = shown.screen.drawsIcon && preview.notification.icon != nil
      return max(texts, hasIcon ? 84 : 0) + 12 + (image(shown) == nil ? 0 : 172) + (shown.actions.isEmpty ? 0 : 42)
    }

    private func image(_ shown: BrowserPreview.Screen) -> String? {
      shown.screen.drawsImage ? preview.notification.image : nil
    }

    private func panel(_ shown: BrowserPreview.Screen) -> Panel {
      let card = height(of: shown)
      let height = 54 + card + 30
      var canvas = Canvas(width: Self.width, isMirrored: false)
      ground(&canvas, height, isPhone: shown.screen.isPhone)
      self.card(shown, &canvas, y: 54, height: card)
      return Panel(caption: shown.screen.title, detail: "", height: height, canvas: canvas)
    }

    private func silent(_ silence: String) -> Panel {
      let lines = TextLines(InertText(silence), width: 340 * 1000 / 15, linesMax: 4, keepsLineFeeds: false)
      let height = 130 + lines.lines.count * 22
      var canvas = Canvas(width: Self.width, isMirrored: false)
      ground(&canvas, height, isPhone: false)
      canvas.text(
        "Nothing is sent to browsers", 20, 84, room: 372, font: .init(20, 600), fill: palette.text, align: .center)
      for (index, line) in lines.lines.enumerated() {
        canvas.text(line, 20, 114 + index * 22, room: 372, font: .init(15), fill: palette.faint, align: .center)
      }
      return Panel(caption: "No notification", detail: "", height: height, canvas: canvas)
    }

    /// A phone's status bar, or the corner of a window.
    func ground(_ canvas: inout Canvas, _ height: Int, isPhone: Bool) {
      let kind = "web-\(appearance.rawValue)"
      canvas.rectangle(0, 0, Self.width, height, radius: isPhone ? 36 : 12, fill: "url(#pr-wall-\(kind))")
      canvas.rectangle(
        0, 0, Self.width, height, radius: isPhone ? 36 : 12, fill: "url(#pr-glow-\(kind)-0)", opacity: 60)
      guard !isPhone else {
        return canvas.text("9:41", 26, 32, room: 80, font: .init(14, 500), fill: palette.text, direction: .leftToRight)
      }
      for (index, color) in ["#f2685f", "#f2bd4b", "#4fc26b"].enumerated() {
        canvas.circle(24 + index * 20, 24, radius: 6, fill: color)
      }
      canvas.rectangle(96, 14, 240, 20, radius: 10, fill: palette.card, opacity: 70)
    }

    /// A notification: whose it is, the texts with the icon beside them, the picture, the buttons.
    func card(_ shown: BrowserPreview.Screen, _ canvas: inout Canvas, y: Int, height: Int) {
      let notification = preview.notification
      let width = Self.width - 2 * Self.cardX
      let radius = shown.screen.isPhone ? 24 : 12
      canvas.rectangle(
        Self.cardX, y, width, height, radius: radius, fill: palette.card, stroke: (palette.edge, palette.edgeOpacity))
      canvas.appIcon(preview.siteName, Self.cardX + 16, y + 12, size: 18, radius: 5)
      let name = TextLines(InertText(preview.siteName), width: 20_000, linesMax: 1, keepsLineFeeds: false)
      canvas.text(
        name.lines.first ?? "", Self.cardX + 42, y + 26, room: width - 60, font: .init(12), fill: palette.faint,
        direction: name.direction)
      let hasIcon = shown.screen.drawsIcon && notification.icon != nil
      if hasIcon, let icon = notification.icon {
        canvas.picture(icon, Self.cardX + width - 64, y + 32, 48, 48, radius: 8)
      }
      var line = y + 50
      let room = width - 32 - (hasIcon ? 56 : 0)
      for (text, font, fill) in [
        (shown.title, Canvas.Font(15, 600), palette.text), (shown.body, Canvas.Font(14), palette.faint),
      ] {
        for words in text.lines {
          canvas.text(
            words, Self.cardX + 16, line, room: room, font: font, fill: fill, align: .natural,
            direction: text.direction)
          line += Self.lineHeight
        }
      }
      let end = y + height - (shown.actions.isEmpty ? 0 : 42)
      if let image = image(shown) { canvas.picture(image, Self.cardX + 12, end - 172, width - 24, 160, radius: 10) }
      buttons(shown, &canvas, y: end, width: width)
    }

    private func buttons(_ shown: BrowserPreview.Screen, _ canvas: inout Canvas, y: Int, width: Int) {
      guard !shown.actions.isEmpty else { return }
      canvas.rectangle(Self.cardX, y, width, 1, fill: palette.line)
      let room = width / shown.actions.count
      for (index, action) in shown.actions.enumerated() {
        canvas.fitted(
          InertText(action.title).line, Self.cardX + index * room + 12, y + 27, room: room - 24, size: 14, weight: 600,
          fill: palette.accent, .center)
      }
    }

    func wrap(_ canvas: Canvas, width: Int, height: Int) -> String {
      let kind = "web-\(appearance.rawValue)"
      var definitions = Canvas.gradient("pr-wall-\(kind)", palette.wallpaper)
      for (index, color) in palette.glows.enumerated() { definitions += Canvas.glow("pr-glow-\(kind)-\(index)", color) }
      definitions += Canvas.gradient("pr-picture", ["#bcd6f7", "#d5c8f3", "#f4cfd2"])
      definitions += Canvas.iconDefinition(of: preview.siteName)
      return """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" width="\(width)" height="\(height)" \
        role="img" aria-label="\(Canvas.escaped(preview.accessibleText))" font-family="\(Board.fonts)">
        <defs>
        \(definitions)</defs>
        <rect width="\(width)" height="\(height)" fill="\(palette.ground)"/>
        \(canvas.elements)</svg>

        """
    }
  }
#endif
