import Delivery
import GatewayPool
import Glibc
import PushStore
import StoreModel
import Synchronization
import System
import TestSupport
import Testing

/// A clock that a test moves.
final class ManualClock: Sendable {
  private let start: Int64
  private let passed = Atomic<Int64>(0)
  private let jumped = Atomic<Int64>(0)

  init(seconds: Int64 = 1_800_000_000) { start = seconds * 1000 }

  /// The monotonic clock: the real one, and the time that a test lets pass.
  var monotonicMs: Int64 { SystemClock.monotonicMs() + passed.load(ordering: .sequentiallyConsistent) }

  var now: Timestamp {
    Timestamp(
      milliseconds: start + passed.load(ordering: .sequentiallyConsistent)
        + jumped.load(ordering: .sequentiallyConsistent))
  }

  /// Lets time pass.
  func advance(milliseconds: Int64) { passed.add(milliseconds, ordering: .sequentiallyConsistent) }

  /// Sets the clock, while no time passes.
  func jump(milliseconds: Int64) { jumped.add(milliseconds, ordering: .sequentiallyConsistent) }
}

/// A sender that keeps what it is given and answers by a script.
final class ScriptedSender: Sender {
  /// One send as it reached the sender.
  struct Sent: Sendable, Hashable {
    let token: String
    let apnsID: String
    let body: [UInt8]
    let urgent: Bool
  }

  /// What becomes of a send: an outcome, or nil for silence.
  ///
  /// Gets the token and how often it was sent before.
  typealias Script = @Sendable (_ token: String, _ earlier: Int) -> SendOutcome?

  private struct State {
    var sent: [Sent] = []
    var counts: [String: Int] = [:]
    var room = Int.max
    var held: [SendAnswer] = []
  }

  private let state = Mutex(State())
  private let script: Script

  init(_ script: @escaping Script = { _, _ in .accepted(name: nil) }) { self.script = script }

  func submit(_ batch: SendBatch, to sink: any SendSink) -> Bool {
    var answers: [SendAnswer] = []
    let taken = state.withLock { state in
      guard state.room >= batch.entries.count else { return false }
      for entry in batch.entries {
        let earlier = state.counts[entry.token, default: 0]
        state.counts[entry.token] = earlier + 1
        let id = "\(String(entry.apnsID.high, radix: 16))-\(String(entry.apnsID.low, radix: 16))"
        state.sent.append(
          Sent(token: entry.token, apnsID: id, body: batch.body(of: entry), urgent: batch.urgent))
        if let outcome = script(entry.token, earlier) { answers.append(SendAnswer(tag: entry.tag, outcome: outcome)) }
      }
      return true
    }
    if !answers.isEmpty { sink.receive(answers) }
    return taken
  }

  var sent: [Sent] { state.withLock { $0.sent } }

  func setRoom(_ room: Int) { state.withLock { $0.room = room } }

  func count(_ token: String) -> Int { state.withLock { $0.counts[token] ?? 0 } }
}

extension SendBatch {
  /// The body of a send, with its texts in it.
  func body(of entry: Entry) -> [UInt8] {
    guard let texts else { return payload.rendered.body }
    var body: [UInt8] = []
    var index = 0
    for (placeholder, text) in zip(payload.rendered.placeholders, texts.texts(of: entry.row)) {
      body += payload.rendered.body[index..<placeholder.offset] + text
      index = placeholder.offset
    }
    return body + payload.rendered.body[index...]
  }
}

/// A sender that answers nothing until the test says what.
final class HeldSender: Sender {
  private let waiting = Mutex<[(sink: any SendSink, tags: [UInt64])]>([])

  func submit(_ batch: SendBatch, to sink: any SendSink) -> Bool {
    waiting.withLock { $0.append((sink, batch.entries.map(\.tag))) }
    return true
  }

  /// Sends without an answer.
  var count: Int { waiting.withLock { $0.reduce(0) { $0 + $1.tags.count } } }

  /// Answers all of them.
  func answer(_ outcome: SendOutcome) {
    let all = waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    for (sink, tags) in all { sink.receive(tags.map { SendAnswer(tag: $0, outcome: outcome) }) }
  }
}

/// A store, a directory and an engine in a folder of their own.
final class DeliveryFixture {
  let folder: TemporaryFolder
  let store: SQLStore
  let app: AppID
  let clock = ManualClock()
  let senders = SenderDirectory()
  let events = Shared(Mutex<[DeliveryEvent]>([]))
  private(set) var engine: DeliveryEngine?
  private var looks = 0

  private let ownDisk: Bool

  /// - Parameter diskSize: the size of a disk of the store's own, as `mount` writes it; see ``Mounts/areAllowed``.
  init(diskSize: String? = nil) throws {
    folder = try TemporaryFolder()
    ownDisk = diskSize != nil
    if let diskSize {
      let mounted = try Subprocess.run("mount", ["-t", "tmpfs", "-o", "size=\(diskSize)", "tmpfs", folder.path])
      #expect(mounted.status == 0, "\(mounted.errorText)")
    }
    store = try SQLStore(path: folder.path + "/store.db")
    app = try store.createApp(name: "demo", title: "", settings: [], now: clock.now).id
  }

  deinit {
    engine?.stop(withinMs: 2_000)
    store.close()
    if ownDisk { _ = try? Subprocess.run("umount", ["-l", folder.path]) }
  }

  func start(_ sender: any Sender, change: (inout DeliveryOptions) -> Void = { _ in }) throws {
    for provider in Provider.allCases {
      senders.set(sender, app: app, provider: provider, environment: .production)
    }
    var options = DeliveryOptions()
    let clock = clock
    options.clock = { clock.now }
    options.monotonicMs = { clock.monotonicMs }
    options.random = { 0 }
    options.rates = [:]
    options.pollMs = 20
    options.recordDelayMs = 0
    let events = events
    options.onEvent = { event in events.value.withLock { $0.append(event) } }
    change(&options)
    engine = try DeliveryEngine(store: store, senders: senders, options: options)
  }

  @discardableResult
  func devices(_ count: Int, prefix: String = "t", kind: DeviceKind = .ios) throws -> [DeviceID] {
    let new = (0..<count).map {
      let token = kind == .web ? "https://push.example/\(prefix)\($0) p a" : "\(prefix)\($0)"
      return DeviceRegistration(app: app, token: token, kind: kind)
    }
    return try store.registerDevices(new, now: clock.now.adding(seconds: -60)).map(\.id)
  }

  func push(
    _ audience: Audience, campaign: Bool = false, expiresAt: Timestamp? = nil, throttle: Int? = nil,
    policy: UnknownPolicy = .resend, kinds: [DeviceKind] = DeviceKind.allCases, in app: AppID? = nil,
    body: (bytes: [UInt8], tokenOffset: Int)? = nil
  ) throws -> PushID {
    let payload = RenderedPayload(
      kinds: kinds, headers: [.init("apns-topic", "com.example")], body: body?.bytes ?? [123, 125],
      tokenOffset: body?.tokenOffset)
    var push = NewPush(
      app: app ?? self.app, pushClass: campaign ? .campaign : .transactional, audience: audience, payloads: [payload],
      salt: 99)
    (push.expiresAt, push.throttlePerMinute, push.unknownPolicy) = (expiresAt, throttle, policy)
    let id = try store.createPush(push, now: clock.now).id
    engine?.wake()
    return id
  }

  /// Moves the clock and lets the engine look at it.
  func advance(seconds: Int64) {
    clock.advance(milliseconds: seconds * 1000)
    engine?.wake()
  }

  /// Sets the clock and lets the engine look at it.
  func jump(seconds: Int64) {
    clock.jump(milliseconds: seconds * 1000)
    engine?.wake()
  }

  /// Waits until a small push of another app, created now, was sent: the engine has looked at everything that was due.
  func lookAtStore() throws {
    let other = try store.createApp(name: "look\(looks)", title: "", settings: [], now: clock.now).id
    looks += 1
    senders.set(ScriptedSender(), app: other, provider: .fcm, environment: .production)
    try untilFinished(push(.addresses([DeviceAddress(token: "look", kind: .android)]), in: other))
  }

  func counts(_ push: PushID) throws -> LedgerCounts { try #require(try store.push(push)).counts }

  /// Waits until something holds; fails with what was there after `seconds`.
  func until(
    _ words: String, seconds: Int = 20, location: SourceLocation = #_sourceLocation, _ holds: () throws -> Bool
  ) throws {
    for _ in 0..<seconds * 1000 {
      if try holds() { return }
      usleep(1000)
    }
    Issue.record("\(words) did not happen in \(seconds) s", sourceLocation: location)
  }

  func untilFinished(_ push: PushID, location: SourceLocation = #_sourceLocation) throws {
    try until("the end of push \(push)", location: location) { try store.push(push)?.finishedAt != nil }
  }

  func checkLedger(location: SourceLocation = #_sourceLocation) throws {
    let faults = try store.verifyLedger(push: nil)
    #expect(faults.isEmpty, "\(faults.map(\.description))", sourceLocation: location)
  }
}

/// Hands a reference to something that cannot be copied into a closure.
final class Shared<Value: ~Copyable & Sendable>: Sendable {
  let value: Value
  init(_ value: consuming Value) { self.value = value }
}
