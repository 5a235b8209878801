internal import PushPayload
internal import WireJSON

extension RuleCheck {
  /// The size of an APNs payload against a limit, as written or as it will be sent.
  mutating func checkSize(_ payload: JSONNode, limit: Int) {
    let written = document.sourceRange(of: payload).count
    // Minified text is never longer than its source, so most payloads need no second look.
    guard written > limit else { return }
    let minified = JSON.minified(document.value(payload)).count
    let bytes = settings.countsBytesAsWritten ? written : minified
    guard bytes > limit else { return }
    let saving = settings.countsBytesAsWritten && minified <= limit ? "; minified it has \(minified) and fits" : ""
    add(
      .apnsPayloadTooLarge, at: payload,
      "the payload has \(bytes) bytes, the limit is \(limit)\(saving); "
        + "shorten the text or send a reference, \(bytes - limit) bytes must go")
  }

  /// FCM counts keys and values of data and notification, not the JSON around them.
  mutating func checkFCMSize(_ message: JSONNode) {
    let isTopic = member(message, "topic") != nil || member(message, "condition") != nil
    let limit = isTopic ? min(settings.fcmTopicBytesMax, FCMBudget.bytesMax) : FCMBudget.bytesMax
    guard document.sourceRange(of: message).count > limit else { return }
    let bytes = FCMBudget.bytes(of: message, in: document)
    if bytes > FCMBudget.bytesMax {
      add(
        .fcmPayloadTooLarge, at: message,
        "data and notification have \(bytes) bytes, the limit is \(FCMBudget.bytesMax); "
          + "shorten the text or send a reference, \(bytes - FCMBudget.bytesMax) bytes must go")
    } else if bytes > limit {
      add(
        .fcmTopicPayloadTooLarge, at: message,
        "data and notification have \(bytes) bytes, some of Google's pages allow topics \(limit)")
    }
  }
}

/// What FCM counts against its limit.
public enum FCMBudget {
  /// The most bytes of keys and values a message may have.
  public static let bytesMax = 4096
}

extension FCMBudget {
  /// The bytes of keys and values that Android is sent: data (Android's own where given) and both notifications.
  static func bytes(of message: JSONNode, in document: JSONDocument) -> Int {
    let android = document.member(of: message, "android")
    let data = android.flatMap { document.member(of: $0, "data") } ?? document.member(of: message, "data")
    var bytes = data.map { content($0, document) } ?? 0
    if let shared = document.member(of: message, "notification") { bytes += content(shared, document) }
    if let own = android.flatMap({ document.member(of: $0, "notification") }) { bytes += content(own, document) }
    return bytes
  }

  /// The bytes of names and values below a value, without quotes, escapes and punctuation.
  static func content(_ node: JSONNode, _ document: JSONDocument) -> Int {
    switch document.kind(node) {
    case .object:
      var bytes = 0
      for (name, value) in document.members(of: node) { bytes += content(name, document) + content(value, document) }
      return bytes
    case .array:
      var bytes = 0
      for element in document.elements(of: node) { bytes += content(element, document) }
      return bytes
    case .string: return document.string(node)?.utf8.count ?? 0
    case .null: return 0
    default: return document.sourceRange(of: node).count
    }
  }
}
