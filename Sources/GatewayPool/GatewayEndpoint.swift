public import HTTP2
public import TLS

/// The remote end of a pool's connections: its address, and how it is authenticated.
public struct GatewayEndpoint: Sendable {
  /// The host name or address.
  public var host: String
  /// The port.
  public var port: UInt16
  /// The trusted certificate authorities.
  public var trust: TLSTrust = .system
  /// The name its certificate must have, when that is not `host`.
  public var serverName: String?
  /// The HTTP proxy on the way, reached with CONNECT.
  public var proxy: HTTP2Proxy?
  /// Resolves the host instead of the system's resolver; called for each connection.
  public var resolver: HTTP2Resolver?
  /// Whether loopback, private and link-local addresses may be connected to.
  ///
  /// Off unless a person has named this very endpoint, so that no host name or key file can point the sender into the
  /// inner network.
  public var allowsPrivateAddresses: Bool

  /// Names an endpoint.
  public init(host: String, port: UInt16, trust: TLSTrust = .system, allowsPrivateAddresses: Bool = false) {
    self.host = host
    self.port = port
    self.trust = trust
    self.allowsPrivateAddresses = allowsPrivateAddresses
  }

  /// The `:authority` of a request.
  public var authority: String {
    let name = host.contains(":") ? "[\(host)]" : host
    return port == 443 ? name : "\(name):\(port)"
  }
}
