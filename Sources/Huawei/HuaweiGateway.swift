internal import FCM
public import GatewayPool
internal import HTTP2
public import TLS

/// The Push Kit server that a client connects to, and the endpoint of its access tokens.
public struct HuaweiGateway: Sendable {
  /// The far end of the connections that carry messages.
  public var endpoint: GatewayEndpoint
  /// The far end of the connections to the token endpoint.
  public var tokenEndpoint: GatewayEndpoint

  /// The path of the token endpoint.
  static let tokenPath = "/oauth2/v3/token"

  /// Huawei's gateway.
  public static let production = HuaweiGateway(
    endpoint: GatewayEndpoint(host: "push-api.cloud.huawei.com", port: 443),
    tokenEndpoint: GatewayEndpoint(host: "oauth-login.cloud.huawei.com", port: 443))

  /// A gateway named by the user: an emulator, a test server, a relay.
  ///
  /// It takes messages and hands out access tokens. It may have a loopback or a private address.
  ///
  /// - Parameters:
  ///   - host: a name, or an IPv4 or IPv6 address.
  ///   - port: its port.
  ///   - trust: the certificate authorities that may have issued its certificate.
  public static func custom(host: String, port: UInt16, trust: TLSTrust) -> HuaweiGateway {
    let endpoint = GatewayEndpoint(host: host, port: port, trust: trust, allowsPrivateAddresses: true)
    return HuaweiGateway(endpoint: endpoint, tokenEndpoint: endpoint)
  }

  /// Where access tokens are fetched.
  func tokenURI() throws(HuaweiCredentialError) -> FCMTokenURI {
    do throws(FCMCredentialError) {
      return try FCMTokenURI("https://\(tokenEndpoint.authority)\(HuaweiGateway.tokenPath)")
    } catch {
      throw HuaweiCredentialError("gateway", "the host makes no address of a token endpoint")
    }
  }
}
