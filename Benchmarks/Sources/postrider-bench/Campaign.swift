import APNs
import Delivery
import GatewayPool
import Glibc
import PushStore
import StoreModel
import Synchronization
import WireJSON

/// Passes batches on, and notes when transactional ones reach the sender.
private final class TimedSender: Sender {
  private let inner: APNsSender
  /// When each transactional push was asked for, by its number, until it reaches the sender.
  private let asked = Mutex<[UInt64: Double]>([:])
  private let waits = Mutex<[Double]>([])

  init(_ inner: APNsSender) { self.inner = inner }

  func submit(_ batch: SendBatch, to sink: any SendSink) -> Bool {
    guard inner.submit(batch, to: sink) else { return false }
    if batch.urgent {
      let time = now()
      for entry in batch.entries {
        let number = entry.apnsID.low & 0x3fff_ffff_ffff_ffff
        if let start = asked.withLock({ $0.removeValue(forKey: number) }) {
          waits.withLock { $0.append(time - start) }
        }
      }
    }
    return true
  }

  func note(_ push: PushID, askedAt time: Double) { asked.withLock { $0[UInt64(push.rawValue)] = time } }

  /// The waits so far, shortest first.
  func sortedWaits() -> [Double] { waits.withLock { $0.sorted() } }
}

/// A campaign with the full ledger: a real store in a temporary folder, snapshot, leases, sends, records.
func campaign(_ arguments: [String]) throws {
  let options = try Options(
    arguments,
    known: [
      "host", "port", "gateway", "ca", "key", "key-id", "team", "topic", "devices", "connections", "in-flight",
      "body-bytes", "window", "folder", "transactional", "personal", "languages", "only",
      "store", "store-pid", "nodes",
    ])
  let differs = options.has("personal") || options.has("languages")
  let devices = try options.number("devices", default: 100_000)
  let place = try BenchStore(options)
  defer { place.remove() }
  let store = place.store
  let app = try store.createApp(name: "bench-\(getpid())", title: "", settings: [], now: wallClock()).id
  try register(devices, app, store, described: differs)

  let sender = TimedSender(APNsSender(try apnsClient(options)))
  let senders = SenderDirectory()
  senders.set(sender, app: app, provider: .apns, environment: .production)
  let isOver = Atomic(false)
  var settings = DeliveryOptions()
  settings.window = try options.number("window", default: 20_000)
  if options.has("store") { settings.useServerBatches() }
  let others = try BenchNodes(options, first: store, app: app, settings: &settings)
  let engine = try DeliveryEngine(store: store, senders: senders, options: settings)

  let payload = RenderedPayload(
    kinds: [.ios],
    headers: [
      .init("apns-push-type", "alert"), .init("apns-priority", "10"),
      .init("apns-topic", try options.text("topic", default: "com.example.app")),
    ], body: alertPayload(try options.number("body-bytes", default: 1024)))
  if differs {
    try compare(PersonalCampaign(store: store, engine: engine, app: app, plain: payload), options, devices: devices)
    engine.stop(withinMs: 5_000)
    return store.close()
  }
  let cost = Cost()
  let serverBefore = try place.serverSeconds()
  let push = try store.createPush(
    NewPush(app: app, pushClass: .campaign, audience: .all(kinds: []), payloads: [payload], salt: 1), now: wallClock())
  engine.wake()
  let rate = try options.number("transactional", default: 1)
  while !isOver.load(ordering: .relaxed) {
    let time = now()
    let single = NewPush(
      app: app, audience: .addresses([DeviceAddress(token: String(repeating: "a", count: 64), kind: .ios)]),
      payloads: [payload], salt: 2)
    let created = try store.createPush(single, now: wallClock())
    sender.note(created.id, askedAt: time)
    engine.wake()
    usleep(UInt32(1_000_000 / rate))
    if try store.push(push.id)?.finishedAt != nil { isOver.store(true, ordering: .relaxed) }
  }
  let spent = cost.spent(on: devices)
  let serverSpent = try place.serverSeconds().map { $0 - (serverBefore ?? 0) }
  engine.stop(withinMs: 5_000)
  others.stop()
  let faults = try store.verifyLedger(push: nil)
  let counts = try store.push(push.id)?.counts ?? LedgerCounts()
  store.close()
  printLine(
    "campaign", sizes: [("devices", devices), ("body_bytes", payload.body.count)], spent,
    perCPUSecond: "sends_per_cpu_second"
  ) { line in
    if let serverSpent { line.decimal("database_us_per_delivery", serverSpent / Double(devices) * 1e6, places: 2) }
    report(counts, waits: sender.sortedWaits(), balances: faults.isEmpty, into: &line)
  }
}

/// Plain campaigns in turn with those that differ from device to device, as many rounds as the options say.
private func compare(_ campaign: PersonalCampaign, _ options: Options, devices: Int) throws {
  var kinds: [PersonalCampaign.Kind] = [.plain]
  var rounds = 1
  for (name, kind) in [("personal", PersonalCampaign.Kind.personal), ("languages", .languages)] where options.has(name)
  {
    kinds.append(kind)
    rounds = max(rounds, try options.number(name))
  }
  if options.has("only") {
    let name = try options.text("only")
    guard let only = kinds.first(where: { $0.rawValue == name }) else {
      throw Options.Failure(description: "--only: expected one of \(kinds.map(\.rawValue).joined(separator: ", "))")
    }
    kinds = [only]
  }
  try campaign.run(kinds, rounds: rounds, devices: devices)
}

func wallClock() -> Timestamp { Timestamp(seconds: Int64(time(nil))) }

private func register(_ count: Int, _ app: AppID, _ store: SQLStore, described: Bool) throws {
  var maker = TokenMaker(seed: 7)
  var token = [UInt8](repeating: 0, count: 64)
  for first in stride(from: 0, to: count, by: 5_000) {
    let devices = (first..<min(first + 5_000, count)).map { number in
      maker.fill(&token)
      var registration = DeviceRegistration(
        app: app, token: String(decoding: token, as: UTF8.self), kind: .ios, user: "user-\(number)")
      if described { PersonalCampaign.describe(&registration, number) }
      return registration
    }
    _ = try store.registerDevices(devices, now: wallClock())
  }
}

func apnsClient(_ options: Options) throws -> APNsClient {
  var configuration = try apnsConfiguration(options)
  configuration.limits.connectionsMax = try options.number("connections", default: 1)
  configuration.limits.streamsPerConnectionMax = try options.number("in-flight", default: 1000)
  return try APNsClient(configuration, threads: try GatewayThreads(count: 1))
}

private func report(_ counts: LedgerCounts, waits: [Double], balances: Bool, into line: inout JSONWriter) {
  let numbers: [(StaticString, Int)] = [
    ("targeted", counts.targeted), ("accepted", counts.accepted), ("rejected", counts.rejected),
    ("waiting", counts.waiting), ("unknown", counts.unknown),
  ]
  for (name, value) in numbers {
    line.key(name)
    line.int(value)
  }
  line.key("ledger_balances")
  line.bool(balances)
  guard !waits.isEmpty else { return }
  line.key("transactional")
  line.int(waits.count)
  line.decimal("transactional_to_wire_ms_p50", waits[waits.count / 2] * 1000, places: 2)
  line.decimal("transactional_to_wire_ms_p99", waits[waits.count * 99 / 100] * 1000, places: 2)
}
