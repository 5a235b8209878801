/// Why a store operation failed, and how to fix it.
///
/// The texts name tables and files, never tokens, keys, payloads or SQL arguments.
public struct StoreError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure; an open set.
  public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The stable name of the kind, such as `disk-full`.
    public let rawValue: String

    /// Names a kind.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The name.
    public var description: String { rawValue }

    /// No room for what had to be written; nothing of it was saved.
    public static let diskFull = Code(rawValue: "disk-full")
    /// The file or the disk refuses writes.
    public static let readOnly = Code(rawValue: "read-only")
    /// The file is damaged.
    public static let corrupted = Code(rawValue: "corrupted")
    /// The file is something other than a Postrider database.
    public static let notADatabase = Code(rawValue: "not-a-database")
    /// Another process holds the database.
    public static let locked = Code(rawValue: "locked")
    /// The database was written by a newer version.
    public static let newerSchema = Code(rawValue: "newer-schema")
    /// The file cannot be opened or created.
    public static let cannotOpen = Code(rawValue: "cannot-open")
    /// Reading or writing failed.
    public static let ioFailure = Code(rawValue: "io-failure")
    /// The file was deleted, moved or replaced while it was open.
    public static let fileGone = Code(rawValue: "file-gone")
    /// The file was deleted, moved or replaced while a change was written: whether it is kept is not known.
    public static let inDoubt = Code(rawValue: "in-doubt")
    /// The database server cannot be reached, or cannot work, now.
    public static let unavailable = Code(rawValue: "unavailable")
    /// More work is queued than the store accepts.
    public static let overloaded = Code(rawValue: "overloaded")
    /// The store is closed.
    public static let closed = Code(rawValue: "closed")
    /// Something with that name or token exists already.
    public static let conflict = Code(rawValue: "conflict")
    /// Nothing has that id.
    public static let notFound = Code(rawValue: "not-found")
    /// An argument is outside its limits.
    public static let invalid = Code(rawValue: "invalid")
    /// It is somebody else's.
    public static let notPermitted = Code(rawValue: "not-permitted")
    /// The idempotency key was used before with another request.
    public static let idempotencyMismatch = Code(rawValue: "idempotency-mismatch")
    /// The store contradicts itself; a bug.
    public static let bug = Code(rawValue: "bug")
  }

  /// The kind of failure.
  public let code: Code
  /// What failed and where, in one sentence.
  public let message: String
  /// What to do about it.
  public let advice: String
  /// The engine and its own number for the failure, when it has one; for whoever looks it up.
  public let engineCode: String?

  /// Builds an error.
  public init(_ code: Code, _ message: String, advice: String, engineCode: String? = nil) {
    self.code = code
    self.message = message
    self.advice = advice
    self.engineCode = engineCode
  }

  /// The code and the sentence on one line, for logs.
  public var description: String { "\(code): \(sentence)" }

  /// The message and the advice, for people.
  public var sentence: String { "\(message)\(engineCode.map { " (\($0))" } ?? ""); \(advice)" }
}
