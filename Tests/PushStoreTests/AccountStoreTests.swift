import TestEngines
import Testing

@testable import PushStore
@testable import StoreModel

/// Accounts and sessions in the store: what is one transaction, and what a restored copy does not have.
@Suite(.onBothEngines) struct AccountStoreTests {
  let f: StoreFixture

  init() throws { f = try StoreFixture() }

  private func join(_ email: String, grants: [AccountGrant], password: [UInt8]) throws -> Account {
    let hash = Array(email.utf8)
    let new = NewAccount(
      email: email, name: email, grants: grants, invitation: Invitation(hash: hash, until: f.now.adding(seconds: 60)))
    _ = try f.store.inviteAccount(new, now: f.now)
    return try f.store.join(invitedBy: hash, password: password, now: f.now)
  }

  private func session(_ id: String, _ holder: SessionRecord.Holder) -> SessionRecord {
    SessionRecord(hash: Array(id.utf8), holder: holder, startedAt: f.now, usedAt: f.now, peer: "", agent: "")
  }

  private func begin(_ session: SessionRecord, password: [UInt8]?) throws -> SessionRecord {
    let before = f.now.adding(seconds: -60)
    return try f.store.beginSession(
      session, proof: password.map { .password($0) },
      over: SessionBounds(usedBefore: before, startedBefore: before, ofOneMax: 3, max: 5))
  }

  @Test("A password that was changed while it was verified begins no session") func race() throws {
    let ann = try join("ann@example.com", grants: [AccountGrant(app: nil, role: .owner)], password: [1])
    let kept = try begin(session("a", .account(ann.id)), password: [1])
    try f.store.setPassword([2], replacing: [1], of: ann.id, keeping: kept.hash)
    let error = #expect(throws: StoreError.self) { try begin(session("b", .account(ann.id)), password: [1]) }
    #expect(error?.code == .conflict)
    let late = #expect(throws: StoreError.self) {
      try f.store.setPassword([3], replacing: [1], of: ann.id, keeping: kept.hash)
    }
    #expect(late?.code == .conflict)
    #expect(try f.store.sessions() == [kept])
    _ = try begin(session("b", .account(ann.id)), password: [2])
    try f.store.setPassword([4], replacing: [2], of: ann.id, keeping: Array("b".utf8))
    #expect(try f.store.sessions().map(\.hash) == [Array("b".utf8)])
  }

  @Test("An owner with nothing but an identity counts while its provider is the one in use") func lastOwner() throws {
    let owner = [AccountGrant(app: nil, role: .owner)]
    let ann = try join("ann@example.com", grants: owner, password: [1])
    let bob = NewAccount(
      email: "bob@example.com", name: "Bob", grants: owner,
      invitation: Invitation(hash: [2], until: f.now.adding(seconds: 60)))
    let id = try f.store.inviteAccount(bob, now: f.now).id
    let identity = IssuedIdentity(issuer: "https://one.example", subject: "bob")
    #expect(try f.store.enter(with: identity, email: "bob@example.com", now: f.now).kind == .joined)
    for issuer in [nil, "https://other.example"] {
      try f.reopen(options: .init(signInIssuer: issuer))
      let refused = #expect(throws: StoreError.self) {
        try f.store.removeAccount(ann.id, unlessLastKeyWith: "admin", now: f.now)
      }
      #expect(refused?.code == .conflict && refused?.message.contains("last owner") == true)
      #expect(throws: StoreError.self) { try f.store.removeIdentityLink(of: id, at: nil, keeping: []) }
    }
    try f.reopen(options: .init(signInIssuer: "https://one.example"))
    try f.store.removeAccount(ann.id, unlessLastKeyWith: "admin", now: f.now)
  }

  @Test("A passkey of another host is nothing to sign in with at this one") func passkeysOfHosts() throws {
    let hash: [UInt8] = [3]
    let new = NewAccount(
      email: "cleo@example.com", name: "Cleo", grants: [AccountGrant(app: nil, role: .analyst)],
      invitation: Invitation(hash: hash, until: f.now.adding(seconds: 60)))
    let cleo = try f.store.inviteAccount(new, now: f.now).id
    func passkey(_ number: UInt8, _ host: String) -> NewPasskey {
      NewPasskey(
        credential: [number], host: host, handle: [1], key: [2], counter: 0, isBackupEligible: false, isBackedUp: false,
        name: host)
    }
    let here = try f.store.join(invitedBy: hash, passkey: passkey(1, "push.example.com"), now: f.now)
    let there = try f.store.addPasskey(passkey(2, "localhost"), to: cleo, now: f.now)
    let refused = #expect(throws: StoreError.self) {
      try f.store.removePasskey(here.id, of: cleo, at: "push.example.com", keeping: [])
    }
    #expect(refused?.code == .conflict)
    #expect(try f.store.passkeys(of: cleo).count == 2)
    try f.store.removePasskey(there.id, of: cleo, at: "push.example.com", keeping: [])
    let other = try f.store.addPasskey(passkey(3, "localhost"), to: cleo, now: f.now)
    // Where no passkey can be used, any counts.
    try f.store.removePasskey(here.id, of: cleo, at: nil, keeping: [])
    #expect(try f.store.passkeys(of: cleo).map(\.id) == [other.id])
  }

  @Test("Saved views that name a person's email go with the person") func viewsOfPeople() throws {
    _ = try join("ann@example.com", grants: [AccountGrant(app: nil, role: .owner)], password: [1])
    let bob = try join("bob@example.com", grants: [AccountGrant(app: nil, role: .analyst)], password: [2])
    for (name, query) in [
      ("of bob", #"{"author":"Bob@Example.com"}"#), ("of ann", #"{"author":"ann@example.com"}"#),
      ("of jobob", #"{"author":"jobob@example.com"}"#), ("spring", #"{"campaign":"spring"}"#),
    ] {
      _ = try f.store.saveView(app: f.app, name: name, query: Array(query.utf8), now: f.now)
    }
    try f.store.removeAccount(bob.id, unlessLastKeyWith: "admin", now: f.now)
    #expect(try f.sql.views(app: f.app).map(\.name) == ["of ann", "of jobob", "spring"])
  }

  @Test("Sessions that are over are deleted with the next sign-in") func prunes() throws {
    _ = try begin(session("old", .key([1])), password: nil)
    let later = f.now.adding(seconds: 120)
    let new = SessionRecord(
      hash: [9], holder: .key([1]), startedAt: later, usedAt: later, peer: "192.0.2.1", agent: "Firefox")
    let kept = try f.store.beginSession(
      new, proof: nil,
      over: SessionBounds(
        usedBefore: f.now.adding(seconds: 1), startedBefore: f.now.adding(seconds: -60), ofOneMax: 3, max: 5))
    #expect(try f.store.sessions() == [kept])
    try f.store.touchSession(kept.id, now: later.adding(seconds: 60))
    #expect(try f.store.sessions().first?.usedAt == later.adding(seconds: 60))
  }

  @Test("Sessions are bounded, of one holder and of all: those that were unused longest make room") func crowd() throws
  {
    var begun: [SessionRecord] = []
    for id in ["a", "b", "c"] { begun.append(try begin(session(id, .key([1])), password: nil)) }
    try f.store.touchSession(begun[0].id, now: f.now.adding(seconds: 1))
    _ = try begin(session("d", .key([1])), password: nil)
    func texts() throws -> Set<String> { Set(try f.store.sessions().map { String(decoding: $0.hash, as: UTF8.self) }) }
    #expect(try texts() == ["a", "c", "d"])
    #expect(try f.store.session(hash: begun[1].hash) == nil && f.store.session(hash: begun[2].hash) == begun[2])
    for (id, key) in [("e", 2), ("f", 3), ("g", 4)] as [(String, UInt8)] {
      _ = try begin(session(id, .key([key])), password: nil)
    }
    #expect(try texts() == ["a", "d", "e", "f", "g"])
  }

  @Test("A restored copy has the people, no session and no invitation", .aboutTheFile) func restored() throws {
    let invitation = Invitation(hash: [7], until: f.now.adding(seconds: 3_600))
    _ = try f.store.inviteAccount(
      NewAccount(
        email: "bob@example.com", name: "Bob", grants: [AccountGrant(app: nil, role: .analyst)], invitation: invitation),
      now: f.now)
    let ann = try join("ann@example.com", grants: [AccountGrant(app: f.app, role: .sender)], password: [1])
    _ = try begin(session("a", .account(ann.id)), password: [1])
    let copy = f.path + "-copy"
    _ = try SQLStore.copy(f.path, to: copy, restoring: Restoring(at: f.now, isHolding: false))
    let store = try SQLStore(path: copy)
    defer { store.close() }
    #expect(try store.sessions().isEmpty)
    #expect(try store.account(invitedBy: [7], now: f.now) == nil)
    #expect(try f.store.account(invitedBy: [7], now: f.now)?.name == "Bob")
    #expect(try store.account(ann.id)?.grants == [AccountGrant(app: f.app, role: .sender)])
    #expect(try f.store.sessions().count == 1)
  }

  @Test("With an app go the roles in it") func appsGo() throws {
    let ann = try join("ann@example.com", grants: [AccountGrant(app: f.app, role: .sender)], password: [1])
    try f.store.deleteApp(f.app)
    #expect(try f.store.account(ann.id)?.grants == [])
  }

  @Test("Authors are read as they were stored")
  func authors() {
    for author: Author in [
      .key(APIKeyID(rawValue: 7)), .account(AccountID(rawValue: 1)), .schedule(ScheduleID(rawValue: 1 << 40)),
    ] { #expect(Author(stored: author.stored) == author) }
    #expect(Author(stored: 4) == nil)
  }
}
