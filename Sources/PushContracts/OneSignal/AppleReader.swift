internal import Basics
import PushPayload
import WireJSON

/// Reads the four iOS formats of OneSignal straight from the tape of a document.
///
/// `os_data` at the root tells the new formats from the original ones. In the minified formats the texts are in `m`, at
/// the root or under `os_data.buttons`, when there is no `aps.alert`.
struct AppleReader {
  let document: JSONDocument
  var report = Report()

  init(document: JSONDocument) { self.document = document }

  // MARK: Names, each at the index that the switches below use

  private static let rootKeys = JSONKeyTable([
    "aps", "custom", "os_data", "att", "at", "buttons", "actionbuttons", "o", "m", "b", "s", "actionSelected",
  ])
  private static let apsKeys = JSONKeyTable([
    "alert", "badge", "sound", "category", "thread-id", "content-available", "mutable-content", "relevance-score",
    "interruption-level",
  ])
  private static let alertKeys = JSONKeyTable(["title", "subtitle", "body"])
  private static let customKeys = JSONKeyTable([
    "i", "u", "a", "ti", "tn", "badge_inc", "collapse_id", "att", "buttons",
  ])
  private static let minifiedKeys = JSONKeyTable(["m", "b", "s", "at", "o"])

  /// Where the members of the root are.
  private struct Root {
    var aps, custom, osData, att, at, buttons, actionButtons, o, m, b, s, actionSelected: JSONNode?
    var hasOthers = false
  }

  /// Where the members of `aps` are that differ between the formats.
  private struct APS {
    var alert, badge, sound: JSONNode?
    /// True for an alert that is null, too: to the SDK there is one.
    var hasAlert = false
  }

  /// Where the members of `custom` or `os_data` are that differ between the formats.
  private struct Custom {
    var additionalData, attachments, buttons: JSONNode?
  }

  /// Where the members of a minified notification are.
  private struct Minified {
    var m, b, s, at, o: JSONNode?
    var path = ""
  }

  // MARK: The formats

  /// Reads the document into a notification that has nothing but its origin.
  mutating func read(into notification: inout OneSignal.Notification) {
    guard document.kind(document.root) == .object else {
      report.add(
        rule: "payload-not-object", severity: .error, field: "",
        message: "expected a payload as a JSON object, found \(document.kind(document.root))")
      return
    }
    let root = readRoot()
    let aps = readAPS(root.aps, &notification)
    if let osData = root.osData, document.kind(osData) == .object {
      readNew(root, osData, aps, &notification)
    } else {
      if let osData = root.osData { wrong(osData, "os_data", "an object") }
      readOriginal(root, aps, &notification)
    }
    if notification.notificationID == nil { reportForeign(notification.format) }
    reportMinified(root, notification)
  }

  /// What of a minified payload the SDK does not show: it does so in the app, which iOS must wake, and at the root only
  /// beside attachments or buttons.
  private mutating func reportMinified(_ root: Root, _ notification: OneSignal.Notification) {
    guard [.originalMinified, .newMinified].contains(notification.format) else { return }
    if notification.format == .originalMinified, root.at == nil, root.o == nil {
      report.add(
        rule: "onesignal-minified-not-shown", severity: .warning, field: "m",
        message: "OneSignal's SDK shows the texts in m only beside at or o; write them in aps.alert")
    } else if !notification.contentAvailable {
      report.add(
        rule: "onesignal-minified-not-shown", severity: .warning, field: "aps.content-available",
        message:
          "without content-available 1 the app is not woken, and OneSignal's SDK shows a minified payload only while "
          + "the app is open")
    }
  }

  private mutating func readOriginal(_ root: Root, _ aps: APS, _ notification: inout OneSignal.Notification) {
    let custom = readCustom(root.custom, "custom", &notification)
    if let data = object(custom.additionalData, "custom.a") { notification.additionalData = data }
    if root.m != nil, !aps.hasAlert {
      notification.format = .originalMinified
      let minified = Minified(m: root.m, b: root.b, s: root.s, at: root.at, o: root.o)
      readMinified(minified, &notification)
      notification.actionButtons = buttons(root.o, "o") ?? []
    } else {
      if root.m != nil, aps.alert == nil { reportNullAlert("m") }
      readFull(aps, &notification)
      notification.attachments = object(root.att, "att")
      notification.actionButtons = buttons(root.buttons, "buttons") ?? []
    }
    let selected = string(root.actionSelected, "actionSelected")
    notification.actionID =
      custom.additionalData.flatMap { document.string(of: $0, "actionSelected") } ?? selected
    if let selected { notification.additionalData = merged(notification.additionalData, selected) }
    if root.hasOthers { reportRootData() }
  }

  private mutating func readNew(
    _ root: Root, _ osData: JSONNode, _ aps: APS, _ notification: inout OneSignal.Notification
  ) {
    notification.format = .new
    let custom = readCustom(osData, "os_data", &notification)
    if let node = custom.buttons, document.kind(node) == .object, !aps.hasAlert {
      notification.format = .newMinified
      let minified = readMinifiedNodes(node)
      readMinified(minified, &notification)
      notification.actionButtons = buttons(minified.o, "os_data.buttons.o") ?? []
    } else {
      if let node = custom.buttons, aps.alert == nil { reportLostTexts(node, aps.hasAlert) }
      readFull(aps, &notification)
      notification.attachments = object(custom.attachments, "os_data.att")
      notification.actionButtons = newButtons(root, custom)
    }
    notification.additionalData = rootData()
    notification.actionID =
      root.custom.flatMap { document.member(of: $0, "a") }.flatMap { document.string(of: $0, "actionSelected") }
      ?? string(root.actionSelected, "actionSelected")
  }

  private mutating func newButtons(_ root: Root, _ custom: Custom) -> [OneSignal.ActionButton]? {
    if let node = custom.buttons {
      switch document.kind(node) {
      case .array: return buttons(node, "os_data.buttons")
      case .object:
        if let o = document.member(of: node, "o"), document.kind(o) == .array { return buttons(o, "os_data.buttons.o") }
      default: wrong(node, "os_data.buttons", "an array or an object")
      }
    }
    return buttons(root.actionButtons, "actionbuttons")
  }

  private mutating func readFull(_ aps: APS, _ notification: inout OneSignal.Notification) {
    readAlert(aps.alert, "aps.alert", &notification)
    notification.badge = int(aps.badge, "aps.badge")
    notification.hasBadge = notification.badge != nil
    notification.sound = string(aps.sound, "aps.sound")
  }

  private mutating func readMinified(_ nodes: Minified, _ notification: inout OneSignal.Notification) {
    readAlert(nodes.m, nodes.path + "m", &notification)
    notification.badge = nodes.b.flatMap { integer($0, nodes.path + "b") }
    notification.sound = string(nodes.s, nodes.path + "s")
    notification.attachments = object(nodes.at, nodes.path + "at")
  }

  // MARK: The objects

  private func readRoot() -> Root {
    var root = Root()
    for (name, value) in document.members(of: document.root) {
      switch document.index(of: name, in: AppleReader.rootKeys) {
      case 0: root.aps = present(value)
      case 1: root.custom = present(value)
      case 2: root.osData = present(value)
      case 3: root.att = present(value)
      case 4: root.at = present(value)
      case 5: root.buttons = present(value)
      case 6: root.actionButtons = present(value)
      case 7: root.o = present(value)
      case 8: root.m = present(value)
      case 9: root.b = present(value)
      case 10: root.s = present(value)
      case 11: root.actionSelected = present(value)
      default: root.hasOthers = true
      }
    }
    return root
  }

  private mutating func readAPS(_ node: JSONNode?, _ notification: inout OneSignal.Notification) -> APS {
    var aps = APS()
    guard let node, isObject(node, "aps") else { return aps }
    for (name, value) in document.members(of: node) {
      switch document.index(of: name, in: AppleReader.apsKeys) {
      case 0:
        aps.alert = present(value)
        aps.hasAlert = true
      case 1: aps.badge = present(value)
      case 2: aps.sound = present(value)
      case 3: notification.category = string(value, "aps.category")
      case 4: notification.threadID = string(value, "aps.thread-id")
      case 5: notification.contentAvailable = flag(value, "aps.content-available")
      case 6: notification.mutableContent = flag(value, "aps.mutable-content")
      case 7: notification.relevanceScore = number(value, "aps.relevance-score")
      case 8: notification.interruptionLevel = string(value, "aps.interruption-level")
      default: break
      }
    }
    return aps
  }

  private mutating func readAlert(_ node: JSONNode?, _ path: String, _ notification: inout OneSignal.Notification) {
    guard let node else { return }
    switch document.kind(node) {
    case .string: notification.body = document.string(node)
    case .object:
      for (name, value) in document.members(of: node) {
        switch document.index(of: name, in: AppleReader.alertKeys) {
        case 0: notification.title = string(value, path, "title")
        case 1: notification.subtitle = string(value, path, "subtitle")
        case 2: notification.body = string(value, path, "body")
        default: break
        }
      }
    default: wrong(node, path, "a string or an object")
    }
  }

  private mutating func readCustom(
    _ node: JSONNode?, _ path: String, _ notification: inout OneSignal.Notification
  ) -> Custom {
    var custom = Custom()
    guard let node, isObject(node, path) else { return custom }
    for (name, value) in document.members(of: node) {
      switch document.index(of: name, in: AppleReader.customKeys) {
      case 0: notification.notificationID = string(value, path, "i")
      case 1: notification.launchURL = string(value, path, "u").map(OneSignal.trimmed)
      case 2: custom.additionalData = present(value)
      case 3: notification.templateID = string(value, path, "ti")
      case 4: notification.templateName = string(value, path, "tn")
      case 5: notification.badgeIncrement = integer(value, path + ".badge_inc") ?? 0
      case 6: notification.collapseID = string(value, path, "collapse_id")
      case 7: custom.attachments = present(value)
      case 8: custom.buttons = value
      default: break
      }
    }
    return custom
  }

  private func readMinifiedNodes(_ node: JSONNode) -> Minified {
    var minified = Minified(path: "os_data.buttons.")
    for (name, value) in document.members(of: node) {
      switch document.index(of: name, in: AppleReader.minifiedKeys) {
      case 0: minified.m = present(value)
      case 1: minified.b = present(value)
      case 2: minified.s = present(value)
      case 3: minified.at = present(value)
      case 4: minified.o = present(value)
      default: break
      }
    }
    return minified
  }

  /// Everything at the root but `aps` and `os_data`.
  private func rootData() -> JSONObject {
    var data = JSONObject()
    for (name, value) in document.members(of: document.root) {
      guard !document.isString(name, "aps"), !document.isString(name, "os_data"), let key = document.string(name)
      else { continue }
      data[key] = document.value(value)
    }
    return data
  }

  private func merged(_ data: JSONObject?, _ selected: String) -> JSONObject {
    var data = data ?? [:]
    data["actionSelected"] = .string(selected)
    return data
  }

  // MARK: Buttons

  /// The buttons of an array, without those that have no label; nil when there is no array.
  private mutating func buttons(_ node: JSONNode?, _ path: String) -> [OneSignal.ActionButton]? {
    guard let node else { return nil }
    guard document.kind(node) == .array else {
      wrong(node, path, "an array")
      return nil
    }
    var buttons: [OneSignal.ActionButton] = []
    for (index, element) in document.elements(of: node).enumerated() {
      guard document.kind(element) == .object else {
        // Null as well, which is an object without members to the SDK.
        report.add(
          rule: "key-type", severity: .warning, field: "\(path)[\(index)]",
          message: "expected an object, found \(document.value(element).named); it is left out")
        continue
      }
      guard let text = document.string(of: element, "n") else {
        report.add(
          rule: "onesignal-button-dropped", severity: .warning, field: "\(path)[\(index)]",
          message: "a button needs its label at n; it is left out")
        continue
      }
      buttons.append(button(element, text, "\(path)[\(index)]"))
    }
    return buttons
  }

  private mutating func button(_ node: JSONNode, _ text: String, _ path: String) -> OneSignal.ActionButton {
    var button = OneSignal.ActionButton(
      id: string(document.member(of: node, "i"), path, "i") ?? text, text: text)
    let icon = string(document.member(of: node, "path"), path, "path")
    switch string(document.member(of: node, "icon_type"), path, "icon_type") {
    case "system": button.systemIcon = icon
    case "custom": button.templateIcon = icon
    default: break
    }
    return button
  }
}

// MARK: Values

extension AppleReader {
  /// The value, or nil for null, which counts as absent.
  private func present(_ node: JSONNode) -> JSONNode? { document.isNull(node) ? nil : node }

  private mutating func isObject(_ node: JSONNode, _ path: String) -> Bool {
    if document.kind(node) == .object { return true }
    wrong(node, path, "an object")
    return false
  }

  private mutating func string(_ node: JSONNode?, _ path: String, _ name: String = "") -> String? {
    guard let node else { return nil }
    if let text = document.string(node) { return text }
    wrong(node, path, name, "a string")
    return nil
  }

  private mutating func int(_ node: JSONNode?, _ path: String, _ name: String = "") -> WholeNumber? {
    guard let node else { return nil }
    if let number = document.int(node) { return number }
    wrong(node, path, name, "an integer")
    return nil
  }

  /// A number, or one at the beginning of a text, without its fraction, as `integerValue` and `intValue` in the SDK take it.
  private mutating func integer(_ node: JSONNode, _ path: String) -> WholeNumber? {
    if let number = document.int(node) { return number }
    guard let text = document.string(node) ?? document.number(node)?.text, let number = OneSignal.leadingInteger(text)
    else {
      wrong(node, path, "an integer")
      return nil
    }
    report.add(
      rule: "key-lenient", severity: .note, field: path,
      message: "expected an integer, took \(number) for \(document.value(node).named)")
    return number
  }

  private mutating func number(_ node: JSONNode?, _ path: String) -> JSONNumber? {
    guard let node else { return nil }
    if let number = document.number(node) { return number }
    wrong(node, path, "a number")
    return nil
  }

  /// A boolean, or a number that is not 0.
  private mutating func flag(_ node: JSONNode?, _ path: String) -> Bool {
    guard let node else { return false }
    if let number = document.int(node) { return number != 0 }
    if let flag = document.bool(node) { return flag }
    wrong(node, path, "the number 1")
    return false
  }

  private mutating func object(_ node: JSONNode?, _ path: String) -> JSONObject? {
    guard let node, isObject(node, path), case .object(let members) = document.value(node) else { return nil }
    return members
  }

  // MARK: The report

  /// A mistyped key; null counts as absent and is not worth a word.
  @inline(never)
  private mutating func wrong(_ node: JSONNode, _ path: String, _ name: String, _ expected: String) {
    guard !document.isNull(node) else { return }
    report.add(
      rule: "key-type", severity: .warning, field: name.isEmpty ? path : path + "." + name,
      message: "expected \(expected), found \(document.value(node).named); it is taken as absent")
  }

  private mutating func wrong(_ node: JSONNode, _ path: String, _ expected: String) {
    wrong(node, path, "", expected)
  }
}
