import GatewayPool
import GatewayTestSupport
import HTTP2
import PushPayload
import Signing
import TLS

@testable import APNs

/// A client on its own thread that talks to one scripted server.
final class APNsHarness: Sendable {
  let threads: GatewayThreads
  let client: APNsClient
  let collector = OutcomeCollector<APNsResult>()
  let sink: CollectingSink
  let template: APNsTemplate

  static let signingKey: APNsSigningKey? = {
    guard let pem = try? ECPrivateKey.generate().pem() else { return nil }
    return try? APNsSigningKey(p8: Array(pem.utf8), keyID: "ABC1234567", teamID: "DEF7654321")
  }()

  struct NoKey: Error {}

  final class CollectingSink: APNsSink {
    let collector: OutcomeCollector<APNsResult>

    init(_ collector: OutcomeCollector<APNsResult>) { self.collector = collector }

    func receive(_ results: [APNsResult]) { collector.add(results) }
  }

  init(
    port: UInt16, trust: TLSTrust = ScriptedServer.trust, credential: APNsCredential? = nil, threadCount: Int = 1,
    _ change: (inout APNsClientConfiguration) -> Void = { _ in }
  ) throws {
    guard let key = Self.signingKey else { throw NoKey() }
    var configuration = APNsClientConfiguration(
      gateway: .custom(host: "127.0.0.1", port: port, trust: trust), credential: credential ?? .token(key))
    configuration.timing.queueTimeout = .seconds(30)
    configuration.timing.requestTimeout = .seconds(30)
    configuration.limits.connectTimeout = .seconds(20)
    change(&configuration)
    threads = try GatewayThreads(count: threadCount)
    client = try APNsClient(configuration, threads: threads)
    sink = CollectingSink(collector)
    template = APNsTemplate(
      APNsRequest(
        headers: APNsHeaders(pushType: .alert, priority: .immediate, topic: "com.example.app"),
        payload: Array(#"{"aps":{"alert":"hi"}}"#.utf8)))
  }

  deinit { threads.shutdown() }

  /// A token that names its number.
  static func token(_ number: Int) -> String { "00ff\(String(repeating: "0", count: 8 - "\(number)".count))\(number)" }

  /// Submits `count` sends tagged from `first`.
  func submit(_ count: Int, first: Int = 0, urgency: SendUrgency = .bulk, notAfter: Int64? = nil) throws(QueueFull) {
    var batch = APNsBatch(template, capacity: count, urgency: urgency, notAfter: notAfter)
    for number in first..<(first + count) {
      batch.append(tag: UInt64(number), token: Self.token(number), id: APNsID(high: 7, low: UInt64(number)))
    }
    try client.submit(batch, to: sink)
  }

  /// Sends `count` and returns the outcomes by tag; every tag is there once, or the test fails.
  func outcomes(_ count: Int, seconds: Int = 40) async throws -> [APNsOutcome] {
    try submit(count)
    return Self.byTag(await collector.wait(for: count, seconds: seconds), count)
  }

  static func byTag(_ results: [APNsResult], _ count: Int) -> [APNsOutcome] {
    var found: [UInt64: [APNsOutcome]] = [:]
    for result in results { found[result.tag, default: []].append(result.outcome) }
    return (0..<count).map {
      let outcomes = found[UInt64($0)] ?? []
      return outcomes.count == 1
        ? outcomes[0]
        : .failed(SendFailure(.unknown, .init(rawValue: "test"), "\(outcomes.count) outcomes for \($0)"))
    }
  }
}

extension APNsOutcome {
  /// The failure's cause and whether it was processed, in short; `accepted`, or status and reason.
  var short: String {
    switch self {
    case .accepted: "accepted"
    case .rejected(let rejection): "\(rejection.status) \(rejection.reason)"
    case .failed(let failure): "\(failure.cause) \(failure.processing.rawValue)"
    }
  }
}

/// How often each text occurs.
func tally(_ outcomes: [APNsOutcome]) -> [String: Int] {
  outcomes.reduce(into: [:]) { $0[$1.short, default: 0] += 1 }
}
