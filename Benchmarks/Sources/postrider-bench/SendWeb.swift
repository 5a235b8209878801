import GatewayPool
import Signing
import WebPush
import WireJSON

private final class WebMeterSink: WebPushSink {
  let meter: SendMeter

  init(_ meter: SendMeter) { self.meter = meter }

  func receive(_ results: [WebPushResult]) {
    var (accepted, rejected, failed) = (0, 0, 0)
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

/// Subscriptions with keys of their own, all at one push service on loopback.
func subscriptions(_ count: Int, host: String, port: UInt16) throws -> [WebPushSubscription] {
  try (0..<count).map { number in
    let key = try ECPrivateKey.generate().publicKey.point()
    return try WebPushSubscription(
      endpoint: "https://\(host):\(port)/push/subscriber-\(number)", p256dh: Base64URL.encode(key),
      auth: Base64URL.encode(SecureRandom.bytes(WebPushCipher.authBytes)))
  }
}

/// A client for a push service on loopback.
func webConfiguration(_ options: Options) throws -> WebPushClientConfiguration {
  let (host, port) = try options.gateway()
  var configuration = WebPushClientConfiguration(
    key: try .generate(), subject: try VAPIDSubject("mailto:bench@example.com"))
  configuration.ownService = try WebPushOwnService(host: host, port: port, trust: .file(try options.text("ca")))
  return configuration
}

/// Sends to a push service of browsers on loopback: each message is encrypted for its subscriber, with a key pair and a
/// salt of its own.
///
/// Before that, what the encryption costs alone: a key pair, the agreement on a secret, the whole.
func sendWeb(_ arguments: [String]) throws {
  let options = try Options(
    arguments,
    known: [
      "host", "port", "gateway", "ca", "count", "connections", "in-flight", "body-bytes", "threads", "subscribers",
    ])
  let connections = try options.number("connections", default: 1)
  let inFlight = try options.number("in-flight", default: 1000)
  let bodyBytes = try options.number("body-bytes", default: 200)
  let (host, port) = try options.gateway()
  let subscribers = try subscriptions(options.number("subscribers", default: 2_000), host: host, port: port)
  var configuration = try webConfiguration(options)
  configuration.limits.connectionsMax = connections
  configuration.limits.streamsPerConnectionMax = max(1, inFlight / connections)
  configuration.queueCapacity = inFlight * 4 + 2000
  let client = try WebPushClient(
    configuration, threads: try GatewayThreads(count: options.number("threads", default: 1)))
  let payload = [UInt8](repeating: UInt8(ascii: "x"), count: bodyBytes)
  try measureEncryption(payload, subscribers)
  let message = try WebPushMessage(payload: payload, ttl: 3_600, urgency: .normal)
  let meter = SendMeter()
  let sink = WebMeterSink(meter)
  let report = try measureSends(
    what: "web", count: options.number("count", default: 100_000), connections: connections, inFlight: inFlight,
    bodyBytes: bodyBytes, meter: meter
  ) { first, count in
    var batch = WebPushBatch(message)
    for index in 0..<count {
      batch.append(tag: UInt64(first + index), to: subscribers[(first + index) % subscribers.count])
    }
    try client.submit(batch, to: sink)
  }
  report.print()
}

private func measureEncryption(_ payload: [UInt8], _ subscribers: [WebPushSubscription]) throws {
  var turn = 0
  func next() -> WebPushSubscription {
    turn += 1
    return subscribers[turn % subscribers.count]
  }
  let own = try ECPrivateKey.generate()
  let rows = [
    try Measurement.run("web-key-pair", count: 5_000) { try Int(ECPrivateKey.generate().publicKey.point()[1]) + 1 },
    try Measurement.run("web-agreement", count: 5_000) { try Int(own.sharedSecret(with: next().key)[0]) + 1 },
    try Measurement.run("web-encryption", count: 5_000) {
      let one = next()
      return try WebPushCipher.seal(payload, for: one.key, auth: one.auth).count
    },
  ]
  for row in rows {
    var line = JSONWriter()
    line.beginObject()
    row.write(to: &line)
    line.endObject()
    print(String(decoding: line.bytes, as: UTF8.self))
  }
}
