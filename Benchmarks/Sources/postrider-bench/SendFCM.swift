import FCM
import GatewayPool
import PushPayload
import Signing
import WireJSON

private final class FCMMeterSink: FCMSink {
  let meter: SendMeter

  init(_ meter: SendMeter) { self.meter = meter }

  func receive(_ results: [FCMResult]) {
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

/// The service account's key file that options name; without `--key` an account is made, for servers that take any.
private func keyFile(_ options: Options, tokenServer: String) throws -> [UInt8] {
  guard !options.has("key") else { return try options.file("key") }
  return JSON.minified([
    "type": "service_account", "project_id": "bench", "private_key_id": "bench",
    "private_key": .string(try RSAPrivateKey.generate().pem()),
    "client_email": "bench@bench.iam.gserviceaccount.com", "token_uri": .string("https://\(tokenServer)/token"),
  ])
}

/// Sends to an FCM v1 endpoint on loopback, with made-up tokens of 160 digits.
///
/// The key file's `token_uri` has to lead to the same host.
func sendFCM(_ arguments: [String]) throws {
  let options = try Options(
    arguments,
    known: ["host", "port", "gateway", "ca", "key", "count", "connections", "in-flight", "body-bytes", "threads"])
  let connections = try options.number("connections", default: 1)
  let inFlight = try options.number("in-flight", default: 100)
  let (host, port) = try options.gateway()
  let gateway = FCMGateway.custom(host: host, port: port, trust: .file(try options.text("ca")))
  var configuration = FCMClientConfiguration(
    gateway: gateway, account: try FCMServiceAccount(keyFile: keyFile(options, tokenServer: "\(host):\(port)")))
  configuration.limits.connectionsMax = connections
  configuration.limits.streamsPerConnectionMax = max(1, inFlight / connections)
  configuration.queueCapacity = inFlight * 4 + 2000
  let threads = try GatewayThreads(count: options.number("threads", default: 1))
  let client = try FCMClient(configuration, threads: threads)
  let tokenBytes = 160
  let bodyBytes = try options.number("body-bytes", default: 1024)
  let prefix = Array(#"{"message":{"token":""#.utf8)
  let before = Array(#"","notification":{"title":"Bench","body":""#.utf8)
  let after = Array(#""}}}"#.utf8)
  let fill = max(0, bodyBytes - prefix.count - tokenBytes - before.count - after.count)
  let template = FCMTemplate(
    FCMRequestTemplate(
      prefix: prefix, suffix: before + [UInt8](repeating: UInt8(ascii: "x"), count: fill) + after, placeholder: .token))
  let meter = SendMeter()
  let sink = FCMMeterSink(meter)
  var maker = TokenMaker(seed: 1)
  var token = [UInt8](repeating: 0, count: tokenBytes)
  let report = try measureSends(
    what: "fcm", count: options.number("count", default: 200_000), connections: connections, inFlight: inFlight,
    bodyBytes: template.body.bodyBytes(targetBytes: tokenBytes), meter: meter
  ) { first, count in
    var batch = FCMBatch(template, capacity: count)
    for index in 0..<count {
      maker.fill(&token)
      batch.append(tag: UInt64(first + index), target: token.span)
    }
    try client.submit(batch, to: sink)
  }
  report.print()
}
