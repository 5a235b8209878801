public import Signing
internal import WireJSON

/// A provider's signing key as the gateway knows it: the public half.
public struct APNsSigningKey: Sendable {
  /// The 10-character key ID, `kid`.
  public var keyID: String
  /// The 10-character team ID, `iss`.
  public var teamID: String
  /// The public half of the `.p8` key.
  public var publicKey: ECPublicKey
  /// The environment the key is limited to; nil for both.
  public var environment: APNsEnvironment?
  /// The bundle IDs the key is limited to; empty for all of the team.
  public var topics: [String]

  /// Registers a key.
  public init(
    keyID: String, teamID: String, publicKey: ECPublicKey, environment: APNsEnvironment? = nil, topics: [String] = []
  ) {
    self.keyID = keyID
    self.teamID = teamID
    self.publicKey = publicKey
    self.environment = environment
    self.topics = topics
  }
}

/// A TLS client certificate as the gateway knows it.
public struct APNsClientCertificate: Sendable, Hashable {
  /// The bundle IDs it may push to.
  public var topics: [String]
  /// The environment it is limited to; nil for both.
  public var environment: APNsEnvironment?
  /// Whether it is still good; a revoked one is answered with `BadCertificate`.
  public var isValid: Bool

  /// A certificate.
  public init(topics: [String], environment: APNsEnvironment? = nil, isValid: Bool = true) {
    self.topics = topics
    self.environment = environment
    self.isValid = isValid
  }
}

/// What the gateway remembers of one connection.
public struct APNsConnection: Sendable {
  /// The TLS client certificate, when it authenticates the connection.
  public var certificate: APNsClientCertificate?
  /// Whether a request with a good token has completed: from then on many streams are allowed.
  public internal(set) var isEstablished = false
  /// The stream limit announced last.
  var streamLimit = 0

  /// A provider token that was checked, by its bytes.
  struct CheckedToken: Sendable {
    var bytes: [UInt8]
    var issuedMs: Int64
    var keyID: String
    var teamID: String
    /// The bundle IDs the key is limited to; empty for all.
    var topics: [String]
  }

  var current: CheckedToken?
  var previous: CheckedToken?
  /// When `current` replaced `previous`.
  var replacedMs: Int64?

  /// A fresh connection.
  public init(certificate: APNsClientCertificate? = nil) { self.certificate = certificate }
}

/// Checks provider tokens against the registered keys.
///
/// Source: Apple, “Establishing a token-based connection to APNs”.
public struct APNsAuthority: Sendable {
  /// The registered keys.
  public var keys: [APNsSigningKey] = []
  /// Whether unregistered keys are accepted, without a check of their signature.
  public var acceptsUnknownKeys = false

  /// A provider token is good for one hour.
  public static let tokenLifetimeMs: Int64 = 3_600_000
  /// A provider token may change once in 20 minutes on one connection.
  public static let updateIntervalMs: Int64 = 1_200_000

  /// No keys.
  public init() {}

  /// Checks the provider token of a request.
  ///
  /// The token is looked at once for each connection; after that its bytes are compared.
  /// - Parameter token: the range of the token in `request`, without its scheme.
  mutating func check(
    _ request: GatewayRequest, _ token: Range<Int>, on connection: inout APNsConnection,
    environment: APNsEnvironment, nowMs: Int64
  ) -> APNsRejection? {
    for known in [connection.current, connection.previous] {
      guard let known, request.equals(token, known.bytes) else { continue }
      return nowMs.saturatingSubtracting(known.issuedMs) > Self.tokenLifetimeMs ? .expiredProviderToken : nil
    }
    switch read(Array(request.bytes[token]), on: connection, environment: environment, nowMs: nowMs) {
    case .failure(let rejection): return rejection
    case .success(let checked): return adopt(checked, on: &connection, nowMs: nowMs)
    }
  }

  /// The token after `bearer` in any case, empty when there is none; nil for another scheme.
  static func bearer(_ request: GatewayRequest, _ range: Range<Int>) -> Range<Int>? {
    let scheme: StaticString = "bearer"
    guard range.count >= scheme.utf8CodeUnitCount else { return nil }
    for index in 0..<scheme.utf8CodeUnitCount {
      guard unsafe request.bytes[range.lowerBound + index] | 0x20 == scheme.utf8Start[index] else { return nil }
    }
    let end = range.lowerBound + scheme.utf8CodeUnitCount
    guard end < range.upperBound else { return end..<end }
    return request.bytes[end] == 0x20 ? (end + 1)..<range.upperBound : nil
  }

  private enum Reading {
    case success(APNsConnection.CheckedToken)
    case failure(APNsRejection)
  }

  private mutating func read(
    _ bytes: [UInt8], on connection: APNsConnection, environment: APNsEnvironment, nowMs: Int64
  ) -> Reading {
    guard
      let token = try? JWS.split(bytes),
      let header = try? JSON.parse(token.header), let claims = try? JSON.parse(token.claims),
      header["alg"]?.string == "ES256", token.signature.count == 64,
      // Clients in the field put `kid` among the claims, and `iat` into a string.
      let keyID = header["kid"]?.string ?? claims["kid"]?.string, let teamID = claims["iss"]?.string,
      let issued = claims["iat"].flatMap({ $0.int ?? $0.string.flatMap { Int($0) } })
    else { return .failure(.invalidProviderToken) }
    if let bound = connection.current ?? connection.previous {
      guard bound.keyID == keyID else { return .failure(.unrelatedKeyID) }
      guard bound.teamID == teamID else { return .failure(.invalidProviderToken) }
    }
    guard let key = keyIndex(keyID: keyID, teamID: teamID, token) else { return .failure(.invalidProviderToken) }
    if let only = keys[key].environment, only != environment { return .failure(.badEnvironmentKeyID) }
    let issuedMs = Int64(clamping: issued).saturatingMultiplied(by: 1000)
    guard issuedMs.saturatingSubtracting(nowMs) <= Self.tokenLifetimeMs else { return .failure(.invalidProviderToken) }
    guard nowMs.saturatingSubtracting(issuedMs) <= Self.tokenLifetimeMs else { return .failure(.expiredProviderToken) }
    return .success(
      .init(
        bytes: bytes, issuedMs: issuedMs, keyID: keyID, teamID: teamID, topics: keys[key].topics))
  }

  /// The registered key that signed the token.
  private mutating func keyIndex(keyID: String, teamID: String, _ token: JWS) -> Int? {
    if let index = keys.firstIndex(where: { $0.keyID == keyID && $0.teamID == teamID }) {
      return acceptsUnknownKeys || token.verify(keys[index].publicKey) ? index : nil
    }
    guard acceptsUnknownKeys, keys.count < Self.keysMax, let stand = try? ECPrivateKey.generate() else { return nil }
    keys.append(APNsSigningKey(keyID: keyID, teamID: teamID, publicKey: stand.publicKey))
    return keys.count - 1
  }

  /// How many keys are remembered when unknown ones are accepted.
  private static let keysMax = 1000

  private func adopt(
    _ checked: APNsConnection.CheckedToken, on connection: inout APNsConnection, nowMs: Int64
  ) -> APNsRejection? {
    guard connection.current != nil else {
      connection.current = checked
      return nil
    }
    if let replacedMs = connection.replacedMs, nowMs.saturatingSubtracting(replacedMs) < Self.updateIntervalMs {
      return .tooManyProviderTokenUpdates
    }
    connection.previous = connection.current
    connection.current = checked
    connection.replacedMs = nowMs
    return nil
  }
}
