public import PushPayload
public import WireJSON

/// What a checked document is.
public enum PushDocumentKind: String, Sendable, Hashable, CaseIterable {
  /// An APNs payload: the body alone.
  case apnsPayload = "apns-payload"
  /// An APNs request: `{"headers": {…}, "payload": {…}}`.
  case apnsRequest = "apns-request"
  /// A broadcast request: the same with `apns-channel-id`.
  case broadcastRequest = "broadcast-request"
  /// The body that creates a broadcast channel.
  case channelCreation = "channel-create"
  /// An FCM v1 request: `{"message": {…}}`.
  case fcmRequest = "fcm-request"
  /// An FCM v1 message without the request around it: `{"token": …, "notification": {…}}`.
  case fcmMessage = "fcm-message"
  /// What an Android app is handed: the flat map of strings, or a client library's RemoteMessage. FCM has accepted it, so
  /// no rule of FCM applies.
  case receivedMessage = "fcm-received"
  /// A request of FCM's legacy interface: `{"to": …, "data": {…}}`.
  case fcmLegacyRequest = "fcm-legacy"
  /// A request to Huawei's Push Kit: `{"message": {"token": ["…"], …}}`.
  case hmsRequest = "hms-request"
  /// What `render` writes: `{"apns": {…}, "fcm": {…}, "report": […]}`.
  case rendering
}

extension PushChecker {
  /// Checks a document as it is in a file, whichever of the kinds it is.
  ///
  /// Paths are those of the document, so a finding's pointer leads to its value: `payload.aps.badge`,
  /// `headers.apns-topic`, `apns.payload.aps`.
  /// - Parameters:
  ///   - bytes: the file.
  ///   - kind: what it is; nil recognizes it by its members.
  ///   - platform: whose document it is, when that is known; it helps to recognize the kind, and of a rendering only
  ///     this platform's request is checked.
  ///   - pushType: the push type of a payload alone; nil does not judge by it.
  ///   - topic: the topic that a payload alone will be sent with; judged only beside a push type.
  public mutating func check(
    document bytes: [UInt8], kind: PushDocumentKind? = nil, platform: Platform? = nil, pushType: APNsPushType? = nil,
    topic: String? = nil
  ) -> Report {
    let payloadMax = kind == .apnsPayload ? (pushType ?? .alert).payloadBytesMax : nil
    return run(bytes, payloadMax: payloadMax) { check in
      let root = check.document.root
      guard let kind = kind ?? PushDocumentKind.recognize(check.document, platform: platform) else {
        return check.add(.documentUnrecognized, at: root, PushDocumentKind.expectation(platform))
      }
      switch (kind, platform) {
      case (.rendering, .ios): check.checkMember("apns", of: root, .apnsRequest)
      case (.rendering, .android): check.checkMember("fcm", of: root, .fcmRequest)
      default:
        let headers = pushType.map { APNsHeaders(pushType: $0, topic: topic) }
        if kind == .apnsPayload, let headers, topic != nil { check.checkHeaders(headers) }
        check.checkDocument(root, kind, headers)
      }
    }
  }
}

extension PushDocumentKind {
  /// Recognises a document by its members; nil when it is no object.
  ///
  /// A plain object is an APNs payload, whose members are free, unless the platform is Android.
  public static func recognize(_ document: JSONDocument, platform: Platform? = nil) -> PushDocumentKind? {
    guard document.kind(document.root) == .object else { return nil }
    switch platform {
    case .ios: return recognize(object: document, isIOS: true)
    case .android: return recognize(android: document)
    case nil: return recognize(object: document, isIOS: false)
    }
  }

  fileprivate static func expectation(_ platform: Platform?) -> String {
    switch platform {
    case .android: "expected an FCM request, an object with message, or the data that an app received"
    case .ios, nil:
      "expected an APNs payload, a request with headers and payload, or an FCM request with message; say which it is"
    }
  }

  private static func recognize(android document: JSONDocument) -> PushDocumentKind {
    let message = document.member(of: document.root, "message")
    if let message, document.kind(message) == .object { return .fcmRequest }
    return document.value(document.root).object.map { recognize(android: $0) } ?? .fcmRequest
  }

  private static func recognize(object document: JSONDocument, isIOS: Bool) -> PushDocumentKind {
    let root = document.root
    if document.member(of: root, "aps") != nil || document.member(of: root, "mdm") != nil { return .apnsPayload }
    if !isIOS, let message = document.member(of: root, "message") {
      #if !(_pointerBitWidth(_32))
        if isHuawei(message, in: document) { return .hmsRequest }
      #endif
      return .fcmRequest
    }
    if document.member(of: root, "message-storage-policy") != nil { return .channelCreation }
    let headers = document.member(of: root, "headers")
    if isAPNsRequest(headers, document.member(of: root, "payload"), in: document) {
      return headers.flatMap { document.member(of: $0, "apns-channel-id") } == nil ? .apnsRequest : .broadcastRequest
    }
    return isRendering(document) ? .rendering : .apnsPayload
  }

  /// The same as `JSONObject.isAPNsRequest` of what has neither `aps` nor `mdm`: one of the two objects may be missing.
  private static func isAPNsRequest(_ headers: JSONNode?, _ payload: JSONNode?, in document: JSONDocument) -> Bool {
    if headers != nil, payload != nil { return true }
    if let payload, document.member(of: payload, "aps") != nil { return true }
    guard let headers else { return false }
    return document.members(of: headers).contains {
      document.string($0.name).map { $0.utf8.starts(with: "apns-".utf8) } ?? false
    }
  }

  /// The same as ``isRendering(_:)``, which is asked only where requests are not recognized by what is in them.
  private static func isRendering(_ document: JSONDocument) -> Bool {
    let root = document.root
    let (apns, fcm) = (document.member(of: root, "apns"), document.member(of: root, "fcm"))
    #if !(_pointerBitWidth(_32))
      if apns == nil, fcm == nil, let report = document.member(of: root, "report"), document.kind(report) == .array {
        let names: [StaticString] = ["hms", "web"]
        return names.contains { document.member(of: root, $0).map { document.kind($0) == .object } ?? false }
      }
    #endif
    guard apns != nil || fcm != nil else { return false }
    let isObject = { (node: JSONNode?) in node.map { document.kind($0) == .object } ?? false }
    if isObject(fcm), isObject(fcm.flatMap { document.member(of: $0, "message") }) { return true }
    if isObject(apns) || isObject(fcm), let report = document.member(of: root, "report"),
      document.kind(report) == .array
    {
      return true
    }
    return document.value(root).object.map(isRendering) ?? false
  }

  /// True for what `render` writes: the requests `apns` and `fcm`, or one of them, and `report`.
  ///
  /// An FCM message has a member `apns`, too; alone it is that of a rendering when it is a whole request, with the
  /// objects `headers` and `payload`.
  package static func isRendering(_ members: JSONObject) -> Bool {
    let requests = ["apns", "fcm"].filter { members[$0]?.object != nil }
    if requests.isEmpty { return false }
    if members["fcm"]?["message"]?.object != nil || members["report"]?.array != nil { return true }
    guard members.allSatisfy({ ["apns", "fcm", "report"].contains($0.key) }), !isOwnObjects(members) else {
      return false
    }
    let apns = members["apns"]
    return requests.contains("fcm") || apns?["headers"]?.object != nil && apns?["payload"]?.object != nil
  }

  /// True for the objects of the providers' own that a message may consist of, such as `{"fcm": {"notification": {…}}}`: the
  /// one for FCM is a message and not a request.
  package static func isOwnObjects(_ members: JSONObject) -> Bool {
    guard let message = members["fcm"]?.object, message["message"] == nil else { return false }
    return members.allSatisfy { ["apns", "fcm"].contains($0.key) } && message.contains { messageNames.contains($0.key) }
  }

  /// True for an FCM message whose part for Apple devices makes it one, such as `{"data": {…}, "apns": {…}}`.
  package static func isMessage(_ members: JSONObject) -> Bool {
    members["apns"]?.object != nil && members.allSatisfy { messageNames.contains($0.key) }
  }

  /// What is said of a request to APNs without one of its two objects.
  package static let incompleteAdvice = "a request has the objects headers and payload; add what is missing"

  private static let messageNames =
    partNames + ["token", "fid", "topic", "condition", "fcm_options", "fcmOptions", "name"]
}

extension JSONObject {
  /// True for an APNs request as JSON, `{"headers": {…}, "payload": {…}}`, also for one that is incomplete.
  ///
  /// What has `aps` is a payload, in which both names are the app's own.
  package var isAPNsRequest: Bool {
    guard self["aps"] == nil, self["mdm"] == nil else { return false }
    let (headers, payload) = (self["headers"], self["payload"])
    if headers != nil && payload != nil { return true }
    return payload?["aps"] != nil
      || headers?.object?.contains { $0.key.utf8.starts(with: "apns-".utf8) } == true
  }

  /// True for an APNs request that has both of its objects.
  package var isWholeAPNsRequest: Bool {
    isAPNsRequest && self["headers"]?.object != nil && self["payload"]?.object != nil
  }
}

extension RuleCheck {
  /// Checks a value as a document of a kind; the value may be inside another document.
  mutating func checkDocument(_ node: JSONNode, _ kind: PushDocumentKind, _ headers: APNsHeaders? = nil) {
    switch kind {
    case .apnsPayload:
      checkPayload(node, headers)
      checkSize(node, limit: (headers?.pushType ?? .alert).payloadBytesMax)
    case .apnsRequest, .broadcastRequest: checkRequest(node, isBroadcast: kind == .broadcastRequest)
    case .channelCreation: checkChannelCreation(node)
    case .fcmRequest: checkFCM(node)
    case .fcmMessage: checkBareMessage(node)
    case .receivedMessage:
      add(
        .documentReceived, at: node,
        "this is what an Android app receives, not a request: only what the device does with it is checked")
    case .fcmLegacyRequest: add(.fcmLegacyRequest, at: node, "this is \(PushDocumentKind.legacyAdvice)")
    case .rendering:
      checkMember("apns", of: node, .apnsRequest)
      checkMember("fcm", of: node, .fcmRequest)
      #if !(_pointerBitWidth(_32))
        checkMember("hms", of: node, .hmsRequest)
      #endif
    case .hmsRequest:
      #if !(_pointerBitWidth(_32))
        checkHuawei(node)
      #endif
    }
  }

  /// Checks a member as a document of a kind, when it is there.
  mutating func checkMember(_ name: StaticString, of node: JSONNode, _ kind: PushDocumentKind) {
    if let value = member(node, name) { checkDocument(value, kind) }
  }

  private mutating func checkRequest(_ node: JSONNode, isBroadcast: Bool) {
    guard let payload = member(node, "payload"), let object = member(node, "headers"),
      document.kind(object) == .object
    else {
      return add(.documentUnrecognized, at: node, "\(PushDocumentKind.incompleteAdvice)")
    }
    headersPath = FieldPath(of: object, in: document)
    let headers = readHeaders(object)
    if isBroadcast {
      checkBroadcastHeaders(headers)
      checkBroadcastPayload(payload)
      return checkSize(payload, limit: APNsBroadcast.payloadBytesMax)
    }
    checkHeaders(headers)
    checkPayload(payload, headers)
    checkSize(payload, limit: (headers.pushType ?? .alert).payloadBytesMax)
  }

  private mutating func readHeaders(_ object: JSONNode) -> APNsHeaders {
    var headers = APNsHeaders()
    for (name, value) in document.members(of: object) {
      guard let text = document.string(value) ?? document.number(value)?.text else {
        let key = document.string(name) ?? ""
        add(.apnsHeaderNotString, at: value, "a header value is a string or a number; write \"\(key)\": \"…\"")
        continue
      }
      // Nearly every name is one of Apple's, in lower case.
      if let index = document.index(of: name, in: RuleCheck.headerNames) {
        headers.read(APNsHeaders.Property.allCases[index], APNsHeaders.names[index], text)
      } else {
        headers.read(APNsHeader(name: document.string(name) ?? "", value: text))
      }
    }
    return headers
  }

  private static let headerNames = JSONKeyTable(APNsHeaders.names.compactMap { JSONKey(keeping: $0) })
}
