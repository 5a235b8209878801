public import GatewayPool
internal import HTTP2
public import TLS

/// The APNs server that a client connects to.
public struct APNsGateway: Sendable {
  /// The far end of the connections.
  public var endpoint: GatewayEndpoint

  /// The ports that Apple serves: 443, and 2197 for networks that treat 443 specially.
  public enum Port: UInt16, Sendable, Hashable {
    /// The port of HTTPS.
    case https = 443
    /// Apple's alternative.
    case alternative = 2197
  }

  /// The gateway for apps from the App Store, TestFlight and enterprise distribution.
  public static func production(port: Port = .https) -> APNsGateway {
    APNsGateway(endpoint: GatewayEndpoint(host: "api.push.apple.com", port: port.rawValue))
  }

  /// The gateway for apps that Xcode installed.
  public static func sandbox(port: Port = .https) -> APNsGateway {
    APNsGateway(endpoint: GatewayEndpoint(host: "api.sandbox.push.apple.com", port: port.rawValue))
  }

  /// A gateway named by the user: an emulator, a test server, a relay.
  ///
  /// It may have a loopback or a private address.
  ///
  /// - Parameters:
  ///   - host: a name, or an IPv4 or IPv6 address.
  ///   - port: its port.
  ///   - trust: the certificate authorities that may have issued its certificate.
  public static func custom(host: String, port: UInt16, trust: TLSTrust) -> APNsGateway {
    APNsGateway(
      endpoint: GatewayEndpoint(host: host, port: port, trust: trust, allowsPrivateAddresses: true))
  }
}
