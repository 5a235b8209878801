public import Signing
internal import WireJSON

/// The key by which an application identifies itself to push services (VAPID, RFC 8292).
///
/// Browsers bind a subscription to the public key (`applicationServerKey`), so that nobody else can send to it: whoever
/// loses the key loses the subscriptions.
public struct VAPIDKey: Sendable, CustomStringConvertible {
  /// The public key as `applicationServerKey` takes it: Base64URL of the uncompressed point.
  public let publicText: String
  let key: ECPrivateKey

  /// Takes a key.
  public init(_ key: ECPrivateKey) throws(SigningError) {
    self.key = key
    publicText = Base64URL.encode(try key.publicKey.point())
  }

  /// Makes a new key.
  public static func generate() throws(SigningError) -> VAPIDKey { try VAPIDKey(.generate()) }

  /// Reads a key file: PEM, or the Base64URL of the private number, as web-push's generator prints it.
  ///
  /// - Throws: ``WebPushError`` with what is wrong with it.
  public init(file content: [UInt8]) throws(WebPushError) {
    let text = content.filter { !Self.isSpace($0) }
    do {
      if text.starts(with: Array("-----BEGIN".utf8)) {
        try self.init(ECPrivateKey(pem: content))
      } else if let number = Base64URL.decode(text[...]) {
        guard number.count == ECPrivateKey.numberBytes else {
          throw WebPushError(
            "",
            "VAPID key: expected \(ECPrivateKey.numberBytes) bytes in Base64URL, found \(number.count);"
              + " it is an EC P-256 private key, as web-push prints it, or PEM")
        }
        try self.init(ECPrivateKey(privateNumber: number))
      } else {
        throw WebPushError(
          "", "VAPID key: expected an EC P-256 private key, as PEM or Base64URL of 32 bytes, found other text")
      }
    } catch let error as WebPushError {
      throw error
    } catch {
      throw WebPushError("", "VAPID key: \(error); it is an EC P-256 private key, as PEM or Base64URL of 32 bytes")
    }
  }

  /// The public half that a page subscribed with, as ``publicText`` has it; nil for what is no such key.
  ///
  /// - Parameter text: the Base64URL of an uncompressed point of P-256 (65 bytes); `=` at the end and the alphabet of plain
  ///   Base64 are accepted.
  public static func publicText(_ text: String) -> String? {
    guard let point = WebPushSubscription.decoded(text), (try? ECPublicKey(point: point)) != nil else { return nil }
    return Base64URL.encode(point)
  }

  /// The private key as PEM; secret.
  public func pem() throws(SigningError) -> String { try key.pem() }

  /// The value of the `authorization` header (RFC 8292 section 3).
  ///
  /// - Parameters:
  ///   - audience: the origin of the push service.
  ///   - subject: whom the push service can contact.
  ///   - expires: when the token expires, in seconds since 1970; at most 24 hours from now.
  public func authorization(
    audience: String, subject: VAPIDSubject, expires: Int64
  ) throws(SigningError) -> String {
    let claims = JSON.minified([
      "aud": .string(audience), "exp": .number(JSONNumber(expires)), "sub": .string(subject.text),
    ])
    let token = try JWS.compact(header: Array(#"{"typ":"JWT","alg":"ES256"}"#.utf8), claims: claims, key: key)
    // Without a space behind the comma: some receivers cut at the last one.
    return "vapid t=\(token),k=\(publicText)"
  }

  /// Names the public key, never the private one.
  public var description: String { "VAPID key \(publicText)" }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}

/// Whom a push service can contact about an application (RFC 8292 section 2.1); Apple's refuses tokens without one.
public struct VAPIDSubject: Sendable, Hashable {
  /// The longest subject, in bytes.
  public static let bytesMax = 256

  /// The address.
  public let text: String

  /// Takes an address: `mailto:` with one, or `https://`.
  public init(_ text: String) throws(WebPushError) {
    let isMail = text.hasPrefix("mailto:") && text.contains("@") && !text.hasPrefix("mailto:@") && !text.hasSuffix("@")
    let isPage = text.hasPrefix("https://") && text.utf8.count > 8
    guard isMail || isPage, text.utf8.count <= Self.bytesMax, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else {
      throw WebPushError("subject", "the contact is mailto:NAME@HOST or https://HOST/…, without spaces")
    }
    self.text = text
  }
}
