import PushPayload
package import WireJSON

/// What draws a notification on Android, and what of it.
///
/// Source: Adobe, the classes `…NotificationBuilder` of aepsdk-ui-android, and `MessagingPushBuilder` of
/// aepsdk-messaging-android.
extension Adobe {
  /// The builder of a notification on Android.
  package enum AndroidBuilder: Sendable, Hashable {
    /// That of a template; for a carousel with too few pictures that of `basic`.
    case template(Template)
    /// That of a missing or unknown template (`LegacyNotificationBuilder`): the system's own views.
    case legacy
    /// Journey Optimizer's library, which has the system's own views too and reads fewer keys.
    case journeyOptimizer
    /// The app's plugin for live updates, which draws ``Adobe/LiveUpdate`` and nothing else.
    case liveUpdate
  }

  /// What draws data that was read.
  package static func androidBuilder(of message: Message, _ data: JSONObject) -> AndroidBuilder {
    guard message.liveUpdate == nil else { return .liveUpdate }
    guard !isOfJourneyOptimizer(data) else { return .journeyOptimizer }
    return message.template.map { builder(of: message, $0) } ?? .legacy
  }

  /// What draws a message that is written: without a template it is `basic`.
  static func androidBuilder(of message: Message) -> AndroidBuilder {
    guard message.liveUpdate == nil else { return .liveUpdate }
    let template = message.template ?? .basic
    return template.isJourneyOptimizer ? .journeyOptimizer : builder(of: message, template)
  }

  private static func builder(of message: Message, _ template: Template) -> AndroidBuilder {
    guard Template.known.contains(template) else { return .legacy }
    return .template(template == .carousel && isFewPictures(message) ? .basic : template)
  }

  /// True for a carousel that is drawn as the template basic.
  static func isFewPictures(_ message: Message) -> Bool {
    message.shownTemplate == .carousel
      && (message.items ?? []).prefix { $0.image != nil }.count { isLoadable($0.image, on: .android) } < 3
  }
}

extension Adobe.AndroidBuilder {
  private var template: Adobe.Template? {
    if case .template(let template) = self { template } else { Optional.none }
  }

  /// True when the buttons of `adb_act` are drawn: of the builders of templates that of `basic` alone adds them.
  package var drawsButtons: Bool { self != .liveUpdate && (template == nil || template == .basic) }

  /// True when a “remind later” button is drawn.
  package var drawsReminder: Bool { template == .basic }

  /// True when it has layouts of its own, with colors and a large icon.
  var isTemplate: Bool { template != nil }

  /// In what part of a notification something is drawn.
  package enum Extent: Sendable, Hashable {
    case everywhere
    case collapsed
    case expanded
    /// When the timer has ended.
    case afterEnd
    case nowhere

    /// The part as the end of a sentence.
    fileprivate var name: String {
      switch self {
      case .everywhere, .nowhere: ""
      case .collapsed: "but in the collapsed notification"
      case .expanded: "but in the expanded notification"
      case .afterEnd: "while the timer runs"
      }
    }
  }

  /// Where the large icon is drawn: in the layouts that have a view for it.
  package func drawsLargeIcon(of message: Adobe.Message) -> Extent {
    switch self {
    case .legacy, .journeyOptimizer, .liveUpdate, .template(.zeroBezel), .template(.icons): .nowhere
    case .template(.catalog): .collapsed
    case .template(.timer): message.tag == nil ? .nowhere : .afterEnd
    case .template: .everywhere
    }
  }

  /// Where the color behind the texts is drawn: in the layouts whose own view has the name that the builder colors.
  package func drawsBackground(of message: Adobe.Message) -> Extent {
    switch self {
    case .legacy, .journeyOptimizer, .liveUpdate: .nowhere
    case .template(.zeroBezel): .expanded
    case .template(.timer): message.tag == nil ? .nowhere : .afterEnd
    case .template: .everywhere
    }
  }

  /// True when the colors of title and text are drawn.
  package var drawsTextColors: Bool { template.map { $0 != .icons } ?? false }

  /// True when `adb_sticky`, `adb_ticker` and `adb_clr_icon` count.
  package var readsSharedLooks: Bool { self != .journeyOptimizer && self != .liveUpdate }

  /// Where the picture of `adb_image` comes from; nil when none is drawn.
  package var imageSource: Adobe.PictureSource? {
    switch self {
    case .journeyOptimizer: .web
    case .legacy, .template(.zeroBezel), .template(.rating), .template(.input): .https
    case .liveUpdate, .template(.carousel), .template(.catalog), .template(.icons): Optional.none
    case .template: .httpsOrName
    }
  }

  /// The picture of `adb_image` that is drawn.
  package func image(of message: Adobe.Message) -> String? {
    guard drawsImage(of: message) else { return Optional.none }
    return imageSource.flatMap { Adobe.isPicture(message.image, $0) ? message.image : Optional.none }
  }

  /// True where there is a view for the picture.
  ///
  /// What draws a large text of Journey Optimizer has none.
  fileprivate func drawsImage(of message: Adobe.Message) -> Bool {
    imageSource != nil && (self != .journeyOptimizer || Adobe.bigText(of: message) == nil)
  }

  /// The large icon that is drawn; without a template it is the picture.
  package func largeIcon(of message: Adobe.Message) -> String? {
    switch self {
    case .legacy: image(of: message)
    case .template where [.everywhere, .collapsed].contains(drawsLargeIcon(of: message)): givenLargeIcon(of: message)
    case .template, .journeyOptimizer, .liveUpdate: Optional.none
    }
  }

  /// `adb_large_icon`, if it can be drawn.
  package func givenLargeIcon(of message: Adobe.Message) -> String? {
    Adobe.isPicture(message.largeIcon, .httpsOrName) ? message.largeIcon : Optional.none
  }

  /// The text of the expanded notification; nil where that is the body.
  ///
  /// The builders of templates set `adb_body_ex` alone: without it the expanded notification has no text. The legacy builder
  /// has it below its picture, instead of the body.
  package func expandedBody(of message: Adobe.Message) -> String? {
    switch self {
    case .journeyOptimizer, .liveUpdate: Optional.none
    case .legacy: image(of: message).map { _ in message.expandedBody ?? "" }
    case .template(.catalog), .template(.icons): ""
    case .template: message.expandedBody ?? ""
    }
  }

  /// The sound that the builder puts into its channel; nil where that is the channel's own affair, or no resource has the name.
  package func sound(of message: Adobe.Message) -> String? {
    guard self != .journeyOptimizer, self != .liveUpdate, let sound = message.androidSound,
      Adobe.isPicture(sound, .name)
    else {
      return Optional.none
    }
    return sound
  }

  /// The channel of a notification that names none.
  package var channelDefault: String {
    self == .journeyOptimizer ? Adobe.channelOfJourneyOptimizer : Adobe.channelDefault
  }

  /// What draws a notification, as the beginning of a sentence.
  fileprivate var title: String {
    switch self {
    case .template(let template): "the template \(template.rawValue)"
    case .legacy: "a notification without a known template"
    case .journeyOptimizer: "the library of Journey Optimizer"
    case .liveUpdate: "a live update"
    }
  }
}

// MARK: What is left out

extension Adobe {
  /// Fields that a builder leaves out.
  private struct Part: Sendable {
    /// Its keys, of which the first one that is given is named.
    let fields: [(name: String, isThere: @Sendable (Message) -> Bool)]
    let extent: @Sendable (AndroidBuilder, Message) -> AndroidBuilder.Extent
    /// What there is to say besides.
    var advice = ""

    init(
      _ fields: [(name: String, isThere: @Sendable (Message) -> Bool)], advice: String = "",
      extent: @escaping @Sendable (AndroidBuilder, Message) -> AndroidBuilder.Extent
    ) {
      self.fields = fields
      self.advice = advice
      self.extent = extent
    }

    /// A field that is drawn wholly or not at all.
    static func whole(
      _ fields: [(name: String, isThere: @Sendable (Message) -> Bool)], advice: String = "",
      isDrawn: @escaping @Sendable (AndroidBuilder, Message) -> Bool
    ) -> Part {
      Part(fields, advice: advice) { isDrawn($0, $1) ? .everywhere : .nowhere }
    }
  }

  private static let parts = [
    Part.whole(
      [("adb_act", { $0.buttons != nil })], advice: "; of the templates basic alone has buttons",
      isDrawn: { builder, _ in builder.drawsButtons }),
    Part.whole(
      [
        ("adb_rem_txt", { has($0.remindText) }), ("adb_rem_ts", { $0.remindTime != nil }),
        ("adb_rem_sec", { $0.remindSeconds != nil }),
      ], advice: "; the template basic alone has “remind later”", isDrawn: { builder, _ in builder.drawsReminder }),
    Part.whole([("adb_body_ex", { has($0.expandedBody) })]) { builder, message in
      switch builder {
      // The summary below the picture.
      case .legacy: builder.image(of: message) != nil
      case .journeyOptimizer, .liveUpdate, .template(.catalog), .template(.icons): false
      case .template: true
      }
    },
    Part.whole([("adb_image", { has($0.image) })]) { $0.drawsImage(of: $1) },
    Part([("adb_large_icon", { has($0.largeIcon) })]) { $0.drawsLargeIcon(of: $1) },
    Part.whole([("adb_clr_title", { has($0.titleColor) })]) { builder, _ in builder.drawsTextColors },
    Part.whole([("adb_clr_body", { has($0.bodyColor) })]) { builder, _ in builder.drawsTextColors },
    Part([("adb_clr_bg", { has($0.backgroundColor) })]) { $0.drawsBackground(of: $1) },
    Part.whole([("adb_clr_icon", { has($0.iconColor) })]) { builder, _ in builder.readsSharedLooks },
    Part.whole([("adb_sticky", { $0.sticky == true })]) { builder, _ in builder.readsSharedLooks },
    Part.whole([("adb_ticker", { has($0.ticker) })]) { builder, _ in builder.readsSharedLooks },
  ]

  /// Reports each field that is given and that what draws the notification on Android leaves out.
  static func reportUndrawn(
    _ message: Message, _ builder: AndroidBuilder, _ path: FieldPath, _ report: inout Report
  ) {
    // The template basic draws each of them.
    for part in parts where builder != .template(.basic) {
      let extent = part.extent(builder, message)
      guard extent != .everywhere, let field = part.fields.first(where: { $0.isThere(message) }) else { continue }
      let suffix = extent.name.isEmpty ? "" : " " + extent.name
      add(
        "adobe-template-field", .warning, path.member(field.name),
        "\(builder.title) does not draw \(field.name) on Android\(suffix)\(builder.isTemplate ? part.advice : "")",
        &report)
    }
    guard builder == .template(.carousel), message.carouselLayout == "filmstrip", movesByItself(message) else { return }
    add(
      "adobe-template-field", .warning, path.member("adb_car_layout"),
      "Android draws no filmstrip that moves by itself, but the default layout; take manual for adb_car_mode", &report)
  }

  /// Reports the texts that a person does not see in the expanded notification.
  ///
  /// Source: Adobe, `AEPPushNotificationBuilder.construct`, and the layouts of the templates.
  static func reportExpanded(
    _ message: Message, _ builder: AndroidBuilder, _ path: FieldPath, _ report: inout Report
  ) {
    let rule = "adobe-expanded-without-text"
    if builder == .template(.catalog) { return reportCatalogTexts(message, path, &report) }
    guard has(message.body), builder != .template(.icons) else { return }
    if builder.expandedBody(of: message) == "" {
      report.findings.append(path.steps.isEmpty ? writtenWithoutText : expandedWithoutText(path.member("adb_body_ex")))
    }
    guard builder == .template(.timer), message.tag != nil, has(message.alternateBody),
      !has(message.alternateExpandedBody)
    else { return }
    add(
      rule, .warning, path.member("adb_body_ex_alt"),
      "without adb_body_ex_alt there is no text in the expanded notification on Android after the end of the timer; add it",
      &report)
  }

  /// What is said of it when a message is written.
  static let writtenWithoutText = expandedWithoutText(FieldPath(members: "adb_body_ex")).keeping

  /// What is said of a body without ``Message/expandedBody``.
  static func expandedWithoutText(_ field: FieldPath) -> Finding {
    Finding(
      rule: "adobe-expanded-without-text", severity: .warning, field: field.text,
      message: "without adb_body_ex there is no text in the expanded notification on Android: adb_body is drawn in the "
        + "collapsed one alone; add adb_body_ex")
  }

  /// The layouts of a catalog have no view for title and text, which the collapsed one draws, and the horizontal one none
  /// for the text and the price of a product, which are lost.
  static func reportCatalogTexts(_ message: Message, _ path: FieldPath, _ report: inout Report) {
    guard message.catalogLayout != "vertical", (message.items ?? []).contains(where: { has($0.body) || has($0.price) })
    else { return }
    add(
      "adobe-expanded-without-text", .warning, path.member("adb_items"),
      "a horizontal catalog on Android draws of each product the picture and the title, neither body nor price; take vertical",
      &report)
  }

  /// True for a carousel that moves by itself.
  package static func movesByItself(_ message: Message) -> Bool { (message.carouselMode ?? "auto") == "auto" }
}
