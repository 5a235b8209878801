internal import APNs
internal import FCM
internal import GatewayPool
internal import HTTP2
internal import PushPayload
internal import StoreModel
internal import WebPush
internal import WireJSON

/// The way out for the connections of a credential: the server's own, none but the network's, or a proxy of the app's.
enum EgressSetting: Sendable, Hashable {
  /// As the server is started: through its proxy where it has one, but for a gateway that the credential names.
  case server
  /// Without a proxy.
  case direct
  /// Through a proxy of the app's own, which a gateway that the credential names is reached through, too.
  case proxy(HTTP2Proxy)

  private static let directText = "direct"

  static let schema = Schema.string(
    "The HTTP proxy on the way out, asked with CONNECT, as HOST:PORT or http://USER:PASSWORD@HOST:PORT; or direct, for none. The"
      + " server's own by default, which does not count for a gateway that is named here.",
    max: HTTP2Proxy.textBytesMax, example: "http://postrider:secret@proxy.example.com:3128")
  /// What is shown of it.
  static let shown = Schema.string(
    "The proxy of the app's own, without user and password; or direct.", max: 300, example: "proxy.example.com:3128")

  /// Reads the member `proxy`, whose shape was checked before; what is wrong with it is reported without its text, which
  /// may have a password.
  init(_ json: JSONValue?, at field: FieldPath, report: inout Report) {
    guard let text = json?.string else {
      self = .server
      return
    }
    guard text != Self.directText else {
      self = .direct
      return
    }
    do throws(HTTP2ProxyError) { self = .proxy(try HTTP2Proxy(text)) } catch {
      report.add(rule: Schema.Rule.value, severity: .error, field: field, message: error.description)
      self = .server
    }
  }

  /// A request in which a proxy that is given as it is shown has the user and the password that are saved with it.
  ///
  /// It is the same host and port, so that nobody learns a password by this who does not have it.
  static func keepingPassword(_ json: JSONValue, saved: Credential?, vault: Vault) -> JSONValue {
    guard let text = json["proxy"]?.string, text != directText, !text.contains("://"), let saved,
      let known = (try? SealedSetting.open(saved, vault))?["proxy"], let whole = known.string,
      (try? HTTP2Proxy(whole))?.description == text, var object = json.object
    else { return json }
    object["proxy"] = known
    return .object(object)
  }

  /// What is shown of it; nil for what the server is started with.
  var summary: JSONValue? {
    switch self {
    case .server: nil
    case .direct: .string(Self.directText)
    case .proxy(let proxy): .string(proxy.description)
    }
  }

  /// The proxy on the way to an endpoint.
  ///
  /// - Parameters:
  ///   - server: the one that the server is started with.
  ///   - isNamed: whether the credential names the endpoint: an emulator, or a relay in the inner network.
  func proxy(_ server: HTTP2Proxy?, isNamed: Bool) -> HTTP2Proxy? {
    switch self {
    case .server: isNamed ? nil : server
    case .direct: nil
    case .proxy(let proxy): proxy
    }
  }
}

// MARK: - What each provider's client gets

extension APNsSetting {
  /// The gateway with the way to it.
  func gateway(through server: HTTP2Proxy?) -> APNsGateway {
    var gateway = gateway
    gateway.endpoint.proxy = egress.proxy(server, isNamed: namesGateway)
    return gateway
  }

  /// The services of broadcasts and channels with the way to them.
  func channels(through server: HTTP2Proxy?) -> APNsBroadcastGateway {
    var channels = channels
    let proxy = egress.proxy(server, isNamed: namesGateway)
    channels.broadcasts.proxy = proxy
    channels.management.proxy = proxy
    return channels
  }
}

extension FCMSetting {
  /// The gateway with the ways to it and to the token endpoint.
  func gateway(through server: HTTP2Proxy?) -> FCMGateway {
    var gateway = gateway
    gateway.endpoint.proxy = egress.proxy(server, isNamed: namesGateway)
    let token = account.tokenURI
    if !gateway.isEndpoint(of: token) {
      var endpoint = GatewayEndpoint(host: token.host, port: token.port)
      endpoint.proxy = egress.proxy(server, isNamed: false)
      gateway.tokenEndpoint = endpoint
    }
    return gateway
  }
}

extension WebPushSetting {
  /// Sets the ways to push services, and to the one that the credential names.
  func apply(through server: HTTP2Proxy?, to configuration: inout WebPushClientConfiguration) {
    configuration.proxy = egress.proxy(server, isNamed: false)
    configuration.ownService = ownService
    configuration.ownService?.proxy = egress.proxy(server, isNamed: true)
  }
}
