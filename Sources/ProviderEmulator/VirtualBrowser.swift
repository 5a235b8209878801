internal import Signing
internal import WireJSON

/// What a virtual browser keeps of its subscription.
public struct VirtualBrowser: Sendable {
  /// The public key of the application that may send to it, as an uncompressed point; nil for anybody's.
  public internal(set) var applicationServerKey: [UInt8]?
  /// Base64URL of the browser's public key.
  public let p256dh: String
  /// The browser's secret.
  let auth: [UInt8]
  private let key: ECPrivateKey

  /// A subscription with new keys.
  init(applicationServerKey: [UInt8]?) throws(SigningError) {
    self.applicationServerKey = applicationServerKey
    key = try .generate()
    p256dh = Base64URL.encode(try key.publicKey.point())
    auth = SecureRandom.bytes(16)
  }

  /// The longest token, in bytes.
  static let tokenBytesMax = 200

  /// Whether bytes can be the last part of an endpoint.
  static func isToken(_ token: some Collection<UInt8>) -> Bool {
    (1...tokenBytesMax).contains(token.count) && token.allSatisfy(isTokenByte)
  }

  static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
    default: false
    }
  }

  /// The subscription as a browser's `toJSON()` gives it.
  func subscription(endpoint: String) -> JSONValue {
    [
      "endpoint": .string(endpoint), "expirationTime": .null,
      "keys": ["p256dh": .string(p256dh), "auth": .string(Base64URL.encode(auth))],
    ]
  }

  /// Decrypts a received message in place; returns why it cannot, as the browser would drop it then.
  func open(_ request: inout GatewayRequest) -> String? {
    let body = Array(request.body)
    guard !body.isEmpty else { return nil }
    do throws(SigningError) {
      request.setBody(try WebPushCipher.open(body, key: key, auth: auth))
      return nil
    } catch {
      return error.message
    }
  }
}
