import APNs
import FCM
import GatewayPool
import HTTP2
import TLS

/// The gateways, each reached with TLS as the server reaches them, and what the clock is beside theirs.
struct DoctorGateways {
  private let endpoints: [(host: String, port: UInt16)]
  private let trust: TLSTrust
  private let proxy: HTTP2Proxy?
  private let isOffline: Bool

  /// The gateways that `serve` sends to unless an app names others, and where Google's access tokens are from.
  private static let usual: [(host: String, port: UInt16)] = [
    (APNsGateway.production().endpoint.host, 443), (APNsGateway.sandbox().endpoint.host, 443),
    (FCMGateway.production.endpoint.host, 443), ("oauth2.googleapis.com", 443),
  ]

  init(_ arguments: Arguments) throws(Exit) {
    isOffline = arguments.has("--offline")
    let named = try arguments.all("--gateway").map(DoctorGateways.endpoint)
    endpoints = named.isEmpty ? DoctorGateways.usual : named
    trust = arguments.value("--gateway-ca").map { .file($0) } ?? .system
    proxy = try Egress.proxy(arguments, isNamed: !named.isEmpty)
  }

  private static func endpoint(_ text: String) throws(Exit) -> (host: String, port: UInt16) {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]), port > 0,
      colon > text.startIndex
    else { throw .usage("--gateway \(text): expected HOST:PORT, such as api.push.apple.com:443") }
    return (String(text[..<colon].filter { $0 != "[" && $0 != "]" }), port)
  }

  func findings() -> [DoctorFinding] {
    guard !isOffline else { return [.skipped("gateways", "--offline")] }
    do throws(TLSError) {
      let tls = try TLSContext.client(trust: trust)
      guard let loop = try? EventLoop(name: "doctor") else {
        return [
          .error("gateways", "a thread or descriptor is missing: \(Terminal.lastError())", remedy: "Raise the limits.")
        ]
      }
      defer { loop.shutdown() }
      let visits = endpoints.map { GatewayVisit($0.host, $0.port, tls, loop, proxy) }
      return visits.flatMap { $0.findings() }
    } catch {
      return [
        .error(
          "gateways", error.description, remedy: "Install the system's authorities: apt-get install ca-certificates")
      ]
    }
  }
}
