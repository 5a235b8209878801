/// The key of a message in an inbox.
public typealias InboxMessageID = RowID<InboxMessage>

/// What the body of a message in an inbox is.
///
/// The raw values are stored.
public enum InboxType: UInt8, Sendable, Hashable, NamedCase {
  /// Plain text.
  case text = 1
  /// HTML, which the app shows as it sees fit.
  case html = 2

  /// `text`, `html`.
  public var name: String {
    switch self {
    case .text: "text"
    case .html: "html"
    }
  }
}

/// What a message in an inbox says.
public struct InboxContent: Sendable, Hashable {
  /// What the body is.
  public var type: InboxType
  /// The line that a list shows.
  public var title: String
  /// The lines that a list shows below it, or nil.
  public var summary: String?
  /// The whole text.
  public var body: String
  /// Where it leads, or nil.
  public var url: String?
  /// More for the app, a JSON object, or nil.
  public var data: [UInt8]?

  /// Creates a value from its parts.
  public init(type: InboxType, title: String, summary: String?, body: String, url: String?, data: [UInt8]?) {
    self.type = type
    self.title = title
    self.summary = summary
    self.body = body
    self.url = url
    self.data = data
  }
}

/// A message in a user's inbox.
public struct InboxMessage: Sendable, Hashable {
  /// The key.
  public let id: InboxMessageID
  /// Whose inbox it is in.
  public let user: UserID
  /// The caller's id of it, unique in the app.
  public let name: String
  /// What it says.
  public let content: InboxContent
  /// The push that announced it, or nil.
  public let push: PushID?
  /// When it was left.
  public let createdAt: Timestamp
  /// When it was first read, or nil.
  public let readAt: Timestamp?
  /// From when on it is not shown any more.
  public let expiresAt: Timestamp

  /// Creates a value from its parts.
  package init(
    id: InboxMessageID, user: UserID, name: String, content: InboxContent, push: PushID?, createdAt: Timestamp,
    readAt: Timestamp?, expiresAt: Timestamp
  ) {
    self.id = id
    self.user = user
    self.name = name
    self.content = content
    self.push = push
    self.createdAt = createdAt
    self.readAt = readAt
    self.expiresAt = expiresAt
  }
}

/// A message to be left in an inbox.
public struct NewInboxMessage: Sendable, Hashable {
  /// The app.
  public var app: AppID
  /// Whose inbox it is for; the user is made when they are not there.
  public var user: String
  /// The caller's id of it, unique in the app.
  public var name: String
  /// What it says.
  public var content: InboxContent
  /// The push that announces it, or nil.
  public var push: PushID?
  /// From when on it is not shown any more.
  public var expiresAt: Timestamp

  /// Creates a value from its parts.
  public init(app: AppID, user: String, name: String, content: InboxContent, push: PushID?, expiresAt: Timestamp) {
    self.app = app
    self.user = user
    self.name = name
    self.content = content
    self.push = push
    self.expiresAt = expiresAt
  }
}

/// How many messages an inbox has.
public struct InboxCounts: Sendable, Hashable {
  /// All that have not expired.
  public let total: Int
  /// Those of them that were not read.
  public let unread: Int

  /// Creates a value from its parts.
  package init(total: Int, unread: Int) {
    self.total = total
    self.unread = unread
  }
}
