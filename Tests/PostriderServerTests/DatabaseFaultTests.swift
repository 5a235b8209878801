import Glibc
import ProviderEmulator
import PushStore
import StoreModel
import Synchronization
import TestSupport
import Testing
import WireJSON

@testable import PostriderServer

/// A PostgreSQL server that fails, as callers see it: what is refused was not stored and can be repeated, what was acknowledged is
/// sent, and `/readyz` says why.
@Suite(.serialized, .timeLimit(.minutes(10))) struct DatabaseFaultTests {
  /// A server on a database of its own, and the pushes that it has acknowledged.
  final class World {
    let server: PostgresServer
    let name: String
    let relay: DatabaseRelay
    let role: String
    let test: EndToEndTests
    private(set) var acknowledged: Set<String> = []
    private var sent = 0

    /// - Parameters:
    ///   - tablespace: where the database lies.
    ///   - settings: a setting of the database.
    ///   - isDistant: whether the database is reached through ``relay``.
    init(tablespace: String? = nil, settings: String = "", isDistant: Bool = false) throws {
      let server = try PostgresServer.shared()
      let name = try server.createDatabase(tablespace: tablespace)
      let role = "owner_\(name)"
      try server.run("CREATE ROLE \(role) LOGIN")
      try server.run("ALTER DATABASE \(name) OWNER TO \(role)")
      if !settings.isEmpty { try server.run("ALTER DATABASE \(name) SET \(settings)") }
      let relay = DatabaseRelay(to: server)
      var database = DatabaseServer(url: isDistant ? relay.url(name) : server.url(name, role: role), node: "a")
      database.statementSeconds = 1
      test = try EndToEndTests(clock: .system) { $0.database = database }
      (self.server, self.name, self.relay, self.role) = (server, name, relay, role)
      try test.register()
      #expect(try push(newKey()) == 202)
      // What fails next fails nothing of this.
      _ = try test.finished(try #require(acknowledged.first))
    }

    deinit {
      relay.mode.withLock { $0 = .passing }
      test.fixture.server.stop(drainingFor: .zero)
      relay.stop()
      server.dropDatabase(name)
    }

    func newKey() -> String {
      sent += 1
      return "key-\(sent)"
    }

    func ask(_ key: String, size: Int = 1) throws -> ServerFixture.Answer {
      let body =
        #"{"to":{"all":true},"data":{"fill":"\#(String(repeating: "x", count: size))"},"#
        + #""message":{"title":"T","body":"\#(key)"}}"#
      return try test.fixture.send("POST", "/v1/apps/demo/pushes", body, headers: ["Idempotency-Key: \(key)"])
    }

    /// Sends a push, again under its key while it is refused with 503; the status of the last answer.
    @discardableResult
    func push(_ key: String, size: Int = 1) throws -> Int {
      var answer = try ask(key, size: size)
      for _ in 0..<600 where answer.status == 503 {
        usleep(50_000)
        answer = try ask(key, size: size)
      }
      acknowledged.insert(try #require(answer.json["id"]?.string, "\(answer.text)"))
      return answer.status
    }

    /// What `/readyz` says when it is 503 and says these words.
    func notReady(_ words: String) throws -> ServerFixture.Answer {
      var answer = try test.fixture.send("GET", "/readyz")
      for _ in 0..<400 where answer.status == 200 || !answer.text.contains(words) {
        usleep(50_000)
        answer = try test.fixture.send("GET", "/readyz")
      }
      return answer
    }

    /// The same for a caller without a key, who is not told why.
    ///
    /// What else the server writes meanwhile does not fail, and shows for a moment that it can.
    func notReadyForStrangers() throws -> ServerFixture.Answer {
      var answer = try test.fixture.send("GET", "/readyz", key: .some(nil))
      for _ in 0..<400 where answer.status == 200 {
        usleep(50_000)
        answer = try test.fixture.send("GET", "/readyz", key: .some(nil))
      }
      return answer
    }

    var stored: String { get throws { try server.run("SELECT count(*) FROM pushes", in: name) } }

    func terminate() throws {
      try server.run(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '\(name)' AND application_name = 'postrider'"
      )
    }

    /// Everything that was acknowledged has arrived once at each device, and there is nothing else.
    func expectBalance(mayResend: Bool = false) throws {
      for id in acknowledged {
        var push = try test.finished(id)
        if push["finished_at"] == nil { push = try test.finished(id) }
        #expect(push["state"] == "sent" && push["counts"]?["accepted"] == 2, "\(push)")
      }
      #expect(try stored == "\(acknowledged.count)\n")
      for (provider, token) in [(EmulatedProvider.apns, ServerFixture.iosToken), (.fcm, ServerFixture.androidToken)] {
        #expect(test.emulator.device(provider, token)?.receivedPushes.count == acknowledged.count)
      }
      if !mayResend { #expect(try server.run("SELECT coalesce(sum(resent), 0) FROM pushes", in: name) == "0\n") }
      let faults = try test.fixture.server.service.store.verifyLedger(push: nil)
      #expect(faults.isEmpty, "\(faults)")
      // That a full disk is one no longer is believed after a while.
      var readiness = try test.fixture.send("GET", "/readyz")
      for _ in 0..<400 where readiness.status != 200 {
        usleep(50_000)
        readiness = try test.fixture.send("GET", "/readyz")
      }
      #expect(readiness.status == 200, "\(readiness.text)")
    }
  }

  /// What fails, at a real server.
  enum Fault: Sendable, CustomTestStringConvertible {
    /// Changes of pushes and of what readiness writes, with a SQLSTATE.
    case state(String)
    /// The same take longer than a statement may.
    case slow
    /// Another session has locked the tables.
    case locked
    /// The role has no connection left.
    case noConnections
    /// As after a failover: connections are ended, and what answers takes no writes.
    case readOnly
    /// The network passes nothing on, and ends no connection.
    case silent

    static let all: [Fault] =
      ["40P01", "40001", "53100", "25006"].map { .state($0) } + [.slow, .locked, .noConnections, .readOnly, .silent]

    var testDescription: String { if case .state(let state) = self { state } else { "\(self)" } }

    /// What callers with a key are told.
    var words: String {
      switch self {
      case .state("53100"): "disk is full"
      case .state(let state): state
      case .slow: "57014"
      case .locked: "55P03"
      case .noConnections: "too many connections for role"
      case .readOnly: "session is read-only"
      case .silent: "PostgreSQL"
      }
    }
  }

  @Test(
    "While the database fails, pushes are refused with why and when to repeat them, and repeating sends each once",
    arguments: Fault.all)
  func refusals(_ fault: Fault) throws {
    let isDistant = if case .silent = fault { true } else { false }
    let world = try World(isDistant: isDistant)
    let before = try world.stored
    let holder = try begin(fault, world)
    let key = world.newKey()
    let refused = try world.ask(key)
    #expect(refused.status == 503 && refused.headers["retry-after"] == "1", "\(refused.status) \(refused.text)")
    #expect(refused.detail.contains(fault.words), "\(refused.text)")
    let readiness = try world.notReady(fault.words)
    #expect(readiness.status == 503 && readiness.detail.contains(fault.words), "\(readiness.text)")
    // Who has no key learns that it is not ready, and not where the database is.
    let stranger = try world.notReadyForStrangers()
    #expect(stranger.status == 503 && !stranger.text.contains(world.name), "\(stranger.text)")
    try end(fault, world)
    withExtendedLifetime(holder) {}
    // It is written now if it was acknowledged: it was not.
    if !isDistant { #expect(try world.stored == before) }
    #expect(try world.push(key) == 202)
    try world.push(world.newKey())
    try world.expectBalance()
  }

  private func begin(_ fault: Fault, _ world: World) throws -> Subprocess? {
    switch fault {
    case .state(let state):
      for table in ["pushes", "readiness"] { try world.server.fail(table, with: state, in: world.name) }
    case .slow:
      try world.server.run(
        """
        CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(60); RETURN NULL; END $$;
        CREATE TRIGGER slow BEFORE INSERT ON pushes FOR EACH STATEMENT EXECUTE FUNCTION slow();
        """, in: world.name)
      try world.server.run(
        "CREATE TRIGGER slow BEFORE UPDATE ON readiness FOR EACH STATEMENT EXECUTE FUNCTION slow()", in: world.name)
    case .locked:
      let holder = try world.server.begin(
        "BEGIN; LOCK TABLE pushes, readiness IN SHARE ROW EXCLUSIVE MODE; SELECT 'locked';\nSELECT pg_sleep(600);",
        in: world.name)
      try holder.waitFor("locked")
      return holder
    case .noConnections:
      try world.server.run("ALTER ROLE \(world.role) CONNECTION LIMIT 0")
      try world.terminate()
    case .readOnly:
      try world.server.run("ALTER DATABASE \(world.name) SET default_transaction_read_only = on")
      try world.terminate()
    case .silent: world.relay.mode.withLock { $0 = .silent }
    }
    return nil
  }

  private func end(_ fault: Fault, _ world: World) throws {
    switch fault {
    case .state:
      for table in ["pushes", "readiness"] { try world.server.fail(table, with: nil, in: world.name) }
    case .slow:
      for table in ["pushes", "readiness"] { try world.server.run("DROP TRIGGER slow ON \(table)", in: world.name) }
    case .locked:
      try world.server.run(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(600)%'"
          + " AND datname = '\(world.name)'")
    case .noConnections: try world.server.run("ALTER ROLE \(world.role) CONNECTION LIMIT -1")
    case .readOnly: try world.server.run("ALTER DATABASE \(world.name) RESET default_transaction_read_only")
    case .silent: world.relay.mode.withLock { $0 = .passing }
    }
  }

  @Test("A real deadlock refuses the push, which is sent once when it is repeated") func deadlock() throws {
    let world = try World(settings: "deadlock_timeout = '500ms'")
    // The other session has the table, and wants the lock of the one that writes, who finds the circle out first.
    let other = try world.server.begin(
      """
      SET deadlock_timeout = '60s';
      BEGIN;
      LOCK TABLE pushes IN SHARE ROW EXCLUSIVE MODE;
      SELECT 'locked';
      DO $$ BEGIN
        WHILE NOT EXISTS (SELECT 1 FROM pg_locks WHERE relation = 'pushes'::regclass AND NOT granted) LOOP
          PERFORM pg_sleep(0.005);
        END LOOP;
      END $$;
      SELECT pg_advisory_xact_lock(\(0x5053_5452_0001));
      COMMIT;
      """, in: world.name)
    try other.waitFor("locked")
    let key = world.newKey()
    let refused = try world.ask(key)
    #expect(refused.status == 503 && refused.headers["retry-after"] == "1", "\(refused.status) \(refused.text)")
    #expect(refused.detail.contains("40P01"), "\(refused.text)")
    #expect(try other.finish().status == 0)
    #expect(try world.push(key) == 202)
    try world.expectBalance()
  }

  @Test("When the answer to a commit is lost, nobody is told to repeat it blindly, and the key finds what was stored")
  func lostAnswer() throws {
    let world = try World(isDistant: true)
    let key = world.newKey()
    world.relay.mode.withLock { $0 = .commitsLost }
    let answer = try world.ask(key)
    if answer.status == 202 {
      // The server has looked under the key itself.
      #expect(answer.json["replayed"] == true, "\(answer.text)")
    } else {
      #expect(answer.status == 503 && answer.headers["retry-after"] == nil, "\(answer.text)")
      #expect(answer.detail.contains("it is unknown whether"), "\(answer.text)")
    }
    world.relay.mode.withLock { $0 = .passing }
    try world.push(key)
    // A lease whose commit is in doubt is not sent under, and counts as sent when its term is over.
    try world.expectBalance(mayResend: true)
  }

  @Test(
    "A full disk of the database refuses what needs room, says so, and is used again when there is some",
    .enabled(if: Mounts.areAllowed, "this process may not mount a file system for the database"))
  func fullDisk() throws {
    let server = try PostgresServer.shared()
    let folder = server.folder + "/small"
    mkdir(folder, 0o700)
    let mounted = try Subprocess.run("mount", ["-t", "tmpfs", "-o", "size=48m", "tmpfs", folder])
    #expect(mounted.status == 0, "\(mounted.errorText)")
    defer { _ = try? Subprocess.run("umount", ["-l", folder]) }
    _ = try Subprocess.run("chown", ["postgres", folder])
    try server.run("CREATE TABLESPACE small LOCATION '\(folder)'")
    do {
      let world = try World(tablespace: "small")
      try fill(world)
    }
    try server.run("DROP TABLESPACE small")
  }

  /// Leaves no page for a new row of others.
  private func fill(_ world: World) throws {
    try world.server.run("CREATE TABLE filler(t text)", in: world.name)
    for rows in [1_000, 100, 10, 1] {
      while (try? world.server.run(
        "INSERT INTO filler SELECT repeat('x', 1900) FROM generate_series(1, \(rows * 4))", in: world.name)) != nil
      {}
    }
    var refused: ServerFixture.Answer?
    var key = ""
    for _ in 0..<400 where refused == nil {
      key = world.newKey()
      let answer = try world.ask(key, size: 1_500)
      if answer.status == 503 { refused = answer } else { try world.push(key, size: 1_500) }
    }
    #expect(refused?.headers["retry-after"] == "1", "\(refused?.text ?? "")")
    #expect(refused?.detail.contains("disk is full") == true, "\(refused?.text ?? "")")
    let readiness = try world.notReady("disk is full")
    #expect(readiness.status == 503, "\(readiness.text)")
    try world.server.run("DROP TABLE filler", in: world.name)
    try world.push(key, size: 1_500)
    try world.expectBalance()
  }

  @Test("Connections that are ended at random cost callers who repeat nothing") func terminations() throws {
    var random = SeededRandom.fromEnvironment()
    let words = "run it again with POSTRIDER_SEED=\(random.seed)"
    print("connections are ended at random: \(words)")
    let world = try World()
    let killer = try world.server.begin(
      """
      SELECT setseed(\(Double.random(in: 0...1, using: &random)));
      DO $$ BEGIN
        FOR round IN 1..80 LOOP
          PERFORM pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid() AND random() < 0.5;
          PERFORM pg_stat_clear_snapshot();
          PERFORM pg_sleep(random() * 0.1);
        END LOOP;
      END $$;
      SELECT 'over';
      """, in: world.name)
    for _ in 0..<60 { try world.push(world.newKey()) }
    try killer.waitFor("over")
    for id in world.acknowledged {
      let push = try world.test.finished(id)
      #expect(push["counts"]?["accepted"] == 2, "\(push) \(words)")
    }
    #expect(try world.stored == "\(world.acknowledged.count)\n", "\(words)")
    #expect(world.acknowledged.count == 61)
    #expect(try world.test.fixture.server.service.store.verifyLedger(push: nil).isEmpty, "\(words)")
  }
}
