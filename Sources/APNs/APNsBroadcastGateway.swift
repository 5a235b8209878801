public import GatewayPool
internal import HTTP2
public import TLS

/// The hosts for sending broadcasts and for managing their channels: two services of APNs.
///
/// For sending broadcasts, Apple's documentation names `api.push.apple.com` on one page and
/// `api-broadcast.push.apple.com` on others: ``Host`` chooses, and both endpoints can be set.
public struct APNsBroadcastGateway: Sendable {
  /// Takes broadcasts.
  public var broadcasts: GatewayEndpoint
  /// Makes, reads, lists and deletes channels.
  public var management: GatewayEndpoint

  /// Names both services.
  public init(broadcasts: GatewayEndpoint, management: GatewayEndpoint) {
    self.broadcasts = broadcasts
    self.management = management
  }

  /// Which of Apple's hosts takes broadcasts; one page says the one, one the other.
  public enum Host: String, Sendable, Hashable, CaseIterable {
    /// `api-broadcast.push.apple.com`, the host of Apple's samples.
    case broadcast
    /// `api.push.apple.com`, the host of pushes to devices.
    case device
  }

  /// These services with broadcasts sent to one host or the other; hosts that are not Apple's stay.
  public func sending(to host: Host) -> APNsBroadcastGateway {
    var gateway = self
    let names = Self.hosts.first { $0.contains(broadcasts.host) }
    if let names { gateway.broadcasts.host = names[host == .broadcast ? 0 : 1] }
    return gateway
  }

  /// For production and development: the host of broadcasts, and that of devices.
  private static let hosts = [
    ["api-broadcast.push.apple.com", APNsGateway.production().endpoint.host],
    ["api-broadcast.sandbox.push.apple.com", APNsGateway.sandbox().endpoint.host],
  ]

  /// The services for apps from the App Store, TestFlight and enterprise distribution.
  public static let production = APNsBroadcastGateway(
    broadcasts: GatewayEndpoint(host: "api-broadcast.push.apple.com", port: 443),
    management: GatewayEndpoint(host: "api-manage-broadcast.push.apple.com", port: 2196))

  /// The services for apps that Xcode installed.
  public static let sandbox = APNsBroadcastGateway(
    broadcasts: GatewayEndpoint(host: "api-broadcast.sandbox.push.apple.com", port: 443),
    management: GatewayEndpoint(host: "api-manage-broadcast.sandbox.push.apple.com", port: 2195))

  /// One server for both, named by the user: an emulator, a test server, a relay.
  ///
  /// It may have a loopback or a private address.
  public static func custom(host: String, port: UInt16, trust: TLSTrust) -> APNsBroadcastGateway {
    let endpoint = GatewayEndpoint(host: host, port: port, trust: trust, allowsPrivateAddresses: true)
    return APNsBroadcastGateway(broadcasts: endpoint, management: endpoint)
  }
}
