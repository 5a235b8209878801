import APNs
import FCM
import GatewayPool
import HTTP2
import Huawei
import StoreModel
import TLS

/// The gateways, each reached with TLS as the server reaches them, and what the clock is beside theirs.
struct DoctorGateways {
  /// A host to reach.
  struct Goal: Sendable, Hashable {
    let host: String
    let port: UInt16
    /// Whether `serve` takes HTTP/1.1 of it, too.
    var takesHTTP1 = false
    /// Who needs it, where most servers do not; then it is no error that it cannot be reached.
    var neededBy: String?
  }

  private let goals: [Goal]
  private let isNamed: Bool
  private let trust: TLSTrust
  private let proxy: HTTP2Proxy?
  private let isOffline: Bool

  /// What `serve` connects to unless an app names other gateways.
  static let usual: [Goal] = Provider.allCases.flatMap { $0.doctorGoals }

  /// What is said of push services, which are not looked for: which ones there are is known by the devices alone.
  static let pushServices = DoctorFinding.skipped(
    "push services",
    "each browser names its own, mostly fcm.googleapis.com, updates.push.services.mozilla.com, web.push.apple.com or a host"
      + " below notify.windows.com: let this machine open connections to their port 443 if apps push to browsers")

  init(_ arguments: Arguments) throws(Exit) {
    isOffline = arguments.has("--offline")
    let named = try arguments.all("--gateway").map(DoctorGateways.endpoint)
    goals = named.isEmpty ? DoctorGateways.usual : named
    isNamed = !named.isEmpty
    trust = arguments.value("--gateway-ca").map { .file($0) } ?? .system
    proxy = try Egress.proxy(arguments, isNamed: !named.isEmpty)
  }

  private static func endpoint(_ text: String) throws(Exit) -> Goal {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]), port > 0,
      colon > text.startIndex
    else { throw .usage("--gateway \(text): expected HOST:PORT, such as api.push.apple.com:443") }
    return Goal(host: String(text[..<colon].filter { $0 != "[" && $0 != "]" }), port: port)
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
      let visits = goals.map { GatewayVisit($0, tls, loop, proxy) }
      return visits.flatMap { $0.findings() } + (isNamed ? [] : [DoctorGateways.pushServices])
    } catch {
      return [
        .error(
          "gateways", error.description, remedy: "Install the system's authorities: apt-get install ca-certificates")
      ]
    }
  }
}

extension Provider {
  /// What `serve` connects to for the provider: where messages go, and where access tokens are from.
  fileprivate var doctorGoals: [DoctorGateways.Goal] {
    switch self {
    case .apns: [goal(APNsGateway.production().endpoint), goal(APNsGateway.sandbox().endpoint)]
    case .fcm:
      [
        goal(FCMGateway.production.endpoint),
        DoctorGateways.Goal(host: "oauth2.googleapis.com", port: 443, takesHTTP1: true),
      ]
    case .web: []
    case .hms:
      [HuaweiGateway.production.endpoint, HuaweiGateway.production.tokenEndpoint].map {
        goal($0, takesHTTP1: true, neededBy: "apps that push to Huawei's phones")
      }
    }
  }

  private func goal(
    _ endpoint: GatewayEndpoint, takesHTTP1: Bool = false, neededBy: String? = nil
  ) -> DoctorGateways.Goal {
    DoctorGateways.Goal(host: endpoint.host, port: endpoint.port, takesHTTP1: takesHTTP1, neededBy: neededBy)
  }
}
