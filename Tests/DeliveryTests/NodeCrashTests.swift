import Glibc
import PostgresEngine
import PushStore
import StoreModel
import TestEngines
import TestSupport
import Testing

/// The ledger law when nodes die or are stopped: `kill -9`, SIGSTOP and SIGCONT of a process beside another one.
@Suite(.serialized, .timeLimit(.minutes(10))) struct NodeCrashTests {
  @Test(arguments: ["send:3", "sent:2", "answer:4", "write:3"])
  func anotherNodeEndsWhatADeadOneHad(point: String) throws {
    let run = try NodeRun(seed: 3)
    let dead = try Subprocess.run(run.program, run.arguments("run", "a") + ["--die", point], seconds: 120)
    try #require(dead.status == 128 + SIGKILL, "\(dead.status): \(dead.errorText)")
    try run.finish("b")
    try run.check("killed at \(point)")
  }

  /// A node that is stopped for longer than its leases and goes on then: it writes nothing over the other one, and sends nothing
  /// that was taken from it.
  @Test func aNodeThatWasStoppedChangesNothingOfItsSuccessor() throws {
    let run = try NodeRun(seed: 4)
    let stopped = try Subprocess(run.program, run.arguments("run", "a") + ["--pushes", "120"])
    try run.until("something is sent") { try run.lines("sent.txt").count > 50 }
    stopped.signal(SIGSTOP)
    try run.finish("b")
    let sent = try run.lines("sent.txt").count
    try run.check("while it was stopped")
    stopped.signal(SIGCONT)
    // It makes the rest of its pushes, and sends them.
    let store = try SQLStore(postgres: run.options)
    defer { store.close() }
    let app = try #require(try store.app(named: "demo")).id
    try run.until("everything is sent") {
      let pushes = try store.pushes(app: app, campaignsOnly: false, before: nil, limit: 10_000)
      return pushes.count == 120 && pushes.allSatisfy { $0.finishedAt != nil }
    }
    stopped.signal(SIGKILL)
    _ = try stopped.finish(seconds: 60)
    #expect(try run.lines("sent.txt").count >= sent)
    try run.check("after it went on")
  }
}

/// Processes on one database.
private final class NodeRun {
  let program = Files.buildProducts + "/CrashHarness"
  private let folder: TemporaryFolder
  private let database: TestDatabase
  private let seed: UInt64

  init(seed: UInt64) throws {
    folder = try TemporaryFolder()
    database = try TestDatabase(empty: true)
    self.seed = seed
  }

  var options: PostgresOptions { database.options }

  func arguments(_ mode: String, _ node: String) -> [String] {
    [folder.path, mode, "\(seed)", "--store", database.url, "--node", node, "--devices", "300"]
  }

  /// Runs another node until everything has its final state.
  func finish(_ node: String) throws {
    let result = try Subprocess.run(program, arguments("finish", node), seconds: 240)
    try #require(result.status == 0, "\(result.status): \(result.errorText)")
  }

  func lines(_ name: String) throws -> [Substring] {
    guard let bytes = try? Files.read(folder.path + "/" + name) else { return [] }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
  }

  func until(_ words: String, _ holds: () throws -> Bool) throws {
    for _ in 0..<24_000 {
      if try holds() { return }
      usleep(10_000)
    }
    Issue.record("\(words): did not happen in four minutes")
  }

  /// The sums are right, what was acknowledged is there and over, and nothing was sent twice that the ledger does not call sent again.
  func check(_ words: String) throws {
    let store = try SQLStore(postgres: options)
    defer { store.close() }
    #expect(try store.verifyLedger(push: nil).map(\.description) == [], "\(words)")
    let app = try #require(try store.app(named: "demo")).id
    let pushes = try store.pushes(app: app, campaignsOnly: false, before: nil, limit: 10_000)
    let acknowledged = try lines("acknowledged.txt").compactMap { PushID(String($0)) }
    #expect(!acknowledged.isEmpty && Set(acknowledged).isSubset(of: pushes.map(\.id)), "\(words)")
    #expect(pushes.allSatisfy { $0.counts.accepted + $0.counts.rejected == $0.counts.targeted }, "\(words)")
    var sends: [Substring: Set<Substring>] = [:]
    let sent = try lines("sent.txt")
    for line in sent { sends[line.prefix { $0 != " " }, default: []].insert(line) }
    #expect(sends.values.allSatisfy { $0.count == 1 }, "\(words): a delivery was sent under several ids")
    #expect(sends.count == pushes.reduce(0) { $0 + $1.counts.targeted }, "\(words)")
    let again = pushes.reduce(0) { $0 + $1.resent }
    #expect(sent.count - sends.count <= again, "\(words): \(sent.count - sends.count) sent again, \(again) known")
  }
}
