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
  }

  /// What draws data that was read.
  package static func androidBuilder(of message: Message, _ data: JSONObject) -> AndroidBuilder {
    guard !isOfJourneyOptimizer(data) else { return .journeyOptimizer }
    return message.template.map { builder(of: message, $0) } ?? .legacy
  }

  /// What draws a message that is written: without a template it is `basic`.
  static func androidBuilder(of message: Message) -> AndroidBuilder {
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
  package var drawsButtons: Bool { template == nil || template == .basic }

  /// True when a “remind later” button is drawn.
  package var drawsReminder: Bool { template == .basic }

  /// True when the colors of title, text and background, and the large icon, are drawn.
  package var drawsTemplateLooks: Bool { template != nil }

  /// True when `adb_sticky`, `adb_ticker` and `adb_clr_icon` count.
  package var readsSharedLooks: Bool { self != .journeyOptimizer }

  /// Where the picture of `adb_image` comes from; nil when none is drawn.
  package var imageSource: Adobe.PictureSource? {
    switch self {
    case .journeyOptimizer: .web
    case .legacy, .template(.zeroBezel), .template(.rating), .template(.input): .https
    case .template(.carousel), .template(.catalog), .template(.icons): Optional.none
    case .template: .httpsOrName
    }
  }

  /// The picture of `adb_image` that is drawn.
  package func image(of message: Adobe.Message) -> String? {
    imageSource.flatMap { Adobe.isPicture(message.image, $0) ? message.image : Optional.none }
  }

  /// The large icon that is drawn; without a template it is the picture.
  package func largeIcon(of message: Adobe.Message) -> String? {
    switch self {
    case .template: Adobe.isPicture(message.largeIcon, .httpsOrName) ? message.largeIcon : Optional.none
    case .legacy: image(of: message)
    case .journeyOptimizer: Optional.none
    }
  }

  /// The text of the expanded notification; nil where that is the body.
  ///
  /// The builders of templates set `adb_body_ex` alone: without it the expanded notification has no text. The legacy builder
  /// has it below its picture, in the place of the body.
  package func expandedBody(of message: Adobe.Message) -> String? {
    switch self {
    case .journeyOptimizer: Optional.none
    case .legacy: image(of: message).map { _ in message.expandedBody ?? "" }
    case .template(.catalog), .template(.icons): ""
    case .template: message.expandedBody ?? ""
    }
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
    }
  }
}

// MARK: What is left out

extension Adobe {
  /// Fields that a builder leaves out.
  private struct Part: Sendable {
    /// Its keys, of which the first one that is given is named.
    let fields: [(name: String, isThere: @Sendable (Message) -> Bool)]
    let isDrawn: @Sendable (AndroidBuilder, Message) -> Bool
    /// What there is to say besides.
    var advice = ""
  }

  private static let parts = [
    Part(
      fields: [("adb_act", { $0.buttons != nil })], isDrawn: { builder, _ in builder.drawsButtons },
      advice: "; of the templates basic alone has buttons"),
    Part(
      fields: [
        ("adb_rem_txt", { has($0.remindText) }), ("adb_rem_ts", { $0.remindTime != nil }),
        ("adb_rem_sec", { $0.remindSeconds != nil }),
      ], isDrawn: { builder, _ in builder.drawsReminder }, advice: "; the template basic alone has “remind later”"),
    Part(
      fields: [("adb_body_ex", { has($0.expandedBody) })],
      isDrawn: { builder, message in
        switch builder {
        // The summary below the picture.
        case .legacy: builder.image(of: message) != nil
        case .journeyOptimizer, .template(.catalog), .template(.icons): false
        case .template: true
        }
      }),
    Part(fields: [("adb_image", { has($0.image) })], isDrawn: { builder, _ in builder.imageSource != nil }),
    look("adb_large_icon") { $0.largeIcon }, look("adb_clr_title") { $0.titleColor },
    look("adb_clr_body") { $0.bodyColor }, look("adb_clr_bg") { $0.backgroundColor },
    Part(fields: [("adb_clr_icon", { has($0.iconColor) })], isDrawn: { builder, _ in builder.readsSharedLooks }),
    Part(fields: [("adb_sticky", { $0.sticky == true })], isDrawn: { builder, _ in builder.readsSharedLooks }),
    Part(fields: [("adb_ticker", { has($0.ticker) })], isDrawn: { builder, _ in builder.readsSharedLooks }),
  ]

  private static func look(_ name: String, _ get: @escaping Get) -> Part {
    let isThere: @Sendable (Message) -> Bool = { has(get($0)) }
    return Part(fields: [(name, isThere)], isDrawn: { builder, _ in builder.drawsTemplateLooks })
  }

  /// Reports each field that is given and that what draws the notification on Android leaves out.
  static func reportUndrawn(
    _ message: Message, _ builder: AndroidBuilder, _ path: FieldPath, _ report: inout Report
  ) {
    for part in parts where !part.isDrawn(builder, message) {
      guard let field = part.fields.first(where: { $0.isThere(message) }) else { continue }
      add(
        "adobe-template-field", .warning, path.member(field.name),
        "\(builder.title) does not draw \(field.name) on Android\(builder.drawsTemplateLooks ? part.advice : "")",
        &report)
    }
    guard builder == .template(.carousel), message.carouselLayout == "filmstrip", movesByItself(message) else { return }
    add(
      "adobe-template-field", .warning, path.member("adb_car_layout"),
      "Android draws no filmstrip that moves by itself, but the default layout; take manual for adb_car_mode", &report)
  }

  /// True for a carousel that moves by itself.
  package static func movesByItself(_ message: Message) -> Bool { (message.carouselMode ?? "auto") == "auto" }
}
