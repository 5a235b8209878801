import APNs
import GatewayPool
import PushPayload
import Signing

private final class APNsMeterSink: APNsSink {
  let meter: SendMeter

  init(_ meter: SendMeter) { self.meter = meter }

  func receive(_ results: [APNsResult]) {
    var accepted = 0
    var rejected = 0
    var failed = 0
    for result in results {
      switch result.outcome {
      case .accepted: accepted += 1
      case .rejected: rejected += 1
      case .failed: failed += 1
      }
    }
    meter.note(
      accepted: accepted, rejected: rejected, failed: failed,
      sample: results.first { if case .accepted = $0.outcome { false } else { true } }.map { "\($0.outcome)" })
  }
}

/// The signing key that options name; without `--key` one is made, for servers that take any.
func apnsKey(_ options: Options) throws -> [UInt8] {
  options.has("key") ? try options.file("key") : Array(try ECPrivateKey.generate().pem().utf8)
}

/// The gateway and the credential that options name.
func apnsConfiguration(_ options: Options) throws -> APNsClientConfiguration {
  let (host, port) = try options.gateway()
  let key = try APNsSigningKey(
    p8: apnsKey(options), keyID: options.text("key-id", default: "ABC123DEFG"),
    teamID: options.text("team", default: "DEF123GHIJ"))
  let gateway = APNsGateway.custom(host: host, port: port, trust: .file(try options.text("ca")))
  return APNsClientConfiguration(gateway: gateway, credential: .token(key))
}

/// Sends to any HTTP/2 server on loopback, with random tokens of 64 digits and an `apns-id` for each.
func sendAPNs(_ arguments: [String]) throws {
  let options = try Options(
    arguments,
    known: [
      "host", "port", "ca", "key", "key-id", "team", "topic", "count", "connections", "in-flight", "body-bytes",
      "threads", "gateway",
    ])
  let connections = try options.number("connections", default: 1)
  let inFlight = try options.number("in-flight", default: 1000)
  let body = alertPayload(try options.number("body-bytes", default: 1024))
  var configuration = try apnsConfiguration(options)
  configuration.limits.connectionsMax = connections
  configuration.limits.streamsPerConnectionMax = max(1, inFlight / connections)
  configuration.queueCapacity = inFlight * 4 + 2000
  let threads = try GatewayThreads(count: options.number("threads", default: 1))
  let client = try APNsClient(configuration, threads: threads)
  let template = APNsTemplate(
    APNsRequest(
      headers: APNsHeaders(
        pushType: .alert, priority: .immediate, topic: try options.text("topic", default: "com.example.app")),
      payload: body))
  let meter = SendMeter()
  let sink = APNsMeterSink(meter)
  var maker = TokenMaker(seed: 1)
  var token = [UInt8](repeating: 0, count: 64)
  let report = try measureSends(
    what: "apns", count: options.number("count", default: 200_000), connections: connections, inFlight: inFlight,
    bodyBytes: body.count, meter: meter
  ) { first, count in
    var batch = APNsBatch(template, capacity: count)
    for index in 0..<count {
      maker.fill(&token)
      batch.append(
        tag: UInt64(first + index), token: token.span,
        id: APNsID(randomHigh: maker.next(), randomLow: maker.next()))
    }
    try client.submit(batch, to: sink)
  }
  report.print()
}
