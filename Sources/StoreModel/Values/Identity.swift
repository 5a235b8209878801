/// Whether an app asks devices for a token that its backend has signed.
public enum IdentityMode: UInt8, Sendable, Hashable, NamedCase {
  /// It does not, and tokens are not read.
  case off = 2
  /// A token is verified when it is sent.
  case optional = 3
  /// Without one, a key that is shipped in an app speaks for no user.
  case required = 4

  /// `off`, `optional` or `required`.
  public var name: String {
    switch self {
    case .off: "off"
    case .optional: "optional"
    case .required: "required"
    }
  }
}

/// The algorithm of an identity key.
public enum IdentityAlgorithm: UInt8, Sendable, Hashable, NamedCase {
  /// ECDSA on P-256 with SHA-256: the backend signs, the server only verifies.
  case es256 = 2
  /// HMAC with SHA-256: both have the secret.
  case hs256 = 3

  /// The name as a token's header has it: `ES256` or `HS256`.
  public var name: String {
    switch self {
    case .es256: "ES256"
    case .hs256: "HS256"
    }
  }
}

/// A key that verifies an app's identity tokens.
public struct IdentityKey: Sendable, Hashable {
  /// The app.
  public let app: AppID
  /// The key's id, unique in the app; a token names it as `kid`.
  public let name: String
  /// The algorithm that it is for, and no other.
  public let algorithm: IdentityAlgorithm
  /// What verifies: the sealed secret of HS256, or the public key of ES256 as PEM; opaque to the store.
  public let material: [UInt8]
  /// When it was made.
  public let createdAt: Timestamp

  /// Creates a value from its parts.
  package init(app: AppID, name: String, algorithm: IdentityAlgorithm, material: [UInt8], createdAt: Timestamp) {
    self.app = app
    self.name = name
    self.algorithm = algorithm
    self.material = material
    self.createdAt = createdAt
  }
}

/// What is saved about a new identity key.
public struct NewIdentityKey: Sendable, Hashable {
  /// The app.
  public var app: AppID
  /// The key's id.
  public var name: String
  /// The algorithm that it is for.
  public var algorithm: IdentityAlgorithm
  /// What verifies.
  public var material: [UInt8]

  /// Creates a value from its parts.
  public init(app: AppID, name: String, algorithm: IdentityAlgorithm, material: [UInt8]) {
    self.app = app
    self.name = name
    self.algorithm = algorithm
    self.material = material
  }
}

/// An app's setting and keys, as one transaction left them.
public struct AppIdentity: Sendable, Hashable {
  /// Whether a token is asked for.
  public var mode = IdentityMode.off
  /// The keys, the oldest first.
  public var keys: [IdentityKey] = []

  /// Off, without keys.
  public init() {}
}

/// On whose behalf a request acts on devices.
public enum Principal: Sendable, Hashable {
  /// A backend, which may act for every user.
  case trusted
  /// An app on a phone: for the user that a verified token names, or for nobody.
  case client(user: String?)

  /// Whether it may act for a device of this owner.
  ///
  /// Users are the same when their bytes are: texts that only look alike are different users in the store.
  package func speaks(for owner: String?) -> Bool {
    guard case .client(let user) = self, let owner else { return true }
    return user.map { $0.utf8.elementsEqual(owner.utf8) } ?? false
  }
}
