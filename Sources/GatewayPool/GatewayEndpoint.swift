public import HTTP2

/// The far end of a pool's connections: where it is and whom it is trusted by.
public struct GatewayEndpoint: Sendable {
  /// The host name or address.
  public var host: String
  /// The port.
  public var port: UInt16
  /// Which certificate authorities may vouch for it.
  public var trust: TLSTrust = .system
  /// The name its certificate must have, when that is not `host`.
  public var serverName: String?
  /// The HTTP proxy on the way, reached with CONNECT.
  public var proxy: HTTP2Proxy?
  /// Finds the host's addresses in place of the system's resolver; asked anew for each connection.
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

  /// What stands in the `:authority` of a request.
  public var authority: String {
    let name = host.contains(":") ? "[\(host)]" : host
    return port == 443 ? name : "\(name):\(port)"
  }
}
