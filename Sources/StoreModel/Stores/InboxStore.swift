/// Messages that an app's users read in it.
public protocol InboxStore: Sendable {
  /// Leaves a message in a user's inbox, and makes the user when they are not there. Over the limit of an inbox
  /// (`StoreLimits.messagesPerInboxMax`) the oldest messages go.
  ///
  /// Throws `notFound` when there is no such app, `conflict` when the app has a message of this name.
  func addInboxMessage(_ message: NewInboxMessage, now: Timestamp) throws(StoreError) -> InboxMessage
  /// The message with the caller's id and whose inbox it is in, or nil, also when it has expired.
  func inboxMessage(app: AppID, named name: String, now: Timestamp) throws(StoreError) -> (InboxMessage, user: String)?
  /// A page of a user's inbox, newest first, before `before`.
  func inbox(
    app: AppID, user: String, unreadOnly: Bool, before: InboxMessageID?, limit: Int, now: Timestamp
  ) throws(StoreError) -> [InboxMessage]
  /// How many messages a user's inbox has.
  func inboxCounts(app: AppID, user: String, now: Timestamp) throws(StoreError) -> InboxCounts
  /// Notes that a message was read, at the first time of several, or that it was not. Throws `notFound`.
  func markInboxMessage(_ id: InboxMessageID, read: Bool, now: Timestamp) throws(StoreError) -> InboxMessage
  /// Notes that all messages of an inbox up to one, or all, were read.
  ///
  /// - Returns: how many were not before.
  func markInboxRead(
    app: AppID, user: String, upTo: InboxMessageID?, now: Timestamp
  ) throws(StoreError) -> Int
  /// Removes a message. Throws `notFound`.
  func deleteInboxMessage(_ id: InboxMessageID) throws(StoreError)
}
