/// An app whose devices are pushed to.
public struct App: Sendable, Hashable {
  /// The key.
  public let id: AppID
  /// The unique name used in addresses, 1 to 100 bytes.
  public let name: String
  /// The display name.
  public let title: String
  /// The caller's own settings (default contract, options), opaque to the store.
  public let settings: [UInt8]
  /// When it was created.
  public let createdAt: Timestamp
  /// When it was last changed.
  public let updatedAt: Timestamp
  /// Its lanes that are stopped, because their provider refused the credential.
  public package(set) var stops: [LaneStop]
  /// Its ids in the vendors' interfaces that it answers to, by vendor.
  public package(set) var compat: [String: String] = [:]

  /// Creates a value from its parts.
  package init(
    id: AppID, name: String, title: String, settings: [UInt8], createdAt: Timestamp, updatedAt: Timestamp,
    stops: [LaneStop], compat: [String: String] = [:]
  ) {
    self.id = id
    self.name = name
    self.title = title
    self.settings = settings
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.stops = stops
    self.compat = compat
  }

  /// Why sending is stopped, in one line for all lanes, or nil when it is not.
  public var stopReason: String? {
    var reasons: [String] = []
    for stop in stops {
      let reason = "\(stop.lane.provider.name) refused the credential: \(stop.reason)"
      if !reasons.contains(reason) { reasons.append(reason) }
    }
    return reasons.isEmpty ? nil : reasons.joined(separator: "; ")
  }
}

/// A vendor's interface of an app, switched on or off.
public struct CompatChange: Sendable, Hashable {
  /// The vendor.
  public var vendor: String
  /// The id that the app gets there when it has none; nil switches the interface off.
  public var newID: String?

  /// Creates a value from its parts.
  public init(vendor: String, newID: String?) {
    self.vendor = vendor
    self.newID = newID
  }
}

/// A provider credential.
///
/// Its secret is sealed before it comes here and opened after it leaves.
public struct Credential: Sendable, Hashable {
  /// The key.
  public let id: CredentialID
  /// The app it belongs to.
  public let app: AppID
  /// The provider it opens.
  public let provider: Provider
  /// The caller's name for the kind, such as `apns-token`, `apns-certificate`, `fcm-service-account`.
  public let kind: String
  /// The environment it is for.
  public let environment: DeviceEnvironment
  /// What may be shown: key id, team id, topics, gateway; opaque to the store.
  public let settings: [UInt8]
  /// The sealed secret.
  public let sealed: [UInt8]
  /// When it was saved.
  public let createdAt: Timestamp
  /// When it was last changed.
  public let updatedAt: Timestamp

  /// Creates a value from its parts.
  package init(
    id: CredentialID, app: AppID, provider: Provider, kind: String, environment: DeviceEnvironment, settings: [UInt8],
    sealed: [UInt8], createdAt: Timestamp, updatedAt: Timestamp
  ) {
    self.id = id
    self.app = app
    self.provider = provider
    self.kind = kind
    self.environment = environment
    self.settings = settings
    self.sealed = sealed
    self.createdAt = createdAt
    self.updatedAt = updatedAt
  }
}

/// The record of an API key.
///
/// The key itself is never stored, only its hash.
public struct APIKey: Sendable, Hashable {
  /// The key of the record.
  public let id: APIKeyID
  /// The app it is limited to, or nil for all apps.
  public let app: AppID?
  /// The display name.
  public let name: String
  /// The scopes, in the caller's words, such as `admin` or `send read`.
  public let scopes: String
  /// The first characters of the key, so that users can distinguish keys.
  public let prefix: String
  /// When it was made.
  public let createdAt: Timestamp
  /// When it stops working, or nil for never.
  public let expiresAt: Timestamp?
  /// When it was last used, or nil.
  public let lastUsedAt: Timestamp?
  /// When it was revoked, or nil.
  public let revokedAt: Timestamp?
  /// Requests a minute that it is good for, or nil for the server's own rate.
  public let ratePerMinute: Int?
  /// The person it belongs to, with whom it ends; nil for one of a program.
  public let account: AccountID?

  /// Creates a value from its parts.
  package init(
    id: APIKeyID, app: AppID?, name: String, scopes: String, prefix: String, createdAt: Timestamp,
    expiresAt: Timestamp?, lastUsedAt: Timestamp?, revokedAt: Timestamp?, ratePerMinute: Int?, account: AccountID?
  ) {
    self.id = id
    self.app = app
    self.name = name
    self.scopes = scopes
    self.prefix = prefix
    self.createdAt = createdAt
    self.expiresAt = expiresAt
    self.lastUsedAt = lastUsedAt
    self.revokedAt = revokedAt
    self.ratePerMinute = ratePerMinute
    self.account = account
  }
}

/// What is saved about a new credential.
public struct NewCredential: Sendable, Hashable {
  /// The app it belongs to.
  public var app: AppID
  /// The provider it opens.
  public var provider: Provider
  /// The caller's name for the kind.
  public var kind: String
  /// The environment it is for.
  public var environment: DeviceEnvironment
  /// What may be shown.
  public var settings: [UInt8]
  /// The sealed secret.
  public var sealed: [UInt8]

  /// Creates a value from its parts.
  public init(
    app: AppID, provider: Provider, kind: String, environment: DeviceEnvironment, settings: [UInt8], sealed: [UInt8]
  ) {
    self.app = app
    self.provider = provider
    self.kind = kind
    self.environment = environment
    self.settings = settings
    self.sealed = sealed
  }
}

/// What is saved about a new API key.
public struct NewAPIKey: Sendable, Hashable {
  /// The app it is limited to, or nil for all apps.
  public var app: AppID?
  /// The display name.
  public var name: String
  /// The scopes, in the caller's words.
  public var scopes: String
  /// The first characters of the key.
  public var prefix: String
  /// The hash of the key.
  public var hash: [UInt8]
  /// When it stops working, or nil for never.
  public var expiresAt: Timestamp?
  /// Requests a minute that it is good for, or nil for the server's own rate.
  public var ratePerMinute: Int?
  /// The person it belongs to; nil for one of a program.
  public var account: AccountID?

  /// Creates a value from its parts.
  public init(
    app: AppID?, name: String, scopes: String, prefix: String, hash: [UInt8], expiresAt: Timestamp? = nil,
    ratePerMinute: Int? = nil, account: AccountID? = nil
  ) {
    self.app = app
    self.name = name
    self.scopes = scopes
    self.prefix = prefix
    self.hash = hash
    self.expiresAt = expiresAt
    self.ratePerMinute = ratePerMinute
    self.account = account
  }
}
