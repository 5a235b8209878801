/// Why a key, a signature, a sealed value or a certificate could not be used.
///
/// The message says what is wrong and how to put it right. It never holds key material, passwords or plaintext.
public struct SigningError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of a failure; new kinds may be added.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The stable name of the kind, in kebab case.
    public let rawValue: String

    /// Wraps a name, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The key file or value is empty.
    public static let empty = Code(rawValue: "empty")
    /// The input is not PEM, or its PEM frame or Base64 is broken.
    public static let notPEM = Code(rawValue: "not-pem")
    /// The PEM block holds something other than what is wanted, a certificate or a public key for instance.
    public static let wrongContent = Code(rawValue: "wrong-content")
    /// The key is protected by a passphrase.
    public static let encrypted = Code(rawValue: "encrypted")
    /// The key is of another algorithm or curve, or too short.
    public static let wrongAlgorithm = Code(rawValue: "wrong-algorithm")
    /// The content is damaged: it has the right frame but cannot be decoded.
    public static let damaged = Code(rawValue: "damaged")
    /// The password does not open the file.
    public static let wrongPassword = Code(rawValue: "wrong-password")
    /// A text is not in the encoding it should be (hex, Base64, Base64URL, JWS).
    public static let badEncoding = Code(rawValue: "bad-encoding")
    /// A value has a length that is not allowed.
    public static let badLength = Code(rawValue: "bad-length")
    /// A sealed value was changed, or was sealed with another key or for another context.
    public static let notAuthentic = Code(rawValue: "not-authentic")
    /// A name that cannot be put into a certificate.
    public static let badName = Code(rawValue: "bad-name")
    /// OpenSSL refused for a reason of its own.
    public static let library = Code(rawValue: "library")
  }

  /// The kind of the failure.
  public let code: Code
  /// What is wrong and how to put it right.
  public let message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The message.
  public var description: String { message }
}
