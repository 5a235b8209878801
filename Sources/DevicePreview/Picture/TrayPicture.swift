import PushContracts
import PushPayload
import WireJSON

extension Tray {
  /// The most notifications that a picture shows.
  public static let picturedMax = 12

  /// The tray as an SVG picture: the newest of each stack, with what lies behind it.
  public func svg(_ appearance: Appearance = .light) -> String {
    TrayBoard(self, appearance).draw()
  }
}

/// Draws the notification center of an iPhone or the drawer of an Android phone.
struct TrayBoard {
  private let tray: Tray
  private let appearance: Appearance
  private let platform: PlatformPicture
  /// What is above the notifications, on an iPhone.
  private let lead: (canvas: Canvas, height: Int)?

  init(_ tray: Tray, _ appearance: Appearance, lead: (canvas: Canvas, height: Int)? = nil) {
    self.tray = tray
    self.appearance = appearance
    self.lead = lead
    platform = PlatformPicture.all[tray.platform]
  }

  func draw() -> String {
    let groups = tray.groups.prefix(Tray.picturedMax)
    var cards: [TrayCard] = []
    for group in groups {
      let shown = group.isStacked ? group.items.prefix(1) : group.items.prefix(Tray.picturedMax - cards.count)
      for item in shown where cards.count < Tray.picturedMax {
        guard let text = item.preview.text(on: platform.traySurface) else { continue }
        let behind = group.isStacked ? group.items.count - 1 : 0
        cards.append(TrayCard(preview: item.preview, text: text, behind: behind, summary: group.summary))
      }
    }
    let first = tray.items.last?.preview ?? Preview.empty(tray)
    let options = PictureOptions(appearance: appearance)
    let board = Board(first, options)
    let panel = platform.tray(cards, first, tray.badge, board.palette, lead)
    return board.draw(
      Panel(
        caption: tray.device.appName, detail: "\(tray.items.count) · badge \(tray.badge)", height: panel.height,
        canvas: panel.canvas))
  }
}

/// One card of a tray.
struct TrayCard {
  let preview: Preview
  let text: SurfaceText
  /// How many notifications lie behind it.
  let behind: Int
  let summary: String?
}

extension Preview {
  /// A preview without a text, for an empty tray.
  static func empty(_ tray: Tray) -> Preview {
    Preview(PreviewPush(platform: tray.platform, payload: [:], contract: .native), on: tray.device)
  }
}
