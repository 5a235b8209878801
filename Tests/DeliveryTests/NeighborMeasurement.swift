import APNs
import Delivery
import GatewayPool
import Glibc
import HTTP2
import ProviderEmulator
import PushStore
import StoreModel
import Synchronization
import TLS
import TestSupport
import Testing

/// What a healthy app notices of ten others whose gateways are dead: figures to read, no verdict on the time they took.
///
/// `POSTRIDER_MEASURE=1` runs it.
@Suite(
  .serialized, .timeLimit(.minutes(10)), .enabled(if: Files.environment("POSTRIDER_MEASURE") != nil, "a measurement"))
struct NeighborMeasurement {
  /// Answers at once, and notes when each transactional push arrived.
  private final class Gateway: Sender {
    private let arrivals = Mutex<[String: Double]>([:])

    func submit(_ batch: SendBatch, to sink: any SendSink) -> Bool {
      if batch.urgent {
        let now = Self.now()
        arrivals.withLock { arrivals in for entry in batch.entries { arrivals[entry.token] = now } }
      }
      sink.receive(batch.entries.map { SendAnswer(tag: $0.tag, outcome: .accepted(name: nil)) })
      return true
    }

    func arrival(_ token: String) -> Double? { arrivals.withLock { $0[token] } }

    static func now() -> Double {
      var time = timespec()
      clock_gettime(CLOCK_MONOTONIC, &time)
      return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
  }

  private struct Figures {
    var perSecond = 0.0
    var p50Ms = 0.0
    var p99Ms = 0.0
  }

  /// A client whose gateway refuses connections.
  private static func deadSender(_ threads: GatewayThreads, _ emulator: ProviderEmulator) throws -> APNsSender {
    let keys = emulator.credentials
    let listener = try FreePort()
    let key = try APNs.APNsSigningKey(p8: Array(keys.signingKeyPEM.utf8), keyID: keys.keyID, teamID: keys.teamID)
    let configuration = APNsClientConfiguration(
      gateway: .custom(
        host: "127.0.0.1", port: listener.port, trust: .pem(Array(emulator.authorityPEM.utf8))), credential: .token(key)
    )
    return APNsSender(try APNsClient(configuration, threads: threads))
  }

  /// A healthy app's campaign and a transactional push every five milliseconds, beside so many dead ones.
  private static func run(dead: Int, devices: Int) throws -> Figures {
    let f = try DeliveryFixture()
    let threads = try GatewayThreads(count: 1)
    defer { threads.shutdown() }
    let emulator = try ProviderEmulator()
    defer { emulator.stop() }
    for number in 0..<dead {
      let app = try f.store.createApp(name: "dead\(number)", title: "", settings: [], now: f.clock.now).id
      let new = (0..<6_000).map { DeviceRegistration(app: app, token: "d\(number)-\($0)", kind: .ios) }
      _ = try f.store.registerDevices(new, now: f.clock.now.adding(seconds: -60))
      f.senders.set(
        try deadSender(threads, emulator), app: app, provider: .apns, environment: .production)
      _ = try f.push(.all(kinds: []), campaign: true, in: app)
    }
    for first in stride(from: 0, to: devices, by: 5_000) {
      try f.devices(min(5_000, devices - first), prefix: "\(first)-")
    }
    let gateway = Gateway()
    try f.start(gateway) { options in
      let standard = DeliveryOptions()
      (options.clock, options.random, options.pollMs) = (standard.clock, standard.random, standard.pollMs)
      options.recordDelayMs = standard.recordDelayMs
    }
    // The dead ones have been found out.
    sleep(dead > 0 ? 3 : 0)
    let start = Gateway.now()
    let push = try f.push(.all(kinds: []), campaign: true)
    var asked: [Double] = []
    var end: Double?
    while end == nil || asked.count < 400 {
      if end == nil, try f.store.push(push)?.finishedAt != nil { end = Gateway.now() }
      asked.append(Gateway.now())
      _ = try f.push(.addresses([DeviceAddress(token: "now\(asked.count)", kind: .ios)]))
      usleep(5_000)
    }
    let row = try #require(try f.store.push(push))
    #expect(row.counts.accepted == devices)
    let seconds = try #require(end) - start
    try f.until("the last transactional push") { gateway.arrival("now\(asked.count)") != nil }
    let waits = asked.indices.compactMap { index in
      gateway.arrival("now\(index + 1)").map { ($0 - asked[index]) * 1_000 }
    }.sorted()
    #expect(waits.count == asked.count && seconds > 0)
    return Figures(
      perSecond: Double(devices) / seconds, p50Ms: waits[waits.count / 2],
      p99Ms: waits[waits.count * 99 / 100])
  }

  @Test("A healthy app beside ten whose gateways refuse connections") func besideTen() throws {
    var alone: [Figures] = []
    var beside: [Figures] = []
    for _ in 0..<3 {
      alone.append(try Self.run(dead: 0, devices: 20_000))
      beside.append(try Self.run(dead: 10, devices: 20_000))
    }
    func middle(_ figures: [Figures], _ part: KeyPath<Figures, Double>) -> Double {
      figures.map { $0[keyPath: part] }.sorted()[1]
    }
    func line(_ name: String, _ part: KeyPath<Figures, Double>) {
      let (one, other) = (middle(alone, part), middle(beside, part))
      print("neighbors: \(name) alone \(one), beside ten dead \(other), ratio \(other / one)")
    }
    line("campaign per second", \.perSecond)
    line("transactional p50 ms", \.p50Ms)
    line("transactional p99 ms", \.p99Ms)
  }
}

/// A port of this machine at which nobody listens.
private struct FreePort {
  let port: UInt16

  init() throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(descriptor, pointer, length) | getsockname(descriptor, pointer, &length)
      }
    }
    try #require(code == 0)
    port = UInt16(bigEndian: address.sin_port)
  }
}
