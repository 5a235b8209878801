public import WireJSON

/// What Push Kit is sent for one message: the body of `POST /v1/{app}/messages:send`, but for the device's token.
///
/// Source: Huawei, "Sending Downlink Messages".
public struct HuaweiRequest: Sendable, Hashable {
  /// The most bytes of a body, without the token.
  public static let bytesMax = 4096
  /// The longest that Push Kit keeps a message, in seconds: 15 days.
  public static let ttlMax: Int64 = 1_296_000
  /// The most tokens of one message.
  public static let tokensMax = 1000
  /// The bytes of a list of tokens with nothing between its quotes.
  package static let tokensMin = 4
  /// A token instead of one that is not known.
  package static let tokenExample = "TOKEN"
  /// For how long it keeps one that does not say, in seconds: a day.
  public static let ttlDefault: Int64 = 86_400
  /// The values of `collapse_key`: all messages are kept (-1), the last one (0), the last one of a group.
  public static let collapseKeys = -1...100

  /// The members of `message`, without its token.
  public var message: JSONObject
  /// `validate_only`: whether Push Kit only checks the message; nil to leave the member out.
  public var validateOnly: Bool?

  /// Makes a request of the members of a message.
  public init(message: JSONObject, validateOnly: Bool? = nil) {
    self.message = message
    self.validateOnly = validateOnly
  }

  /// The body for one device.
  public func body(token: String) -> [UInt8] { template().body(target: token) }

  /// The bytes of a request that count against ``bytesMax``: all but the tokens.
  ///
  /// - Parameter request: the whole request, with its tokens.
  public static func bytes(of request: JSONValue) -> Int {
    var request = request
    if case .object(var members) = request, case .object(var message)? = members["message"],
      message["token"]?.array != nil
    {
      // The quotes of one are counted, as in a request for one device.
      message["token"] = [""]
      members["message"] = .object(message)
      request = .object(members)
    }
    return JSON.minified(request).count
  }

  /// The body with the offset of the token, which is the first of the message's members.
  public func template() -> FCMRequestTemplate {
    var prefix: [UInt8] = Array("{".utf8)
    if let validateOnly { prefix += Array("\"validate_only\":\(validateOnly),".utf8) }
    prefix += Array("\"message\":{\"token\":[\"".utf8)
    // The members without the brace before them.
    let members = JSON.minified(.object(message)).dropFirst()
    let suffix = Array((message.isEmpty ? "\"]" : "\"],").utf8) + members + Array("}".utf8)
    return FCMRequestTemplate(prefix: prefix, suffix: suffix, placeholder: .token)
  }
}
