internal import PushContracts
package import PushPayload
internal import PushRules
internal import StoreModel
internal import WireJSON

extension Provider {
  /// What the API knows of a provider.
  struct Names {
    /// Where its answers are explained: those to devices first.
    let services: [Explanation.Service]
    /// The member of a delivery that holds the provider's name of the message.
    let message: String
  }

  /// The providers, one row each.
  var names: Names {
    switch self {
    case .apns: Names(services: [.apns, .broadcast], message: "apns_id")
    case .fcm: Names(services: [.fcm], message: "message_name")
    case .web: Names(services: [.webPush], message: "location")
    case .hms: Names(services: [.huawei], message: "request_id")
    }
  }
}

extension DeviceKind {
  /// The part of a request to its provider that the device gets, in the form that a preview reads.
  func part(of request: JSONValue) -> JSONValue {
    let message = request["message"] ?? .null
    return switch self {
    case .ios, .iosVoIP, .iosLiveActivity, .iosLiveActivityStart, .iosBroadcast, .android, .androidFID: request
    case .fcmIOS: message["apns"] ?? .null
    case .fcmWeb: BrowserNotification.content(ofFCM: message)
    case .web: request["payload"] ?? .null
    case .hms: HuaweiDevice.android(message)
    }
  }
}

extension DeviceKind {
  /// How an address of the kind is checked.
  package var tokenKind: DeviceToken.Kind {
    switch form {
    case .deviceToken, .channel: .apns
    case .registrationToken, .subscription: .fcm
    case .installationID: .fid
    case .pushToken: .hms
    }
  }
}
