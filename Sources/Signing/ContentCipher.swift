/// The cipher of the content encoding `aes128gcm`, RFC 8188, for contents of one record.
public struct ContentCipher: Sendable {
  /// What sealing adds: 16 bytes.
  public static let tagBytes = GCM.tagBytes

  private let key: [UInt8]
  private let nonce: [UInt8]

  /// Derives key and nonce (RFC 8188 sections 2.2 and 2.3).
  ///
  /// - Parameters:
  ///   - salt: 16 bytes that no other content has.
  ///   - material: the input keying material.
  public init(salt: [UInt8], material: [UInt8]) {
    let secret = HKDF.extract(salt: salt, secret: material)
    key = HKDF.expand(secret, info: Array("Content-Encoding: aes128gcm\0".utf8), bytes: 16)
    nonce = HKDF.expand(secret, info: Array("Content-Encoding: nonce\0".utf8), bytes: GCM.nonceBytes)
  }

  /// Ciphertext and tag of the one record.
  public func seal(_ record: [UInt8]) throws(SigningError) -> [UInt8] {
    try GCM.aes128.seal(record, key: key, nonce: nonce)
  }

  /// The record; nil when it was changed, or sealed with another key.
  public func open(_ sealed: ArraySlice<UInt8>) throws(SigningError) -> [UInt8]? {
    try GCM.aes128.open(sealed, key: key, nonce: nonce)
  }
}
