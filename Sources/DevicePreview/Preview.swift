public import PushPayload

/// What a device shows of a push: the texts of each surface, and everything around them.
public struct Preview: Sendable, Hashable {
  /// What the device makes of the payload.
  public var notification: ShownNotification
  /// What each surface shows; empty for a silent push.
  public var surfaces: [SurfaceText]
  /// The language of the device.
  public var locale: String
  /// The name under the app's icon.
  public var appName: String
  /// What there is to say: keys without a text, texts that do not fit, and what the contract's reader says.
  public var report: Report
  /// The fields that stay empty, as the app has no text for their key (Android).
  public var missingTexts: [String]

  /// Looks at a push on a device.
  public init(_ push: PreviewPush, on device: PreviewDevice = PreviewDevice()) {
    var builder = NotificationBuilder(push, on: device)
    builder.build()
    notification = builder.notification
    report = builder.report
    missingTexts = builder.missingTexts
    locale = device.locales.first ?? "en"
    appName = device.appName
    surfaces = []
    guard !notification.isSilent else {
      // An error has said so.
      let said = ["device-shows-nothing", "document-unrecognized"]
      guard !report.findings.contains(where: { said.contains($0.rule) }) else { return }
      report.add(
        rule: PreviewRule.silent.rawValue, severity: .note, field: "",
        message: "nothing is shown: \(notification.silence ?? "")")
      return
    }
    layOut()
  }

  /// What a surface shows; nil when the platform does not have it or nothing is shown.
  public func text(on surface: Surface) -> SurfaceText? { surfaces.first { $0.surface == surface } }

  /// The direction of the interface.
  public var direction: TextDirection { TextDirection.of(locale: locale) }

  /// Fills the surfaces anew.
  mutating func layOut() {
    surfaces = []
    let texts = InertTexts(notification)
    for surface in Surface.of(notification.platform) {
      guard let guideline = SurfaceGuideline.of(notification.platform, surface) else { continue }
      let shown = SurfaceText(notification, texts, on: guideline)
      surfaces.append(shown)
      reportCut(shown)
    }
  }

  /// The tightest surface that people read first speaks for the others; the expanded one for itself.
  private mutating func reportCut(_ shown: SurfaceText) {
    let isFirst = shown.surface == Surface.of(notification.platform).first
    guard isFirst || shown.surface == .expanded else { return }
    for (name, lines) in [("title", shown.title), ("subtitle", shown.subtitle), ("body", shown.body)] where lines.isCut
    {
      // That a text goes on is what the expanded surface is for.
      let severity: Severity = name == "body" && isFirst ? .note : .warning
      report.add(
        rule: PreviewRule.textCut.rawValue, severity: severity, field: name,
        message:
          "\(shown.surface.rawValue): about \(lines.shown) of \(lines.count) characters fit on \(lines.lines.count) "
          + "line\(lines.lines.count == 1 ? "" : "s")")
    }
  }
}

/// The texts of a notification, ready to be cut into lines.
struct InertTexts {
  let title: InertText
  let subtitle: InertText
  let body: InertText
  let expandedTitle: InertText
  let expandedSubtitle: InertText
  let expandedBody: InertText

  init(_ notification: ShownNotification) {
    title = InertText(notification.title?.text ?? "")
    subtitle = InertText(notification.subtitle?.text ?? "")
    body = InertText(notification.body?.text ?? "")
    expandedTitle = notification.expandedTitle.map { InertText($0.text) } ?? title
    expandedSubtitle = notification.expandedSubtitle.map { InertText($0.text) } ?? subtitle
    expandedBody = notification.expandedBody.map { InertText($0.text) } ?? body
  }
}
