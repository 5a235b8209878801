import PushPayload

/// The texts that a surface has room for.
public struct SurfaceText: Sendable, Hashable {
  /// The surface.
  public var surface: Surface
  /// The title.
  public var title: TextLines
  /// The subtitle (iOS).
  public var subtitle: TextLines
  /// The text.
  public var body: TextLines

  init(_ notification: ShownNotification, _ texts: InertTexts, on guideline: SurfaceGuideline) {
    surface = guideline.surface
    let isExpanded = surface == .expanded
    let width = guideline.width - (isExpanded ? 0 : SurfaceText.pictureWidth(notification))
    let titleWidth = (width - guideline.timeWidth) * 1000 / guideline.titleSize
    // Titles are bold, and bold letters are a little wider.
    title = TextLines(
      isExpanded ? texts.expandedTitle : texts.title, width: titleWidth * 15 / 16, linesMax: guideline.titleLines)
    subtitle = TextLines(
      isExpanded ? texts.expandedSubtitle : texts.subtitle, width: width * 1000 / guideline.titleSize * 15 / 16,
      linesMax: guideline.subtitleLines)
    let lines = guideline.bodyLines - (notification.buttons.isEmpty ? 0 : guideline.linesTakenByButtons)
    body = TextLines(
      isExpanded ? texts.expandedBody : texts.body, width: width * 1000 / guideline.bodySize, linesMax: lines,
      keepsLineFeeds: !guideline.joinsLines)
  }

  /// The room that a small picture beside the texts takes.
  static func pictureWidth(_ notification: ShownNotification) -> Int {
    switch notification.platform {
    case .ios: notification.image != nil && notification.category == nil ? 50 : 0
    case .android: notification.image != nil || notification.largeIcon != nil ? 60 : 0
    }
  }
}
