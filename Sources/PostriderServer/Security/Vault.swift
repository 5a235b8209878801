internal import Signing

/// Seals secrets for the store with AES-256-GCM under the data folder's key.
struct Vault: Sendable {
  private let cipher: AESGCM
  /// For derived values; another key than the cipher's.
  let derivation: [UInt8]

  init(key: [UInt8]) throws(SigningError) {
    cipher = try AESGCM(key: HMACSHA256.authenticate(Array("seal".utf8), key: key))
    derivation = HMACSHA256.authenticate(Array("derive".utf8), key: key)
  }

  /// Seals a secret bound to a context; it opens only with the same one, so that sealed bytes cannot be moved between
  /// apps.
  func seal(_ secret: [UInt8], context: String) throws(SigningError) -> [UInt8] {
    try cipher.seal(secret, authenticating: Array(context.utf8))
  }

  func open(_ sealed: [UInt8], context: String) throws(SigningError) -> [UInt8] {
    try cipher.open(sealed, authenticating: Array(context.utf8))
  }
}
