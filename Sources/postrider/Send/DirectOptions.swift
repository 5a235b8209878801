import GatewayPool
import HTTP2
import TLS

/// What the options say that all clients have.
enum DirectOptions {
  /// The streams that all providers but APNs have been seen to allow on a connection.
  static let usualStreams = 100

  static func address(_ arguments: Arguments, _ option: String) throws(Exit) -> (host: String, port: UInt16)? {
    guard let text = arguments.value(option) else { return nil }
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]), port > 0,
      colon > text.startIndex, !text[..<colon].contains("/")
    else { throw .usage("\(option) takes HOST:PORT, not “\(text)”") }
    let host = text[..<colon]
    // As addresses are written in URLs: [::1]:2197.
    guard host.hasPrefix("["), host.hasSuffix("]") else { return (String(host), port) }
    return (String(host.dropFirst().dropLast()), port)
  }

  static func proxy(_ arguments: Arguments) throws(Exit) -> HTTP2Proxy? {
    try Egress.proxy(arguments, isNamed: arguments.has("--gateway"))
  }

  static func timing(_ arguments: Arguments) throws(Exit) -> SendTiming {
    var timing = SendTiming()
    let seconds = Duration.seconds(try arguments.integer("--timeout", in: 1...600, default: 30))
    timing.queueTimeout = seconds
    timing.requestTimeout = seconds
    return timing
  }

  static func trust(_ arguments: Arguments) throws(Exit) -> TLSTrust {
    guard let file = arguments.value("--ca") else { return .system }
    return .pem(try Input.bytes(file))
  }
}

extension PoolLimits {
  /// As many connections as it takes to have `concurrency` requests under way, within reason.
  mutating func fit(_ concurrency: Int, streams: Int = DirectOptions.usualStreams) {
    streamsPerConnectionMax = min(streamsPerConnectionMax, concurrency)
    connectionsMax = min(64, max(1, (concurrency + streams - 1) / streams))
  }
}
