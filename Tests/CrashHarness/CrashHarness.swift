// A server in miniature that a test kills: creates pushes, sends them through a sender that writes each send to a file, and can kill
// itself at a named point. Not a product.
//
//     CrashHarness FOLDER run SEED [--die POINT:COUNT] [--pushes N] [--devices N] [--window N]
//     CrashHarness FOLDER finish SEED [--window N]      runs until everything has its final state, then ends
//         … --store URL --node NAME                     one of several nodes on a database, whose leases run for two seconds
//     CrashHarness FOLDER schedule SEED                 takes the steps of a schedule, beside other pushes and the deletion of old rows

import Delivery
import Glibc
import PostgresEngine
import PushStore
import StoreModel
import Synchronization

@main enum CrashHarness {
  static func main() throws {
    let arguments = Arguments(CommandLine.arguments)
    let store = try open(arguments)
    let app = try store.app(named: "demo")?.id
    switch arguments.mode {
    case "run":
      let app = try app ?? prepare(store, devices: arguments.devices)
      let bomb = Bomb(arguments.die)
      let engine = try start(store, app, arguments, bomb)
      try createPushes(store, app, engine, arguments, bomb)
      // The test ends this process; a bomb that never went off is found by the test's own deadline.
      while true { sleep(1) }
    case "finish":
      guard let app else { exit(3) }
      let engine = try start(store, app, arguments, Bomb(nil))
      try waitForTheEnd(store, app)
      engine.stop(withinMs: 5_000)
      try store.leave(now: Timestamp(seconds: Int64(time(nil))))
      store.close()
    case "schedule": try ScheduleRun(store, try app ?? prepare(store, devices: 3), arguments).run()
    default: exit(2)
    }
  }

  static func open(_ arguments: Arguments) throws -> SQLStore {
    guard let url = arguments.store else { return try SQLStore(path: arguments.folder + "/store.db") }
    let store = try SQLStore(postgres: PostgresOptions(url: url))
    try store.join(NodeIdentity(name: arguments.node) { now })
    return store
  }

  static var now: Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(milliseconds: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000)
  }

  static func prepare(_ store: SQLStore, devices: Int) throws -> AppID {
    let now = Timestamp(seconds: Int64(time(nil)))
    let app = try store.createApp(name: "demo", title: "", settings: [], now: now).id
    let new = (0..<devices).map {
      DeviceRegistration(app: app, token: "token-\($0)", kind: $0 % 3 == 0 ? .android : .ios)
    }
    _ = try store.registerDevices(new, now: now)
    return app
  }

  static func start(
    _ store: SQLStore, _ app: AppID, _ arguments: Arguments, _ bomb: Bomb
  ) throws -> DeliveryEngine {
    let sender = RecordingSender(path: arguments.folder + "/sent.txt", seed: arguments.seed)
    let senders = SenderDirectory()
    for provider in Provider.allCases {
      senders.set(sender, app: app, provider: provider, environment: .production)
    }
    var options = DeliveryOptions()
    options.window = arguments.window
    options.transactionalReserve = arguments.window / 4
    options.campaignTurn = max(arguments.window / 4, 1)
    options.audienceChunk = 97
    options.audienceAhead = 500
    options.recordDelayMs = 2
    options.pollMs = 20
    options.rates = [:]
    if arguments.store != nil { (options.node, options.leaseMs) = (arguments.node, 2_000) }
    options.onFaultPoint = { point in bomb.pass(point.rawValue) }
    return try DeliveryEngine(store: store, senders: senders, options: options)
  }

  /// Creates a campaign and single pushes; each that is acknowledged is written to a file, as an API would answer 202.
  static func createPushes(
    _ store: SQLStore, _ app: AppID, _ engine: DeliveryEngine, _ arguments: Arguments, _ bomb: Bomb
  ) throws {
    let acknowledged = AppendFile(arguments.folder + "/acknowledged.txt")
    for number in 0..<arguments.pushes {
      let now = Timestamp(seconds: Int64(time(nil)))
      let isCampaign = number % 20 == 0
      let audience: Audience =
        isCampaign
        ? .all(kinds: []) : .addresses([DeviceAddress(token: "single-\(arguments.seed)-\(number)", kind: .ios)])
      let push = NewPush(
        app: app, pushClass: isCampaign ? .campaign : .transactional, audience: audience,
        payloads: [RenderedPayload(kinds: DeviceKind.allCases, body: [123, 125], tokenOffset: 1)],
        salt: arguments.seed &+ UInt64(number))
      let created = try create(push, number, store, now)
      bomb.pass("accept")
      acknowledged.append("\(created)\n")
      engine.wake()
      if number % 10 == 9 { usleep(500) }
    }
  }

  /// Creates a push, again as a caller who gets 503 asks again, unless it was stored all the same; `number` are there before it.
  static func create(_ push: NewPush, _ number: Int, _ store: SQLStore, _ now: Timestamp) throws -> PushID {
    while true {
      do throws(StoreError) { return try store.createPush(push, now: now).id } catch {
        guard [.unavailable, .inDoubt].contains(error.code) else { throw error }
      }
      while true {
        if let stored = try? store.pushes(app: push.app, campaignsOnly: false, before: nil, limit: 10_000) {
          if stored.count > number, let newest = stored.map(\.id).max() { return newest }
          break
        }
        usleep(10_000)
      }
    }
  }

  static func waitForTheEnd(_ store: SQLStore, _ app: AppID) throws {
    while true {
      let pushes = try store.pushes(app: app, campaignsOnly: false, before: nil, limit: 10_000)
      if pushes.allSatisfy({ $0.finishedAt != nil }) { return }
      usleep(2_000)
    }
  }
}

struct Arguments {
  let folder: String
  let mode: String
  let seed: UInt64
  var die: String?
  var pushes = 400
  var devices = 1_000
  var window = 300
  var store: String?
  var node = "local"

  init(_ words: [String]) {
    guard words.count >= 4, let seed = UInt64(words[3]) else { exit(2) }
    folder = words[1]
    mode = words[2]
    self.seed = seed
    var rest = words.dropFirst(4)
    while let name = rest.popFirst(), let value = rest.popFirst() {
      switch name {
      case "--die": die = value
      case "--pushes": pushes = Int(value) ?? pushes
      case "--devices": devices = Int(value) ?? devices
      case "--window": window = Int(value) ?? window
      case "--store": store = value
      case "--node": node = value
      default: exit(2)
      }
    }
  }
}

/// Kills the process, as `kill -9` does, when a point is passed for the n-th time.
final class Bomb: Sendable {
  private let point: String?
  private let count: Int
  private let passed = Atomic(0)

  /// `POINT:COUNT`, or nil for none.
  init(_ text: String?) {
    let parts = text?.split(separator: ":").map(String.init) ?? []
    point = parts.first
    count = parts.count == 2 ? Int(parts[1]) ?? 1 : 1
  }

  func pass(_ name: String) {
    guard name == point else { return }
    if passed.add(1, ordering: .relaxed).newValue == count { kill(getpid(), SIGKILL) }
  }
}

/// A file that is appended to with one `write` per line, so that what was written survives the process.
final class AppendFile: Sendable {
  private let fd: Int32

  init(_ path: String) { fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644) }

  func append(_ text: String) {
    var text = text
    _ = text.withUTF8 { write(fd, $0.baseAddress, $0.count) }
  }
}

/// The provider: writes each send to a file before it answers, answers from a thread of its own, a little later, in another order.
final class RecordingSender: Sender {
  private let file: AppendFile
  private let seed: UInt64
  private let queue = Mutex<[(sink: any SendSink, answers: [SendAnswer])]>([])

  init(path: String, seed: UInt64) {
    file = AppendFile(path)
    self.seed = seed
    let box = Unmanaged.passRetained(self)
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      { pointer in
        if let pointer { Unmanaged<RecordingSender>.fromOpaque(pointer).takeRetainedValue().answer() }
        return nil
      }, box.toOpaque())
  }

  func submit(_ batch: SendBatch, to sink: any SendSink) -> Bool {
    var lines = ""
    var answers: [SendAnswer] = []
    for entry in batch.entries {
      lines += "\(entry.apnsID.low & 0x3fff_ffff_ffff_ffff) \(entry.apnsID.high) \(entry.token)\n"
      answers.append(SendAnswer(tag: entry.tag, outcome: outcome(entry)))
    }
    file.append(lines)
    queue.withLock { $0.append((sink, answers)) }
    return true
  }

  /// Most are accepted; a few are refused for good.
  ///
  /// The same delivery gets the same answer each time.
  private func outcome(_ entry: SendBatch.Entry) -> SendOutcome {
    if entry.apnsID.low % 17 == 3 {
      return .rejected(SendRejection(status: 400, reason: "BadTopic", meaning: .badRequest))
    }
    return .accepted(name: entry.apnsID.low % 2 == 0 ? "projects/p/messages/\(entry.tag)" : nil)
  }

  private func answer() {
    while true {
      let ready = queue.withLock { queue in
        defer { queue = [] }
        return queue
      }
      for (sink, answers) in ready.reversed() { sink.receive(answers.reversed()) }
      usleep(300)
    }
  }
}
