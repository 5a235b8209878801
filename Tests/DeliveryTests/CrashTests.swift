import Glibc
import PushStore
import StoreModel
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

  /// What was on the wire when the process died is not called off afterwards, whichever comes first: the recovery or the
  /// person who cancels.
  @Test(arguments: ["send:9", "sent:1", "sent:12", "answer:8", "write:7"], [true, false])
  func whatWasSentIsNotCancelledAfterDeath(point: String, recoversFirst: Bool) throws {
    let run = try CrashRun(seed: 2)
    try run.die(at: point)
    try run.cancelAll(recoversFirst: recoversFirst, "killed at \(point), recovers first: \(recoversFirst)")
  }

  @Test func whatWasSentIsNotCancelledAfterDeathsAtRandomMoments() throws {
    var random = SeededRandom.fromEnvironment()
    let lives = Int(Files.environment("POSTRIDER_CRASHES") ?? "") ?? 8
    for life in 0..<lives {
      let run = try CrashRun(seed: random.seed & 0xffff &+ UInt64(life))
      for _ in 0..<2 { try run.die(afterMilliseconds: Int.random(in: 5...250, using: &random)) }
      try run.cancelAll(recoversFirst: Bool.random(using: &random), "seed \(random.seed), life \(life)")
    }
  }

  /// A run that a schedule counts is a push that is listed, and the other way round.
  @Test func aScheduleCountsTheRunsThatAreListed() throws {
    var random = SeededRandom.fromEnvironment()
    let run = try CrashRun(seed: random.seed & 0xffff)
    let lives = Int(Files.environment("POSTRIDER_CRASHES") ?? "") ?? 8
    for life in 0..<lives {
      try run.dieInSchedule(afterMilliseconds: Int.random(in: 60...400, using: &random))
      try run.checkSchedules("seed \(random.seed), life \(life)")
    }
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

  func dieInSchedule(afterMilliseconds milliseconds: Int) throws {
    lives += 1
    let process = try Subprocess(program, arguments("schedule"))
    usleep(UInt32(milliseconds) * 1000)
    process.signal(SIGKILL)
    let result = try process.finish(seconds: 60)
    try #require(result.status == 128 + SIGKILL, "\(result.status): \(result.errorText)")
  }

  /// The counter of a schedule, its pushes, the pages of the list and what was acknowledged say the same.
  func checkSchedules(_ words: String) throws {
    let store = try SQLStore(path: folder.path + "/store.db")
    defer { store.close() }
    #expect(try store.verifyLedger(push: nil).map(\.description) == [], "\(words)")
    guard let app = try store.app(named: "demo")?.id,
      let schedule = try store.schedules(app: app, after: nil, limit: 1).first
    else { return }
    var listed: Set<PushID> = []
    var before: PushID?
    while true {
      let page = try store.pushes(app: app, campaignsOnly: false, before: before, limit: 97)
      for push in page where try store.scheduledPush(of: push.id)?.schedule == schedule.id { listed.insert(push.id) }
      guard let last = page.last else { break }
      before = last.id
    }
    let runs = try lines("runs.txt").compactMap { PushID(String($0)) }
    #expect(schedule.made == listed.count && schedule.nextNumber == schedule.made + 1, "\(words): \(schedule)")
    #expect(Set(runs).isSubset(of: listed), "\(words): a run was acknowledged and is not listed")
    #expect(schedule.lastPush.map { listed.contains($0) } ?? true, "\(words)")
    #expect(listed.count - runs.count <= lives, "\(words): \(listed.count) runs, \(runs.count) acknowledged")
  }

  /// Ends everything as a person would after the death; what was sent is neither cancelled nor expired.
  func cancelAll(recoversFirst: Bool, _ words: String) throws {
    let store = try SQLStore(path: folder.path + "/store.db")
    defer { store.close() }
    guard let app = try store.app(named: "demo")?.id else { return }
    let now = Timestamp(seconds: Int64(time(nil)) + 86_400)
    if recoversFirst { _ = try store.wait { store.recoverLeases(node: nil, now: now, completion: $0) } }
    var stopped = 0
    for push in try store.pushes(app: app, campaignsOnly: false, before: nil, limit: 10_000) where !push.state.isOver {
      stopped += try store.cancelPush(push.id, now: now).stopped
    }
    if !recoversFirst { _ = try store.wait { store.recoverLeases(node: nil, now: now, completion: $0) } }
    #expect(try store.verifyLedger(push: nil).map(\.description) == [], "\(words)")
    let sent = Set(try lines("sent.txt").compactMap { $0.split(separator: " ").first.flatMap { Int64($0) } })
    var cancelled = 0
    for push in try store.pushes(app: app, campaignsOnly: false, before: nil, limit: 10_000) {
      #expect(push.counts.waiting + push.counts.inFlight == 0, "\(words): \(push)")
      cancelled += push.counts.cancelled
      var after: DeliveryID?
      while true {
        let page = try store.deliveries(of: push.id, state: .cancelled, after: after, limit: 10_000)
        for row in page { #expect(!sent.contains(row.id.rawValue), "\(words): \(row) was sent") }
        guard let last = page.last else { break }
        after = last.id
      }
    }
    #expect(stopped == cancelled, "\(words)")
  }

  /// What must hold in the file as it was left.
  func check(_ words: String) throws {
    let store = try SQLStore(path: folder.path + "/store.db")
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
    // A window is one lane's; all lanes together hold at most twice as many (see `DeliveryOptions.window`).
    #expect(onWire <= 2 * Self.window, "\(words): \(onWire) in flight, the window is \(Self.window)")
    let named = pushes.reduce(0) { $0 + $1.resent }
    #expect(named - unknownsBefore <= 2 * Self.window, "\(words): \(named - unknownsBefore) named unknown")
    unknownsBefore = named
    try checkSends(store, pushes, words)
  }

  /// Nothing is sent that the ledger does not name, and nothing twice outside what it names unknown.
  private func checkSends(_ store: SQLStore, _ pushes: [Push], _ words: String) throws {
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
    let store = try SQLStore(path: folder.path + "/store.db")
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
