import PushPayload
import WireJSON

/// What Adobe's libraries make of a payload.
extension Adobe {
  /// A key with few values and what the libraries take for any other.
  struct Choice: Sendable {
    let key: String
    let allowed: [String]
    let fallback: String
    /// What the content extension on iOS takes, where that is something else.
    var appleFallback: String?
    let get: @Sendable (Message) -> String?
    let set: @Sendable (inout Message, String) -> Void
  }

  static let choices = [
    Choice(
      key: "adb_n_priority", allowed: Priority.known.map { $0.rawValue }, fallback: Priority.default.rawValue,
      get: { $0.priority?.rawValue }, set: { $0.priority = Priority(rawValue: $1) }),
    Choice(
      key: "adb_n_visibility", allowed: Visibility.known.map { $0.rawValue }, fallback: Visibility.private.rawValue,
      get: { $0.visibility?.rawValue }, set: { $0.visibility = Visibility(rawValue: $1) }),
    Choice(
      key: "adb_car_mode", allowed: ["auto", "manual"], fallback: "manual", appleFallback: "auto",
      get: { $0.carouselMode }, set: { $0.carouselMode = $1 }),
    Choice(
      key: "adb_car_layout", allowed: ["default", "filmstrip"], fallback: "default", get: { $0.carouselLayout },
      set: { $0.carouselLayout = $1 }),
    Choice(
      key: "adb_col_style", allowed: ["img", "txt"], fallback: "txt", get: { $0.collapsedStyle },
      set: { $0.collapsedStyle = $1 }),
    Choice(
      key: "adb_display", allowed: ["horizontal", "vertical"], fallback: "horizontal", get: { $0.catalogLayout },
      set: { $0.catalogLayout = $1 }),
  ]

  /// The end of a sentence about what Android's library refuses.
  static let notShown = "the notification is not shown"

  @Sendable static func read(
    _ message: inout Message, _ members: JSONObject, _ platform: Platform, _ report: inout Report
  ) {
    switch platform {
    case .ios: readIOS(&message, members, &report)
    case .android:
      // Firebase's client draws a notification block, and the library is not asked for what its templates need.
      let drawsItself = NotificationBlock(members) != nil
      let data = members["data"]?.object ?? [:]
      readAndroid(&message, data, drawsItself, &report)
      if drawsItself { readBlock(members, data, &report) }
    }
  }

  // MARK: Android

  private static func readAndroid(
    _ message: inout Message, _ data: JSONObject, _ drawsItself: Bool, _ report: inout Report
  ) {
    let path = FieldPath(members: "message", "data")
    if message.liveUpdate != nil, !drawsItself {
      // The lists are there to be read, and nothing is drawn of them.
      var unsaid = Report()
      _ = readLists(&message, data, path, &unsaid)
      let isTaken = message.title != nil || data["_xdm"] != nil
      return reportLiveUpdate(message, path, isTaken: isTaken, isWritten: false, &report)
    }
    let isJourneyOptimizer = isOfJourneyOptimizer(data)
    if !isJourneyOptimizer && !drawsItself { readTemplate(message, path, &report) }
    readLink(&message, path, isJourneyOptimizer, &report)
    readChoices(&message, path, &report)
    if let text = data["adb_sticky"]?.string, text != "true", text != "false" {
      checkSticky(text, path, "read", &report)
    }
    reportOtherKeys(data, .android, at: path, &report)
    let builder = readLists(&message, data, path, &report)
    if builder.drawsReminder { readRemindLater(message, data, path, &report) }
    reportUndrawn(message, builder, path, &report)
    reportExpanded(message, builder, path, &report)
    reportBigText(message, path, isWritten: false, &report)
    reportSound(message.androidSound, hasChannel: has(message.channelID), builder, path, &report)
    reportPictures(message, builder, path, chosen: chosenRating(in: data), &report)
    if !isJourneyOptimizer && !drawsItself {
      readIntentKeys(message, data, path, &report)
      readNeeds(message, data, path, &report)
    }
    // Of a block that Firebase draws, the library neither refuses nor replaces anything, and hears of no tap.
    guard drawsItself else { return }
    report.findings.removeAll {
      $0.severity == .error || (drawnRules + undrawnRules + tapRules).contains($0.rule)
    }
  }

  /// What is neither true nor false, and what the library takes it for.
  static func checkSticky(_ text: String, _ path: FieldPath, _ verb: String, _ report: inout Report) {
    func says(_ word: String) -> Bool { text.utf8.elementsEqual(word.utf8) { $0 | 0x20 == $1 } }
    add(
      "adobe-boolean", says("true") || says("false") ? .note : .warning, path.member("adb_sticky"),
      "only true, in any case, is true; \(verb) as \(says("true"))", &report)
  }

  /// True for the data of Journey Optimizer, of which nothing is required: a template of its own; or none, with its tracking,
  /// or with a title and without the version that every template has.
  ///
  /// Source: aepsdk-messaging-android, `MessagingService.isAJONotification`; Adobe, “Push Notification Payload Keys”.
  static func isOfJourneyOptimizer(_ data: JSONObject) -> Bool {
    guard let name = data["adb_template_type"]?.string, !name.isEmpty else {
      return data["_xdm"] != nil || data["adb_version"]?.string == nil && data["adb_title"]?.string != nil
    }
    return Template(rawValue: name).isJourneyOptimizer
  }

  /// What the library makes of a template it does not know, as the end of a sentence.
  private static let withoutTemplate = "Android draws title and text without a template"

  private static func readTemplate(_ message: Message, _ path: FieldPath, _ report: inout Report) {
    if let template = message.template {
      guard !Template.known.contains(template) else { return }
      add(
        "adobe-template-unknown", .warning, path.member("adb_template_type"),
        "there is no template \(quoted(template.rawValue)); \(withoutTemplate)", &report)
    } else {
      add(
        "adobe-template-unknown", .warning, path.member("adb_template_type"), "the key is missing; \(withoutTemplate)",
        &report)
    }
  }

  /// The keys without which the library refuses the notification.
  ///
  /// The keys that every template shares may be empty; those of one template may not.
  private static func readNeeds(_ message: Message, _ data: JSONObject, _ path: FieldPath, _ report: inout Report) {
    let template = message.shownTemplate
    let shared = template == .icons ? ["adb_version"] : ["adb_version", "adb_title", "adb_body"]
    for key in shared where data[key]?.string == nil {
      add(
        "adobe-key-missing", .error, path.member(key), "the key is required for \(template.rawValue); \(notShown)",
        &report)
    }
    for need in androidNeeds where need.template == template {
      let text = data[need.field]?.string
      // A carousel may have an empty list: it has no pictures, then.
      let isOptional = template == .carousel && need.field == "adb_items"
      guard text == nil || text == "" && !isOptional else { continue }
      let isList = need.field == "adb_items" || need.field == "adb_rate_act"
      add(
        "adobe-key-missing", .error, path.member(need.field),
        "the key is \(text == nil ? "required" : "empty, and required") for \(template.rawValue), with "
          + "\(isList ? "the JSON text of an array" : "text"); \(notShown)", &report)
    }
    readTimer(message, path, &report)
  }

  /// A timer without a time, or with one below 0, has ended from the start; the end of one without a tag changes nothing.
  private static func readTimer(_ message: Message, _ path: FieldPath, _ report: inout Report) {
    guard message.shownTemplate == .timer else { return }
    let fault: String?
    if let seconds = message.timerSeconds {
      fault = seconds < 0 ? "the time is below 0" : isBeyondTime(seconds) ? "the end is beyond 64 bits" : Optional.none
    } else {
      fault = message.timerEnd == nil ? "no time can be read" : Optional.none
    }
    if let fault {
      add(
        "adobe-timer-end", .error, path.member("adb_tmr_dur"),
        "\(fault), so the timer has ended when it arrives; \(notShown)", &report)
    } else if message.tag == nil {
      addTimerTag(path.member("adb_tag"), &report)
    }
  }

  /// True for a duration whose end is no integer of 64 bits: the sum wraps around to a time long past.
  ///
  /// No device with the library is set to a time before 1.7e9, November 2023. Source: Adobe, `TimerPushTemplate`.
  static func isBeyondTime(_ seconds: Double) -> Bool { seconds > 0x1p63 - 1.7e9 }

  /// The library finds the notification whose timer has ended by its tag.
  static func addTimerTag(_ field: FieldPath, _ report: inout Report) {
    add(
      "adobe-timer-tag", .warning, field,
      "without adb_tag Android draws nothing of what comes after the end: the running timer stays, and counts below 0",
      &report)
  }

  /// True for a message with a value that the library does not know.
  static func hasUnknownChoice(_ message: Message) -> Bool {
    // Nearly always there is none of them.
    if message.priority == nil, message.visibility == nil, message.carouselMode == nil, message.carouselLayout == nil,
      message.collapsedStyle == nil, message.catalogLayout == nil
    {
      return false
    }
    return choices.contains { choice in choice.get(message).map { !choice.allowed.contains($0) } ?? false }
  }

  /// Takes for an unknown value what the library takes for it.
  static func readChoices(
    _ message: inout Message, _ path: FieldPath, on platform: Platform = .android, _ report: inout Report
  ) {
    for choice in choices {
      guard let text = choice.get(message), !choice.allowed.contains(text) else { continue }
      let fallback = platform == .ios ? choice.appleFallback ?? choice.fallback : choice.fallback
      choice.set(&message, fallback)
      let known = choice.allowed.joined(separator: ", ")
      add(
        "adobe-choice-unknown", .warning, path.member(choice.key),
        "expected one of \(known), found \(JSONValue.string(text).named); Adobe's library takes it for "
          + fallback, &report)
    }
  }

  /// Reads the lists, which decide what draws the notification.
  private static func readLists(
    _ message: inout Message, _ data: JSONObject, _ path: FieldPath, _ report: inout Report
  ) -> AndroidBuilder {
    var act = ListReader(at: path.member("adb_act"), consequence: "there are no buttons")
    if let values = act.elements(of: data["adb_act"]) {
      message.buttons = act.read(
        values, members: Button.list.members, other: .voids, bad: .skips, element: Button.android)
      readButtons(&message.buttons, &act)
    }
    var others = Report()
    readRatings(&message, data, path.member("adb_rate_act"), &others)
    readItems(&message, data, path.member("adb_items"), &others)
    let builder = androidBuilder(of: message, data)
    // Of buttons that are read and not drawn there is only that to say.
    if builder.drawsButtons || message.buttons == nil { report.append(act.report) }
    report.append(others)
    return builder
  }

  /// Without three to five ratings nothing is shown; one bad element voids the list.
  private static func readRatings(
    _ message: inout Message, _ data: JSONObject, _ path: FieldPath, _ report: inout Report
  ) {
    let isDrawn = message.shownTemplate == .rating
    var reader = ListReader(
      at: path, consequence: isDrawn ? notShown : "there are no ratings", severity: isDrawn ? .error : .warning)
    // An empty text is reported as a missing key.
    if isDrawn, data["adb_rate_act"] == "" { return }
    if let values = reader.elements(of: data["adb_rate_act"]) {
      message.ratings = reader.read(
        values, members: Rating.list.members, other: .voids, bad: .voids, element: Rating.android)
      if isDrawn, let ratings = message.ratings {
        for (index, rating) in ratings.enumerated() {
          addMissingURI(rating.uri, rating.type, "rating", reader.paths[index], &reader.report)
        }
        if !ratingCounts.contains(ratings.count) {
          add(
            "adobe-item-count", .error, path,
            "\(counted(ratings.count, "rating")), and there must be 3 to 5; \(notShown)", &reader.report)
        }
      }
    }
    report.append(reader.report)
  }

  /// What `adb_items` holds, by the template that reads it.
  private static func readItems(
    _ message: inout Message, _ data: JSONObject, _ path: FieldPath, _ report: inout Report
  ) {
    let template = message.shownTemplate
    let isNeeded = template == .catalog || template == .icons
    // An empty text is reported as a missing key, and in a carousel as one without pictures.
    if template == .carousel, data["adb_items"] == "" { return readCarousel(message, path, &report) }
    if isNeeded, data["adb_items"] == "" { return }
    var reader = ListReader(
      at: path, consequence: isNeeded ? notShown : "there are no elements", severity: isNeeded ? .error : .warning)
    if let values = reader.elements(of: data["adb_items"]) {
      let known = Item.list.members
      let kept: [Item]?
      switch template {
      case .carousel:
        kept = reader.read(values, members: known, other: .stops, bad: .stops, element: Item.carousel)
      case .catalog: kept = reader.read(values, members: known, other: .voids, bad: .voids, element: Item.product)
      case .icons: kept = reader.read(values, members: known, other: .voids, bad: .skips, element: Item.icon)
      default: kept = reader.read(values, members: known, other: .skips, bad: .skips, element: Item.any)
      }
      message.items = kept ?? values.compactMap { value in value.object.flatMap { try? Item.any($0) } }
      if let kept {
        checkCount(of: kept, values.count, template, &reader)
        reportItemLinks(message, androidBuilder(of: message, data), at: reader.paths, &reader.report)
      }
    }
    report.append(reader.report)
    if template == .carousel, data["adb_items"]?.string != nil { readCarousel(message, path, &report) }
  }

  private static func checkCount(
    of items: [Item], _ count: Int, _ template: Template, _ reader: inout ListReader
  ) {
    switch template {
    case .carousel:
      for (index, item) in items.enumerated() where !isLoadable(item.image, on: .android) {
        add(
          "adobe-item-member", .warning, reader.paths[index].member("img"),
          "\(pictureFault(item.image, on: .android)); Android leaves out this element", &reader.report)
      }
    case .catalog where count != 3:
      add(
        "adobe-item-count", .error, reader.path, "\(counted(count, "product")), and there must be 3; \(notShown)",
        &reader.report)
    case .icons where !iconCounts.contains(items.count):
      add(
        "adobe-item-count", .error, reader.path,
        "\(counted(items.count, "icon")) can be read, and there must be 3 to 5; \(notShown)", &reader.report)
    case .icons:
      var pictures = items.count
      for (index, item) in items.enumerated() where !isPicture(item.image, .httpsOrName) {
        pictures -= 1
        addNoIcon(item.image, reader.paths[index], &reader.report)
      }
      guard !iconCounts.contains(pictures) else { return }
      add(
        "adobe-item-count", .error, reader.path,
        "\(counted(pictures, "icon")) can be downloaded, and there must be 3 to 5; \(notShown)", &reader.report)
    default: return
    }
  }

  /// Fewer pictures than Android's library draws a carousel of, and what it draws instead.
  private static func readCarousel(_ message: Message, _ path: FieldPath, _ report: inout Report) {
    let count = (message.items ?? []).filter { isLoadable($0.image, on: .android) }.count
    guard count < carouselPicturesMin else { return }
    add(
      "adobe-item-count", .warning, path,
      "\(counted(count, "picture")) can be read, and a carousel needs 3; the template basic is drawn instead", &report)
  }

  static func add(
    _ rule: String, _ severity: Severity, _ field: FieldPath, _ message: String, _ report: inout Report
  ) {
    report.add(rule: rule, severity: severity, field: field, message: message)
  }
}
