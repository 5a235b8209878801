internal import Basics
import PushPayload
import WireJSON

/// What is checked before a message is written.
extension Adobe {
  /// The recommended lengths of a platform, in characters.
  struct TextGuide {
    let title: Int
    let body: Int
    /// How many lines a title may have.
    let titleLines: Int

    static let android = TextGuide(title: 35, body: 110, titleLines: 1)
    static let ios = TextGuide(title: 70, body: 600, titleLines: 2)
  }

  static let imageTypes = ["png", "jpg", "jpeg", "webp"]
  static let androidSoundTypes = ["mp3", "wav", "ogg"]
  static let buttonsMax = 3
  static let buttonsMaxWithRemindLater = 2

  /// How many pictures Android's library needs to draw a carousel, and how many the documents name at most.
  static let carouselPicturesMin = 3
  static let carouselPicturesMax = 5
  static let iconCounts = 3...5
  static let productCount = 3
  static let ratingCounts = 3...5

  /// What a template needs on Android beside title and body; a text must not be empty, and any list counts as one that is
  /// not.
  static let androidNeeds: [(template: Template, field: String, text: @Sendable (Message) -> String?)] = [
    (.carousel, "adb_car_layout", { $0.carouselLayout }), (.carousel, "adb_items", { $0.items.map { _ in "[]" } }),
    (.catalog, "adb_cta_txt", { $0.callToActionText }), (.catalog, "adb_cta_clr", { $0.callToActionColor }),
    (.catalog, "adb_cta_txt_clr", { $0.callToActionTextColor }), (.catalog, "adb_cta_uri", { $0.callToActionURI }),
    (.catalog, "adb_display", { $0.catalogLayout }), (.catalog, "adb_items", { $0.items.map { _ in "[]" } }),
    (.icons, "adb_items", { $0.items.map { _ in "[]" } }), (.timer, "adb_title_alt", { $0.alternateTitle }),
    (.input, "adb_input_receiver", { $0.inputReceiver }), (.rating, "adb_rate_unselected_icon", { $0.ratingIcon }),
    (.rating, "adb_rate_selected_icon", { $0.ratingSelectedIcon }),
    (.rating, "adb_rate_act", { $0.ratings.map { _ in "[]" } }),
  ]

  static func has(_ text: String?) -> Bool { text?.isEmpty == false }

  /// Fields that only some templates read.
  private static let templateOnly: [(field: String, templates: [Template], isThere: @Sendable (Message) -> Bool)] = [
    ("adb_items", [.carousel, .catalog, .icons], { $0.items != nil }),
    ("adb_car_layout", [.carousel], { $0.carouselLayout != nil }),
    ("adb_car_mode", [.carousel], { $0.carouselMode != nil }),
    ("adb_tmr_dur", [.timer], { $0.timerSeconds != nil }), ("adb_tmr_end", [.timer], { $0.timerEnd != nil }),
    ("adb_clr_tmr", [.timer], { $0.timerColor != nil }), ("adb_title_alt", [.timer], { $0.alternateTitle != nil }),
    ("adb_body_alt", [.timer], { $0.alternateBody != nil }),
    ("adb_body_ex_alt", [.timer], { $0.alternateExpandedBody != nil }),
    ("adb_image_alt", [.timer], { $0.alternateImage != nil }),
    ("adb_input_receiver", [.input], { $0.inputReceiver != nil }), ("adb_input_txt", [.input], { $0.inputHint != nil }),
    ("adb_feedback_txt", [.input], { $0.feedbackText != nil }),
    ("adb_feedback_img", [.input], { $0.feedbackImage != nil }),
    ("adb_col_style", [.zeroBezel], { $0.collapsedStyle != nil }),
    ("adb_rate_unselected_icon", [.rating], { $0.ratingIcon != nil }),
    ("adb_rate_selected_icon", [.rating], { $0.ratingSelectedIcon != nil }),
    ("adb_rate_act", [.rating], { $0.ratings != nil }), ("adb_cta_txt", [.catalog], { $0.callToActionText != nil }),
    ("adb_cta_clr", [.catalog], { $0.callToActionColor != nil }),
    ("adb_cta_txt_clr", [.catalog], { $0.callToActionTextColor != nil }),
    ("adb_cta_uri", [.catalog], { $0.callToActionURI != nil }),
    ("adb_display", [.catalog], { $0.catalogLayout != nil }), ("adb_cancel_image", [.icons], { $0.cancelImage != nil }),
  ]

  /// What is the same on both platforms.
  @Sendable static func check(_ message: Lent<Message>, _ context: WriteContext, _ report: inout Report) {
    checkColors(message, &report)
    checkImages(message, &report)
    if hasTemplateOnly(message) { checkTemplateOnly(message.pointee, context, &report) }
  }

  @inline(never)
  private static func checkTemplateOnly(_ message: Message, _ context: WriteContext, _ report: inout Report) {
    checkTimes(message, context, &report)
    for row in templateOnly where row.isThere(message) && !row.templates.contains(message.shownTemplate) {
      let names = row.templates.map { $0.rawValue }.joined(separator: ", ")
      report.add(
        rule: "adobe-template-field", severity: .warning, field: row.field,
        message: "the template \(message.shownTemplate.rawValue) does not read \(row.field); it belongs to \(names)")
    }
  }

  /// Whether a message has one of ``templateOnly``; nearly always it has none.
  private static func hasTemplateOnly(_ message: Lent<Message>) -> Bool {
    if message.pointee.items != nil || message.pointee.ratings != nil || message.pointee.timerSeconds != nil
      || message.pointee.timerEnd != nil
    {
      return true
    }
    if message.pointee.carouselLayout != nil || message.pointee.carouselMode != nil || message.pointee.timerColor != nil
      || message.pointee.alternateTitle != nil || message.pointee.alternateBody != nil
      || message.pointee.alternateExpandedBody != nil
      || message.pointee.alternateImage != nil || message.pointee.inputReceiver != nil
      || message.pointee.inputHint != nil
    {
      return true
    }
    return message.pointee.feedbackText != nil || message.pointee.feedbackImage != nil
      || message.pointee.collapsedStyle != nil
      || message.pointee.ratingIcon != nil || message.pointee.ratingSelectedIcon != nil
      || message.pointee.callToActionText != nil
      || message.pointee.callToActionColor != nil || message.pointee.callToActionTextColor != nil
      || message.pointee.callToActionURI != nil
      || message.pointee.catalogLayout != nil || message.pointee.cancelImage != nil
  }

  /// Journey Optimizer's own key, which belongs to each of its templates.
  private static func checkProperties(_ message: Lent<Message>, _ report: inout Report) {
    guard message.pointee.templateProperties != nil, message.pointee.template?.isJourneyOptimizer != true else {
      return
    }
    add(
      "adobe-template-field", .warning, FieldPath(members: "adb_template_properties"),
      "the template \(message.pointee.shownTemplate.rawValue) does not read adb_template_properties; it belongs to ajo_basic and "
        + "ajo_bigtext", &report)
  }

  /// What differs between the platforms.
  @Sendable static func check(
    _ message: Lent<Message>, _ platform: Platform, _ context: WriteContext, _ report: inout Report
  ) {
    switch platform {
    case .ios: checkIOS(message, &report)
    case .android: checkAndroid(message, context, &report)
    }
  }

  /// True for the template basic, also where none is named: it needs nothing, and what draws it draws all of a message.
  @inline(__always)
  private static func isBasic(_ message: Lent<Message>) -> Bool {
    message.pointee.template.map { $0 == .basic } ?? true
  }

  // A message is handed on by value, which copies it, only where it has something that the rule is about.

  private static func checkAndroid(
    _ message: Lent<Message>, _ context: WriteContext, _ report: inout Report
  ) {
    if message.pointee.liveUpdate != nil {
      return reportLiveUpdate(
        message.pointee, FieldPath(), isTaken: message.pointee.title != nil, isWritten: true,
        now: context.now.map { WholeNumber($0) }, &report)
    }
    let isBasic = isBasic(message)
    if !isBasic { checkNeeds(message.pointee, &report) }
    checkTitle("adb_title", message.pointee.title, .android, &report)
    checkLength("adb_body", message.pointee.body, TextGuide.android.body, &report)
    checkLength("adb_body_ex", message.pointee.expandedBody, TextGuide.android.body, &report)
    checkLink(message, &report)
    let builder = isBasic ? AndroidBuilder.template(.basic) : androidBuilder(of: message.pointee)
    if let buttons = message.pointee.buttons {
      let limit = buttons.count > buttonsMaxWithRemindLater && message.pointee.remindsLater && builder.drawsReminder
      checkButtons(buttons, builder, atMost: limit ? buttonsMaxWithRemindLater : buttonsMax, &report)
    }
    if message.pointee.remindText != nil || message.pointee.remindTime != nil || message.pointee.remindSeconds != nil,
      builder.drawsReminder
    {
      checkRemindLater(message.pointee, context, &report)
    }
    if isBasic {
      if has(message.pointee.body), !has(message.pointee.expandedBody) { report.findings.append(writtenWithoutText) }
    } else {
      reportUndrawn(message.pointee, builder, FieldPath(), &report)
      reportExpanded(message.pointee, builder, FieldPath(), &report)
    }
    checkProperties(message, &report)
    if !isBasic { reportBigText(message.pointee, FieldPath(), isWritten: true, &report) }
    if !isBasic || mayLackPicture(message) { reportPictures(message.pointee, builder, FieldPath(), &report) }
    if message.pointee.items != nil {
      reportItemLinks(message.pointee, builder, &report)
      checkItems(message.pointee, &report)
    }
    if message.pointee.ratings != nil { checkRatings(message.pointee, &report) }
    if !isBasic { checkTimer(message.pointee, &report) }
    if !isBasic || mayHaveUnknownName(message) { checkNames(message.pointee, &report) }
    reportSound(
      message.pointee.androidSound, hasChannel: has(message.pointee.channelID), builder, FieldPath(), &report)
  }

  @inline(never)
  private static func checkNeeds(_ message: Message, _ report: inout Report) {
    let template = message.shownTemplate
    for need in androidNeeds where need.template == template && !has(need.text(message)) {
      let what = need.text(message) == nil ? "; add it to the message" : ", and it is empty; give it a text"
      report.add(
        rule: "field-missing", severity: .error, field: need.field,
        message: "adobe needs \(need.field) on Android for \(need.template.rawValue)\(what)")
    }
  }

  /// False for a message of the template basic whose only picture can be drawn.
  private static func mayLackPicture(_ message: Lent<Message>) -> Bool {
    if message.pointee.largeIcon != nil || message.pointee.alternateImage != nil || message.pointee.feedbackImage != nil
      || message.pointee.cancelImage != nil || message.pointee.smallIcon != nil || message.pointee.legacyIcon != nil
    {
      return true
    }
    return message.pointee.image.map { !isPicture($0, .httpsOrName) } ?? false
  }

  /// False for a message of the template basic without a number or a choice.
  private static func mayHaveUnknownName(_ message: Lent<Message>) -> Bool {
    if message.pointee.stickyText != nil || message.pointee.badge != nil || message.pointee.remindSeconds != nil
      || message.pointee.priority != nil || message.pointee.visibility != nil
    {
      return true
    }
    return message.pointee.carouselMode != nil || message.pointee.carouselLayout != nil
      || message.pointee.collapsedStyle != nil || message.pointee.catalogLayout != nil
  }

  /// Reports a sound that names no resource, and one that the library of Journey Optimizer does not put into its channel.
  ///
  /// Source: Adobe, `MessagingPushBuilder.createChannelAndGetChannelID`; Android, `NotificationChannel.setSound`.
  ///
  /// - Parameter hasChannel: whether the notification names a channel.
  static func reportSound(
    _ sound: String?, hasChannel: Bool, _ builder: AndroidBuilder, _ path: FieldPath, _ report: inout Report
  ) {
    guard let sound, !sound.isEmpty else { return }
    func field() -> FieldPath { path.member("adb_sound") }
    if let type = fileType(sound) {
      let known = androidSoundTypes.contains(type) ? "" : "; res/raw holds mp3, wav or ogg"
      add(
        "adobe-sound-extension", .warning, field(),
        "Android names a sound in res/raw without its extension; take .\(type) off" + known, &report)
    }
    guard builder == .journeyOptimizer, !hasChannel else { return }
    add(
      "adobe-template-field", .warning, field(),
      "from version 8 on Android plays the sound of the channel, and Journey Optimizer's library makes one without adb_sound; "
        + "let the app make a channel with this sound, and name it in adb_channel_id", &report)
  }

  private static func checkIOS(_ message: Lent<Message>, _ report: inout Report) {
    checkTitle("adb_title", message.pointee.title, .ios, &report)
    checkTitle("adb_title_ex", message.pointee.expandedTitle, .ios, &report)
    checkLength("adb_body", message.pointee.body, TextGuide.ios.body, &report)
    checkLength("adb_body_ex", message.pointee.expandedBody, TextGuide.ios.body, &report)
    if isBasic(message) {
      reportApplePicture("adb_media", message.pointee.image, &report)
      if message.pointee.subtitle != nil { reportSubtitle(message.pointee, FieldPath(members: "subtitle"), &report) }
    } else {
      checkAppleTemplate(message.pointee, &report)
    }
    if let sound = message.pointee.sound, let type = APNsSound.unplayableType(of: sound) {
      report.add(
        rule: "adobe-sound-type", severity: .warning, field: "sound",
        message: "iOS plays aiff, wav and caf files, not .\(type)")
    }
  }

  @inline(never)
  private static func checkAppleTemplate(_ message: Message, _ report: inout Report) {
    checkAppleItems(message, &report)
    let fallback = appleFallback(message)
    reportApplePictures(message, fallback == nil, &report)
    reportSubtitle(message, FieldPath(members: "subtitle"), &report)
    if fallback == nil { reportAppleCarousel(message, &report) }
    if let reason = fallback {
      report.add(rule: "adobe-ios-fallback", severity: .warning, field: reason.field, message: reason.sentence)
    }
  }

  // MARK: Texts, images, colors

  private static func checkTitle(_ field: String, _ text: String?, _ guide: TextGuide, _ report: inout Report) {
    guard let text else { return }
    checkLength(field, text, guide.title, &report)
    let lines = 1 + newlines(in: text)
    guard lines > guide.titleLines else { return }
    report.add(
      rule: "adobe-text-lines", severity: .warning, field: field,
      message: "a title has at most \(guide.titleLines == 1 ? "one line" : "\(guide.titleLines) lines")"
        + ", this one has \(lines)")
  }

  /// Counted in the text's own memory: a loop over its view takes ten times as long.
  private static func newlines(in text: String) -> Int {
    func count(_ bytes: some Sequence<UInt8>) -> Int {
      var count = 0
      for byte in bytes where byte == 0x0A { count += 1 }
      return count
    }
    return unsafe text.utf8.withContiguousStorageIfAvailable { unsafe count($0) } ?? count(text.utf8)
  }

  private static func checkLength(_ field: String, _ text: String?, _ limit: Int, _ report: inout Report) {
    // There are never more characters than bytes.
    guard let text, text.utf8.count > limit else { return }
    let count = text.unicodeScalars.count
    guard count > limit else { return }
    report.add(
      rule: "adobe-text-long", severity: .warning, field: field,
      message: "\(count) characters; about \(limit) are shown reliably")
  }

  private static func checkImages(_ message: Lent<Message>, _ report: inout Report) {
    checkImage(message.pointee.image, FieldPath(members: "adb_image"), &report)
    checkImage(message.pointee.alternateImage, FieldPath(members: "adb_image_alt"), &report)
    checkImage(message.pointee.feedbackImage, FieldPath(members: "adb_feedback_img"), &report)
    checkImage(message.pointee.largeIcon, FieldPath(members: "adb_large_icon"), &report)
    guard let items = message.pointee.items else { return }
    for (index, item) in items.enumerated() {
      checkImage(item.image, FieldPath(members: "adb_items").element(index).member("img"), &report)
    }
  }

  private static func checkImage(_ image: String?, _ field: @autoclosure () -> FieldPath, _ report: inout Report) {
    guard let image, let type = fileType(image), !imageTypes.contains(type) else { return }
    report.add(
      rule: "adobe-image-type", severity: .warning, field: field(),
      message: "images are PNG, JPG or WebP; .\(type) is not shown reliably")
  }

  /// The file type that ends a path or an address, in lower case; nil when there is none.
  static func fileType(_ address: String) -> String? {
    var address = address
    return address.withUTF8 { text in
      let (slash, colon) = (UInt8(ascii: "/"), UInt8(ascii: ":"))
      let end = unsafe text.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? text.count
      var name = 0
      if let scheme = unsafe text.firstIndex(of: colon), unsafe begins(text, from: scheme, with: "://") {
        // The host may have dots of its own.
        guard end > scheme + 3, let first = unsafe text[(scheme + 3)..<end].firstIndex(of: slash) else { return nil }
        name = first
      }
      var dot = -1
      for index in name..<end {
        if unsafe text[index] == slash {
          (name, dot) = (index + 1, -1)
        } else if unsafe text[index] == UInt8(ascii: ".") {
          dot = index
        }
      }
      guard dot > name, dot + 1 < end else { return nil }
      return unsafe String(unsafeUninitializedCapacity: end - dot - 1) { type in
        for index in 0..<type.count {
          let byte = unsafe text[dot + 1 + index]
          unsafe type[index] = (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
        }
        return end - dot - 1
      }
    }
  }

  // MARK: Links and buttons

  private static func checkLink(_ message: Lent<Message>, _ report: inout Report) {
    if message.pointee.linkType == .nothing {
      report.add(
        rule: "adobe-link-type", severity: .warning, field: "adb_a_type",
        message: "NONE names no kind of link; take WEBURL, DEEPLINK, DISMISS or OPENAPP")
    }
    if message.pointee.uri != nil && message.pointee.linkType == nil {
      report.add(
        rule: "adobe-link-type-missing", severity: .error, field: "adb_a_type",
        message: "Android needs adb_a_type with adb_uri: WEBURL, DEEPLINK, DISMISS or OPENAPP")
    }
    if let type = message.pointee.linkType, type.needsURI, !has(message.pointee.uri) {
      // Adobe's own samples have a type without a uri, and the notification is shown.
      report.add(
        rule: "adobe-uri-missing", severity: .warning, field: "adb_uri",
        message: "\(type.rawValue) opens adb_uri, and there is none: a tap opens the app; add it, or take OPENAPP")
    }
  }
}
