internal import Basics
import PushPayload

/// Screens of an iPhone.
struct ApplePanel {
  private static let width = 393
  private static let lineHeight = 20

  private let preview: Preview
  private let text: SurfaceText
  private let palette: Palette
  private var canvas: Canvas

  private init(_ preview: Preview, _ text: SurfaceText, _ palette: Palette, _ canvas: Canvas? = nil) {
    self.preview = preview
    self.text = text
    self.palette = palette
    self.canvas = canvas ?? Canvas(width: ApplePanel.width, isMirrored: preview.direction == .rightToLeft)
  }

  private var notification: ShownNotification { preview.notification }
  private var kind: String { "ios-\(palette.isDark ? "dark" : "light")" }

  static func draw(_ preview: Preview, _ text: SurfaceText, _ palette: Palette) -> Panel {
    var panel = ApplePanel(preview, text, palette)
    switch text.surface {
    case .banner: return panel.banner()
    case .expanded: return panel.expanded()
    case .notificationCenter: return panel.center()
    default: return panel.lockScreen()
    }
  }

  // MARK: Screens

  private mutating func lockScreen() -> Panel {
    let card = cardHeight
    let height = 270 + card + 34
    wallpaper(height)
    statusBar()
    canvas.text(
      "9:41", 0, 178, room: ApplePanel.width, font: .init(92, 600), fill: "#ffffff", align: .center,
      direction: .leftToRight)
    canvas.circle(ApplePanel.width / 2, 72, radius: 3, fill: "#ffffff", opacity: 80)
    self.card(y: 262)
    return panel("Lock screen", notification.sound.map { "♪ \($0)" } ?? "no sound", height)
  }

  private mutating func banner() -> Panel {
    let card = cardHeight
    let height = 56 + card + 130
    wallpaper(height)
    statusBar()
    self.card(y: 52)
    homeScreen(y: 52 + card + 24)
    return panel("Banner", badgeText, height)
  }

  private mutating func center() -> Panel {
    let card = cardHeight
    let height = 76 + card + 60
    wallpaper(height)
    statusBar()
    canvas.text(preview.appName, 22, 80, room: 300, font: .init(20, 700), fill: "#ffffff")
    stack(2, y: 96, height: card)
    self.card(y: 96)
    return panel("Notification Center", notification.group.map { "thread \($0)" } ?? "", height + 10)
  }

  private mutating func expanded() -> Panel {
    let picture = notification.image == nil ? 0 : 192
    let lines = text.title.lines.count + text.subtitle.lines.count + text.body.lines.count
    let strip = notification.images.isEmpty ? 0 : 92
    let layout = notification.layout.map { $0.height(width: 341) + 10 } ?? 0
    let card = picture + 50 + lines * ApplePanel.lineHeight + 14 + strip + layout
    let buttons = notification.buttons.count * 46
    let height = 52 + card + (buttons > 0 ? buttons + 10 : 0) + 30
    wallpaper(height)
    canvas.rectangle(
      0, 0, ApplePanel.width, height, radius: 40, fill: palette.isDark ? "#000000" : "#20243a", opacity: 22)
    statusBar()
    let ground = notification.backgroundColor
    canvas.rectangle(
      8, 52, 377, card, radius: 22, fill: ground?.hex ?? palette.card, opacity: ground == nil ? 94 : 100,
      stroke: (palette.edge, palette.edgeOpacity))
    header(y: 52)
    var y = 52 + 50
    if let image = notification.image {
      canvas.picture(image, 8, y - 6, 377, picture - 4)
      y += picture + 4
    }
    writeLines(x: 26, y: y + 14, room: 352)
    if let layout = notification.layout {
      canvas.draw(
        layout, x: 26, y: y + lines * ApplePanel.lineHeight + 8, width: 341, palette, on: notification.backgroundColor)
    }
    if strip > 0 { pictures(y: 52 + card - strip) }
    menu(y: 52 + card + 10)
    return panel("Expanded", notification.template.map { "template \($0)" } ?? "", height)
  }

  /// The notification center with everything in it, below what leads.
  static func tray(
    _ cards: [TrayCard], _ first: Preview, badge: WholeNumber, _ palette: Palette,
    lead: (canvas: Canvas, height: Int)? = nil
  ) -> Panel {
    var panel = ApplePanel(first, SurfaceText.none, palette)
    var height = 70 + (lead?.height ?? 0)
    for card in cards {
      height += ApplePanel(card.preview, card.text, palette).cardHeight + 8 + min(card.behind, 2) * 9
    }
    height += 150
    panel.wallpaper(height)
    panel.statusBar()
    var y = 62
    if let lead {
      panel.canvas.append(lead.canvas, x: 0, y: y)
      y += lead.height
    }
    for card in cards {
      panel = ApplePanel(card.preview, card.text, palette, panel.canvas)
      let own = panel.cardHeight
      panel.stack(card.behind, y: y, height: own)
      panel.card(y: y)
      y += own + 8 + min(card.behind, 2) * 9
      if let summary = card.summary { panel.count(summary, y: y - 14) }
    }
    panel = ApplePanel(first, SurfaceText.none, palette, panel.canvas)
    panel.homeScreen(y: height - 118, badge: badge)
    return panel.panel("", "", height)
  }

  /// The edges of what lies behind a card; no more of it, as cards let shine through what is behind them.
  private mutating func stack(_ behind: Int, y: Int, height: Int) {
    for step in stride(from: min(behind, 2), to: 0, by: -1) {
      canvas.lowerEdge(
        8 + step * 12, y + height + (step - 1) * 9, ApplePanel.width - 16 - step * 24, 9, radius: 17,
        fill: palette.card, opacity: palette.cardOpacity - 10 - step * 18)
    }
  }

  private mutating func count(_ summary: String, y: Int) {
    canvas.text(
      summary, 40, y, room: 313, font: .init(12, 500), fill: palette.faint, align: .center, direction: .leftToRight)
  }

  static func silent(_ preview: Preview, _ palette: Palette) -> Panel {
    var panel = ApplePanel(preview, SurfaceText.none, palette)
    let lines = TextLines(
      InertText(preview.notification.silence ?? ""), width: 300 * 1000 / 15, linesMax: 4, keepsLineFeeds: false)
    let height = 300 + lines.lines.count * 22
    panel.wallpaper(height)
    panel.statusBar()
    panel.homeScreen(y: 70)
    panel.canvas.text(
      "Nothing is shown", 20, 230, room: 353, font: .init(20, 700), fill: "#ffffff", align: .center,
      direction: .leftToRight)
    for (index, line) in lines.lines.enumerated() {
      panel.canvas.text(
        line, 20, 260 + index * 22, room: 353, font: .init(15), fill: "#ffffff", align: .center, direction: .leftToRight
      )
    }
    return panel.panel(
      preview.notification.isNothing ? "No notification" : "Silent push",
      preview.notification.isNothing ? "" : panel.badgeText,
      height)
  }

  private func panel(_ caption: String, _ detail: String, _ height: Int) -> Panel {
    Panel(caption: caption, detail: InertText(detail).line, height: height, canvas: canvas)
  }

  private var badgeText: String {
    switch notification.badge {
    case .none: "badge stays"
    case .set(let number): "badge \(number)"
    case .add(let number): "badge \(number < 0 ? "" : "+")\(number)"
    }
  }

  // MARK: Parts

  private mutating func wallpaper(_ height: Int) {
    canvas.rectangle(0, 0, ApplePanel.width, height, radius: 40, fill: "url(#pr-wall-\(kind))")
    canvas.rectangle(0, 0, ApplePanel.width, height * 2 / 3, radius: 40, fill: "url(#pr-glow-\(kind)-0)", opacity: 70)
    canvas.rectangle(
      60, height / 3, ApplePanel.width - 60, height * 2 / 3, radius: 40, fill: "url(#pr-glow-\(kind)-1)", opacity: 60)
  }

  private mutating func statusBar() {
    canvas.rectangle(134, 11, 125, 34, radius: 17, fill: "#000000")
    canvas.text("9:41", 34, 34, room: 80, font: .init(16, 600), fill: "#ffffff", direction: .leftToRight)
    for (index, height) in [5, 7, 9, 11].enumerated() {
      canvas.rectangle(298 + index * 5, 33 - height, 3, height, radius: 1, fill: "#ffffff")
    }
    canvas.rectangle(326, 22, 24, 12, radius: 4, fill: "#ffffff", opacity: 35)
    canvas.rectangle(328, 24, 18, 8, radius: 2, fill: "#ffffff")
    canvas.rectangle(351, 26, 2, 4, radius: 1, fill: "#ffffff", opacity: 50)
  }

  /// The height of a card that is not expanded.
  private var cardHeight: Int {
    let lines = text.title.lines.count + text.subtitle.lines.count + text.body.lines.count
    return max(66, 28 + lines * ApplePanel.lineHeight)
  }

  private mutating func card(y: Int) {
    let height = cardHeight
    canvas.rectangle(8, y + 3, 377, height, radius: 22, fill: "#000000", opacity: 7)
    canvas.rectangle(
      8, y, 377, height, radius: 22, fill: palette.card, opacity: palette.cardOpacity,
      stroke: (palette.edge, palette.edgeOpacity))
    canvas.appIcon(preview.appName, 22, y + (height - 38) / 2, size: 38)
    canvas.text(
      "9:41", 323, y + 29, room: 46, font: .init(13), fill: palette.faint, align: .trailing, direction: .leftToRight)
    let picture = SurfaceText.pictureWidth(notification)
    if picture > 0, let image = notification.image {
      canvas.picture(image, 333, y + height - 50, 38, 38, radius: 7)
    }
    writeLines(x: 70, y: y + 29, room: 308 - picture)
  }

  private mutating func writeLines(x: Int, y start: Int, room: Int) {
    var y = start
    let colors = text.surface == .expanded ? (notification.titleColor, notification.bodyColor) : (nil, nil)
    let ground = text.surface == .expanded ? notification.backgroundColor : nil
    let letters = ground.map { $0.isDark ? "#f5f5f7" : "#101114" } ?? palette.text
    for line in text.title.lines {
      let room = y == start && text.surface != .expanded ? min(room, 308 - 42) : room
      canvas.text(
        line, x, y, room: room, font: .init(15, 600), fill: colors.0?.hex ?? letters, direction: text.title.direction)
      y += ApplePanel.lineHeight
    }
    for line in text.subtitle.lines {
      canvas.text(
        line, x, y, room: room, font: .init(15, 600), fill: letters, direction: text.subtitle.direction)
      y += ApplePanel.lineHeight
    }
    for line in text.body.lines {
      canvas.text(
        line, x, y, room: room, font: .init(15), fill: colors.1?.hex ?? letters, direction: text.body.direction)
      y += ApplePanel.lineHeight
    }
  }

  private mutating func header(y: Int) {
    canvas.appIcon(preview.appName, 22, y + 12, size: 22, radius: 6)
    let faint = notification.backgroundColor.map { $0.isDark ? "#c9ccd6" : "#4a4d55" } ?? palette.faint
    canvas.text(preview.appName, 52, y + 28, room: 220, font: .init(13, 500), fill: faint)
    canvas.text("9:41", 311, y + 28, room: 58, font: .init(13), fill: faint, align: .trailing, direction: .leftToRight)
  }

  private mutating func pictures(y: Int) {
    for (index, image) in notification.images.prefix(4).enumerated() {
      canvas.picture(image, 26 + index * 88, y, 78, 78, radius: 12)
    }
  }

  private mutating func menu(y: Int) {
    guard !notification.buttons.isEmpty else { return }
    let height = notification.buttons.count * 46
    canvas.rectangle(
      72, y, 250, height, radius: 16, fill: palette.card, opacity: 94, stroke: (palette.edge, palette.edgeOpacity))
    for (index, button) in notification.buttons.enumerated() {
      let top = y + index * 46
      if index > 0 { canvas.rectangle(72, top, 250, 1, fill: palette.line, opacity: 70) }
      canvas.text(button.label, 90, top + 29, room: 214, font: .init(16), fill: palette.text)
    }
  }

  private mutating func homeScreen(y: Int, badge: WholeNumber? = nil) {
    let number: WholeNumber
    switch notification.badge {
    case .none: number = badge ?? 0
    case .set(let own), .add(let own): number = badge ?? own
    }
    for index in 0..<4 {
      let x = 30 + index * 91
      if index == 0 {
        canvas.appIcon(preview.appName, x, y, size: 60, radius: 14)
        if number > 0 { canvas.badge(number, x + 57, y + 3) }
        canvas.text(
          preview.appName, x - 10, y + 78, room: 80, font: .init(12, 500), fill: "#ffffff", align: .center)
      } else {
        canvas.rectangle(x, y, 60, 60, radius: 14, fill: "#ffffff", opacity: palette.isDark ? 12 : 32)
        canvas.rectangle(x + 10, y + 70, 40, 6, radius: 3, fill: "#ffffff", opacity: palette.isDark ? 12 : 32)
      }
    }
  }
}

extension Palette {
  var isDark: Bool { ground == "#111216" }
}

extension SurfaceText {
  /// No texts, for a silent push.
  static let none = SurfaceText(surface: .lockScreen)

  private init(surface: Surface) {
    self.surface = surface
    title = TextLines()
    subtitle = TextLines()
    body = TextLines()
  }
}
