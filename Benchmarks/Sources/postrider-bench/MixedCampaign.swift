import APNs
import Delivery
import FCM
import GatewayPool
import Glibc
import PushStore
import Signing
import StoreModel
import WebPush
import WireJSON

/// A campaign to five kinds of devices, in turn with one of the same size to one kind, with the full ledger.
///
/// A fifth of the devices each: iPhones, Android phones, browsers, and iPhones and browsers behind FCM. One server answers
/// for all services, over connections of their own on one thread.
func mixedCampaign(_ arguments: [String]) throws {
  let options = try Options(
    arguments,
    known: [
      "host", "port", "gateway", "ca", "key", "key-id", "team", "topic", "account", "devices", "rounds", "body-bytes",
      "folder",
    ])
  let devices = try options.number("devices", default: 100_000)
  let folder = try options.text("folder", default: "/tmp") + "/postrider-bench-\(getpid())"
  guard mkdir(folder, 0o700) == 0 else { throw Options.Failure(description: "--folder: cannot create \(folder)") }
  defer { for name in ["/s.db", "/s.db-wal", "/s.db-shm", "/s.db.lock", ""] { remove(folder + name) } }
  let store = try SQLStore(path: folder + "/s.db")
  let mix = try MixedCampaign(store, options, devices: devices)
  let rounds = try options.number("rounds", default: 1)
  var found: [MixedCampaign.Kind: [Spent]] = [:]
  for _ in 0..<rounds {
    for kind in MixedCampaign.Kind.allCases { found[kind, default: []].append(try mix.measure(kind)) }
  }
  mix.stop()
  let balances = try store.verifyLedger(push: nil).isEmpty
  store.close()
  for kind in MixedCampaign.Kind.allCases {
    mix.report(kind, found, balances: balances)
  }
}

private struct MixedCampaign {
  /// What is measured, in the order of each round.
  enum Kind: String, CaseIterable {
    /// iPhones alone.
    case one
    /// Android phones alone, of which FCM names each message.
    case android
    /// The four that cost no encryption, which share the devices of browsers.
    case four
    /// All five.
    case five
  }

  private let store: SQLStore
  private let engine: DeliveryEngine
  private var apps: [Kind: AppID] = [:]
  private let payloads: [RenderedPayload]
  private let devices: Int

  init(_ store: SQLStore, _ options: Options, devices: Int) throws {
    self.store = store
    self.devices = devices
    let (host, port) = try options.gateway()
    let bytes = try options.number("body-bytes", default: 1024)
    payloads = Self.payloads(bytes, topic: try options.text("topic", default: "com.example.app"))
    let senders = SenderDirectory()
    var settings = DeliveryOptions()
    settings.window = 20_000
    // What is measured is the cost: FCM's quota and its ramp would let few of its messages through.
    settings.rates = [:]
    for kind in Kind.allCases {
      let app = try store.createApp(name: kind.rawValue, title: "", settings: [], now: wallClock()).id
      apps[kind] = app
      try Self.register(devices, app, kind, store, host: host, port: port)
      let threads = try GatewayThreads(count: 1)
      var apns = try apnsConfiguration(options)
      apns.limits.connectionsMax = 1
      apns.limits.streamsPerConnectionMax = 1000
      senders.set(
        APNsSender(try APNsClient(apns, threads: threads)), app: app, provider: .apns, environment: .production)
      guard kind != .one else { continue }
      var fcm = FCMClientConfiguration(
        gateway: .custom(host: host, port: port, trust: .file(try options.text("ca"))),
        account: try FCMServiceAccount(keyFile: options.file("account")))
      fcm.limits.connectionsMax = 1
      fcm.limits.streamsPerConnectionMax = 1000
      senders.set(FCMSender(try FCMClient(fcm, threads: threads)), app: app, provider: .fcm, environment: .production)
      var web = try webConfiguration(options)
      web.limits.connectionsMax = 1
      senders.set(
        try WebPushSender(web, earlierKeys: [], padding: .none, threads: threads), app: app, provider: .web,
        environment: .production)
    }
    engine = try DeliveryEngine(store: store, senders: senders, options: settings)
  }

  func stop() { engine.stop(withinMs: 5_000) }

  /// One campaign, whole.
  func measure(_ kind: Kind) throws -> Spent {
    guard let app = apps[kind] else { preconditionFailure("an app for each kind") }
    let cost = Cost()
    let push = try store.createPush(
      NewPush(app: app, pushClass: .campaign, audience: .all(kinds: []), payloads: payloads, salt: 1), now: wallClock())
    engine.wake()
    while try store.push(push.id)?.finishedAt == nil { usleep(10_000) }
    let counts = try store.push(push.id)?.counts ?? LedgerCounts()
    guard counts.accepted == devices else {
      throw Options.Failure(description: "\(kind.rawValue): \(counts)")
    }
    return cost.spent(on: devices)
  }

  /// A line with the middle of the rounds, each beside that of one kind.
  func report(_ kind: Kind, _ found: [Kind: [Spent]], balances: Bool) {
    let rows = found[kind] ?? []
    func middle(of other: Kind, _ figure: (Spent) -> Double) -> Double {
      let base = found[other] ?? []
      let ratios = zip(rows, base).map { figure($0.0) / figure($0.1) }.sorted()
      return ratios[ratios.count / 2]
    }
    let shown = rows.sorted { $0.seconds < $1.seconds }[rows.count / 2]
    printLine(
      "mixed-\(kind.rawValue)", sizes: [("devices", devices), ("rounds", rows.count)], shown,
      perCPUSecond: "sends_per_cpu_second"
    ) { line in
      line.decimal("of_one", middle(of: .one) { Double($0.count) / $0.seconds }, places: 3)
      line.decimal("of_one_per_cpu_second", middle(of: .one, Self.perCPUSecond), places: 3)
      line.decimal("of_android", middle(of: .android) { Double($0.count) / $0.seconds }, places: 3)
      line.decimal("of_android_per_cpu_second", middle(of: .android, Self.perCPUSecond), places: 3)
      line.key("ledger_balances")
      line.bool(balances)
    }
  }

  private static func perCPUSecond(_ spent: Spent) -> Double { Double(spent.count) / max(spent.cpuSeconds, 1e-6) }

  // MARK: Devices and payloads

  private static let kinds: [DeviceKind] = [.ios, .android, .fcmIOS, .fcmWeb, .web]

  private static func register(
    _ count: Int, _ app: AppID, _ kind: Kind, _ store: SQLStore, host: String, port: UInt16
  ) throws {
    let own: [DeviceKind] =
      switch kind {
      case .one: [.ios]
      case .android: [.android]
      case .four: Array(kinds.dropLast())
      case .five: kinds
      }
    // Keys take long to make, and nothing depends on how many there are: each endpoint is one of its own.
    let keys = try subscriptions(1_000, host: host, port: port)
    var maker = TokenMaker(seed: 7)
    var token = [UInt8](repeating: 0, count: 64)
    for first in stride(from: 0, to: count, by: 5_000) {
      let some = try (first..<min(first + 5_000, count)).map { number in
        maker.fill(&token)
        let text = String(decoding: token, as: UTF8.self)
        let device = own[number % own.count]
        guard device == .web else {
          return DeviceRegistration(app: app, token: text, kind: device, user: "user-\(number)")
        }
        let key = keys[number % keys.count]
        let address = WebAddress(
          endpoint: "https://\(host):\(port)/push/\(text)", p256dh: Base64URL.encode(try key.key.point()),
          auth: Base64URL.encode(key.auth))
        return DeviceRegistration(app: app, token: address.token, kind: .web, user: "user-\(number)")
      }
      _ = try store.registerDevices(some, now: wallClock())
    }
  }

  /// The same text for each kind, all of a size.
  private static func payloads(_ bytes: Int, topic: String) -> [RenderedPayload] {
    let alert = alertPayload(bytes)
    func fcm(_ kind: DeviceKind, _ block: String) -> RenderedPayload {
      let prefix = Array(#"{"message":{"token":""#.utf8)
      let fill = String(repeating: "x", count: max(0, bytes - 200))
      let suffix = Array(#"",\#(block.replacing("BODY", with: fill))}}"#.utf8)
      return RenderedPayload(kinds: [kind], body: prefix + suffix, tokenOffset: prefix.count)
    }
    return [
      RenderedPayload(
        kinds: [.ios],
        headers: [.init("apns-push-type", "alert"), .init("apns-priority", "10"), .init("apns-topic", topic)],
        body: alert),
      fcm(.android, #""notification":{"title":"Bench","body":"BODY"}"#),
      fcm(.fcmIOS, #""apns":{"payload":{"aps":{"alert":{"title":"Bench","body":"BODY"}}}}"#),
      fcm(.fcmWeb, #""webpush":{"notification":{"title":"Bench","body":"BODY"}}"#),
      RenderedPayload(kinds: [.web], headers: [.init("ttl", "3600")], body: alert),
    ]
  }
}
