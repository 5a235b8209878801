public import GatewayPool
internal import HTTP2
public import TLS

/// The FCM server that a client connects to, and the endpoint of its access tokens.
public struct FCMGateway: Sendable {
  /// The far end of the connections that carry messages.
  public var endpoint: GatewayEndpoint
  /// The far end of the connections to the token endpoint; its host and port come from the key file's `token_uri`.
  ///
  /// `nil`: when `token_uri` names host and port of ``endpoint``, the same trust and the same addresses are allowed there;
  /// any other host is trusted by the system's authorities and must have a public address.
  public var tokenEndpoint: GatewayEndpoint?

  /// Google's gateway.
  public static let production = FCMGateway(endpoint: GatewayEndpoint(host: "fcm.googleapis.com", port: 443))

  /// A gateway named by the user: an emulator, a test server, a relay.
  ///
  /// It may have a loopback or a private address.
  ///
  /// - Parameters:
  ///   - host: a name, or an IPv4 or IPv6 address.
  ///   - port: its port.
  ///   - trust: the certificate authorities that may have issued its certificate.
  public static func custom(host: String, port: UInt16, trust: TLSTrust) -> FCMGateway {
    FCMGateway(endpoint: GatewayEndpoint(host: host, port: port, trust: trust, allowsPrivateAddresses: true))
  }

  /// Names a gateway.
  public init(endpoint: GatewayEndpoint, tokenEndpoint: GatewayEndpoint? = nil) {
    self.endpoint = endpoint
    self.tokenEndpoint = tokenEndpoint
  }

  /// Whether access tokens are fetched from the gateway itself, which is trusted and may have a private address.
  package func isEndpoint(of uri: FCMTokenURI) -> Bool { uri.host == endpoint.host && uri.port == endpoint.port }

  /// Where access tokens are fetched.
  func tokenEndpoint(for uri: FCMTokenURI) -> GatewayEndpoint {
    if let tokenEndpoint { return tokenEndpoint }
    var result = GatewayEndpoint(host: uri.host, port: uri.port)
    result.proxy = endpoint.proxy
    if isEndpoint(of: uri) {
      result.trust = endpoint.trust
      result.allowsPrivateAddresses = endpoint.allowsPrivateAddresses
    }
    return result
  }
}
