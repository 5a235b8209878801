/// Looks for pushes, and for what is planned.
public protocol FindingStore: Sendable {
  /// The next pushes of an app that a search names, newest first, before `before`.
  ///
  /// One call looks at a bounded number of rows, so it may find fewer than there are: `next` is where the following call goes on.
  ///
  /// - Parameter matches: is given what is kept of a push that has all else; not called when the search reads no texts.
  func findPushes(
    app: AppID, _ search: PushSearch, before: PushID?, limit: Int, matches: (PushDocument) -> Bool
  ) throws(StoreError) -> FoundPushes
  /// What is kept of what each of these pushes says; one of which nothing is kept any more is left out.
  func documents(of ids: [PushID]) throws(StoreError) -> [PushID: PushDocument]
  /// An app's scheduled pushes that are due in a stretch of time, earliest first; those for single users, and those
  /// that are held since the database was restored, are left out.
  func scheduledPushes(app: AppID, from: Timestamp, until: Timestamp, limit: Int) throws(StoreError) -> [ScheduledPush]
}

extension FindingStore {
  /// What is kept of what a push says; empty when nothing is any more.
  public func document(of id: PushID) throws(StoreError) -> PushDocument {
    try documents(of: [id])[id] ?? PushDocument(message: [], request: [])
  }
}

/// What pushes are looked for.
public struct PushSearch: Sendable, Hashable {
  /// Only those of this campaign; an index has them.
  public var campaign: String?
  /// Only campaigns and other pushes to many; an index has them.
  public var isCampaign = false
  /// Only those in one of these states; empty for all.
  public var states: Set<PushState> = []
  /// Only those that one of these made; nil for anybody's.
  public var authors: Set<Author>?
  /// Only those created then or later.
  public var from: Timestamp?
  /// Only those created before.
  public var until: Timestamp?
  /// Whether texts are read: `matches` decides.
  public var readsTexts = false

  /// Every push.
  public init() {}

  /// Rows that one call looks at.
  package static let rowsMax = 5_000
  /// Documents that one call reads, and their bytes.
  package static let documentsMax = 1_000
  package static let bytesMax = 8 << 20
}

/// What is kept of what a push says.
public struct PushDocument: Sendable {
  /// The message as the caller gave it.
  public let message: [UInt8]
  /// The request it is or was made from; empty for most.
  public let request: [UInt8]

  /// Creates a value from its parts.
  package init(message: [UInt8], request: [UInt8]) {
    self.message = message
    self.request = request
  }
}

/// What a search found.
public struct FoundPushes: Sendable {
  /// The pushes, newest first.
  public var pushes: [Push] = []
  /// Where the search goes on; nil when it has looked at all.
  public var next: PushID?
  /// When the last push that was looked at was created; nil when it has looked at all.
  public var lookedBackTo: Timestamp?

  /// Creates a value from its parts.
  package init(pushes: [Push] = [], next: PushID? = nil, lookedBackTo: Timestamp? = nil) {
    self.pushes = pushes
    self.next = next
    self.lookedBackTo = lookedBackTo
  }
}
