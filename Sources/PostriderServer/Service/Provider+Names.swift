internal import PushRules
internal import PushStore

/// What the API knows of a provider.
extension Provider {
  private struct Names {
    /// Where its answers are explained: those to devices first.
    let services: [Explanation.Service]
    /// The member of a delivery that holds the provider's name of the message.
    let message: String
    /// Whether a credential is saved with the keys that were saved before it.
    var keepsKeys = false
  }

  private var names: Names {
    switch self {
    case .apns: Names(services: [.apns, .broadcast], message: "apns_id")
    case .fcm: Names(services: [.fcm], message: "message_name")
    case .web: Names(services: [.webPush], message: "location", keepsKeys: true)
    case .hms: Names(services: [.huawei], message: "request_id")
    }
  }

  /// Where its answers are explained: those to devices first.
  var services: [Explanation.Service] { names.services }

  /// The member of a delivery that holds the provider's name of the message.
  var nameMember: String { names.message }

  /// Whether a credential is saved with the keys that were saved before it: browsers stay subscribed to the old ones.
  var keepsKeys: Bool { names.keepsKeys }
}
