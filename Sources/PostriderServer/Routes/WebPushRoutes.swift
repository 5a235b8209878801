internal import HTTPServer
internal import PushPayload
internal import StoreModel
internal import WireJSON

/// `/v1/apps/{app}/web-push`: the key that pages subscribe with, and its rotation.
enum WebPushRoutes {
  static let routes: [Route] = [
    Route(
      .get("/v1/apps/{app}/web-push", .scopes([.client, .send, .read])), name: "getWebPush",
      about: "Shows the public key that a page passes to pushManager.subscribe as applicationServerKey.",
      answers: [Route.Answer(status: 200, about: "The key.", schema: .named("WebPush"))],
      action: .now { call, service throws(Problem) in
        let entry = try service.app(call)
        guard let web = entry.web else { throw missing(entry) }
        return Reply(
          200,
          [
            "public_key": .string(web.publicKey), "earlier_keys": .array(web.earlierKeys.map { .string($0) }),
          ])
      }),
    Route(
      .post("/v1/apps/{app}/web-push/rotate", .scopes([])), name: "rotateWebPushKey",
      about:
        "Makes a new VAPID key for new subscriptions; the earlier ones keep serving the subscriptions made for them.",
      answers: [Route.Answer(status: 200, about: "The new key.", schema: .named("WebPush"))], action: .long(rotate)),
  ]

  static let schema = Schema.object(
    [
      .required("public_key", WebPushSetting.publicKey), .required("earlier_keys", WebPushSetting.earlierKeys),
      .optional("report", .named("Report")),
    ], "The public keys of an app for browsers.")

  private static func missing(_ entry: AppEntry) -> Problem {
    Problem(
      .notFound,
      "the app \"\(entry.app.name)\" has no web credential; PUT /v1/apps/\(entry.app.name)/credentials with"
        + " {\"web\": {\"subject\": \"mailto:…\"}} makes its key")
  }

  @Sendable private static func rotate(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let entry = try service.app(call)
    guard entry.credentials[.web] != nil else { throw missing(entry) }
    try await CredentialRoutes.rotateWebKey(of: entry, service: service, now: call.now)
    guard let web = try service.apps.app(named: entry.app.name, now: call.now).web else { throw missing(entry) }
    service.log(.info, "web push key rotated", ["app": .text(entry.app.name), "public_key": .text(web.publicKey)])
    return Reply(
      200, ["public_key": .string(web.publicKey), "earlier_keys": .array(web.earlierKeys.map { .string($0) })])
  }
}
