/// Which of the emulated services is meant.
public enum EmulatedProvider: String, Sendable, Hashable, CaseIterable {
  /// Apple's device push gateway.
  case apns
  /// Google's FCM v1 API.
  case fcm
  /// Google's token endpoint.
  case oauth
  /// A push service for browsers (RFC 8030).
  case web
  /// Huawei's Push Kit.
  case hms
  /// Huawei's token endpoint.
  case hmsOAuth = "hms-oauth"

  /// Those that virtual devices receive pushes from: each has a port of its own.
  package static let withDevices: [EmulatedProvider] = [.apns, .fcm, .web, .hms]
  var hasDevices: Bool { Self.withDevices.contains(self) }

  /// The services; a token endpoint is a part of the one whose port it shares, as their paths differ.
  private var declared: EmulatedService {
    switch self {
    case .apns: .apns
    case .fcm, .oauth: .fcm
    case .web: .webPush
    case .hms, .hmsOAuth: .huawei
    }
  }

  /// Made once: every push is found by the form of its token.
  private static let rows = allCases.map(\.declared)
  var row: EmulatedService { Self.rows[index] }

  /// Its position in `allCases`.
  var index: Int {
    switch self {
    case .apns: 0
    case .fcm: 1
    case .oauth: 2
    case .web: 3
    case .hms: 4
    case .hmsOAuth: 5
    }
  }

  /// The names of those with devices, as a sentence lists them.
  static func names(_ conjunction: String) -> String {
    let names = withDevices.map(\.rawValue)
    return names.dropLast().joined(separator: ", ") + " \(conjunction) " + names[names.count - 1]
  }
}

/// What the services can be set to; a scenario has a section for each.
public struct EmulatedSettings: Sendable {
  /// Settings of the APNs gateway.
  public var apns = APNsGatewaySettings()
  /// Settings of the FCM gateway.
  public var fcm = FCMGatewaySettings()
  /// Settings of the push service for browsers.
  public var web = WebPushGatewaySettings()
  /// Settings of Huawei's Push Kit.
  public var hms = HuaweiGatewaySettings()
}

/// What the services know.
struct EmulatedGateways: Sendable {
  var apns: APNsGateway
  var fcm: FCMGateway
  var oauth: OAuthEndpoint
  var web: WebPushGateway
  var hms: HuaweiGateway

  init(seed: UInt64) {
    apns = APNsGateway(seed: seed)
    fcm = FCMGateway(seed: seed)
    oauth = OAuthEndpoint(seed: seed)
    web = WebPushGateway(seed: seed)
    hms = HuaweiGateway(seed: seed)
  }
}

/// Which of Apple's two gateways is emulated.
public enum APNsEnvironment: String, Sendable, Hashable, CaseIterable {
  /// `api.sandbox.push.apple.com`: answers carry `apns-unique-id`.
  case development
  /// `api.push.apple.com`.
  case production
}
