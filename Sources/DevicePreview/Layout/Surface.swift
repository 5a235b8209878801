public import PushPayload

/// Where on a device a notification is shown.
public enum Surface: String, Sendable, Hashable, CaseIterable {
  /// iOS, while the device is used.
  case banner
  /// iOS, locked.
  case lockScreen = "lock-screen"
  /// Both, opened by the person: a long press on iOS, the arrow on Android.
  case expanded
  /// iOS, in the notification center, where several of a thread are stacked.
  case notificationCenter = "notification-centre"
  /// Android, in the drawer.
  case collapsed
  /// Android, over the app in use.
  case headsUp = "heads-up"

  /// The surfaces of a platform.
  public static func of(_ platform: Platform) -> [Surface] {
    switch platform {
    case .ios: [.lockScreen, .banner, .expanded, .notificationCenter]
    case .android: [.collapsed, .expanded, .headsUp]
    }
  }

  /// The name for a person.
  public var title: String {
    switch self {
    case .banner: "Banner"
    case .lockScreen: "Lock screen"
    case .expanded: "Expanded"
    case .notificationCenter: "Notification Center"
    case .collapsed: "Collapsed"
    case .headsUp: "Heads-up"
    }
  }
}

/// How much room a surface has for texts: a guideline and not a promise, as screen, font size and pictures change it.
public struct SurfaceGuideline: Sendable, Hashable {
  /// The platform.
  public var platform: Platform
  /// The surface.
  public var surface: Surface
  /// The most lines of the title.
  public var titleLines: Int
  /// The most lines of the subtitle; 0 where there is none.
  public var subtitleLines: Int
  /// The most lines of the text.
  public var bodyLines: Int
  /// The room for a line, in points (dp on Android).
  public var width: Int
  /// The height of the title's letters, in points.
  public var titleSize: Int
  /// The height of the text's letters, in points.
  public var bodySize: Int
  /// The room that the time beside the title takes; expanded, Android shows it in a line of its own.
  public var timeWidth = 44
  /// How many lines of the text buttons take away.
  public var linesTakenByButtons = 0
  /// True when line feeds are shown as spaces.
  public var joinsLines = false
  /// Where the numbers come from.
  public var source: String

  private static let appleSource =
    "Apple's guidelines give no number; the lines that current iPhones show at the default text size"
  private static let bigTextSource = "Android's Notification.BigTextStyle: 13 lines, 4 fewer with buttons"
  private static let collapsedSource = "Android's base layout: one line of title, one of text"

  /// The guidelines.
  public static let all: [SurfaceGuideline] = [
    SurfaceGuideline(
      platform: .ios, surface: .banner, titleLines: 1, subtitleLines: 1, bodyLines: 2, width: 292, titleSize: 15,
      bodySize: 15, timeWidth: 36, source: appleSource),
    SurfaceGuideline(
      platform: .ios, surface: .lockScreen, titleLines: 1, subtitleLines: 1, bodyLines: 4, width: 292, titleSize: 15,
      bodySize: 15, timeWidth: 36, source: appleSource),
    SurfaceGuideline(
      platform: .ios, surface: .expanded, titleLines: 2, subtitleLines: 2, bodyLines: 20, width: 325, titleSize: 15,
      bodySize: 15, timeWidth: 36, source: "Adobe's guideline for titles: two lines; the text is shown as a whole"),
    SurfaceGuideline(
      platform: .ios, surface: .notificationCenter, titleLines: 1, subtitleLines: 1, bodyLines: 4, width: 292,
      titleSize: 15, bodySize: 15, timeWidth: 36, source: appleSource),
    SurfaceGuideline(
      platform: .android, surface: .collapsed, titleLines: 1, subtitleLines: 0, bodyLines: 1, width: 288,
      titleSize: 15, bodySize: 14, joinsLines: true, source: collapsedSource),
    SurfaceGuideline(
      platform: .android, surface: .expanded, titleLines: 1, subtitleLines: 0, bodyLines: 13, width: 306,
      titleSize: 15, bodySize: 14, timeWidth: 0, linesTakenByButtons: 4, source: bigTextSource),
    SurfaceGuideline(
      platform: .android, surface: .headsUp, titleLines: 1, subtitleLines: 0, bodyLines: 1, width: 288, titleSize: 15,
      bodySize: 14, joinsLines: true, source: collapsedSource),
  ]

  /// The guideline of a surface; nil when the platform does not have it.
  public static func of(_ platform: Platform, _ surface: Surface) -> SurfaceGuideline? {
    for guideline in all where guideline.platform == platform && guideline.surface == surface { return guideline }
    return nil
  }
}
