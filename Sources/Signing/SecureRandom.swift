internal import COpenSSL

/// Random bytes fit for keys, nonces and tokens.
public enum SecureRandom {
  /// Returns `count` random bytes from OpenSSL's generator, which the operating system seeds.
  ///
  /// Traps when the generator has no entropy: going on without randomness would be worse than stopping.
  public static func bytes(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    guard count > 0 else { return bytes }
    let done = unsafe RAND_bytes(&bytes, Int32(count))
    precondition(done == 1, "the operating system gives no randomness")
    return bytes
  }
}

/// Compares two secrets in a time that depends on their lengths only, not on where they differ.
public func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
  guard left.count == right.count else { return false }
  return unsafe CRYPTO_memcmp(left, right, left.count) == 0
}
