internal import Basics
internal import PushContracts
internal import PushPayload
internal import PushRules

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

  /// Those that virtual devices receive pushes from.
  static let withDevices: [EmulatedProvider] = [.apns, .fcm, .web, .hms]
  var hasDevices: Bool { Self.withDevices.contains(self) }

  /// What is declared of a service.
  struct Row: Sendable {
    /// The member of a report that names a push.
    var pushMember = "push"
    /// Whether tokens are hexadecimal, so that letter case does not matter.
    var hasHexadecimalTokens = false
    /// What it says when it ends an idle connection.
    var idleWords = "session_timeout"
    /// What tokens look like, for who gives another one.
    var tokenForm = "expected letters, digits, -_:"
    /// Whether its devices are browsers with subscriptions.
    var hasBrowsers = false
    /// What a device that is no browser is.
    var phone = Platform.android
    /// What its devices may be, by name, and the push service that it reaches them over, if it is another's.
    var platforms: [String: FCMCarrier?] = [:]
    /// Whether its phones show Live Activities, each with a token of its own.
    var hasLiveActivities = false
    /// Whether a client certificate replaces tokens.
    var takesCertificates = false
    /// The setting of its port.
    let port: any KeyPath<EmulatorConfiguration, UInt16> & Sendable
    /// Whether a text can be a device's token.
    let isToken: @Sendable (String) -> Bool
    /// Makes up a token of the usual length.
    var makeToken: @Sendable (inout EmulatorRandom) -> String = { random in (0..<4).map { _ in random.hex() }.joined() }
  }

  /// The services, one row each.
  private var declared: Row {
    switch self {
    case .apns:
      Row(
        pushMember: "apns_id", hasHexadecimalTokens: true, idleWords: #"{"reason":"IdleTimeout"}"#,
        tokenForm: "expected hexadecimal bytes", phone: .ios, hasLiveActivities: true, takesCertificates: true,
        port: \.apnsPort
      ) { token in
        (2...FCMNames.tokenBytesMax).contains(token.utf8.count) && token.utf8.count % 2 == 0
          && token.utf8.allSatisfy { Hex.value($0) != nil }
      }
    case .fcm, .oauth:
      Row(
        pushMember: "message_name", platforms: ["android": nil, "ios": .ios, "web": .web], port: \.fcmPort,
        isToken: { FCMNames.isToken($0) }, makeToken: EmulatedProvider.registrationToken)
    case .hms, .hmsOAuth:
      Row(
        pushMember: "request_id", tokenForm: "expected letters, digits and marks, and no colon", port: \.hmsPort,
        isToken: { (try? DeviceToken($0, kind: .hms)) != nil }, makeToken: { EmulatedProvider.letters(130, &$0) })
    case .web:
      Row(
        tokenForm: "expected 1 to \(VirtualBrowser.tokenBytesMax) letters, digits, -_", hasBrowsers: true,
        port: \.webPort
      ) { VirtualBrowser.isToken($0.utf8) }
    }
  }

  /// Made once: every push is found by the form of its token.
  private static let rows = allCases.map(\.declared)
  var row: Row { Self.rows[index] }

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

  /// FCM's 22 characters, a colon and 140 more.
  @Sendable private static func registrationToken(_ random: inout EmulatorRandom) -> String {
    letters(22, &random) + ":" + letters(140, &random)
  }

  private static func letters(_ count: Int, _ random: inout EmulatorRandom) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    return String(decoding: (0..<count).map { _ in alphabet[Int(random.next() & 63)] }, as: UTF8.self)
  }
}

/// Which of Apple's two gateways is emulated.
public enum APNsEnvironment: String, Sendable, Hashable, CaseIterable {
  /// `api.sandbox.push.apple.com`: answers carry `apns-unique-id`.
  case development
  /// `api.push.apple.com`.
  case production
}
