import Delivery
import Glibc
import PostgresEngine
import PushStore
import StoreModel
import Synchronization
import TestEngines
import TestSupport
import Testing

/// A database server that fails while something is on the wire: what was answered is written when it works again.
@Suite(.serialized, .timeLimit(.minutes(10))) struct DatabaseFaultTests {
  /// What fails, at a real server.
  enum Fault: Sendable, CustomTestStringConvertible {
    /// Changes of deliveries, with a SQLSTATE.
    case state(String)
    /// Nobody may connect, and all connections are ended.
    case away
    /// The network passes nothing on, and ends no connection.
    case silent
    /// The network ends all connections, and each new one.
    case refusing

    static let all: [Fault] =
      ["40P01", "40001", "57014", "53100", "53300", "25006", "58030"].map { .state($0) } + [.away, .silent, .refusing]

    var testDescription: String { if case .state(let state) = self { state } else { "\(self)" } }
  }

  @Test("Sends on the wire end, and their outcomes are written once the database works again", arguments: Fault.all)
  func outcomes(_ fault: Fault) throws {
    let f = try NodeFixture()
    let relay = DatabaseRelay(to: f.database.server)
    defer { relay.stop() }
    try f.devices(20)
    // The second sends, and reaches the database through what fails.
    let two = try f.add(
      "two", through: PostgresOptions(url: relay.url(f.database.name), statementSeconds: 1, connectSeconds: 2))
    let held = HeldSender()
    let push = try f.push()
    try two.start(f.app, held)
    try f.until("everything on the wire") { held.count == 20 }
    try begin(fault, f, relay)
    held.answer(.accepted(name: nil))
    try f.until("a word about the trouble") {
      two.events.value.withLock { $0.contains { if case .storeTrouble = $0 { true } else { false } } }
    }
    try f.until("all outcomes to wait") { two.engine?.statistics.unwritten == 20 }
    if case .away = fault {} else { #expect(try f.counts(push).accepted == 0) }
    try end(fault, f, relay)
    try f.untilFinished(push)
    let counts = try f.counts(push)
    #expect(counts.accepted == 20 && counts.targeted == 20, "\(counts)")
    #expect(try f.resent(push) == 0)
    // What comes after that goes out as before.
    let next = try f.push()
    try f.until("the next push") { held.count == 20 }
    held.answer(.accepted(name: nil))
    try f.untilFinished(next)
    #expect(try f.counts(next).accepted == 20)
    try f.checkLedger()
  }

  @Test("Nodes that were all cut off do not end each other's leases before each could write what it knows")
  func outcomesOfAnother() throws {
    let f = try NodeFixture()
    let relay = DatabaseRelay(to: f.database.server)
    defer { relay.stop() }
    try f.devices(20)
    let (two, held) = (
      try f.add("two", through: PostgresOptions(url: relay.url(f.database.name), connectSeconds: 2)), HeldSender()
    )
    let termMs: Int64 = 6_000
    let push = try f.push()
    try two.start(f.app, held) { $0.leaseMs = termMs }
    try f.until("everything on the wire") { held.count == 20 }
    let three = try f.add("three")
    try three.start(f.app, ScriptedSender()) { $0.leaseMs = termMs }
    for fault in [Fault.refusing, .away] { try begin(fault, f, relay) }
    held.answer(.accepted(name: nil))
    // Longer than any lease has left.
    usleep(UInt32(termMs + 1_000) * 1_000)
    try end(.away, f, relay)
    try f.until("the other node's return") { (try? three.store.push(push)) != nil }
    // It tries to extend its leases once a second.
    usleep(2_000_000)
    try end(.refusing, f, relay)
    try f.untilFinished(push)
    let counts = try f.counts(push)
    #expect(counts.accepted == 20 && counts.unknown == 0, "\(counts)")
    #expect(try f.resent(push) == 0)
    try f.checkLedger()
  }

  private func begin(_ fault: Fault, _ f: NodeFixture, _ relay: DatabaseRelay) throws {
    switch fault {
    case .state(let state): try f.database.fail("deliveries", with: state)
    case .away:
      try f.database.server.run("ALTER DATABASE \(f.database.name) ALLOW_CONNECTIONS false")
      try f.database.disconnect()
    case .silent: relay.mode.withLock { $0 = .silent }
    case .refusing:
      relay.mode.withLock { $0 = .refusing }
      relay.cut()
    }
  }

  private func end(_ fault: Fault, _ f: NodeFixture, _ relay: DatabaseRelay) throws {
    switch fault {
    case .state: try f.database.fail("deliveries", with: nil)
    case .away: try f.database.server.run("ALTER DATABASE \(f.database.name) ALLOW_CONNECTIONS true")
    case .silent, .refusing: relay.mode.withLock { $0 = .passing }
    }
  }

  @Test("Connections that are ended at random cost nothing: all is sent, and what was sent again is counted")
  func terminations() throws {
    var random = SeededRandom.fromEnvironment()
    let words = "run it again with POSTRIDER_SEED=\(random.seed)"
    print("connections are ended at random: \(words)")
    let f = try NodeFixture()
    try f.devices(300)
    let senders = [ScriptedSender(), ScriptedSender()]
    try f.first.start(f.app, senders[0])
    try f.add("two").start(f.app, senders[1])
    var pushes: [PushID] = []
    for _ in 0..<25 {
      // A refusal says that nothing was made, unless nobody can say.
      do { pushes.append(try f.push()) } catch {
        let error = try #require(error as? StoreError, "\(words)")
        #expect([.unavailable, .inDoubt].contains(error.code), "\(error) \(words)")
      }
      usleep(UInt32.random(in: 0...60_000, using: &random))
      let share = Int.random(in: 10...100, using: &random)
      try f.database.run(
        """
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND abs(hashint4(pid + \(share))) % 100 < \(share)
        """)
    }
    // The store is read until it can be: this node's connections may be among those that were ended last.
    var kept: [PushID] = []
    try f.until("all pushes") {
      guard let all = try? f.first.store.pushes(app: f.app, campaignsOnly: false, before: nil, limit: 100) else {
        return false
      }
      kept = all.map(\.id)
      return true
    }
    #expect(Set(pushes).isSubset(of: kept), "\(words)")
    for push in kept { try f.untilFinished(push) }
    var resent = 0
    for push in kept {
      let counts = try f.counts(push)
      #expect(counts.accepted == 300 && counts.targeted == 300, "\(counts) \(words)")
      resent += try f.resent(push)
    }
    let sent = senders.reduce(0) { $0 + $1.sent.count }
    #expect(sent >= 300 * kept.count && sent <= 300 * kept.count + resent, "\(sent) \(resent) \(words)")
    try f.checkLedger()
  }

  @Test("A time of day that is set back does not let the others end what this node sends")
  func clockThatIsSetBack() throws {
    let f = try NodeFixture()
    try f.devices(20)
    let held = HeldSender()
    // As between two heartbeats: nobody has compared this clock with the database's yet.
    try f.first.start(f.app, held) { $0.clock = { FixtureNode.now.adding(seconds: -120) } }
    let push = try f.push()
    try f.until("everything on the wire") { held.count == 20 }
    let others = try f.add("two").store
    let ended = try others.wait { others.recoverLeases(node: nil, now: FixtureNode.now, completion: $0) }
    #expect(ended.leases == 0 && ended.requeued == 0, "\(ended)")
    held.answer(.accepted(name: nil))
    try f.untilFinished(push)
    #expect(try f.counts(push).accepted == 20 && f.resent(push) == 0)
    try f.checkLedger()
  }
}
