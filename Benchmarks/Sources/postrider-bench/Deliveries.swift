import Glibc
import PushStore
import StoreModel
import WireJSON

/// Lists of deliveries over a large ledger: campaigns are recorded through the store, then pages are read at random places.
///
/// `--store FILE` keeps the database; with one that exists, its campaigns are added to.
func deliveries(_ arguments: [String]) throws {
  let options = try Options(arguments, known: ["rows", "devices", "pages", "store", "scale"])
  let rows = Int(Double(try options.number("rows", default: 10_000_000)) * Bench.scale)
  let devices = max(1, min(rows, try options.number("devices", default: 1_000_000)))
  let path = try options.text("store", default: "/tmp/postrider-bench-deliveries-\(getpid()).db")
  let isKept = (try? options.text("store")) != nil
  defer { if !isKept { for end in ["", "-wal", "-shm", ".lock"] { remove(path + end) } } }
  let store = try SQLStore(path: path)
  defer { store.close() }
  var ledger = LedgerFiller(
    store: store,
    app: try store.createApp(name: "d\(UInt32.random(in: 0...UInt32.max))", title: "", settings: [], now: clock()).id)
  try ledger.register(devices)
  let cost = Cost()
  while ledger.recorded < rows { try ledger.campaign() }
  let filled = cost.spent(on: ledger.recorded)
  let pages = try options.number("pages", default: 2_000)
  try printLine("deliveries", sizes: [("rows", ledger.recorded), ("devices", devices)], filled) { line in
    line.decimal("recorded_per_second", Double(ledger.recorded) / ledger.recordSeconds, places: 0)
    try ledger.measurePages(pages, into: &line)
  }
}

/// Processor time of this thread.
private func threadSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

private func clock() -> Timestamp { Timestamp(seconds: Int64(time(nil))) }

/// Fills a ledger as campaigns do, and reads it as people do.
private struct LedgerFiller {
  let store: SQLStore
  let app: AppID
  var pushes: [PushID] = []
  var devices: [DeviceID] = []
  var recorded = 0
  /// Seconds spent recording results, without leasing.
  var recordSeconds = 0.0
  private var random = SystemRandomNumberGenerator()

  init(store: SQLStore, app: AppID) {
    self.store = store
    self.app = app
  }

  mutating func register(_ count: Int) throws {
    let mark = UInt32.random(in: 0...UInt32.max)
    for first in stride(from: 0, to: count, by: 5_000) {
      let batch = (first..<min(first + 5_000, count)).map {
        DeviceRegistration(app: app, token: "\(mark)-\($0)", kind: .android, user: "user-\($0)")
      }
      devices += try store.registerDevices(batch, now: clock()).map(\.id)
    }
  }

  /// One campaign to every device: one in a hundred is refused, and every other result is written on its own.
  mutating func campaign() throws {
    let payload = RenderedPayload(kinds: [.android], body: [123, 125])
    let push = try store.createPush(
      NewPush(app: app, pushClass: .campaign, name: "bench", audience: .all(kinds: []), payloads: [payload], salt: 1),
      now: clock())
    while !(try store.wait { store.extendAudience(of: push.id, limit: 50_000, now: clock(), completion: $0) }).complete
    {}
    while true {
      let request = LeaseRequest(node: "bench", durationMs: 60_000, picks: [.push(push.id, max: 20_000)])
      let lease = try store.wait { store.lease(request, now: clock(), completion: $0) }
      if lease.deliveries.isEmpty { break }
      let results = lease.deliveries.map { result($0, lease.id) }
      let start = now()
      _ = try store.wait { store.record(results, completion: $0) }
      recordSeconds += now() - start
      recorded += results.count
    }
    pushes.append(push.id)
  }

  private func result(_ delivery: LeasedDelivery, _ lease: LeaseID) -> DeliveryResult {
    let isRefused = delivery.id.rawValue % 100 == 0
    // FCM names each message; its names begin with the time.
    let name = "projects/demo/messages/0:\(1_800_000_000_000_000 + delivery.id.rawValue)%31bd1c9631bd1c96"
    return DeliveryResult(
      lease: lease, delivery: delivery.id, push: delivery.push, attempt: 1,
      change: isRefused ? .rejected : .accepted(providerID: name), provider: .fcm,
      answer: isRefused ? (404, "UNREGISTERED") : (200, ""), at: clock())
  }

  mutating func measurePages(_ count: Int, into line: inout JSONWriter) throws {
    let kinds: [(name: StaticString, filter: DeliveryFilter)] = [
      ("page", DeliveryFilter()), ("page_accepted", DeliveryFilter(state: .accepted)),
      ("page_rejected", DeliveryFilter(state: .rejected)), ("page_reason", DeliveryFilter(reason: "UNREGISTERED")),
      ("page_none_found", DeliveryFilter(state: .waiting)),
    ]
    for (name, filter) in kinds {
      try report(name, count, into: &line) { push, after in
        _ = try store.deliveries(of: push, filter: filter, after: after, limit: 100)
      }
    }
    try report("one_device_in_a_push", count, into: &line) { push, _ in
      let device = devices[Int.random(in: 0..<devices.count)]
      _ = try store.deliveries(of: push, filter: DeliveryFilter(device: device), after: nil, limit: 100)
    }
    try report("one_device_everywhere", count, into: &line) { _, _ in
      let device = devices[Int.random(in: 0..<devices.count)]
      _ = try store.deliveries(app: app, filter: DeliveryFilter(device: device), before: nil, limit: 100)
    }
    let export = try store.exportDeliveries(of: pushes[0], filter: DeliveryFilter(), now: clock())
    let start = now()
    var read = 0
    while case let piece = try export.next(now: clock()), !piece.isEmpty { read += piece.count }
    line.decimal("export_rows_per_second", Double(read) / (now() - start), places: 0)
  }

  private func report(
    _ name: StaticString, _ count: Int, into line: inout JSONWriter, _ read: (PushID, DeliveryID) throws -> Void
  ) throws {
    var (times, busy): ([Double], [Double]) = ([], [])
    for _ in 0..<count {
      let push = pushes[Int.random(in: 0..<pushes.count)]
      let after = DeliveryID(rawValue: push.rawValue + Int64.random(in: 0..<Int64(devices.count)))
      let (start, busyStart) = (now(), threadSeconds())
      try read(push, after)
      times.append(now() - start)
      busy.append(threadSeconds() - busyStart)
    }
    times.sort()
    busy.sort()
    line.key(name)
    line.beginObject()
    line.decimal("p50_ms", times[times.count / 2] * 1_000, places: 3)
    line.decimal("p99_ms", times[times.count * 99 / 100] * 1_000, places: 3)
    // What the page itself took of a processor; the rest of the time others had it, or the disk was waited for.
    line.decimal("p99_processor_ms", busy[busy.count * 99 / 100] * 1_000, places: 3)
    line.endObject()
  }
}
