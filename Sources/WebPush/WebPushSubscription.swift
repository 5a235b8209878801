public import Signing
public import WireJSON

/// A browser's subscription (W3C Push API, `PushSubscription`), or that of a UnifiedPush app, which has the same form.
public struct WebPushSubscription: Sendable, Equatable, CustomStringConvertible {
  /// Where its push service takes messages.
  public let endpoint: WebPushEndpoint
  /// The subscriber's public key, `p256dh`.
  public let key: ECPublicKey
  /// The secret that only the subscriber and the application know.
  public let auth: [UInt8]

  /// Checks and takes the parts of a subscription.
  ///
  /// - Parameters:
  ///   - endpoint: the address.
  ///   - p256dh: the public key, as Base64URL of an uncompressed point (65 bytes).
  ///   - auth: the secret, as Base64URL of 16 bytes.
  /// - Throws: ``WebPushError`` with the member that is wrong.
  public init(endpoint: String, p256dh: String, auth: String) throws(WebPushError) {
    self.endpoint = try WebPushEndpoint(endpoint)
    guard let point = Self.decoded(p256dh) else {
      throw WebPushError("keys.p256dh", "not Base64URL; take the text that the browser's toJSON() gives")
    }
    do {
      key = try ECPublicKey(point: point)
    } catch {
      throw WebPushError("keys.p256dh", "\(error.message); take the text that the browser's toJSON() gives")
    }
    guard let secret = Self.decoded(auth), secret.count == WebPushCipher.authBytes else {
      throw WebPushError("keys.auth", "not the Base64URL of \(WebPushCipher.authBytes) bytes; take what toJSON() gives")
    }
    self.auth = secret
  }

  /// Reads the JSON of a `PushSubscription`: `{"endpoint": …, "keys": {"p256dh": …, "auth": …}}`.
  ///
  /// Other members, such as `expirationTime`, are not looked at.
  public init(_ json: JSONValue) throws(WebPushError) {
    guard case .object(let members) = json else {
      throw WebPushError("", "a subscription is an object with endpoint and keys, as the browser's toJSON() gives it")
    }
    func text(_ object: JSONObject?, _ name: String, _ field: String) throws(WebPushError) -> String {
      guard let text = object?[name]?.string else { throw WebPushError(field, "is missing or not a text") }
      return text
    }
    let keys = members["keys"]?.object
    try self.init(
      endpoint: text(members, "endpoint", "endpoint"), p256dh: text(keys, "p256dh", "keys.p256dh"),
      auth: text(keys, "auth", "keys.auth"))
  }

  /// Base64URL; `=` at the end and the alphabet of plain Base64 are accepted, as some libraries store them.
  static func decoded(_ text: String) -> [UInt8]? {
    guard text.utf8.count <= 256 else { return nil }
    var bytes = Array(text.utf8)
    while bytes.last == UInt8(ascii: "=") { bytes.removeLast() }
    for index in bytes.indices {
      switch bytes[index] {
      case UInt8(ascii: "+"): bytes[index] = UInt8(ascii: "-")
      case UInt8(ascii: "/"): bytes[index] = UInt8(ascii: "_")
      default: break
      }
    }
    return Base64URL.decode(bytes[...])
  }

  /// The endpoint's origin alone.
  public var description: String { endpoint.description }
}
