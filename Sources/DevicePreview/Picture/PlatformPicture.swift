import Basics
import PushPayload

/// How the screens of a platform are drawn.
struct PlatformPicture: Sendable {
  let screenWidth: Int
  let palette: @Sendable (Appearance) -> Palette
  /// A screen with a notification.
  let shown: @Sendable (Preview, SurfaceText, Palette) -> Panel
  /// A screen on which nothing is shown.
  let silent: @Sendable (Preview, Palette) -> Panel
  /// The surface of the notifications in a tray.
  let traySurface: Surface
  /// A screen with cards, the first preview and the number on the icon, below what leads.
  let tray: @Sendable ([TrayCard], Preview, WholeNumber, Palette, (canvas: Canvas, height: Int)?) -> Panel

  static let all = PerPlatform(
    ios: PlatformPicture(
      screenWidth: 393, palette: { Palette.ios($0) }, shown: { ApplePanel.draw($0, $1, $2) },
      silent: { ApplePanel.silent($0, $1) }, traySurface: .notificationCenter,
      tray: { ApplePanel.tray($0, $1, badge: $2, $3, lead: $4) }),
    android: PlatformPicture(
      screenWidth: 412, palette: { Palette.android($0) }, shown: { AndroidPanel.draw($0, $1, $2) },
      silent: { AndroidPanel.silent($0, $1) }, traySurface: .collapsed,
      tray: { cards, first, _, palette, _ in AndroidPanel.tray(cards, first, palette) }))
}
