/// The token of a `web` device taken apart: a browser's subscription and the key that it was made for, as one text.
///
/// The parts are separated by spaces, which none of them has: the endpoint, the subscriber's public key (`p256dh`), the
/// secret (`auth`), and the application server key, which may be absent. The endpoint is the device's identity: a
/// subscription whose keys changed is the same device.
public struct WebAddress: Sendable, Hashable {
  /// The address at the push service.
  public var endpoint: String
  /// The subscriber's public key, as Base64URL.
  public var p256dh: String
  /// The secret that only the subscriber and the application know, as Base64URL.
  public var auth: String
  /// The public key that the subscription was made for; nil when nobody said.
  public var applicationServerKey: String?

  /// Gathers the parts.
  public init(endpoint: String, p256dh: String, auth: String, applicationServerKey: String? = nil) {
    self.endpoint = endpoint
    self.p256dh = p256dh
    self.auth = auth
    self.applicationServerKey = applicationServerKey
  }

  /// Takes a token apart; nil when it does not have three or four parts.
  ///
  /// What the parts mean is not looked at.
  public init?(_ token: String) {
    let parts = token.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3 || parts.count == 4, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
    self.init(
      endpoint: parts[0], p256dh: parts[1], auth: parts[2], applicationServerKey: parts.count == 4 ? parts[3] : nil)
  }

  /// The token that the parts make.
  public var token: String {
    [endpoint, p256dh, auth, applicationServerKey].compactMap(\.self).joined(separator: " ")
  }

  /// Whether both are the same subscription, whatever key they were made for.
  public func isSameSubscription(as other: WebAddress) -> Bool {
    endpoint == other.endpoint && p256dh == other.p256dh && auth == other.auth
  }

  /// What identifies a device among others of its app: a browser's endpoint, and any other token as a whole.
  ///
  /// Only tokens of browsers have a space.
  public static func identity(of token: String) -> String {
    guard let space = token.utf8.firstIndex(of: UInt8(ascii: " ")) else { return token }
    return String(token[..<space])
  }
}
