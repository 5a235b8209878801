internal import PushPayload
internal import WireJSON

extension RuleCheck {
  /// The size of an APNs payload against a limit, as written or as it will be sent.
  ///
  /// - Parameter written: the bytes as they will be sent, white space around the value included; nil for those of the value.
  mutating func checkSize(_ payload: JSONNode, limit: Int, written: Int? = nil) {
    let written = written ?? document.sourceRange(of: payload).count
    // Minified text is never longer than its source, so most payloads need no second look.
    guard written > limit else { return }
    let minified = JSON.minified(document.value(payload)).count
    let bytes = settings.countsBytesAsWritten ? written : minified
    guard bytes > limit else { return }
    let saving = settings.countsBytesAsWritten && minified <= limit ? "; minified it has \(minified) and fits" : ""
    add(
      .apnsPayloadTooLarge, at: payload,
      "the payload has \(bytes) bytes, the limit is \(limit)\(saving); "
        + "shorten the text or send a reference, \(Quoted.bytes(bytes - limit)) must go")
  }

  /// FCM counts keys and values of data and notification, not the JSON around them.
  mutating func checkFCMSize(_ message: JSONNode) {
    let isTopic = member(message, "topic") != nil || member(message, "condition") != nil
    let limit = isTopic ? min(settings.fcmTopicBytesMax, FCMBudget.bytesMax) : FCMBudget.bytesMax
    guard document.sourceRange(of: message).count > limit else { return }
    checkWebpushSize(message)
    let bytes = FCMBudget.bytes(of: message, in: document)
    if bytes > FCMBudget.bytesMax {
      add(
        .fcmPayloadTooLarge, at: message,
        "data and notification have \(bytes) bytes, the limit is \(FCMBudget.bytesMax); "
          + "shorten the text or send a reference, \(Quoted.bytes(bytes - FCMBudget.bytesMax)) must go")
    } else if bytes > limit {
      add(
        .fcmTopicPayloadTooLarge, at: message,
        "data and notification have \(bytes) bytes, some of Google's pages allow topics \(limit)")
    }
  }

  /// The same of what browsers are sent.
  private mutating func checkWebpushSize(_ message: JSONNode) {
    guard let webpush = member(message, "webpush") else { return }
    let bytes = FCMBudget.bytes(ofWebpush: webpush, in: document)
    guard bytes > FCMBudget.bytesMax else { return }
    add(
      .fcmPayloadTooLarge, at: webpush,
      "data and notification have \(bytes) bytes, the limit is \(FCMBudget.bytesMax); "
        + "shorten the text or send a reference, \(Quoted.bytes(bytes - FCMBudget.bytesMax)) must go")
  }
}

/// What FCM counts against its limit.
public enum FCMBudget {
  /// The most bytes of keys and values a message may have.
  public static let bytesMax = 4096
}

#if !(_pointerBitWidth(_32))
  /// What a web push may hold.
  public enum WebBudget {
    /// The most bytes of a notification: 4096 of a message without what encryption (RFC 8291) and the push's id add.
    public static let bytesMax = 3964
  }
#endif

extension FCMBudget {
  /// The bytes of keys and values that Android is sent.
  static func bytes(of message: JSONNode, in document: JSONDocument) -> Int {
    var bytes = 0
    forEachPart(of: message, in: document) { bytes += content($0, document) }
    return bytes
  }

  /// The bytes of keys and values that browsers are sent.
  static func bytes(ofWebpush webpush: JSONNode, in document: JSONDocument) -> Int {
    var bytes = 0
    forEachText(ofWebpush: webpush, in: document) { bytes += $0.count }
    return bytes
  }

  /// Calls `body` with each name and value that counts for browsers: those of their own notification and data.
  static func forEachText(ofWebpush webpush: JSONNode, in document: JSONDocument, _ body: ([UInt8]) -> Void) {
    for name in ["notification", "data"] as [StaticString] {
      if let part = document.member(of: webpush, name) { forEachScalar(part, document, body) }
    }
  }

  /// Calls `body` with each name and value that counts, as decoded text.
  static func forEachText(of message: JSONNode, in document: JSONDocument, _ body: ([UInt8]) -> Void) {
    forEachPart(of: message, in: document) { forEachScalar($0, document, body) }
  }

  /// What Android is sent: data (Android's own where given) and both notifications.
  private static func forEachPart(of message: JSONNode, in document: JSONDocument, _ body: (JSONNode) -> Void) {
    let android = document.member(of: message, "android")
    if let data = android.flatMap({ document.member(of: $0, "data") }) ?? document.member(of: message, "data") {
      body(data)
    }
    if let shared = document.member(of: message, "notification") { body(shared) }
    if let own = android.flatMap({ document.member(of: $0, "notification") }) { body(own) }
  }

  /// The bytes of names and values below a value, without quotes, escapes and punctuation.
  private static func content(_ node: JSONNode, _ document: JSONDocument) -> Int {
    var bytes = 0
    forEachScalar(node, document) { bytes += $0.count }
    return bytes
  }

  private static func forEachScalar(_ node: JSONNode, _ document: JSONDocument, _ body: ([UInt8]) -> Void) {
    switch document.kind(node) {
    case .object:
      for (name, value) in document.members(of: node) {
        forEachScalar(name, document, body)
        forEachScalar(value, document, body)
      }
    case .array: for element in document.elements(of: node) { forEachScalar(element, document, body) }
    case .string: body(Array((document.string(node) ?? "").utf8))
    case .null: break
    default: unsafe document.withSource(of: node) { unsafe body(Array($0)) }
    }
  }
}
