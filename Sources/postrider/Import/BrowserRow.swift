import Signing
import WebPush

/// Browsers in a vendor's file.
enum BrowserRow {
  /// A public VAPID key as the server has it, from Base64URL or plain Base64; nil when it is none.
  static func publicKey(_ text: String) -> String? {
    guard text.utf8.count <= 256 else { return nil }
    let plain = text.replacing("+", with: "-").replacing("/", with: "_").utf8.filter { $0 != UInt8(ascii: "=") }
    guard let point = Base64URL.decode(plain[...]), (try? ECPublicKey(point: point)) != nil else { return nil }
    return Base64URL.encode(point)
  }

  /// Whether a row has all of a subscription, each part in its form.
  static func isSubscription(_ device: MappedDevice) -> Bool {
    guard let endpoint = device.token, let p256dh = device.p256dh, let auth = device.auth else { return false }
    return (try? WebPushSubscription(endpoint: endpoint, p256dh: p256dh, auth: auth)) != nil
  }
}
