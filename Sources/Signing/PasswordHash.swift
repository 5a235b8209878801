internal import COpenSSL

/// A password as it is stored: hashed with scrypt (RFC 7914), with the salt and the parameters beside it.
///
/// scrypt needs much memory for each guess, so that whoever has stolen the database tries few passwords a second.
public struct PasswordHash: Sendable, Hashable {
  /// What a hash costs: `128 · r · 2^logN` bytes of memory, and time in proportion to `p` and that.
  public struct Cost: Sendable, Hashable {
    /// The binary logarithm of N.
    public let logN: UInt8
    /// The block size.
    public let r: UInt8
    /// How often the whole is done.
    public let p: UInt8

    /// 32 MiB, three times.
    public static let standard = Cost(logN: 15, r: 8, p: 3)

    /// Creates a value from its parts.
    public init(logN: UInt8, r: UInt8, p: UInt8) {
      self.logN = logN
      self.r = r
      self.p = p
    }

    /// What is read from a damaged row must not take all memory.
    var isBounded: Bool { (1...17).contains(logN) && (1...16).contains(r) && (1...16).contains(p) }
  }

  private static let version: UInt8 = 1
  private static let saltBytes = 16
  private static let digestBytes = 32

  private let cost: Cost
  private let salt: [UInt8]
  private let digest: [UInt8]

  /// Hashes a password with a new salt.
  ///
  /// It takes a tenth of a second and more: never on a thread that serves others.
  public init(of password: [UInt8], cost: Cost = .standard) throws(SigningError) {
    let salt = SecureRandom.bytes(PasswordHash.saltBytes)
    digest = try PasswordHash.digest(password, salt: salt, cost: cost)
    self.salt = salt
    self.cost = cost
  }

  /// A hash that no password has, which costs as much to verify: for accounts that are not there.
  public init(decoyOf cost: Cost) {
    self.cost = cost
    salt = SecureRandom.bytes(PasswordHash.saltBytes)
    digest = SecureRandom.bytes(PasswordHash.digestBytes)
  }

  /// Reads what ``bytes`` wrote; nil for anything else.
  public init?(bytes: [UInt8]) {
    guard bytes.count == 4 + PasswordHash.saltBytes + PasswordHash.digestBytes, bytes[0] == PasswordHash.version
    else { return nil }
    cost = Cost(logN: bytes[1], r: bytes[2], p: bytes[3])
    guard cost.isBounded else { return nil }
    salt = Array(bytes[4..<4 + PasswordHash.saltBytes])
    digest = Array(bytes[(4 + PasswordHash.saltBytes)...])
  }

  /// Version, cost, salt and digest.
  public var bytes: [UInt8] { [PasswordHash.version, cost.logN, cost.r, cost.p] + salt + digest }

  /// Whether a password is the one, in a time that does not depend on where they differ.
  public func verifies(_ password: [UInt8]) throws(SigningError) -> Bool {
    constantTimeEqual(try PasswordHash.digest(password, salt: salt, cost: cost), digest)
  }

  static func digest(_ password: [UInt8], salt: [UInt8], cost: Cost) throws(SigningError) -> [UInt8] {
    let n = UInt64(1) << UInt64(cost.logN)
    let (r, p) = (UInt64(cost.r), UInt64(cost.p))
    // OpenSSL refuses what takes more memory than it is allowed; twice the need leaves room for its own.
    let memory = 2 * 128 * r * (n + p + 2)
    var digest = [UInt8](repeating: 0, count: digestBytes)
    OpenSSLQueue.clear()
    let done = unsafe password.withUnsafeBytes { bytes in
      unsafe EVP_PBE_scrypt(
        bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count, salt, salt.count, n, r, p, memory, &digest,
        digestBytes)
    }
    guard done == 1 else { throw OpenSSLQueue.failure("hash a password") }
    return digest
  }
}
