/// What the servers of one database remember together for a short while, so that any of them takes any request.
///
/// Each kind of row is bounded in number and in age: nobody who is not signed in fills the database.
public protocol SharedStore: Sendable {
  /// Uses something that is good once, until `end`; of two at once, wherever, one gets `again`. At most `max` of a kind are
  /// remembered: none is forgotten before its end, because it would be good again.
  func useOnce(
    _ mark: [UInt8], _ kind: OnceKind, until end: Timestamp, max: Int, now: Timestamp
  ) throws(StoreError) -> OnceUse

  /// When the longest of the windows ends in which one of the subjects has failed too often; nil when none has.
  func triesBlocked(_ subjects: [[UInt8]], by bound: TryBound, now: Timestamp) throws(StoreError) -> Timestamp?
  /// Counts a failed try for each of the subjects, unless one has failed too often: then until when.
  func countTry(_ subjects: [[UInt8]], by bound: TryBound, now: Timestamp) throws(StoreError) -> Timestamp?
  /// A try that was counted has not failed.
  func takeBackTry(_ subjects: [[UInt8]]) throws(StoreError)

  /// The version of what has this name, which each ``ConditionalChange`` moves; 0 or less for what is not remembered.
  func conditionVersion(of name: [UInt8]) throws(StoreError) -> Int64

  /// The devices that an app's campaigns were sent to without an approval since a minute (of 1970).
  func unapproved(app: AppID, since minute: Int64) throws(StoreError) -> Int
  /// Counts further ones in `minute`, unless they and those since `since` are more than `above`; whether it did.
  func addUnapproved(
    _ devices: Int, app: AppID, minute: Int64, since: Int64, above: Int
  ) throws(StoreError) -> Bool

  /// Saves an import that begins, and forgets the oldest that have ended but for the newest `keep`.
  func beginImport(_ new: NewImport, keep: Int, now: Timestamp) throws(StoreError) -> ImportID
  /// Notes how far an import has come, and whether it is still under way; one that has ended stays as it is.
  func noteImport(
    _ id: ImportID, progress: [UInt8], isRunning: Bool, now: Timestamp,
    completion: @escaping @Sendable (Result<Void, StoreError>) -> Void)
  /// An app's imports, the newest first.
  func imports(app: AppID, limit: Int) throws(StoreError) -> [ImportRecord]

  /// By what the sealing key is known that the servers share; nil before the first of them has started.
  func sealMark() throws(StoreError) -> [UInt8]?
  /// Keeps a mark where there is none, or instead of another one, and answers with the one that is there then.
  func keepSealMark(_ mark: [UInt8], replaces: Bool) throws(StoreError) -> [UInt8]
}

/// What is good once.
public enum OnceKind: Int, Sendable, Hashable {
  /// A challenge that an authenticator has answered.
  case challenge = 1
  /// A sign-in that came back from the identity provider.
  case signIn = 2
}

/// The outcome of the use of something that is good once.
public enum OnceUse: Sendable, Hashable {
  /// It is used up now.
  case first
  /// It was used before.
  case again
  /// Too many are remembered to remember it as well.
  case full
}

/// How many tries may fail.
public struct TryBound: Sendable, Hashable {
  /// Failures within a window.
  public let failures: Int
  /// How long a window is, in milliseconds.
  public let windowMs: Int64
  /// Subjects that are remembered at once; of more, those with the fewest failures are forgotten.
  public let subjects: Int

  /// Creates a value from its parts.
  public init(failures: Int, windowMs: Int64, subjects: Int) {
    self.failures = failures
    self.windowMs = windowMs
    self.subjects = subjects
  }
}

/// Names imports of devices.
public enum ImportTag {}

/// The key of an import.
public typealias ImportID = RowID<ImportTag>

/// An import that begins.
public struct NewImport: Sendable, Hashable {
  /// The app.
  public let app: AppID
  /// Who sent it, or nil.
  public let author: Author?
  /// The node that reads it.
  public let node: String
  /// How far it has come.
  public let progress: [UInt8]

  /// Creates a value from its parts.
  public init(app: AppID, author: Author?, node: String, progress: [UInt8]) {
    self.app = app
    self.author = author
    self.node = node
    self.progress = progress
  }
}

/// An import as it is stored.
public struct ImportRecord: Sendable, Hashable {
  /// Its key.
  public let id: ImportID
  /// Who sent it, or nil.
  public let author: Author?
  /// The node that reads it.
  public let node: String
  /// When it began.
  public let startedAt: Timestamp
  /// When it was last known to be under way.
  public let renewedAt: Timestamp
  /// Whether it was under way then.
  public let isRunning: Bool
  /// How far it had come.
  public let progress: [UInt8]

  /// Creates a value from its parts.
  package init(
    id: ImportID, author: Author?, node: String, startedAt: Timestamp, renewedAt: Timestamp, isRunning: Bool,
    progress: [UInt8]
  ) {
    self.id = id
    self.author = author
    self.node = node
    self.startedAt = startedAt
    self.renewedAt = renewedAt
    self.isRunning = isRunning
    self.progress = progress
  }
}
