import Delivery
import Glibc
import StoreModel
import WireJSON

/// Campaigns that differ from device to device, in turn with one that is the same for all, over one audience.
///
/// Two properties of the device are put into title and body; with languages, there are three of them with two variants
/// each, for the devices of a segment.
struct PersonalCampaign {
  let servers: BenchServers
  let plain: RenderedPayload

  /// What is measured, in the order in which it is printed.
  enum Kind: String, CaseIterable {
    case plain, personal, languages
  }

  private static let languages: [String?] = [nil, "de", "fr"]
  private static let variants: [Int?] = [nil, 0, 1]

  /// The properties and the language of device number `number`, under which the segment finds two in three.
  static func describe(_ registration: inout DeviceRegistration, _ number: Int) {
    let names = ["Ann", "José", "Maximilian", "Zoë", "Ibrahim", "Li", "Anna-Katharina"]
    let cities = ["Wien", "São Paulo", "New York", "Paris", "Llanfairpwllgwyngyll"]
    registration.locale = ["de-AT", "fr", "en-US", "de"][number % 4]
    registration.properties = [
      Property("first_name", .text(names[number % names.count])),
      Property("city", .text(cities[number % cities.count])),
      Property("level", .integer(Int64(number % 3))),
    ]
  }

  /// Runs `rounds` of each kind in turn and prints a line for each, with its rate as a part of the plain one's.
  func run(_ kinds: [Kind], rounds: Int, devices: Int) throws {
    var found: [Kind: [(Spent, LedgerCounts, peak: Int)]] = [:]
    for _ in 0..<rounds {
      for kind in kinds { found[kind, default: []].append(try measure(kind)) }
    }
    let faults = try servers.store.verifyLedger(push: nil)
    let base = found[.plain] ?? []
    for kind in kinds {
      let rows = (found[kind] ?? []).sorted { Self.rate($0.0) < Self.rate($1.0) }
      let middle = rows[rows.count / 2]
      printLine(
        "campaign-\(kind.rawValue)",
        sizes: [("devices", devices), ("rounds", rounds), ("body_bytes", plain.body.count)],
        middle.0, perCPUSecond: "sends_per_cpu_second"
      ) { line in
        line.decimal("of_plain", Self.ratio(found[kind] ?? [], base) { Self.rate($0) }, places: 3)
        line.decimal(
          "of_plain_per_cpu_second",
          Self.ratio(found[kind] ?? [], base) { Double($0.count) / max($0.cpuSeconds, 1e-6) }, places: 3)
        line.key("peak_rss_kib_of_it")
        line.int((found[kind] ?? []).map(\.peak).max() ?? 0)
        for (name, value) in [("accepted", middle.1.accepted), ("rejected", middle.1.rejected)] {
          line.key(name)
          line.int(value)
        }
        line.key("ledger_balances")
        line.bool(faults.isEmpty)
      }
    }
  }

  private static func rate(_ spent: Spent) -> Double { Double(spent.count) / spent.seconds }

  /// The middle of the ratios of two kinds' rounds, each with the one beside it.
  private static func ratio(
    _ rows: [(Spent, LedgerCounts, peak: Int)], _ base: [(Spent, LedgerCounts, peak: Int)], _ figure: (Spent) -> Double
  ) -> Double {
    let ratios = zip(rows, base).map { figure($0.0) / figure($1.0) }.sorted()
    return ratios.isEmpty ? 1 : ratios[ratios.count / 2]
  }

  private func measure(_ kind: Kind) throws -> (Spent, LedgerCounts, peak: Int) {
    PeakMemory.reset()
    let cost = Cost()
    let push = try servers.create(push(kind))
    while try servers.store.push(push)?.finishedAt == nil { usleep(10_000) }
    let counts = try servers.store.push(push)?.counts ?? LedgerCounts()
    return (cost.spent(on: counts.targeted), counts, PeakMemory.sinceResetKiB())
  }

  private func push(_ kind: Kind) -> NewPush {
    var push = NewPush(app: servers.app, pushClass: .campaign, audience: .all(kinds: []), payloads: [plain], salt: 1)
    switch kind {
    case .plain: break
    case .personal:
      push.payloads = [personal(nil, nil)]
      push.personal = JSON.minified(PersonalValues().json)
    case .languages:
      push.audience = .segment(
        .condition(SegmentCondition(.attribute("properties.level"), .greater(.integer(0)))), kinds: [])
      push.payloads = Self.languages.flatMap { locale in Self.variants.map { personal(locale, $0) } }
      push.variants = [PushVariant(name: "a", share: 40), PushVariant(name: "b", share: 40)]
      var values = PersonalValues()
      values.shares = [40, 40]
      push.personal = JSON.minified(values.json)
    }
    return push
  }

  /// The plain payload with two holes: behind the first character of the title and of the body.
  private func personal(_ locale: String?, _ variant: Int?) -> RenderedPayload {
    var payload = plain
    payload.locale = locale
    payload.variant = variant
    let title = Array(#"{"aps":{"alert":{"title":"B"#.utf8).count
    let body = Array(#"{"aps":{"alert":{"title":"Bench","body":"x"#.utf8).count
    payload.placeholders = [
      RenderedPayload.Placeholder(offset: title, name: "first_name", fallback: "there", depth: 1),
      RenderedPayload.Placeholder(offset: body, name: "city", fallback: "", depth: 1),
    ]
    return payload
  }
}

/// The largest resident memory of a stretch of work, which Linux forgets on request.
private enum PeakMemory {
  static func reset() {
    guard let file = fopen("/proc/self/clear_refs", "w") else { return }
    fputs("5", file)
    fclose(file)
  }

  static func sinceResetKiB() -> Int {
    guard let file = fopen("/proc/self/status", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, Int32(line.count), file) != nil {
      let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      if text.hasPrefix("VmHWM:") { return Int(text.filter(\.isNumber)) ?? 0 }
    }
    return 0
  }
}
