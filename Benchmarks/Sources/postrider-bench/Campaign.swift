import APNs
import GatewayPool
import Glibc
import StoreModel
import WireJSON

/// A campaign with the full ledger: a real server with its store, snapshot, leases, sends, records.
///
/// Pushes to single devices go over the server's HTTP API at the same time.
func campaign(_ arguments: [String]) throws {
  let options = try Options(
    arguments,
    known: [
      "host", "port", "gateway", "ca", "key", "key-id", "team", "topic", "devices", "connections", "in-flight",
      "body-bytes", "folder", "transactional", "personal", "languages", "only", "store", "store-pid", "nodes",
    ])
  let differs = options.has("personal") || options.has("languages")
  let devices = try options.number("devices", default: 100_000)
  var servers = try BenchServers(options)
  defer { servers.stop() }
  let store = servers.store
  try register(devices, servers.app, store, described: differs)
  try servers.startOthers(options)

  let payload = RenderedPayload(
    kinds: [.ios],
    headers: [
      .init("apns-push-type", "alert"), .init("apns-priority", "10"),
      .init("apns-topic", try options.text("topic", default: "com.example.app")),
    ], body: alertPayload(try options.number("body-bytes", default: 1024)))
  if differs { return try compare(PersonalCampaign(servers: servers, plain: payload), options, devices: devices) }
  let rate = try options.number("transactional", default: 1)
  var singles = try servers.singlePushes()
  let cost = Cost()
  let databaseCost = try DatabaseCost(options)
  let push = try servers.create(
    NewPush(app: servers.app, pushClass: .campaign, audience: .all(kinds: []), payloads: [payload], salt: 1))
  try singles.run(perSecond: rate) { try store.push(push)?.finishedAt != nil }
  let spent = cost.spent(on: devices)
  let databaseSpent = try databaseCost?.spent()
  singles.close()
  try servers.watch.settle()
  let faults = try store.verifyLedger(push: nil)
  let counts = try store.push(push)?.counts ?? LedgerCounts()
  printLine(
    "campaign", sizes: [("devices", devices), ("body_bytes", payload.body.count)], spent,
    perCPUSecond: "sends_per_cpu_second"
  ) { line in
    if let databaseSpent { line.decimal("database_us_per_delivery", databaseSpent / Double(devices) * 1e6, places: 2) }
    report(counts, servers.watch, balances: faults.isEmpty, into: &line)
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

private func register(_ count: Int, _ app: AppID, _ store: any Store, described: Bool) throws {
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

private func report(_ counts: LedgerCounts, _ watch: PushWatch, balances: Bool, into line: inout JSONWriter) {
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
  let (waits, answers) = (watch.sortedWaits(), watch.sortedAnswers())
  guard !waits.isEmpty else { return }
  line.key("transactional")
  line.int(waits.count)
  line.decimal("transactional_to_wire_ms_p50", waits[waits.count / 2] * 1000, places: 2)
  line.decimal("transactional_to_wire_ms_p99", waits[waits.count * 99 / 100] * 1000, places: 2)
  line.decimal("transactional_answer_ms_p50", answers[answers.count / 2] * 1000, places: 2)
  line.decimal("transactional_answer_ms_p99", answers[answers.count * 99 / 100] * 1000, places: 2)
}
