import Glibc
import PushStore
import TestSupport
import Testing

/// The ledger law after `kill -9`: at each named point, and at random moments.
@Suite(.serialized) struct CrashTests {
  @Test(arguments: [
    "accept:1", "accept:57", "send:1", "send:9", "sent:1", "sent:12", "answer:1", "answer:8", "write:1", "write:7",
  ])
  func theLawHoldsAfterDeathAt(point: String) throws {
    let run = try CrashRun(seed: 1)
    try run.die(at: point)
    try run.check("killed at \(point)")
    try run.finish("killed at \(point)")
  }

  /// Trap 5 of the peers: what was on the wire becomes `unknown`, and is neither dropped nor sent again in silence.
  @Test func theLawHoldsAfterDeathAtRandomMoments() throws {
    var random = SeededRandom.fromEnvironment()
    let run = try CrashRun(seed: random.seed & 0xffff)
    let lives = Int(Files.environment("POSTRIDER_CRASHES") ?? "") ?? 8
    for life in 0..<lives {
      let words = "seed \(random.seed), life \(life)"
      try run.die(afterMilliseconds: Int.random(in: 5...250, using: &random))
      try run.check(words)
    }
    try run.finish("seed \(random.seed)")
  }
}

/// One store that dies several times.
private final class CrashRun {
  static let window = 300
  private let folder: TemporaryFolder
  private let seed: UInt64
  private var lives = 0
  /// What was named unknown before, so that each death is judged alone.
  private var unknownsBefore = 0

  init(seed: UInt64) throws {
    folder = try TemporaryFolder()
    self.seed = seed
  }

  private var program: String { Files.buildProducts + "/CrashHarness" }

  private func arguments(_ mode: String) -> [String] {
    [folder.path, mode, "\(seed &+ UInt64(lives) &* 1_000_000)", "--window", "\(Self.window)"]
  }

  func die(at point: String) throws {
    lives += 1
    let result = try Subprocess.run(program, arguments("run") + ["--die", point], seconds: 60)
    try #require(result.status == 128 + SIGKILL, "\(result.status): \(result.errorText)")
  }

  func die(afterMilliseconds milliseconds: Int) throws {
    lives += 1
    let process = try Subprocess(program, arguments("run") + ["--pushes", "150"])
    usleep(UInt32(milliseconds) * 1000)
    process.signal(SIGKILL)
    let result = try process.finish(seconds: 60)
    try #require(result.status == 128 + SIGKILL, "\(result.status): \(result.errorText)")
  }

  /// What must hold in the file as it was left.
  func check(_ words: String) throws {
    let store = try SQLiteStore(path: folder.path + "/store.db")
    defer { store.close() }
    let faults = try store.verifyLedger(push: nil)
    #expect(faults.isEmpty, "\(words): \(faults.map(\.description))")
    for id in try acknowledged() {
      let push = try store.push(id)
      #expect(push != nil, "\(words): push \(id) was acknowledged and is gone")
    }
    guard let app = try store.app(named: "demo")?.id else { return }
    let pushes = try store.pushes(app: app, campaignsOnly: false, before: nil, limit: 10_000)
    let onWire = pushes.reduce(0) { $0 + $1.counts.inFlight }
    #expect(onWire <= Self.window, "\(words): \(onWire) in flight, the window is \(Self.window)")
    let named = pushes.reduce(0) { $0 + $1.resent }
    #expect(named - unknownsBefore <= Self.window, "\(words): \(named - unknownsBefore) named unknown")
    unknownsBefore = named
    try checkSends(store, pushes, words)
  }

  /// Nothing is sent that the ledger does not name, and nothing twice outside what it names unknown.
  private func checkSends(_ store: SQLiteStore, _ pushes: [Push], _ words: String) throws {
    var sends: [Int64: Int] = [:]
    var ids: [Int64: Set<String>] = [:]
    for line in try lines("sent.txt") {
      let parts = line.split(separator: " ")
      guard parts.count == 3, let delivery = Int64(parts[0]) else { continue }
      sends[delivery, default: 0] += 1
      ids[delivery, default: []].insert(String(parts[1]))
    }
    var seen = 0
    for push in pushes {
      var after: DeliveryID?
      while true {
        let page = try store.deliveries(of: push.id, state: nil, after: after, limit: 10_000)
        for row in page { seen += check(row, sends[row.id.rawValue] ?? 0, words) }
        guard let last = page.last else { break }
        after = last.id
      }
    }
    #expect(seen == sends.values.reduce(0, +), "\(words): a send that no delivery knows of")
    #expect(ids.values.allSatisfy { $0.count == 1 }, "\(words): a delivery with two apns-ids")
  }

  private func check(_ row: DeliveryRecord, _ sent: Int, _ words: String) -> Int {
    // One send for the outcome or the wire, one for each time it was named unknown; and each named one may not have left.
    let isOut = row.state == .inFlight || row.state == .accepted || row.state == .rejected
    #expect(sent <= row.unknowns + (isOut ? 1 : 0), "\(words): delivery \(row.id) \(row.state) sent \(sent) times")
    if row.state == .accepted || row.state == .rejected {
      #expect(sent >= 1, "\(words): delivery \(row.id) \(row.state) was never sent")
    }
    return sent
  }

  /// Starts again, lets everything end, and looks at the whole.
  func finish(_ words: String) throws {
    lives += 1
    let result = try Subprocess.run(program, arguments("finish"), seconds: 120)
    try #require(result.status == 0, "\(words): \(result.status): \(result.errorText)")
    try check(words)
    let store = try SQLiteStore(path: folder.path + "/store.db")
    defer { store.close() }
    guard let app = try store.app(named: "demo")?.id else { return }
    let pushes = try store.pushes(app: app, campaignsOnly: false, before: nil, limit: 10_000)
    let targeted = pushes.reduce(0) { $0 + $1.counts.targeted }
    print("\(words): \(pushes.count) pushes, \(targeted) deliveries, \(pushes.reduce(0) { $0 + $1.resent }) sent again")
    #expect(targeted > 0, "\(words): nothing was tested")
    for push in pushes {
      let counts = push.counts
      #expect(
        push.state == .sent && counts.waiting + counts.inFlight + counts.unknown == 0, "\(words): \(push.id) \(counts)")
      #expect(counts.accepted + counts.rejected == counts.targeted, "\(words): \(push.id) \(counts)")
    }
  }

  private func acknowledged() throws -> [PushID] { try lines("acknowledged.txt").compactMap { PushID(String($0)) } }

  /// The whole lines of a file; the last one may have been cut by the death.
  private func lines(_ name: String) throws -> [Substring] {
    guard let bytes = try? Files.read(folder.path + "/" + name) else { return [] }
    let text = String(decoding: bytes, as: UTF8.self)
    return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map { $0 }
  }
}
