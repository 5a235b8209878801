import PushPayload

/// How a picture is drawn.
public struct PictureOptions: Sendable, Hashable {
  /// Light or dark.
  public var appearance: Appearance
  /// Which surfaces; nil for all of the platform.
  public var surfaces: [Surface]?
  /// Whether the name of each surface is above it.
  public var hasCaptions: Bool

  /// Makes options.
  public init(appearance: Appearance = .light, surfaces: [Surface]? = nil, hasCaptions: Bool = true) {
    self.appearance = appearance
    self.surfaces = surfaces
    self.hasCaptions = hasCaptions
  }
}

extension Preview {
  /// The preview as an SVG picture, one screen for each surface.
  ///
  /// The picture is complete: it refers to nothing outside, holds no script, and what is in the payload is
  /// only ever text. Letters come from the fonts of the system that shows it.
  public func svg(_ options: PictureOptions = PictureOptions()) -> String {
    Board(self, options).draw()
  }
}

/// A screen that is drawn, with its height.
struct Panel {
  let caption: String
  let detail: String
  let height: Int
  let canvas: Canvas
}

/// Puts the screens of a preview beside and below each other.
struct Board {
  static let fonts =
    "-apple-system,BlinkMacSystemFont,'SF Pro Text',Inter,Roboto,'Segoe UI','Noto Sans',sans-serif"
  static let emojiFonts = "'Apple Color Emoji','Noto Color Emoji','Segoe UI Emoji',sans-serif"
  private static let margin = 24
  private static let captionHeight = 30

  let preview: Preview
  let options: PictureOptions
  let palette: Palette
  private let platform: PlatformPicture
  private var screenWidth: Int { platform.screenWidth }

  init(_ preview: Preview, _ options: PictureOptions) {
    self.preview = preview
    self.options = options
    platform = PlatformPicture.all[preview.notification.platform]
    palette = platform.palette(options.appearance)
  }

  func draw() -> String { draw(makePanels()) }

  /// One screen alone.
  func draw(_ panel: Panel) -> String { draw([panel]) }

  private func draw(_ panels: [Panel]) -> String {
    let columns = min(2, panels.count)
    var heights = Array(repeating: Board.margin, count: columns)
    var canvas = Canvas(width: 0, isMirrored: false)
    for panel in panels {
      let column = columns == 2 && heights[1] < heights[0] ? 1 : 0
      let x = Board.margin + column * (screenWidth + Board.margin)
      if options.hasCaptions {
        let y = heights[column] + 16
        canvas.text(panel.caption, x + 6, y, room: 180, font: .init(14, 600), fill: palette.caption)
        canvas.text(
          panel.detail, x + 186, y, room: screenWidth - 192, font: .init(13), fill: palette.caption, align: .trailing,
          direction: .leftToRight)
        heights[column] += Board.captionHeight
      }
      canvas.append(panel.canvas, x: x, y: heights[column])
      heights[column] += panel.height + Board.margin
    }
    let width = Board.margin + columns * (screenWidth + Board.margin)
    return wrap(canvas, width: width, height: heights.max() ?? 0)
  }

  private func makePanels() -> [Panel] {
    if preview.notification.isSilent { return [platform.silent(preview, palette)] }
    let wanted = options.surfaces ?? Surface.of(preview.notification.platform)
    var panels: [Panel] = []
    for surface in wanted {
      guard let text = preview.text(on: surface) else { continue }
      panels.append(platform.shown(preview, text, palette))
    }
    return panels
  }

  private func wrap(_ canvas: Canvas, width: Int, height: Int) -> String {
    // Definitions with the same name are the same in all pictures, so that many can be in one page.
    let kind = "\(preview.notification.platform.rawValue)-\(options.appearance.rawValue)"
    var definitions = Canvas.gradient("pr-wall-\(kind)", palette.wallpaper)
    for (index, color) in palette.glows.enumerated() { definitions += Canvas.glow("pr-glow-\(kind)-\(index)", color) }
    definitions += Canvas.gradient("pr-picture", ["#bcd6f7", "#d5c8f3", "#f4cfd2"])
    definitions += Canvas.iconDefinition(of: preview.appName)
    let label = Canvas.escaped(preview.accessibleText)
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" width="\(width)" height="\(height)" \
      role="img" aria-label="\(label)" font-family="\(Board.fonts)">
      <defs>
      \(definitions)</defs>
      <rect width="\(width)" height="\(height)" fill="\(palette.ground)"/>
      \(canvas.elements)</svg>

      """
  }
}

extension Preview {
  /// The preview in one sentence, for those who hear it.
  var accessibleText: String {
    if let silence = notification.silence { return "Nothing is shown: \(silence)" }
    let texts = [notification.title, notification.subtitle, notification.body].compactMap { $0?.text }
    return "\(appName): " + texts.joined(separator: ". ")
  }
}
