public import PushPayload
public import WireJSON

/// A payload read back: the typed message and what there was to say about it.
public struct Reading<Message: Sendable>: Sendable {
  /// The message; fields that the payload does not have are absent.
  public var message: Message
  /// What there is to say: mistyped keys, keys the contract does not name.
  public var report: Report

  /// Makes a reading.
  public init(message: Message, report: Report = Report()) {
    self.message = message
    self.report = report
  }
}

extension Contract {
  /// Reads a raw payload back into the typed message.
  ///
  /// Nothing is refused: a mistyped key is reported and taken as absent, a key that the contract does not name is
  /// reported and left out.
  ///
  /// - Parameters:
  ///   - root: for iOS the APNs payload; for Android the FCM message, a RemoteMessage or the flat map of the client.
  ///   - platform: which of the two it is.
  public func read(_ root: JSONValue, platform: Platform) -> Reading<Message> {
    var reading = Reading(message: empty)
    guard case .object(let members) = root else {
      reading.report.add(
        rule: "payload-not-object", severity: .error, field: "",
        message: "expected a payload as a JSON object, found \(root.named)")
      return reading
    }
    switch platform {
    case .ios:
      var reader = PayloadReader(contract: self, platform: .ios)
      reader.read(members, at: apnsTree, path: FieldPath(), into: &reading)
      if !reader.kept.isEmpty { own?.set(&reading.message, .ios, reader.kept) }
      hooks.reading(&reading.message, members, .ios, &reading.report)
    case .android:
      let envelope = AndroidEnvelope(members, style: policy.androidStyle)
      var reader = PayloadReader(contract: self, platform: .android)
      reader.isReceived = envelope.isReceived
      let tree = fcmTree.child("message") ?? fcmTree
      reader.read(envelope.message, at: tree, path: FieldPath(members: "message"), into: &reading)
      if !reader.kept.isEmpty { own?.set(&reading.message, .android, reader.kept) }
      hooks.reading(&reading.message, envelope.message, .android, &reading.report)
    }
    return reading
  }
}

/// Walks a payload beside the tree of places.
struct PayloadReader<Message: Sendable> {
  let contract: Contract<Message>
  let platform: Platform
  /// True for what a client handed over, whose marks of travel nobody asked for.
  var isReceived = false
  /// The rows whose own place had a value.
  private var filled: [Bool]
  /// What no row takes and the provider documents, for a contract that has a place for the provider's own objects.
  private(set) var kept = JSONObject()

  init(contract: Contract<Message>, platform: Platform) {
    self.contract = contract
    self.platform = platform
    filled = Array(repeating: false, count: contract.fields.count)
  }

  /// Reads the members of one object; the depth is that of the tree of places, not of the payload.
  mutating func read(_ members: JSONObject, at node: PathTree, path: FieldPath, into reading: inout Reading<Message>) {
    var rest = JSONObject()
    let spread = node.child(PathTree.members)
    for (key, value) in members {
      if let child = node.child(key), key != PathTree.members {
        // What FCM passes on to Apple devices does not reach Android.
        if platform == .android, key == "apns", path.steps.count == 1 { continue }
        read(value, at: child, path: path.member(key), into: &reading)
      } else if spread != nil {
        rest.append(key, value)
      } else if !keep(value, path.member(key)) {
        reportUnknown(key, path, &reading.report)
      }
    }
    if let spread, !rest.isEmpty {
      for place in spread.slots { take(.object(rest), place, path, &reading) }
      if platform == .android { reportNotStrings(rest, path, &reading.report) }
    }
  }

  private mutating func read(
    _ value: JSONValue, at node: PathTree, path: FieldPath, into reading: inout Reading<Message>
  ) {
    if case .object(let members) = unquoted(value, path), !node.children.isEmpty {
      return read(members, at: node, path: path, into: &reading)
    }
    for place in node.slots {
      take(value, place, path, &reading)
      filled[place.field] = true
    }
    for place in node.alsoRead where !filled[place.field] { take(value, place, path, &reading) }
    if node.slots.isEmpty && node.alsoRead.isEmpty && !value.isNull {
      reportType(Mismatch(FieldType.object.expectation), value, path, &reading.report)
    }
  }

  /// The object behind its JSON text, at the places of an FCM message that hold one.
  private func unquoted(_ value: JSONValue, _ path: FieldPath) -> JSONValue {
    guard platform == .android, case .string(let text) = value, contract.policy.fcmTextObjects.contains(path.text)
    else { return value }
    return (try? JSON.parse(text)) ?? value
  }

  private mutating func take(
    _ value: JSONValue, _ place: SlotIndex, _ path: FieldPath, _ reading: inout Reading<Message>
  ) {
    let field = contract.fields[place.field]
    if case .fixed(let fixed) = field.source { return check(value, fixed, path, &reading.report) }
    guard field.isProperty else { return }
    let slot = platform == .ios ? field.apns[place.slot] : field.fcm[place.slot]
    let access = slot.access ?? field.access
    let mismatch = slot.take(access, &reading.message, value)
    guard let mismatch, !keep(value, path) else { return }
    // The other form of the two: text where a value was expected, and the value itself where text was.
    let other = slot.form == .text ? access.take : access.takeText
    if slot.lenient, other(&reading.message, value) == nil {
      reading.report.add(
        rule: "key-lenient", severity: .note, field: path,
        message: "expected \(mismatch.expected), took \(value.named) for it")
    } else {
      reportType(mismatch, value, path, &reading.report)
    }
  }

  private func check(_ value: JSONValue, _ fixed: JSONValue, _ path: FieldPath, _ report: inout Report) {
    // A client has these in another form, so only a payload as it was sent is held to them.
    guard !isReceived, !value.isEquivalent(to: fixed) else { return }
    report.add(
      rule: "fixed-value", severity: .warning, field: path,
      message: "\(contract.name) always has \(JSON.minifiedText(fixed)) here, found \(value.named)")
  }

  /// Keeps a member for the provider's own object; false when there is no place for it or the provider documents none.
  private mutating func keep(_ value: JSONValue, _ path: FieldPath) -> Bool {
    guard contract.own != nil, !value.isNull else { return false }
    var names: [String] = []
    for case .member(let name) in path.steps { names.append(name) }
    if platform == .android { names.removeFirst() }
    guard let first = names.first, platform == .ios || !FCMMessage.envelope.contains(first) else { return false }
    var alone = JSONObject()
    alone.insert(value, at: names[...])
    var report = Report()
    (platform == .ios ? APNsPayload.schema : FCMMessage.schema).check(alone, at: FieldPath(), report: &report)
    guard report.isEmpty else { return false }
    kept.insert(value, at: names[...])
    return true
  }

  private func reportType(_ mismatch: Mismatch, _ value: JSONValue, _ path: FieldPath, _ report: inout Report) {
    let (place, text) = mismatch.sentence(path, value.named)
    // What is named is the part that is wrong; what is absent is the whole key.
    let absent = mismatch.place.steps.isEmpty ? "it" : path.text
    report.add(rule: "key-type", severity: .warning, field: place, message: "\(text); \(absent) is taken as absent")
  }

  private func reportUnknown(_ key: String, _ path: FieldPath, _ report: inout Report) {
    if platform == .android, path.steps.count == 1 {
      if FCMMessage.envelope.contains(key) { return }
    }
    if isReceived, path.steps.last == .member("android") { return }
    report.add(
      rule: "key-unknown", severity: .note, field: path.member(key),
      message: "\(contract.name) does not name this key, so it is in no typed property")
  }

  private func reportNotStrings(_ members: JSONObject, _ path: FieldPath, _ report: inout Report) {
    for (key, value) in members {
      if case .string = value { continue }
      report.add(
        rule: "fcm-data-not-string", severity: .warning, field: path.member(key),
        message: "FCM delivers every data value as a string, found \(value.named)")
    }
  }
}

extension Slot {
  /// Takes a value that stands in this slot's form; returns nil, or why not.
  func take(_ access: FieldAccess<Message>, _ message: inout Message, _ value: JSONValue) -> Mismatch? {
    switch form {
    case .same, .members, .memberTexts, .merged: return access.take(&message, value)
    case .text: return access.takeText(&message, value)
    case .flag:
      if let flag = value.bool { return access.take(&message, .bool(flag)) }
      guard let number = value.int, number == 0 || number == 1 else { return "the number 1" }
      return access.take(&message, .bool(number == 1))
    case .seconds:
      guard let text = value.string, text.utf8.last == UInt8(ascii: "s"), let seconds = Int(text.dropLast()) else {
        return "whole seconds such as \"3600s\""
      }
      return access.take(&message, .number(JSONNumber(seconds)))
    }
  }
}
