import WebPush

/// Browsers in a vendor's file.
enum BrowserRow {
  /// A public VAPID key as the server has it, from Base64URL or plain Base64; nil when it is none.
  static func publicKey(_ text: String) -> String? { VAPIDKey.publicText(text) }

  /// Whether a row has all of a subscription, each part in its form.
  static func isSubscription(_ device: MappedDevice) -> Bool {
    guard let endpoint = device.token, let p256dh = device.p256dh, let auth = device.auth else { return false }
    return (try? WebPushSubscription(endpoint: endpoint, p256dh: p256dh, auth: auth)) != nil
  }
}
