import Synchronization

/// What all threads of a server share.
final class ServerCore: Sendable {
  let limits: HTTPLimits
  let handler: any HTTPHandler
  let forwarding: ForwardedFor
  let table: ConnectionTable
  let bodies: BodyMemory
  /// Nil for a server that speaks plain HTTP.
  let certificate: ServerCertificate?
  let stopping = Atomic<Bool>(false)
  /// Requests between their head and the end of their response.
  let active = Atomic<Int>(0)
  private let lastID = Atomic<UInt64>(UInt64.random(in: 0...UInt64.max))
  let idleNs: Int64
  let requestNs: Int64
  let answerNs: Int64
  let readNs: Int64

  init(_ configuration: HTTPServerConfiguration, handler: any HTTPHandler) {
    limits = configuration.limits
    self.handler = handler
    forwarding = ForwardedFor(proxies: configuration.trustedProxies, header: configuration.forwardedHeader)
    certificate = configuration.certificate
    table = ConnectionTable(limits: limits, counters: configuration.connections)
    bodies = BodyMemory(limit: limits.maxBufferedBodyBytes)
    idleNs = limits.idleTimeout.nanoseconds
    requestNs = limits.requestTimeout.nanoseconds
    answerNs = limits.answerTimeout.nanoseconds
    readNs = limits.readTimeout.nanoseconds
  }

  func nextID() -> HTTPRequestID { HTTPRequestID(number: lastID.add(1, ordering: .relaxed).newValue) }

  /// The time a transfer of so many bytes may take at the slowest rate.
  func allowance(_ bytes: Int) -> Int64 {
    let (product, overflow) = Int64(bytes).multipliedReportingOverflow(by: 1_000_000_000)
    return overflow ? .max / 4 : product / Int64(max(1, limits.minBodyBytesPerSecond))
  }

  /// How often deadlines are looked at: four times within the shortest one, at least every second.
  var sweepNs: Int64 { max(10_000_000, min(1_000_000_000, min(idleNs, requestNs, answerNs, readNs) / 4)) }
}
