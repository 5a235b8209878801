internal import Basics
public import PushPayload
public import WireJSON

/// One key that differs between two renderings of the same message.
public struct KeyChange: Sendable, Hashable {
  /// The path in the payload, or `header NAME`.
  public var path: String
  /// The value before; nil when the key is new.
  public var before: JSONValue?
  /// The value after; nil when the key is gone.
  public var after: JSONValue?

  /// Makes a change.
  public init(path: String, before: JSONValue?, after: JSONValue?) {
    self.path = path
    self.before = before
    self.after = after
  }

  var json: JSONValue {
    var object: JSONObject = ["path": .string(path)]
    if let before { object.append("before", before) }
    if let after { object.append("after", after) }
    return .object(object)
  }
}

/// What changes for a message when an app moves from one contract to another.
public struct ContractDiff: Sendable, Hashable {
  /// The contract that the message is written in.
  public var from: ContractName
  /// The contract that the app moves to.
  public var to: ContractName
  /// The message in the fields of the new contract, as far as they correspond.
  public var message: JSONObject
  /// Keys that differ on iOS, in the order of the old payload, then the new one.
  public var apns: [KeyChange]
  /// Keys that differ on Android, in the same order.
  public var fcm: [KeyChange]
  /// What there is to say, first about the translation, then about each rendering.
  public var report: Report

  /// `{"from", "to", "message", "apns": [{path, before?, after?}], "fcm": […], "report": […]}`.
  public var json: JSONValue {
    [
      "from": .string(from.rawValue), "to": .string(to.rawValue), "message": .object(message),
      "apns": .array(apns.map { $0.json }), "fcm": .array(fcm.map { $0.json }), "report": report.json,
    ]
  }
}

extension Contracts {
  /// Shows what changes for a message when an app moves from one contract to another, on each platform.
  ///
  /// The message is translated through the roles of its fields: a field whose role the new contract has no field for is
  /// reported (`field-not-translated`) and left out.
  ///
  /// - Parameters:
  ///   - from: the contract that the message is written in.
  ///   - to: the contract that the app moves to.
  ///   - message: the message's JSON form, in the fields of `from`.
  ///   - context: the send it belongs to.
  public static func diff(
    _ from: ContractName, _ to: ContractName, message: JSONValue, context: WriteContext = WriteContext()
  ) -> ContractDiff {
    var diff = ContractDiff(from: from, to: to, message: [:], apns: [], fcm: [], report: Report())
    guard let old = mappingTable(from), let new = mappingTable(to) else {
      for name in [from, to] where mappingTable(name) == nil { diff.report.findings.append(unknown(name)) }
      return diff
    }
    diff.message = translate(message, old, new, context.language, &diff.report)
    let before = render(from, message: message, context: context)
    let after = render(to, message: .object(diff.message), context: context)
    diff.report.append(before.report)
    diff.report.append(after.report)
    diff.apns = changes(LeafList(apns: before.apns), LeafList(apns: after.apns))
    diff.fcm = changes(LeafList(fcm: before.fcm, old.policy), LeafList(fcm: after.fcm, new.policy))
    return diff
  }

  private static func translate(
    _ message: JSONValue, _ old: MappingTable, _ new: MappingTable, _ language: String?, _ report: inout Report
  ) -> JSONObject {
    var translated = JSONObject()
    for (key, value) in message.object ?? [:] {
      let row = old.row(named: key)
      let target = new.rows.first { $0.source == .message && $0.role != nil && $0.role == row?.role }
      if let target {
        translated[target.field] = adapted(value, row?.type, target.type, language)
      } else {
        report.add(
          rule: "field-not-translated", severity: .warning, field: FieldPath(members: key),
          message: "\(new.contract) has no field for \(key)")
      }
    }
    return translated
  }

  /// A text in several languages as one text, and the other way round.
  private static func adapted(
    _ value: JSONValue, _ old: FieldType?, _ new: FieldType, _ language: String?
  ) -> JSONValue {
    if old == .texts, new == .string, let text = LanguageTexts(value)?.text(for: language) { return .string(text) }
    if old == .string, new == .texts, case .string(let text) = value { return LanguageTexts(text).json }
    return value
  }

  private static func changes(_ before: LeafList, _ after: LeafList) -> [KeyChange] {
    var changes: [KeyChange] = []
    for (path, value) in before.leaves {
      let other = after.value(path)
      if other != value { changes.append(KeyChange(path: path, before: value, after: other)) }
    }
    for (path, value) in after.leaves where !before.has(path) {
      changes.append(KeyChange(path: path, before: Optional.none, after: value))
    }
    return changes
  }
}

/// The paths of a request, each with its value; arrays count as one value.
struct LeafList {
  private(set) var leaves: [(path: String, value: JSONValue)] = []
  /// Where each path is in `leaves`.
  private var positions: [ByteKey: Int] = [:]
  /// Fields that hold an object as JSON text; its members are leaves of their own.
  private var textObjects: [String] = []

  init(apns: APNsRequest?) {
    guard let apns else { return }
    for header in apns.headers.fields { add("header \(header.name)", .string(header.value)) }
    if let payload = try? JSON.parse(apns.payload) { add(payload, FieldPath()) }
  }

  init(fcm: FCMRequest?, _ policy: ContractPolicy) {
    textObjects = policy.fcmTextObjects
    if let body = fcm?.body, let json = try? JSON.parse(body) { add(json, FieldPath()) }
  }

  /// The value at a path; nil when there is none.
  func value(_ path: String) -> JSONValue? { positions[ByteKey(path)].map { leaves[$0].value } }

  /// True when there is a value at a path, `null` included.
  func has(_ path: String) -> Bool { positions[ByteKey(path)] != nil }

  private mutating func add(_ path: String, _ value: JSONValue) {
    if !has(path) { positions[ByteKey(path)] = leaves.count }
    leaves.append((path, value))
  }

  private mutating func add(_ value: JSONValue, _ path: FieldPath) {
    if case .string(let text) = value, textObjects.contains(path.text), let inner = try? JSON.parse(text),
      inner.kind == .object
    {
      return add(inner, path)
    }
    guard case .object(let members) = value, !members.isEmpty else {
      if !path.steps.isEmpty { add(path.text, value) }
      return
    }
    for (key, member) in members { add(member, path.member(key)) }
  }
}
