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
  @Sendable static func check(_ message: Message, _ context: WriteContext, _ report: inout Report) {
    checkColors(message, &report)
    checkImages(message, &report)
    checkTimes(message, context, &report)
    guard hasTemplateOnly(message) else { return }
    for row in templateOnly where row.isThere(message) && !row.templates.contains(message.shownTemplate) {
      let names = row.templates.map { $0.rawValue }.joined(separator: ", ")
      report.add(
        rule: "adobe-template-field", severity: .warning, field: row.field,
        message: "the template \(message.shownTemplate.rawValue) does not read \(row.field); it belongs to \(names)")
    }
  }

  /// Whether a message has one of ``templateOnly``; nearly always it has none.
  private static func hasTemplateOnly(_ message: Message) -> Bool {
    if message.items != nil || message.ratings != nil || message.timerSeconds != nil || message.timerEnd != nil {
      return true
    }
    if message.carouselLayout != nil || message.carouselMode != nil || message.timerColor != nil
      || message.alternateTitle != nil || message.alternateBody != nil || message.alternateExpandedBody != nil
      || message.alternateImage != nil || message.inputReceiver != nil || message.inputHint != nil
    {
      return true
    }
    return message.feedbackText != nil || message.feedbackImage != nil || message.collapsedStyle != nil
      || message.ratingIcon != nil || message.ratingSelectedIcon != nil || message.callToActionText != nil
      || message.callToActionColor != nil || message.callToActionTextColor != nil || message.callToActionURI != nil
      || message.catalogLayout != nil || message.cancelImage != nil
  }

  /// Journey Optimizer's own key, which belongs to each of its templates.
  private static func checkProperties(_ message: Message, _ report: inout Report) {
    guard message.templateProperties != nil, message.template?.isJourneyOptimizer != true else { return }
    add(
      "adobe-template-field", .warning, FieldPath(members: "adb_template_properties"),
      "the template \(message.shownTemplate.rawValue) does not read adb_template_properties; it belongs to ajo_basic and "
        + "ajo_bigtext", &report)
  }

  /// What differs between the platforms.
  @Sendable static func check(
    _ message: Message, _ platform: Platform, _ context: WriteContext, _ report: inout Report
  ) {
    switch platform {
    case .ios: checkIOS(message, &report)
    case .android: checkAndroid(message, context, &report)
    }
  }

  private static func checkAndroid(_ message: Message, _ context: WriteContext, _ report: inout Report) {
    if message.liveUpdate != nil {
      return reportLiveUpdate(
        message, FieldPath(), isTaken: message.title != nil, isWritten: true, now: context.now.map { WholeNumber($0) },
        &report)
    }
    let template = message.shownTemplate
    for need in androidNeeds where need.template == template && !has(need.text(message)) {
      let what = need.text(message) == nil ? "; add it to the message" : ", and it is empty; give it a text"
      report.add(
        rule: "field-missing", severity: .error, field: need.field,
        message: "adobe needs \(need.field) on Android for \(need.template.rawValue)\(what)")
    }
    checkTitle("adb_title", message.title, .android, &report)
    checkLength("adb_body", message.body, TextGuide.android.body, &report)
    checkLength("adb_body_ex", message.expandedBody, TextGuide.android.body, &report)
    checkLink(message, &report)
    let builder = androidBuilder(of: message)
    checkButtons(message, builder, &report)
    if builder.drawsReminder { checkRemindLater(message, context, &report) }
    reportUndrawn(message, builder, FieldPath(), &report)
    reportExpanded(message, builder, FieldPath(), &report)
    checkProperties(message, &report)
    reportBigText(message, FieldPath(), isWritten: true, &report)
    reportPictures(message, builder, FieldPath(), &report)
    reportItemLinks(message, builder, &report)
    checkItems(message, &report)
    checkRatings(message, &report)
    checkTimer(message, &report)
    checkNames(message, &report)
    reportSound(message, builder, FieldPath(), &report)
  }

  /// Reports a sound that names no resource, and one that the library of Journey Optimizer does not put into its channel.
  ///
  /// Source: Adobe, `MessagingPushBuilder.createChannelAndGetChannelID`; Android, `NotificationChannel.setSound`.
  static func reportSound(
    _ message: Message, _ builder: AndroidBuilder, _ path: FieldPath, _ report: inout Report
  ) {
    guard let sound = message.androidSound, !sound.isEmpty else { return }
    func field() -> FieldPath { path.member("adb_sound") }
    if let type = fileType(sound) {
      let known = androidSoundTypes.contains(type) ? "" : "; res/raw holds mp3, wav or ogg"
      add(
        "adobe-sound-extension", .warning, field(),
        "Android names a sound in res/raw without its extension; take .\(type) off" + known, &report)
    }
    guard builder == .journeyOptimizer, !has(message.channelID) else { return }
    add(
      "adobe-template-field", .warning, field(),
      "from version 8 on Android plays the sound of the channel, and Journey Optimizer's library makes one without adb_sound; "
        + "let the app make a channel with this sound, and name it in adb_channel_id", &report)
  }

  private static func checkIOS(_ message: Message, _ report: inout Report) {
    checkTitle("adb_title", message.title, .ios, &report)
    checkTitle("adb_title_ex", message.expandedTitle, .ios, &report)
    checkLength("adb_body", message.body, TextGuide.ios.body, &report)
    checkLength("adb_body_ex", message.expandedBody, TextGuide.ios.body, &report)
    checkAppleItems(message, &report)
    let fallback = appleFallback(message)
    reportApplePictures(message, fallback == nil, &report)
    reportSubtitle(message, FieldPath(members: "subtitle"), &report)
    if fallback == nil { reportAppleCarousel(message, &report) }
    if let reason = fallback {
      report.add(rule: "adobe-ios-fallback", severity: .warning, field: reason.field, message: reason.sentence)
    }
    if let sound = message.sound, let type = APNsSound.unplayableType(of: sound) {
      report.add(
        rule: "adobe-sound-type", severity: .warning, field: "sound",
        message: "iOS plays aiff, wav and caf files, not .\(type)")
    }
  }

  // MARK: Texts, images, colours

  private static func checkTitle(_ field: String, _ text: String?, _ guide: TextGuide, _ report: inout Report) {
    guard let text else { return }
    checkLength(field, text, guide.title, &report)
    var lines = 1
    for byte in text.utf8 where byte == 0x0A { lines += 1 }
    guard lines > guide.titleLines else { return }
    report.add(
      rule: "adobe-text-lines", severity: .warning, field: field,
      message: "a title has at most \(guide.titleLines == 1 ? "one line" : "\(guide.titleLines) lines")"
        + ", this one has \(lines)")
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

  private static func checkImages(_ message: Message, _ report: inout Report) {
    checkImage(message.image, FieldPath(members: "adb_image"), &report)
    checkImage(message.alternateImage, FieldPath(members: "adb_image_alt"), &report)
    checkImage(message.feedbackImage, FieldPath(members: "adb_feedback_img"), &report)
    checkImage(message.largeIcon, FieldPath(members: "adb_large_icon"), &report)
    guard let items = message.items else { return }
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
      let end = text.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? text.count
      var name = 0
      if let scheme = text.firstIndex(of: colon), text[scheme...].starts(with: "://".utf8) {
        // The host may have dots of its own.
        guard end > scheme + 3, let first = text[(scheme + 3)..<end].firstIndex(of: slash) else { return nil }
        name = first
      }
      var dot = -1
      for index in name..<end {
        if text[index] == slash {
          (name, dot) = (index + 1, -1)
        } else if text[index] == UInt8(ascii: ".") {
          dot = index
        }
      }
      guard dot > name, dot + 1 < end else { return nil }
      return String(unsafeUninitializedCapacity: end - dot - 1) { type in
        for index in 0..<type.count {
          let byte = text[dot + 1 + index]
          type[index] = (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
        }
        return end - dot - 1
      }
    }
  }

  private static func checkColors(_ message: Message, _ report: inout Report) {
    checkColor("adb_clr_title", message.titleColor, &report)
    checkColor("adb_clr_body", message.bodyColor, &report)
    checkColor("adb_clr_bg", message.backgroundColor, &report)
    checkColor("adb_clr_icon", message.iconColor, &report)
    checkColor("adb_clr_tmr", message.timerColor, &report)
    checkColor("adb_cta_clr", message.callToActionColor, &report)
    checkColor("adb_cta_txt_clr", message.callToActionTextColor, &report)
  }

  private static func checkColor(_ field: String, _ text: String?, _ report: inout Report) {
    guard let text else { return }
    guard let color = Color(argb: Color.digits(text)) else {
      return report.add(
        rule: "adobe-color", severity: .warning, field: field,
        message:
          "a color is six hex digits such as 00FF00, or eight, alpha first; the device draws its own color instead")
    }
    if text.utf8.count == 6 { return }
    report.add(
      rule: "adobe-color-converted", severity: .note, field: field,
      message: color.alpha == 255
        ? "written as \(color.argb)" : "written as \(color.argb) on Android and \(color.rgba) on iOS")
  }

  // MARK: Links and buttons

  private static func checkLink(_ message: Message, _ report: inout Report) {
    if message.linkType == .nothing {
      report.add(
        rule: "adobe-link-type", severity: .warning, field: "adb_a_type",
        message: "NONE names no kind of link; take WEBURL, DEEPLINK, DISMISS or OPENAPP")
    }
    if message.uri != nil && message.linkType == nil {
      report.add(
        rule: "adobe-link-type-missing", severity: .error, field: "adb_a_type",
        message: "Android needs adb_a_type with adb_uri: WEBURL, DEEPLINK, DISMISS or OPENAPP")
    }
    if let type = message.linkType, type.needsURI, !has(message.uri) {
      // Adobe's own samples have a type without a uri, and the notification is shown.
      report.add(
        rule: "adobe-uri-missing", severity: .warning, field: "adb_uri",
        message: "\(type.rawValue) opens adb_uri, and there is none: a tap opens the app; add it, or take OPENAPP")
    }
  }

  private static func checkRemindLater(_ message: Message, _ context: WriteContext, _ report: inout Report) {
    let hasTime = message.hasReminderTime
    if message.remindText != nil && !hasTime {
      report.add(
        rule: "adobe-remind-pair", severity: .warning, field: "adb_rem_txt",
        message: "“remind later” needs adb_rem_ts or adb_rem_sec beside adb_rem_txt; without it there is no such button"
      )
    } else if message.remindText == nil && hasTime {
      let time = message.remindTime != nil ? "adb_rem_ts" : "adb_rem_sec"
      report.add(
        rule: "adobe-remind-pair", severity: .warning, field: time,
        message: "“remind later” needs adb_rem_txt, the label of its button; without it there is no such button")
    } else if message.remindText == "" {
      addEmptyReminder(FieldPath(members: "adb_rem_txt"), &report)
    }
    let counts = message.remindSeconds.map { $0 > 0 && Int32(exactly: $0) != nil } ?? false
    if message.remindTime != nil && counts {
      report.add(
        rule: "adobe-time-ignored", severity: .warning, field: "adb_rem_ts",
        message: "adb_rem_sec is there too and is taken instead; keep one")
    } else if let time = message.remindTime, Int64(time) <= context.now ?? 0 {
      report.add(
        rule: "adobe-time-past", severity: .warning, field: "adb_rem_ts",
        message: "the time has passed, so the notification is removed and not shown again")
    }
  }

  // MARK: Timer

  private static func checkTimes(_ message: Message, _ context: WriteContext, _ report: inout Report) {
    guard message.template == .timer else { return }
    if let seconds = message.timerSeconds, seconds <= 0 {
      report.add(
        rule: "adobe-time-past", severity: .warning, field: "adb_tmr_dur",
        message: seconds < 0
          ? "less than 0 seconds are over when the push arrives: iOS shows what comes after the end, Android nothing"
          : "0 seconds are over at once, so the notification shows what comes after the end")
    }
    guard let end = message.timerEnd else { return }
    if message.timerSeconds != nil {
      report.add(
        rule: "adobe-time-ignored", severity: .warning, field: "adb_tmr_end",
        message: "adb_tmr_dur is there too and is taken instead; keep one")
    } else if end <= Double(context.now ?? 0) {
      report.add(
        rule: "adobe-time-past", severity: .warning, field: "adb_tmr_end",
        message:
          "the time has passed: iOS shows what comes after the end; Android does only in place of a notification "
          + "with the same adb_tag that is still there, and else nothing")
    }
  }
}
