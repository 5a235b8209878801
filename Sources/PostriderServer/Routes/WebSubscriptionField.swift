internal import PushPayload
internal import Signing
internal import StoreModel
internal import WebPush
internal import WireJSON

/// A browser's subscription in requests: `endpoint`, `p256dh` and `auth`, as `PushSubscription.toJSON()` has them, or all
/// of it in `token`, as answers and exports have it.
enum WebSubscriptionField {
  /// The members beside `token`.
  static let properties: [Schema.Property] = [
    .optional(
      "endpoint",
      .string(
        "With type web, instead of token: the endpoint of the browser's subscription.", max: WebPushEndpoint.bytesMax,
        example: "https://updates.push.services.mozilla.com/wpush/v2/gAAAAA")),
    .optional("p256dh", .string("With endpoint: keys.p256dh of the subscription.", max: 256)),
    .optional("auth", .string("With endpoint: keys.auth of the subscription.", max: 256)),
    .optional(
      "application_server_key",
      .string(
        "With endpoint: the public key that the subscription was made for. Without it the one that the subscription is"
          + " known with, and else the app's current one.", max: 256)),
  ]

  /// The token to store; what is wrong goes into the report, the subscription itself does not.
  static func read(
    _ object: JSONValue, at field: FieldPath, _ entry: AppEntry, _ report: inout Report
  ) -> String {
    guard let given = address(object, at: field, &report) else { return "" }
    let isToken = object["endpoint"] == nil
    func fail(_ rule: String, _ member: String, _ message: String) {
      report.add(
        rule: rule, severity: .error, field: field.member(isToken ? "token" : member),
        message: isToken ? "\(member): \(message)" : message)
    }
    do throws(WebPushError) {
      let subscription = try WebPushSubscription(endpoint: given.endpoint, p256dh: given.p256dh, auth: given.auth)
      if subscription.endpoint.namesPrivateAddress, subscription.endpoint.origin != entry.web?.ownOrigin {
        fail(
          "web-endpoint-private", "endpoint",
          "the host is this machine or a private address, where no browser's push service is; one of your own is named in"
            + " the credential: {\"web\": {\"gateway\": {\"host\": …, \"port\": …}}}")
      }
      var address = given
      address.endpoint = subscription.endpoint.url
      address.p256dh = Base64URL.encode(try point(subscription.key))
      address.auth = Base64URL.encode(subscription.auth)
      if let key = given.applicationServerKey {
        address.applicationServerKey = VAPIDKey.publicText(key)
        if address.applicationServerKey == nil {
          fail(
            "web-subscription", "application_server_key",
            "not the Base64URL of a P-256 public key (65 bytes); take the applicationServerKey that the page subscribed with"
          )
        }
      }
      return address.token
    } catch {
      let member = error.field.split(separator: ".").last.map(String.init) ?? "endpoint"
      fail("web-subscription", member, error.message)
      return ""
    }
  }

  private static func point(_ key: ECPublicKey) throws(WebPushError) -> [UInt8] {
    do throws(SigningError) { return try key.point() } catch { throw WebPushError("keys.p256dh", error.message) }
  }

  private static func address(_ object: JSONValue, at field: FieldPath, _ report: inout Report) -> WebAddress? {
    let token = object["token"]?.string
    guard let endpoint = object["endpoint"]?.string else {
      guard let token else {
        report.add(
          rule: Schema.Rule.missing, severity: .error, field: field.member("endpoint"),
          message: "is required with type web: the endpoint, p256dh and auth of the browser's subscription")
        return nil
      }
      if let address = WebAddress(token) { return address }
      report.add(
        rule: "device-token", severity: .error, field: field.member("token"),
        message:
          "expected endpoint, p256dh and auth of a browser's subscription with a space between them; give them as"
          + " members of their own")
      return nil
    }
    for name in ["p256dh", "auth"] where object[name] == nil {
      report.add(
        rule: Schema.Rule.missing, severity: .error, field: field.member(name),
        message: "is required with endpoint: keys.\(name) of the browser's subscription")
    }
    guard let p256dh = object["p256dh"]?.string, let auth = object["auth"]?.string else { return nil }
    if let token, WebAddress.identity(of: token) != endpoint {
      report.add(
        rule: "device-token", severity: .error, field: field.member("token"),
        message: "is of another endpoint than \"endpoint\"; leave one of them out")
      return nil
    }
    return WebAddress(
      endpoint: endpoint, p256dh: p256dh, auth: auth, applicationServerKey: object["application_server_key"]?.string)
  }
}
