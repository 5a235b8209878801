internal import PushRules
internal import PushStore

/// What the API calls what belongs to a provider.
extension Provider {
  /// Where its answers are explained.
  var service: Explanation.Service {
    switch self {
    case .apns: .apns
    case .fcm: .fcm
    case .web: .webPush
    case .hms: .huawei
    }
  }

  /// The member of a delivery that holds the provider's name of the message.
  var nameMember: String {
    switch self {
    case .apns: "apns_id"
    case .fcm: "message_name"
    case .web: "location"
    case .hms: "request_id"
    }
  }
}
