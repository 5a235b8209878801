import TestEngines
import TestSupport
import Testing

@testable import PushStore
@testable import StoreModel

/// Inboxes in the store: order, counts, expiry, the limit.
@Suite(.onBothEngines, .timeLimit(.minutes(1))) struct InboxStoreTests {
  let fixture: StoreFixture
  var store: any Store { fixture.store }
  let now = Timestamp(seconds: 1_800_000_000)

  init() throws { fixture = try StoreFixture() }

  @discardableResult
  private func leave(_ name: String, user: String = "ann", seconds: Int64 = 60, data: [UInt8]? = nil) throws
    -> InboxMessage
  {
    let content = InboxContent(
      type: .html, title: "T \(name)", summary: "S", body: "<b>B</b>", url: "https://example.com/", data: data)
    return try store.addInboxMessage(
      NewInboxMessage(
        app: fixture.app, user: user, name: name, content: content, push: nil, expiresAt: now.adding(seconds: seconds)),
      now: now)
  }

  private func names(
    _ user: String = "ann", unreadOnly: Bool = false, before: InboxMessageID? = nil, limit: Int = 10,
    at time: Timestamp? = nil
  ) throws -> [String] {
    try store.inbox(
      app: fixture.app, user: user, unreadOnly: unreadOnly, before: before, limit: limit, now: time ?? now
    ).map(\.name)
  }

  private func counts(_ user: String = "ann", at time: Timestamp? = nil) throws -> InboxCounts {
    try store.inboxCounts(app: fixture.app, user: user, now: time ?? now)
  }

  @Test("Messages come back whole, newest first, page by page, each user's to themselves") func pages() throws {
    let first = try leave("a", data: Array(#"{"n":1}"#.utf8))
    #expect(first.content.data == Array(#"{"n":1}"#.utf8) && first.content.type == .html && first.readAt == nil)
    for name in ["b", "c", "d"] { try leave(name) }
    try leave("x", user: "bob")
    #expect(try names(limit: 2) == ["d", "c"])
    let third = try #require(try store.inboxMessage(app: fixture.app, named: "c", now: now))
    #expect(third.user == "ann" && third.0.content.url == "https://example.com/")
    #expect(try names(before: third.0.id) == ["b", "a"] && names("bob") == ["x"] && names("nobody") == [])
    #expect(try store.user(app: fixture.app, named: "bob")?.firstSeenAt == nil)
    let again = #expect(throws: StoreError.self) { try leave("a", user: "bob") }
    #expect(again?.code == .conflict)
    #expect(try store.inboxMessage(app: AppID(rawValue: 99), named: "a", now: now) == nil)
  }

  @Test("The first time of reading stays, unread forgets it, and up to one leaves the newer ones") func reading() throws
  {
    let ids = try ["a", "b", "c"].map { try leave($0).id }
    #expect(try store.markInboxMessage(ids[1], read: true, now: now).readAt == now)
    let later = now.adding(seconds: 5)
    #expect(try store.markInboxMessage(ids[1], read: true, now: later).readAt == now)
    #expect(try counts() == InboxCounts(total: 3, unread: 2) && names(unreadOnly: true) == ["c", "a"])
    #expect(try store.markInboxMessage(ids[1], read: false, now: later).readAt == nil)
    #expect(try store.markInboxRead(app: fixture.app, user: "ann", upTo: ids[1], now: later) == 2)
    #expect(try store.markInboxRead(app: fixture.app, user: "ann", upTo: ids[1], now: later) == 0)
    #expect(try names(unreadOnly: true) == ["c"])
    #expect(try store.markInboxRead(app: fixture.app, user: "ann", upTo: nil, now: later) == 1)
    try store.deleteInboxMessage(ids[0])
    #expect(try names() == ["c", "b"])
    let gone = #expect(throws: StoreError.self) { try store.deleteInboxMessage(ids[0]) }
    #expect(gone?.code == .notFound)
    #expect(throws: StoreError.self) { try store.markInboxMessage(ids[0], read: true, now: later) }
  }

  @Test("What has expired is not there, and the upkeep removes it") func expiry() throws {
    let short = try leave("short", seconds: 10)
    try leave("long", seconds: 20)
    let later = now.adding(seconds: 10)
    #expect(try names(at: later) == ["long"] && counts(at: later) == InboxCounts(total: 1, unread: 1))
    #expect(try store.inboxMessage(app: fixture.app, named: "short", now: later) == nil)
    #expect(throws: StoreError.self) { try store.markInboxMessage(short.id, read: true, now: later) }
    _ = try store.wait { store.purge(now: later, limit: 100, completion: $0) }
    #expect(try names() == ["long"])
  }

  @Test("Over the limit the oldest messages go, and of nobody else") func limit() throws {
    try leave("other", user: "bob")
    for number in 0..<StoreLimits.messagesPerInboxMax + 3 { try leave("m\(number)") }
    #expect(
      try counts() == InboxCounts(total: StoreLimits.messagesPerInboxMax, unread: StoreLimits.messagesPerInboxMax))
    #expect(try store.inboxMessage(app: fixture.app, named: "m2", now: now) == nil)
    #expect(try store.inboxMessage(app: fixture.app, named: "m3", now: now) != nil)
    #expect(try names("bob") == ["other"])
  }
}
