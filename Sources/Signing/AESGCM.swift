/// AES-256-GCM, NIST SP 800-38D: seals a value so that reading or changing it needs the key.
///
/// A sealed value is nonce (12 bytes), ciphertext, tag (16 bytes). The nonce is random: one key may seal up to 2^32
/// values before nonces risk to meet.
public struct AESGCM: Sendable {
  /// The length of a key: 32 bytes.
  public static let keyBytes = 32
  /// What sealing adds to the length of a value: 28 bytes.
  public static let overheadBytes = nonceBytes + tagBytes

  static let nonceBytes = GCM.nonceBytes
  static let tagBytes = GCM.tagBytes

  private let key: [UInt8]

  /// Takes a key of 32 bytes, for instance `SecureRandom.bytes(AESGCM.keyBytes)`.
  public init(key: [UInt8]) throws(SigningError) {
    guard key.count == Self.keyBytes else {
      throw SigningError(.badLength, "an AES-256 key has \(Self.keyBytes) bytes, this one has \(key.count)")
    }
    self.key = key
  }

  /// Seals a value under a fresh random nonce.
  ///
  /// - Parameters:
  ///   - plaintext: the value.
  ///   - context: bytes that are authenticated and not stored, such as the name of the row the value belongs to;
  ///     opening needs the same.
  /// - Returns: nonce, ciphertext and tag.
  public func seal(_ plaintext: [UInt8], authenticating context: [UInt8] = []) throws(SigningError) -> [UInt8] {
    try seal(plaintext, authenticating: context, nonce: SecureRandom.bytes(Self.nonceBytes))
  }

  /// Sealing with a nonce of the caller's, for test vectors.
  func seal(_ plaintext: [UInt8], authenticating context: [UInt8], nonce: [UInt8]) throws(SigningError) -> [UInt8] {
    nonce + (try GCM.aes256.seal(plaintext, key: key, nonce: nonce, authenticating: context))
  }

  /// Opens a sealed value.
  ///
  /// - Throws: `notAuthentic` when the value was changed, or sealed with another key or context.
  public func open(_ sealed: [UInt8], authenticating context: [UInt8] = []) throws(SigningError) -> [UInt8] {
    guard sealed.count >= Self.overheadBytes else {
      throw SigningError(
        .badLength, "a sealed value has at least \(Self.overheadBytes) bytes, this one has \(sealed.count)")
    }
    let nonce = Array(sealed[..<Self.nonceBytes])
    guard let output = try GCM.aes256.open(sealed[Self.nonceBytes...], key: key, nonce: nonce, authenticating: context)
    else {
      throw SigningError(
        .notAuthentic, "the sealed value was changed, or was sealed with another key or for another use")
    }
    return output
  }
}
