import APNs
import GatewayPool
import PushPayload

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

/// Sends to any HTTP/2 server on loopback, with random tokens of 64 digits and an `apns-id` for each.
func sendAPNs(_ arguments: [String]) throws {
  let options = try Options(
    arguments,
    known: [
      "host", "port", "ca", "key", "key-id", "team", "topic", "count", "connections", "in-flight", "body-bytes",
      "threads",
    ])
  let connections = try options.number("connections", default: 1)
  let inFlight = try options.number("in-flight", default: 1000)
  let body = alertPayload(try options.number("body-bytes", default: 1024))
  guard let port = UInt16(exactly: try options.number("port")) else {
    throw Options.Failure(description: "--port: expected 1 to 65535")
  }
  let key = try APNsSigningKey(
    p8: options.file("key"), keyID: options.text("key-id"), teamID: options.text("team"))
  let gateway = APNsGateway.custom(
    host: try options.text("host", default: "127.0.0.1"), port: port, trust: .file(try options.text("ca")))
  var configuration = APNsClientConfiguration(gateway: gateway, credential: .token(key))
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
