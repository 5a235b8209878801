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
      reader.read(members, at: readTrees.ios, path: FieldPath(), into: &reading)
      if !reader.kept.isEmpty { own?.set(&reading.message, .ios, reader.kept) }
      hooks.reading(&reading.message, members, .ios, &reading.report)
    case .android:
      let envelope = AndroidEnvelope(members, style: policy.androidStyle)
      var reader = PayloadReader(contract: self, platform: .android)
      reader.isReceived = envelope.isReceived
      let tree = readTrees.android.child("message") ?? readTrees.android
      reader.read(envelope.message, at: tree, path: FieldPath(members: "message"), into: &reading)
      if !reader.kept.isEmpty { own?.set(&reading.message, .android, reader.kept) }
      if let key = envelope.unmarkedKey {
        reading.report.add(
          rule: "fixed-value", severity: .warning, field: FieldPath(members: key),
          message:
            "Firebase's client draws a notification only where gcm.n.e is the text 1; without it the app gets the "
            + "data alone")
      }
      if let key = envelope.analyticsKey {
        reading.report.add(
          rule: "fixed-value", severity: .warning, field: FieldPath(members: key),
          message:
            "Firebase's client keeps this notification for analytics alone: nothing is shown, and the app gets nothing")
      }
      if let type = envelope.messageType { reading.report.add(messageType: type, field: "message_type") }
      hooks.reading(&reading.message, envelope.message, .android, &reading.report)
    }
    return reading
  }
}

extension Report {
  /// Says of a `message_type` other than `gcm` that Firebase's client takes no notification from it.
  mutating func add(messageType type: String, field: String) {
    let fate = FirebaseDevice.callback(ofType: type).map { "it calls \($0) in the app" } ?? "it drops it"
    add(
      rule: "fixed-value", severity: .warning, field: field,
      message: "a message has the type gcm or none, and Firebase's client takes this for none: \(fate), and nothing is "
        + "shown")
  }
}

/// Walks a payload beside the tree of slots.
struct PayloadReader<Message: Sendable> {
  let contract: Contract<Message>
  let platform: PlatformTraits
  /// The paths of objects that are there as JSON text.
  let textObjects: [String]
  /// True for what a client handed over, whose marks of travel nobody asked for.
  var isReceived = false
  /// The rows whose own slot had a value.
  private var filled: [Bool]
  /// What no row takes and the provider documents, for a contract that carries the provider's own objects.
  private(set) var kept = JSONObject()

  init(contract: Contract<Message>, platform: Platform) {
    self.contract = contract
    self.platform = platform.traits
    textObjects = contract.policy.textObjects[platform]
    filled = Array(repeating: false, count: contract.fields.count)
  }

  /// Reads the members of one object; the depth is that of the tree of slots, not of the payload.
  ///
  /// The paths of members are made where there is something to say.
  mutating func read(
    _ members: JSONObject, at node: ReadTree<Message>, path: FieldPath, into reading: inout Reading<Message>
  ) {
    var rest = JSONObject()
    for (key, value) in members {
      if let child = node.child(key) {
        // What FCM passes on to Apple devices does not reach Android.
        if key == platform.foreign, path.steps.count == 1 { continue }
        read(value, at: child, { path.member(key) }, into: &reading)
      } else if node.spread != nil {
        rest.append(key, value)
      } else if !keep(value, { path.member(key) }) {
        reportUnknown(key, path, &reading.report)
      }
    }
    if let spread = node.spread, !rest.isEmpty {
      for slot in spread.slots { take(.object(rest), slot, { path }, &reading) }
      if platform.dataIsText { reportNotStrings(rest, path, &reading.report) }
    }
  }

  private mutating func read(
    _ value: JSONValue, at node: ReadTree<Message>, _ path: () -> FieldPath, into reading: inout Reading<Message>
  ) {
    if node.hasChildren, case .object(let members) = unquoted(value, path) {
      return read(members, at: node, path: path(), into: &reading)
    }
    for slot in node.slots {
      take(value, slot, path, &reading)
      filled[slot.field] = true
    }
    for slot in node.alsoRead where !filled[slot.field] { take(value, slot, path, &reading) }
    if node.slots.isEmpty && node.alsoRead.isEmpty && !value.isNull {
      reportType(Mismatch(FieldType.object.expectation), value, path(), &reading.report)
    }
  }

  /// The object behind its JSON text, at the paths of an FCM message that hold one.
  private func unquoted(_ value: JSONValue, _ path: () -> FieldPath) -> JSONValue {
    guard !textObjects.isEmpty, case .string(let text) = value, textObjects.contains(path().text) else { return value }
    return (try? JSON.parse(text)) ?? value
  }

  private mutating func take(
    _ value: JSONValue, _ slot: SlotReader<Message>, _ path: () -> FieldPath, _ reading: inout Reading<Message>
  ) {
    if let fixed = slot.fixed { return check(value, fixed, path, &reading.report) }
    guard slot.isProperty, let mismatch = slot.take(&reading.message, value), !keep(value, path) else { return }
    if slot.isLenient, slot.takeOther(&reading.message, value) == nil {
      reading.report.findings.append(lenient(mismatch, value, path()))
    } else {
      reportType(mismatch, value, path(), &reading.report)
    }
  }

  /// What is said of a value that is read in another form than it should have; iOS does not, and nobody else reads `aps`.
  private func lenient(_ mismatch: Mismatch, _ value: JSONValue, _ path: FieldPath) -> Finding {
    let isIgnored = path.steps.first == .member("aps")
    return Finding(
      rule: "key-lenient", severity: isIgnored ? .warning : .note, field: path.text,
      message: "expected \(mismatch.expected), took \(value.named) for it"
        + (isIgnored ? "; iOS ignores it, so write it as a number" : ""))
  }

  private func check(_ value: JSONValue, _ fixed: JSONValue, _ path: () -> FieldPath, _ report: inout Report) {
    // A client has these in another form, so only a payload as it was sent is held to them.
    guard !isReceived, !value.isEquivalent(to: fixed) else { return }
    report.add(
      rule: "fixed-value", severity: .warning, field: path(),
      message: "\(contract.name) always has \(JSON.minifiedText(fixed)) here, found \(value.named)")
  }

  /// Keeps a member for the provider's own object; false when the contract carries none or the provider documents none.
  private mutating func keep(_ value: JSONValue, _ path: () -> FieldPath) -> Bool {
    guard contract.own != nil, !value.isNull else { return false }
    var names: [String] = []
    for case .member(let name) in path().steps { names.append(name) }
    if platform.envelope != nil { names.removeFirst() }
    guard let first = names.first, !platform.addressing.contains(first) else { return false }
    var alone = JSONObject()
    alone.insert(value, at: names[...])
    var report = Report()
    platform.schema.check(alone, at: FieldPath(), report: &report)
    guard report.isEmpty else { return false }
    kept.insert(value, at: names[...])
    return true
  }

  private func reportType(_ mismatch: Mismatch, _ value: JSONValue, _ path: FieldPath, _ report: inout Report) {
    let (field, text) = mismatch.sentence(path, value.named)
    // What is named is the part that is wrong; what is absent is the whole key.
    let absent = mismatch.path.steps.isEmpty ? "it" : path.text
    report.add(rule: "key-type", severity: .warning, field: field, message: "\(text); \(absent) is taken as absent")
  }

  private func reportUnknown(_ key: String, _ path: FieldPath, _ report: inout Report) {
    if path.steps.count == 1, platform.addressing.contains(key) || isReceived && key == "from" { return }
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
