internal import Basics
public import PushPayload
public import PushRules
internal import WireJSON

// The providers' rules know no vendor's library: what such a library makes of a payload is added here.
extension PushChecker {
  /// Checks a document as ``check(document:kind:platform:pushType:topic:)`` does, and by what the app's library on the
  /// device makes of it.
  ///
  /// A payload that carries a vendor's marks is read by that vendor's contract, as ``Contracts/parse(platform:payload:contract:state:)``
  /// reads it. What the device does not show is an error (`device-shows-nothing` or the rule of the reader); what it
  /// replaces or leaves out is a warning. A payload without such marks is judged by the providers' rules, and by what
  /// Firebase's client draws instead of an empty notification (`device-fallback`); what an Android app was handed is judged
  /// by what the device does with it alone (`document-received`).
  /// A message, or a vendor's request, that is given instead of a payload is named (`document-unrecognized`), unless
  /// the caller says by `kind` or `pushType` what the document is.
  /// - Parameters:
  ///   - bytes: the file.
  ///   - kind: what it is; nil recognizes it by its members.
  ///   - platform: whose document it is, when that is known.
  ///   - pushType: the push type of a payload alone; nil does not judge by it.
  ///   - topic: the topic that a payload alone will be sent with.
  public mutating func checkOnDevice(
    document bytes: [UInt8], kind: PushDocumentKind? = nil, platform: Platform? = nil, pushType: APNsPushType? = nil,
    topic: String? = nil
  ) -> Report {
    var report = check(document: bytes, kind: kind, platform: platform, pushType: pushType, topic: topic)
    guard failure == nil, let found = kind ?? PushDocumentKind.recognize(document, platform: platform) else {
      return report
    }
    if kind == nil, pushType == nil, platform == nil, let platform = clientPlatform(found) {
      return checkOnDevice(document: bytes, platform: platform)
    }
    if kind == nil, pushType == nil, let mistake = mistake(found, platform) {
      let judged = settings.applied(to: Report([mistake]))
      if !judged.isEmpty {
        report.findings.removeAll { $0.rule != "json-duplicate-key" }
        report.findings.insert(contentsOf: judged.findings, at: 0)
        return report
      }
    }
    addParts(found, platform, pushType.map { APNsHeaders(pushType: $0, topic: topic) }, to: &report)
    return report
  }

  /// The platform of what only a client is handed, or FCM refuses; looked for only where a document has neither a member of
  /// Apple's nor the object `message`.
  private func clientPlatform(_ kind: PushDocumentKind) -> Platform? {
    let has = { [document] (name: StaticString) in document.member(of: document.root, name) }
    switch kind {
    case .apnsPayload where has("aps") == nil && has("mdm") == nil: break
    case .fcmRequest where has("message").map { document.kind($0) != .object } ?? true: break
    default: return nil
    }
    return Contracts.platform(of: document.value(document.root)).flatMap { $0.traits.clientDraws ? $0 : nil }
  }

  // MARK: What is no payload

  /// What was given instead of a payload or request; looked for only where the document has not the shape of one.
  private func mistake(_ kind: PushDocumentKind, _ platform: Platform?) -> Finding? {
    let root = document.root
    guard document.count(root) > 0 else { return nil }
    let has = { [document] (name: String) in
      document.member(of: root, name).map { document.kind($0) != .null } ?? false
    }
    switch kind {
    case .apnsPayload where !has("aps") && !has("mdm"): break
    case .fcmRequest where !isMessage(document.member(of: root, "message")): break
    case .receivedMessage, .fcmMessage: break
    // What was rendered for the other platform alone.
    case .rendering where platform.map { !has($0.traits.request) } ?? false: break
    default: return nil
    }
    let value = document.value(root)
    // What its members say is as good as what the caller says, as in `parse` and `preview`.
    return Contracts.mistake(value, platform ?? Contracts.platform(of: value))
  }

  /// True for an object with a member that only FCM's messages have.
  private func isMessage(_ node: JSONNode?) -> Bool {
    guard let node else { return false }
    let names: [StaticString] = [
      "token", "fid", "topic", "condition", "data", "notification", "android", "apns", "webpush", "android_v2",
    ]
    guard names.contains(where: { document.member(of: node, $0) != nil }) else { return false }
    // FCM takes one token; another service takes a list.
    return document.member(of: node, "token").map { document.kind($0) != .array } ?? true
  }

  // MARK: What the device makes of it

  /// A payload inside the document.
  private struct Part {
    let platform: Platform
    let payload: JSONNode
    /// Where it is in the document, as findings have it.
    let path: String
    var headers: APNsHeaders?
    /// The APNs request around the payload, which has the headers.
    var request: JSONNode?
    /// True for what is not in a request, and has the members of the message at its root.
    var isBare = false
  }

  private mutating func addParts(
    _ kind: PushDocumentKind, _ platform: Platform?, _ headers: APNsHeaders?, to report: inout Report
  ) {
    let root = document.root
    switch kind {
    case .apnsPayload: add(Part(platform: .ios, payload: root, path: "", headers: headers), to: &report)
    case .apnsRequest: addApple(root, "payload", to: &report)
    case .fcmRequest: add(Part(platform: .android, payload: root, path: ""), to: &report)
    case .receivedMessage, .fcmLegacyRequest, .fcmMessage:
      add(Part(platform: .android, payload: root, path: "", isBare: true), to: &report)
    case .rendering:
      for platform in platform.map({ [$0] }) ?? Platform.allCases {
        guard let request = document.member(of: root, platform.traits.request) else { continue }
        switch platform {
        case .ios: addApple(request, "apns.payload", to: &report)
        case .android: add(Part(platform: platform, payload: request, path: "fcm"), to: &report)
        }
      }
    // Only Live Activities are broadcast, and a channel is not a push.
    case .broadcastRequest, .channelCreation: return
    // The rules say all of it: the library of no contract reads what Push Kit is sent.
    case .hmsRequest: return
    }
  }

  private mutating func addApple(_ request: JSONNode, _ path: String, to report: inout Report) {
    guard let payload = document.member(of: request, "payload") else { return }
    add(Part(platform: .ios, payload: payload, path: path, request: request), to: &report)
  }

  /// The headers of a request that is written as JSON.
  private func headers(of request: JSONNode) -> APNsHeaders {
    var ignored = Report()
    let fields = document.member(of: request, "headers").flatMap { document.value($0).object } ?? [:]
    return APNsHeaders(reading: fields, report: &ignored)
  }

  private mutating func add(_ part: Part, to report: inout Report) {
    guard part.isBare || areMarks(in: part) else { return }
    let plain = plainReport(part)
    if let plain, plain.isEmpty { return }
    let said = plain ?? deviceReport(part)
    let received: JSONValue? = part.isBare ? document.value(part.payload) : Optional.none
    var findings: [Finding] = []
    for var finding in settings.applied(to: said).findings {
      if let received { finding.field = FieldPath(parsing: finding.field).inBare(received).text }
      finding.field = FieldPath.text(part.path, followedBy: finding.field)
      if !report.says(finding) { findings.append(finding) }
    }
    report.findings += findings
  }

  private func deviceReport(_ part: Part) -> Report {
    let headers = part.headers ?? part.request.map(headers(of:))
    return Contracts.deviceReport(document.value(part.payload), part.platform, headers, isBare: part.isBare)
  }

  /// The same as ``Contracts/deviceReport(_:_:_:isBare:)`` where that is found on the tape; nil elsewhere.
  private mutating func plainReport(_ part: Part) -> Report? {
    #if _pointerBitWidth(_32)
      return nil
    #else
      guard device.usesTape, !part.isBare, isNotification(part), !document.hasDuplicates else { return nil }
      let memory = DirectTextMemory(reusing: device.documents)
      device.documents = []
      defer { device.documents = memory.release() }
      let report = Contracts.plainReport(of: part.payload, in: document, on: part.platform, memory.texts)
      if report != nil { device.tapeCount += 1 }
      return report
    #endif
  }

  /// False for a payload whose headers say, or may say, another push type than that of a notification.
  private func isNotification(_ part: Part) -> Bool {
    if let headers = part.headers { return headers.pushType.map { $0 == .alert } ?? true }
    guard let object = part.request.flatMap({ document.member(of: $0, "headers") }) else { return true }
    let name: StaticString = "apns-push-type"
    return document.members(of: object).allSatisfy { key, value in
      if document.isString(key, name) { return document.isString(value, "alert") }
      // The same name in other letters is the same header, and so may be one with an escape in it.
      return document.begins(key, with: "") == true && document.sourceRange(of: key).count != name.utf8CodeUnitCount + 2
    }
  }

  private func areMarks(in part: Part) -> Bool {
    let marks = VendorMarks(document)
    guard let envelope = part.platform.traits.envelope else { return marks.areIn(apple: part.payload) }
    return document.member(of: part.payload, envelope).map { marks.areIn(fcm: $0) || hasEmptyBlock($0) } ?? false
  }

  // MARK: Notifications without a text

  /// True when a message may have a notification block without a text.
  private func hasEmptyBlock(_ message: JSONNode) -> Bool {
    let android = document.member(of: message, "android")
    var second = document.member(of: message, "android_v2")
    if second == nil { second = document.member(of: message, "androidV2") }
    let remote = member(second, "remote_notification") ?? member(second, "remoteNotification")
    let own = member(android, "notification") ?? member(remote, "notification")
    let common = document.member(of: message, "notification")
    guard own != nil || common != nil else { return false }
    return !(own.map(hasText) ?? false) && !(common.map(hasText) ?? false)
  }

  private func hasText(_ block: JSONNode) -> Bool {
    let names: [StaticString] = [
      "title", "body", "title_loc_key", "body_loc_key", "titleLocKey", "bodyLocKey",
    ]
    return names.contains { name in
      member(block, name).map { document.kind($0) == .string && document.sourceRange(of: $0).count > 2 } ?? false
    }
  }

  private func member(_ node: JSONNode?, _ name: StaticString) -> JSONNode? {
    node.flatMap { document.member(of: $0, name) }
  }
}

extension FieldPath {
  /// The path in what an app received, for one in the FCM message that it was read as: a flat map has the data and nothing
  /// around it, a RemoteMessage the members of the message.
  fileprivate func inBare(_ payload: JSONValue) -> FieldPath {
    guard steps.first == .member("message") else { return self }
    let inner = Array(steps.dropFirst())
    let data = inner.first == .member("data") ? Array(inner.dropFirst()) : []
    for rest in [data, inner] {
      if case .member(let name)? = rest.first, payload[name] != nil { return FieldPath(rest) }
    }
    return self
  }
}

extension Report {
  /// True when a finding says what another one would say again: that the same value has the wrong type, that a sound
  /// or an image is none, or that nothing is shown.
  fileprivate func says(_ other: Finding) -> Bool {
    switch other.rule {
    case "device-shows-nothing":
      findings.contains { $0.severity == .error && ["apns-shows-nothing", "fcm-shows-nothing"].contains($0.rule) }
    case "apns-sound-type": findings.contains { $0.rule == "adobe-sound-type" }
    case "fcm-value-ignored":
      findings.contains {
        $0.field.hasSameBytes(as: other.field) && ["fcm-image-url", "fcm-value-ignored"].contains($0.rule)
      }
    case "key-type", "fixed-value", "fcm-data-not-string":
      findings.contains { $0.field.hasSameBytes(as: other.field) && $0.severity != .note }
    default: false
    }
  }
}
