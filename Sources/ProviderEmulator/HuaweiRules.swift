internal import PushPayload
internal import WireJSON

/// What Push Kit reads of a message, and what it refuses.
///
/// Source: Huawei, "Sending Downlink Messages": the tables of parameters and the service response codes.
struct HuaweiMessageFacts {
  let tokens: [String]
  /// The message without the request around it.
  let message: JSONValue
  let isValidationOnly: Bool
  /// By what a later notification replaces it on the phone.
  let tag: String?

  static let tokensMax = HuaweiRequest.tokensMax
  private static let urgencies = ["HIGH", "NORMAL"]
  private static let importances = ["LOW", "NORMAL", "HIGH"]
  private static let visibilities = ["VISIBILITY_UNSPECIFIED", "PUBLIC", "SECRET", "PRIVATE"]

  init(_ body: [UInt8]) throws(HuaweiFailure) {
    guard body.count <= FCMGateway.bodyBytesMax + HuaweiMessageFacts.tokensMax * 256,
      let root = (try? JSON.parse(body))?.object
    else { throw HuaweiFailure("80100003", "the body is no JSON object") }
    guard let message = root["message"], message.object != nil else {
      throw HuaweiFailure("80100001", "message is missing")
    }
    self.message = message
    isValidationOnly = root["validate_only"]?.bool ?? false
    let android = message["android"]
    tag = android?["notification"]?["tag"]?.string
    tokens = try Self.tokens(of: message)
    // What is measured is the body without its tokens, with the quotes and commas between them.
    let bytes = body.count - tokens.reduce(0) { $0 + $1.utf8.count }
    guard bytes - 3 * max(tokens.count - 1, 0) <= HuaweiRequest.bytesMax else {
      throw HuaweiFailure("80300008", "the message body is over 4096 bytes")
    }
    try Self.check(android, of: message)
  }

  private static func tokens(of message: JSONValue) throws(HuaweiFailure) -> [String] {
    let targets = ["token", "topic", "condition"].filter { message[$0].map { !$0.isNull } ?? false }
    guard targets == ["token"] else {
      throw HuaweiFailure("80100003", "exactly one of token, topic and condition; topics are not emulated")
    }
    guard let array = message["token"]?.array, !array.isEmpty else {
      throw HuaweiFailure("80100003", "token is a list of texts that is not empty")
    }
    var tokens: [String] = []
    for json in array {
      guard let token = json.string, !token.isEmpty else { throw HuaweiFailure("80100003", "a token is no text") }
      tokens.append(token)
    }
    guard tokens.count <= tokensMax else { throw HuaweiFailure("80300010", "more than \(tokensMax) tokens") }
    return tokens
  }

  private static func check(_ android: JSONValue?, of message: JSONValue) throws(HuaweiFailure) {
    guard android == nil || android?.isNull == true || android?.object != nil else {
      throw HuaweiFailure("80100003", "android is no object")
    }
    for data in [message["data"], android?["data"]] {
      guard data.map({ $0.isNull || $0.string != nil }) ?? true else {
        throw HuaweiFailure("80100003", "data is no text")
      }
    }
    let hasData = [message["data"], android?["data"]].contains { $0?.string?.isEmpty == false }
    let notification = android?["notification"]
    guard hasData || notification?.object != nil else {
      throw HuaweiFailure("80100003", "neither a notification nor data")
    }
    if let key = android?["collapse_key"], !key.isNull {
      guard let number = key.int, HuaweiRequest.collapseKeys.contains(number) else {
        throw HuaweiFailure("80100013", "collapse_key is a whole number, -1 to 100")
      }
    }
    if let ttl = android?["ttl"], !ttl.isNull { try check(ttl: ttl) }
    try check(android?["urgency"], urgencies, "urgency")
    if let notification, notification.object != nil { try check(notification, shared: message["notification"]) }
  }

  private static func check(ttl: JSONValue) throws(HuaweiFailure) {
    guard let text = ttl.string, let seconds = Int64(text.lowercased().hasSuffix("s") ? text.dropLast() : text[...])
    else { throw HuaweiFailure("80100003", "ttl is a text such as 86400s") }
    guard seconds > 0 else { throw HuaweiFailure("80100004", "the message has expired") }
    guard seconds <= HuaweiRequest.ttlMax else { throw HuaweiFailure("80100003", "ttl is over 1296000s") }
  }

  private static func check(_ value: JSONValue?, _ allowed: [String], _ name: String) throws(HuaweiFailure) {
    guard let value, !value.isNull else { return }
    guard let text = value.string, allowed.contains(text) else {
      throw HuaweiFailure("80100003", "\(name) is one of \(allowed.joined(separator: ", "))")
    }
  }

  private static func check(_ notification: JSONValue, shared: JSONValue?) throws(HuaweiFailure) {
    for name in ["title", "body"] {
      let isThere = [notification[name], shared?[name], notification["\(name)_loc_key"]].contains {
        $0?.string?.isEmpty == false
      }
      guard isThere else { throw HuaweiFailure("80100003", "\(name) is missing") }
    }
    guard let type = notification["click_action"]?["type"]?.int, (1...3).contains(type) else {
      throw HuaweiFailure("80100003", "click_action with a type of 1 to 3 is missing")
    }
    let click = notification["click_action"]
    guard type != 1 || click?["intent"]?.string != nil || click?["action"]?.string != nil else {
      throw HuaweiFailure("80100003", "click_action of type 1 needs an intent or an action")
    }
    guard type != 2 || click?["url"]?.string?.hasPrefix("https://") == true else {
      throw HuaweiFailure("80100003", "click_action of type 2 needs an https url")
    }
    try check(notification["importance"], importances, "importance")
    try check(notification["visibility"], visibilities, "visibility")
    if let image = notification["image"], !image.isNull, image.string?.hasPrefix("https://") != true {
      throw HuaweiFailure("80100003", "image is an https address")
    }
    guard (notification["vibrate_config"]?.array ?? []).count <= 10 else {
      throw HuaweiFailure("80100003", "vibrate_config has more than 10 elements")
    }
  }
}
