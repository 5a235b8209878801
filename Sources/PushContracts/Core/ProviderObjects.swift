internal import Basics
public import PushPayload
public import WireJSON

/// The providers' own objects in a message: their members are merged over what the rows write, and a reader puts
/// into them what the provider documents and no row takes.
@usableFromInline
struct ProviderObjects<Message: Sendable>: Sendable {
  /// For iOS `{"headers": {…}, "payload": {…}}`, for Android the members of an FCM v1 `Message`; nil when there is none.
  let get: @Sendable (Message, Platform) -> JSONObject?
  /// Keeps what a payload has: for iOS members of the payload, for Android members of the FCM `Message`.
  let set: @Sendable (inout Message, Platform, JSONObject) -> Void

  /// Merges the own object of a platform over the request that the writer holds.
  @usableFromInline
  func merge(_ message: Message, _ platform: Platform, into writer: inout JSONWriter, report: inout Report) {
    guard let own = get(message, platform), case .object(var root)? = try? JSON.parse(writer.bytes) else { return }
    switch platform {
    case .ios:
      guard let payload = own["payload"]?.object else { return }
      root.merge(payload, schema: APNsPayload.schema, path: FieldPath(members: "apns", "payload"), report: &report)
    case .android:
      guard var message = root["message"]?.object else { return }
      let content = content(own, over: &message, &report)
      message.merge(content, schema: FCMMessage.schema, path: FieldPath(members: "fcm"), report: &report)
      root["message"] = .object(message)
    }
    writer.removeAll()
    writer.value(.object(root))
  }

  /// The members that a message may say itself: all but whom it goes to.
  private func content(_ own: JSONObject, over message: inout JSONObject, _ report: inout Report) -> JSONObject {
    var content = own
    for (key, _) in own where FCMMessage.envelope.contains(key) {
      content.removeValue(forKey: key)
      report.add(
        rule: "field-not-carried", severity: .warning, field: FieldPath(members: "fcm", key),
        message: "\(key) is not content: the send says whom a message goes to; give it there")
    }
    let hasSecond = own["android_v2"] != nil || own["androidV2"] != nil
    if hasSecond, own["android"] == nil, message.removeValue(forKey: "android") != nil {
      report.add(
        rule: "field-overridden", severity: .warning, field: FieldPath(members: "fcm", "android_v2"),
        message: "it replaces android, which the message's other fields wrote; FCM takes one of the two")
    }
    return content
  }

  /// Merges own headers over those that the rows write.
  func merge(_ message: Message, into headers: inout APNsHeaders, report: inout Report) {
    guard let own = get(message, .ios)?["headers"]?.object, !own.isEmpty else { return }
    var list = headers.fields
    for (key, value) in own {
      guard let text = value.scalarText else { continue }
      let name = key.lowercased()
      guard let index = list.firstIndex(where: { $0.name.hasSameBytes(as: name) }) else {
        list.append(APNsHeader(name: name, value: text))
        continue
      }
      guard list[index].value != text else { continue }
      report.overridden(FieldPath(members: "apns", "headers", key), .string(list[index].value))
      list[index].value = text
    }
    headers = APNsHeaders(reading: list)
  }

  /// Checks own objects against what Apple and Google document.
  func check(_ message: Message, _ reserved: [ReservedNames], report: inout Report) {
    if let own = get(message, .ios) { checkAPNs(own, &report) }
    guard let own = get(message, .android) else { return }
    FCMMessage.schema.check(own, at: FieldPath(members: "fcm"), report: &report)
    for (key, _) in own["data"]?.object ?? [:] {
      for set in reserved where set.action == .refuse && set.contains(key) {
        report.add(
          rule: set.rule, severity: .error, field: FieldPath(members: "fcm", "data", key),
          message: "the data key \(key) is refused on Android: \(set.advice)")
      }
    }
  }

  private func checkAPNs(_ own: JSONObject, _ report: inout Report) {
    for (key, value) in own {
      let path = FieldPath(members: "apns", key)
      guard key == "headers" || key == "payload" else {
        report.add(
          rule: "field-unknown", severity: .warning, field: path,
          message: "apns has the members headers and payload, so \(key) is left out; keys of aps belong in payload.aps")
        continue
      }
      guard case .object(let members) = value else {
        report.add(
          rule: "field-type", severity: .error, field: path, message: "expected an object, found \(value.named)")
        continue
      }
      if key == "payload" {
        APNsPayload.schema.check(members, at: path, report: &report)
      } else {
        checkHeaders(members, path, &report)
      }
    }
  }

  private func checkHeaders(_ members: JSONObject, _ path: FieldPath, _ report: inout Report) {
    for header in APNsHeaders(reading: members, at: path, report: &report).extras {
      if APNsHeaders.names.contains(header.name) {
        report.add(
          rule: "field-type", severity: .error, field: path.member(header.name),
          message: "\(header.name) does not take \(JSON.minifiedText(.string(header.value))), or occurs twice")
      } else {
        report.add(
          rule: "apns-header-unknown", severity: .warning, field: path.member(header.name),
          message: "Apple documents no such header; check the spelling")
      }
    }
  }
}

extension FCMMessage {
  /// Members that say where a message goes and the outcome of it, and not what it is.
  static var envelope: [String] { FCMTarget.keys + ["name"] }
}

extension Report {
  /// Says that an own object wins over the message's other fields.
  mutating func overridden(_ field: FieldPath, _ old: JSONValue) {
    add(
      rule: "field-overridden", severity: .warning, field: field,
      message: "it replaces \(old.named), which the message's other fields wrote")
  }
}

extension JSONObject {
  /// Merges members over these: objects member by member, everything else as a whole.
  ///
  /// A member that FCM knows in two spellings replaces the other spelling.
  mutating func merge(_ own: JSONObject, schema: PayloadSchema?, path: FieldPath, report: inout Report) {
    for (key, value) in own {
      let field = schema?.field(key)
      let name = field?.name ?? key
      guard let old = self[name] else {
        append(key, value)
        continue
      }
      if case .object(var members) = old, case .object(let ownMembers) = value {
        members.merge(ownMembers, schema: field?.type.members, path: path.member(key), report: &report)
        self[name] = .object(members)
      } else if old != value {
        report.overridden(path.member(key), old)
        self[name] = value
      }
    }
  }

  /// Sets a value some members further down, making the objects on the way.
  mutating func insert(_ value: JSONValue, at steps: ArraySlice<String>) {
    guard let first = steps.first else { return }
    guard steps.count > 1 else { return self[first] = value }
    if self[first]?.object == nil { self[first] = .object([:]) }
    changeObject(first) { $0.insert(value, at: steps.dropFirst()) }
  }
}

extension PayloadType {
  /// The documented members, for a type that has them.
  var members: PayloadSchema? {
    switch self {
    case .model(let schema), .stringOrModel(let schema): schema
    default: nil
    }
  }
}

extension PayloadSchema {
  /// Compares an object with its documentation.
  func check(_ members: JSONObject, at path: FieldPath, report: inout Report) {
    var document = JSONDocument()
    guard (try? document.parse(JSON.minified(.object(members)))) != nil else { return }
    report.findings += PayloadMismatch.findings(mismatches(in: document, at: document.root), in: document, base: path)
  }
}
