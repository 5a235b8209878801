import PushPayload
import WireJSON

/// What Adobe's libraries make of a payload.
extension Adobe {
  /// A key with few values and what the Android library takes for any other; nil leaves it as it is.
  private struct Choice: Sendable {
    let key: String
    let allowed: [String]
    let fallback: String?
    let get: Get
    let set: Set
  }

  private static let choices = [
    Choice(
      key: "adb_n_priority", allowed: Priority.known.map { $0.rawValue }, fallback: Priority.default.rawValue,
      get: { $0.priority?.rawValue }, set: { $0.priority = Priority(rawValue: $1) }),
    Choice(
      key: "adb_n_visibility", allowed: Visibility.known.map { $0.rawValue }, fallback: Visibility.private.rawValue,
      get: { $0.visibility?.rawValue }, set: { $0.visibility = Visibility(rawValue: $1) }),
    Choice(
      key: "adb_car_mode", allowed: ["auto", "manual"], fallback: "manual", get: { $0.carouselMode },
      set: { $0.carouselMode = $1 }),
    Choice(
      key: "adb_car_layout", allowed: ["default", "filmstrip"], fallback: Optional.none, get: { $0.carouselLayout },
      set: { $0.carouselLayout = $1 }),
    Choice(
      key: "adb_col_style", allowed: ["img", "txt"], fallback: Optional.none, get: { $0.collapsedStyle },
      set: { $0.collapsedStyle = $1 }),
    Choice(
      key: "adb_display", allowed: ["horizontal", "vertical"], fallback: Optional.none, get: { $0.catalogLayout },
      set: { $0.catalogLayout = $1 }),
  ]

  @Sendable static func read(
    _ message: inout Message, _ members: JSONObject, _ platform: Platform, _ report: inout Report
  ) {
    switch platform {
    case .ios: readIOS(&message, members, &report)
    case .android: readAndroid(&message, members["data"]?.object ?? [:], &report)
    }
  }

  // MARK: Android

  private static func readAndroid(_ message: inout Message, _ data: JSONObject, _ report: inout Report) {
    let path = FieldPath(members: "message", "data")
    let isJourneyOptimizer = message.template?.isJourneyOptimizer == true
    readTemplate(message, path, &report)
    readLink(&message, path, isJourneyOptimizer, &report)
    readChoices(&message, path, &report)
    if let text = data["adb_sticky"]?.string, text != "true", text != "false" {
      add(
        "adobe-boolean", .note, path.member("adb_sticky"),
        "only true, in any case, is true; read as \(message.sticky == true)", &report)
    }
    readLists(&message, data, path, &report)
    readRemindLater(message, data, path, &report)
    if !isJourneyOptimizer { readNeeds(message, data, path, &report) }
  }

  private static func readTemplate(_ message: Message, _ path: FieldPath, _ report: inout Report) {
    if let template = message.template {
      guard !Template.known.contains(template), !template.isJourneyOptimizer else { return }
      add(
        "adobe-template-unknown", .warning, path.member("adb_template_type"),
        "there is no template \(template.rawValue); it is drawn as basic", &report)
    } else {
      add(
        "adobe-template-unknown", .warning, path.member("adb_template_type"), "the key is missing; drawn as basic",
        &report)
    }
  }

  /// The keys without which the library refuses the notification.
  private static func readNeeds(_ message: Message, _ data: JSONObject, _ path: FieldPath, _ report: inout Report) {
    var needed = ["adb_version"]
    if message.shownTemplate != .icons { needed += ["adb_title", "adb_body"] }
    needed += androidNeeds.filter { $0.template == message.shownTemplate }.map { $0.field }
    for key in needed where data[key]?.isNull != false {
      add(
        "adobe-key-missing", .error, path.member(key),
        "the key is required for \(message.shownTemplate.rawValue); without it the notification is not shown", &report)
    }
  }

  private static func readLink(
    _ message: inout Message, _ path: FieldPath, _ isJourneyOptimizer: Bool, _ report: inout Report
  ) {
    guard let type = message.linkType, !LinkType.known.contains(type), type != .nothing else { return }
    if isJourneyOptimizer {
      message.linkType = .nothing
      add("adobe-link-type", .warning, path.member("adb_a_type"), "unknown, so a tap opens nothing", &report)
    } else {
      add(
        "adobe-link-type", .error, path.member("adb_a_type"),
        "there is no kind of link \(type.rawValue); the notification is not shown", &report)
    }
  }

  private static func readChoices(_ message: inout Message, _ path: FieldPath, _ report: inout Report) {
    for choice in choices {
      guard let text = choice.get(message), !choice.allowed.contains(text) else { continue }
      if let fallback = choice.fallback { choice.set(&message, fallback) }
      let known = choice.allowed.joined(separator: ", ")
      add(
        "adobe-choice-unknown", .warning, path.member(choice.key),
        "expected one of \(known), found \(JSONValue.string(text).named)"
          + (choice.fallback.map { "; read as \($0)" } ?? ""), &report)
    }
  }

  private static func readRemindLater(
    _ message: Message, _ data: JSONObject, _ path: FieldPath, _ report: inout Report
  ) {
    guard message.remindText != nil, !message.remindsLater else { return }
    let hasTime = data["adb_rem_ts"] != nil || data["adb_rem_sec"] != nil
    add(
      "adobe-remind-pair", .warning, path.member("adb_rem_txt"),
      hasTime
        ? "no time can be read, so “remind later” removes the notification and does not show it again"
        : "there is no time to remind at, so there is no “remind later” button", &report)
  }

  private static func readLists(
    _ message: inout Message, _ data: JSONObject, _ path: FieldPath, _ report: inout Report
  ) {
    var act = ListReader(
      "adb_act", at: path.member("adb_act"), consequence: "there are no buttons", isAllOrNothing: true)
    if let values = act.elements(of: data["adb_act"]) {
      message.buttons = act.read(values, Button.list, needs: "label or type")
      readButtons(&message.buttons, &act)
    }
    report.append(act.report)
    var rate = ListReader(
      "adb_rate_act", at: path.member("adb_rate_act"), consequence: "there are no ratings", isAllOrNothing: false)
    if let values = rate.elements(of: data["adb_rate_act"]) {
      message.ratings = rate.read(values, Rating.list, needs: "type")
      if message.shownTemplate == .rating, let count = message.ratings?.count, !ratingCounts.contains(count) {
        add("adobe-item-count", .warning, rate.path, "\(count) ratings can be read; there are 3 to 5", &rate.report)
      }
    }
    report.append(rate.report)
    var items = ListReader(
      "adb_items", at: path.member("adb_items"), consequence: "there are no elements", isAllOrNothing: false)
    if let values = items.elements(of: data["adb_items"]) { readItems(&message, values, &items) }
    report.append(items.report)
  }

  /// A kind of link nobody knows becomes none, and only two kinds have a uri.
  private static func readButtons(_ buttons: inout [Button]?, _ reader: inout ListReader) {
    guard var read = buttons else { return }
    for (index, button) in read.enumerated() {
      if !LinkType.known.contains(button.type) {
        read[index].type = .nothing
        reader.add(
          "adobe-link-type", reader.places[index].member("type"),
          "there is no kind of link \(button.type.rawValue); the button opens nothing")
      }
      read[index].uri = button.type.needsURI ? button.uri ?? "" : Optional.none
    }
    if read.count > buttonsMax {
      reader.add("adobe-button-count", reader.path, "\(read.count) buttons; there are one to three")
    }
    buttons = read
  }

  private static func readItems(_ message: inout Message, _ values: [JSONValue], _ reader: inout ListReader) {
    var items = reader.read(values, Item.list, needs: "img") ?? []
    let template = message.shownTemplate
    if let row = itemCounts.first(where: { $0.template == template }) {
      for (index, item) in items.enumerated() {
        for name in missing(item, template) {
          reader.add("adobe-item-member", reader.places[index].member(name), "the element lacks \(name)")
        }
      }
      let count = items.filter { missing($0, template).isEmpty }.count
      if !row.counts.contains(count) {
        let shown = template == .carousel && count < 3 ? "; it is drawn as basic" : ""
        let wanted = row.counts.count == 1 ? "3" : "3 to 5"
        reader.add(
          "adobe-item-count", reader.path, "\(count) elements are complete; \(template.rawValue) has \(wanted)\(shown)")
      }
      if template == .icons {
        for index in items.indices where items[index].type?.needsURI == false { items[index].uri = Optional.none }
      }
    }
    message.items = items
  }

  // MARK: iOS

  private static func readIOS(_ message: inout Message, _ members: JSONObject, _ report: inout Report) {
    message.category = members["aps"]?["category"]?.string
    let aps = FieldPath(members: "aps")
    if members["aps"]?["category"] == nil {
      add(
        "adobe-key-missing", .warning, aps.member("category"), "without AEPNotification no template is drawn", &report)
    }
    if members["aps"]?["mutable-content"] == nil {
      add(
        "adobe-key-missing", .warning, aps.member("mutable-content"),
        "without 1 the service extension is not called", &report)
    }
    let texts = [("title", message.title), ("body", message.body)]
    for (key, text) in texts where text == nil {
      add("adobe-key-missing", .warning, aps.member("alert").member(key), "the key is required", &report)
    }
    for key in ["adb_version", "adb_template_type"] where members[key]?.isNull != false {
      add("adobe-key-missing", .warning, FieldPath(members: key), "the key is required", &report)
    }
    if let template = message.template, !Template.ios.contains(template) {
      add(
        "adobe-ios-fallback", .note, FieldPath(members: "adb_template_type"),
        "iOS does not draw the template \(template.rawValue); it shows title, body and image instead", &report)
    }
    readChoices(&message, FieldPath(), &report)
    var items = ListReader(
      "adb_items", at: FieldPath(members: "adb_items"), consequence: "there are no elements", isAllOrNothing: false)
    if let values = members["adb_items"]?.array { readItems(&message, values, &items) }
    report.append(items.report)
  }

  private static func add(
    _ rule: String, _ severity: Severity, _ field: FieldPath, _ message: String, _ report: inout Report
  ) {
    report.add(rule: rule, severity: severity, field: field, message: message)
  }
}
