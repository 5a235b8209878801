import PushPayload

/// Screens of an Android phone.
struct AndroidPanel {
  private static let width = 412
  private static let lineHeight = 20
  private static let cardX = 14
  private static let cardWidth = 384
  /// Where the texts begin.
  private static let column = 70

  private let preview: Preview
  private let text: SurfaceText
  private let palette: Palette
  private var canvas: Canvas

  private init(_ preview: Preview, _ text: SurfaceText, _ palette: Palette, _ canvas: Canvas? = nil) {
    self.preview = preview
    self.text = text
    self.palette = palette
    self.canvas = canvas ?? Canvas(width: AndroidPanel.width, isMirrored: preview.direction == .rightToLeft)
  }

  private var notification: ShownNotification { preview.notification }
  private var kind: String { "android-\(palette.isDark ? "dark" : "light")" }
  private var accent: String { notification.accentColor?.hex ?? (palette.isDark ? "#5166a8" : "#4a63b8") }

  static func draw(_ preview: Preview, _ text: SurfaceText, _ palette: Palette) -> Panel {
    var panel = AndroidPanel(preview, text, palette)
    switch text.surface {
    case .expanded: return panel.expanded()
    case .headsUp: return panel.headsUp()
    default: return panel.collapsed()
    }
  }

  // MARK: Screens

  private mutating func collapsed() -> Panel {
    let card = cardHeight
    let height = 132 + card + 36
    drawer(height)
    quickSettings()
    self.card(y: 132, height: card, isExpanded: false)
    return panel("Collapsed", notification.sound.map { "♪ \($0)" } ?? "", height)
  }

  private mutating func expanded() -> Panel {
    let card = expandedHeight
    let height = 54 + card + 28
    drawer(height)
    self.card(y: 54, height: card, isExpanded: true)
    return panel("Expanded", notification.template.map { "template \($0)" } ?? notification.channel ?? "", height)
  }

  private mutating func headsUp() -> Panel {
    let card = cardHeight + (notification.buttons.isEmpty ? 0 : 40)
    let height = 54 + card + 90
    drawer(height)
    canvas.rectangle(AndroidPanel.cardX, 58, AndroidPanel.cardWidth, card, radius: 26, fill: "#000000", opacity: 12)
    self.card(y: 54, height: card, isExpanded: false)
    if !notification.buttons.isEmpty { buttons(y: 54 + card - 18) }
    for index in 0..<3 {
      canvas.rectangle(
        30, 54 + card + 24 + index * 20, [240, 320, 180][index], 8, radius: 4, fill: palette.text, opacity: 8)
    }
    return panel("Heads-up", notification.priority < 1 ? "when its channel is urgent" : "", height)
  }

  /// The drawer with everything in it.
  static func tray(_ cards: [TrayCard], _ first: Preview, _ palette: Palette) -> Panel {
    var panel = AndroidPanel(first, SurfaceText.none, palette)
    var height = 132 + 36
    for card in cards { height += AndroidPanel(card.preview, card.text, palette).height(of: card) + 6 }
    panel.drawer(height)
    panel.quickSettings()
    var y = 126
    for card in cards {
      panel = AndroidPanel(card.preview, card.text, palette, panel.canvas)
      let own = panel.height(of: card)
      panel.card(y: y, height: own, isExpanded: false)
      if let summary = card.summary {
        panel.canvas.text(
          summary, AndroidPanel.column, y + own - 12, room: 306, font: .init(12, 500), fill: palette.faint)
      }
      y += own + 6
    }
    return panel.panel("", "", height)
  }

  private func height(of card: TrayCard) -> Int { cardHeight + (card.summary == nil ? 0 : 22) }

  static func silent(_ preview: Preview, _ palette: Palette) -> Panel {
    var panel = AndroidPanel(preview, SurfaceText.none, palette)
    let lines = TextLines(
      InertText(preview.notification.silence ?? ""), width: 320 * 1000 / 15, linesMax: 4, keepsLineFeeds: false)
    let height = 230 + lines.lines.count * 22
    panel.drawer(height)
    panel.quickSettings()
    panel.canvas.text(
      "Nothing is shown", 20, 172, room: 372, font: .init(20, 600), fill: palette.text, align: .center,
      direction: .leftToRight)
    for (index, line) in lines.lines.enumerated() {
      panel.canvas.text(
        line, 20, 202 + index * 22, room: 372, font: .init(15), fill: palette.faint, align: .center,
        direction: .leftToRight)
    }
    return panel.panel(preview.notification.isNothing ? "No notification" : "Silent push", "", height)
  }

  private func panel(_ caption: String, _ detail: String, _ height: Int) -> Panel {
    Panel(caption: caption, detail: InertText(detail).line, height: height, canvas: canvas)
  }

  // MARK: Parts

  private mutating func drawer(_ height: Int) {
    canvas.rectangle(0, 0, AndroidPanel.width, height, radius: 36, fill: "url(#pr-wall-\(kind))")
    canvas.rectangle(0, 0, AndroidPanel.width, height, radius: 36, fill: "url(#pr-glow-\(kind)-0)", opacity: 60)
    canvas.text("9:41", 26, 32, room: 80, font: .init(14, 500), fill: palette.text, direction: .leftToRight)
    canvas.circle(206, 27, radius: 8, fill: palette.isDark ? "#000000" : "#23242b")
    canvas.path("M0 12 L12 12 L12 0 Z", 334, 20, width: 12, stroke: palette.text, thickness: 2)
    canvas.rectangle(356, 20, 20, 12, radius: 4, fill: palette.text, opacity: 30)
    canvas.rectangle(358, 22, 13, 8, radius: 2, fill: palette.text)
  }

  private mutating func quickSettings() {
    for index in 0..<4 {
      let isOn = index < 2
      canvas.rectangle(
        AndroidPanel.cardX + index * 97, 56, 93, 54, radius: 27, fill: isOn ? palette.accent : palette.card,
        opacity: isOn ? 85 : 75)
      canvas.circle(AndroidPanel.cardX + index * 97 + 28, 83, radius: 9, fill: isOn ? palette.card : palette.faint)
      canvas.rectangle(
        AndroidPanel.cardX + index * 97 + 46, 79, 32, 8, radius: 4, fill: isOn ? palette.card : palette.faint,
        opacity: 70)
    }
  }

  /// The height of a card that is not expanded.
  private var cardHeight: Int {
    max(60, 36 + (text.title.lines.count + text.body.lines.count) * AndroidPanel.lineHeight)
  }

  /// The height of the texts of an expanded card, with the line of the app's name.
  private var expandedTextHeight: Int {
    50 + (text.title.lines.count + text.body.lines.count) * AndroidPanel.lineHeight
  }

  private var expandedHeight: Int {
    expandedTextHeight + layoutHeight + (notification.image == nil ? 0 : 174) + (notification.images.isEmpty ? 0 : 88)
      + (notification.buttons.isEmpty ? 0 : 44)
  }

  private mutating func card(y: Int, height: Int, isExpanded: Bool) {
    canvas.rectangle(
      AndroidPanel.cardX, y, AndroidPanel.cardWidth, height, radius: 26, fill: ground?.hex ?? palette.card,
      stroke: (palette.edge, palette.edgeOpacity))
    if hasPictureBehind, !isExpanded {
      canvas.rectangle(
        AndroidPanel.cardX, y, AndroidPanel.cardWidth, height, radius: 26, fill: "url(#pr-picture)", opacity: 75)
    }
    let faint = ground.map { $0.isDark ? "#c9ccd6" : "#4a4d55" } ?? palette.faint
    canvas.circle(42, y + 30, radius: 14, fill: accent)
    canvas.text(
      String(preview.appName.prefix(1)).uppercased(), 28, y + 35, room: 28, font: .init(14, 700), fill: "#ffffff",
      align: .center)
    canvas.circle(374, y + (isExpanded ? 24 : 30), radius: 11, fill: faint, opacity: 16)
    canvas.path(
      isExpanded ? "M0 5 L5 0 L10 5" : "M0 0 L5 5 L10 0", 369, y + (isExpanded ? 22 : 28), width: 10, stroke: faint)
    if isExpanded {
      canvas.text("\(preview.appName)  ·  9:41", AndroidPanel.column, y + 25, room: 240, font: .init(12), fill: faint)
      lines(y: y + 47, room: 318)
      layout(y: y + expandedTextHeight - 4)
      pictures(y: y + expandedTextHeight - 4 + layoutHeight, cardEnd: y + height)
    } else {
      time(y: y + 34, fill: faint)
      sidePicture(y: y + (cardHeight - 42) / 2)
      lines(y: y + 34, room: SurfaceText.pictureWidth(notification) > 0 ? 236 : 288)
      layout(y: y + 2)
    }
  }

  /// The color behind the texts; the collapsed layout of Adobe's template zb has no view for it.
  private var ground: ShownColor? {
    if case .zeroBezel? = notification.layout, text.surface != .expanded { return nil }
    return notification.backgroundColor
  }

  /// Whether the texts of the collapsed notification are on its picture, as in Adobe's template zb.
  private var hasPictureBehind: Bool {
    guard case .zeroBezel(let hasPicture)? = notification.layout, notification.image != nil else { return false }
    return hasPicture
  }

  /// The time, behind the title; not behind one that runs against the direction of the interface.
  private mutating func time(y: Int, fill: String) {
    guard let title = text.title.lines.first else { return }
    let direction = text.title.direction ?? preview.direction
    guard direction == preview.direction else { return }
    var width = 0
    for scalar in InertText(title).scalars { width += CharacterWidth.of(scalar) }
    canvas.text(
      "·  9:41", AndroidPanel.column + width * 15 / 1000 * 17 / 16 + 10, y, room: 60, font: .init(12), fill: fill)
  }

  private mutating func sidePicture(y: Int) {
    guard !hasPictureBehind else { return }
    if let icon = notification.image ?? notification.largeIcon {
      canvas.picture(icon, 310, y, 42, 42, radius: 10)
    }
  }

  /// What the template draws; of collapsed ones only a row of icons, which replaces the texts.
  private mutating func layout(y: Int) {
    guard let layout = notification.layout else { return }
    if text.surface != .expanded {
      guard case .icons = layout else { return }
    }
    canvas.draw(
      layout, x: AndroidPanel.column, y: y, width: text.surface == .expanded ? 306 : 288, palette,
      on: ground)
  }

  private var layoutHeight: Int { notification.layout.map { $0.height(width: 306) } ?? 0 }

  private mutating func lines(y start: Int, room: Int) {
    var y = start
    let letters = ground.map { $0.isDark ? "#f1f1f4" : "#1b1b1f" } ?? palette.text
    let faint = ground.map { $0.isDark ? "#d6d8de" : "#3a3c42" } ?? palette.faint
    for line in text.title.lines {
      canvas.text(
        line, AndroidPanel.column, y, room: room, font: .init(15, 500), fill: notification.titleColor?.hex ?? letters,
        align: .natural, direction: text.title.direction)
      y += AndroidPanel.lineHeight
    }
    for line in text.body.lines {
      canvas.text(
        line, AndroidPanel.column, y, room: room, font: .init(14), fill: notification.bodyColor?.hex ?? faint,
        align: .natural, direction: text.body.direction)
      y += AndroidPanel.lineHeight
    }
  }

  private mutating func pictures(y start: Int, cardEnd: Int) {
    var y = start
    if let image = notification.image {
      if case .zeroBezel? = notification.layout {
        canvas.picture(image, AndroidPanel.cardX + 6, y, AndroidPanel.cardWidth - 12, 168, radius: 20)
      } else {
        canvas.picture(image, AndroidPanel.column, y, 306, 160, radius: 16)
      }
      y += 174
    }
    for (index, image) in notification.images.prefix(4).enumerated() {
      canvas.picture(image, AndroidPanel.column + index * 78, y, 70, 70, radius: 12)
    }
    if !notification.buttons.isEmpty { buttons(y: cardEnd - 22) }
  }

  /// The buttons on one base line, each as wide as its label.
  private mutating func buttons(y: Int) {
    var x = AndroidPanel.column
    let color = ground.map { $0.isDark ? "#b4c5ff" : "#2f4a9a" } ?? palette.accent
    for button in notification.buttons {
      let label = InertText(button.label)
      var width = 0
      for scalar in label.scalars.prefix(60) { width += CharacterWidth.of(scalar) }
      let room = min(max(30, width * 15 / 1000 + 8), AndroidPanel.width - 30 - x)
      guard room > 20 else { return }
      canvas.text(label.line, x, y, room: room, font: .init(14, 600), fill: color)
      x += room + 18
    }
  }
}
