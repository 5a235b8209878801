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
  /// Huawei's Push Kit, with its token endpoint.
  case hms

  /// Those that virtual devices receive pushes from.
  static let withDevices: [EmulatedProvider] = [.apns, .fcm, .web, .hms]

  /// What is declared of a service.
  private struct Row {
    /// The member of a report that names a push.
    var pushMember = "push"
    /// Whether tokens are hexadecimal, so that letter case does not matter.
    var hasHexadecimalTokens = false
    /// What it says when it ends an idle connection.
    var idleWords = "session_timeout"
    /// What tokens look like, for who gives another one.
    var tokenForm = "expected letters, digits, -_:"
    var hasBrowsers = false
  }

  private var row: Row {
    switch self {
    case .apns:
      Row(
        pushMember: "apns_id", hasHexadecimalTokens: true, idleWords: #"{"reason":"IdleTimeout"}"#,
        tokenForm: "expected hexadecimal bytes")
    case .fcm, .oauth: Row(pushMember: "message_name")
    case .hms: Row(pushMember: "request_id", tokenForm: "expected letters, digits and marks, and no colon")
    case .web:
      Row(tokenForm: "expected 1 to \(VirtualBrowser.tokenBytesMax) letters, digits, -_", hasBrowsers: true)
    }
  }

  /// The member of a report that names a push.
  var pushMember: String { row.pushMember }
  /// Whether tokens are hexadecimal, so that letter case does not matter.
  var hasHexadecimalTokens: Bool { row.hasHexadecimalTokens }
  /// What it says when it ends an idle connection.
  var idleWords: String { row.idleWords }
  /// What tokens look like, for who gives another one.
  var tokenForm: String { row.tokenForm }
  /// Whether its devices are browsers with subscriptions.
  var hasBrowsers: Bool { row.hasBrowsers }
}

/// Which of Apple's two gateways is emulated.
public enum APNsEnvironment: String, Sendable, Hashable, CaseIterable {
  /// `api.sandbox.push.apple.com`: answers carry `apns-unique-id`.
  case development
  /// `api.push.apple.com`.
  case production
}
