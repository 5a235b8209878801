internal import HTTPServer
internal import PushPayload
internal import Signing
internal import StoreModel
internal import WireJSON

/// `/v1/apps/{app}/identity`: whether devices register with a token that the backend has signed, and the keys for it.
enum IdentityRoutes {
  static let routes: [Route] = [
    Route(
      .get("/v1/apps/{app}/identity", .scopes([.send, .read])), name: "getIdentity",
      about: "Shows whether an app reads identity tokens, and the keys that verify them, without secrets.",
      answers: [Route.Answer(status: 200, about: "The setting and the keys.", schema: .named("Identity"))],
      action: .now { call, service throws(Problem) in
        let app = try service.app(call).app.id
        let identity = try service.ask { store throws(StoreError) in try store.identity(app: app) }
        return Reply(200, .object(json(identity)))
      }),
    Route(
      .put("/v1/apps/{app}/identity", .scopes([])), name: "setIdentity",
      about: "Sets whether an app reads identity tokens, and whether it requires them.",
      body: .object([.required("mode", mode)]),
      answers: [Route.Answer(status: 200, about: "The setting and the keys.", schema: .named("Identity"))],
      action: .write(set)),
    Route(
      .post("/v1/apps/{app}/identity/keys", .scopes([])), name: "createIdentityKey",
      about:
        "Makes a key for identity tokens, or takes the public key of one; the answer is the only time a secret is shown.",
      body: .object([.required("algorithm", algorithm), .optional("public_key", publicKey), .optional("jwk", jwk)]),
      answers: [Route.Answer(status: 201, about: "The key.", schema: .named("IdentityKey"))],
      traits: .init(secrets: [DerivedSecret(member: "secret", text: IdentityKeyMaker.secret)]), action: .write(create)),
    Route(
      .delete("/v1/apps/{app}/identity/keys/{kid}", .scopes([])), name: "deleteIdentityKey",
      about: "Deletes a key; tokens that it has signed are refused from now on.",
      answers: [Route.Answer(status: 204, about: "The key is gone.")], action: .write(delete)),
  ]

  private static let mode = Schema.choice(
    IdentityMode.allCases.map(\.name),
    "off: tokens are not read; optional: a token that is sent must be valid; required: without one, a key of scope client"
      + " speaks for no user.")
  private static let algorithm = Schema.choice(
    IdentityAlgorithm.allCases.map(\.name),
    "How the backend signs: ES256 with a private key, HS256 with a shared secret.")
  private static let publicKey = Schema.string(
    "With ES256: the public key as PEM; without it, the server makes a pair and keeps the public key.", max: 4_096,
    example: "-----BEGIN PUBLIC KEY-----\n…\n-----END PUBLIC KEY-----\n")
  private static let jwk = Schema(.map, "With ES256: the public key as JSON Web Key instead, of P-256, without d.")

  static let keySchema = Schema.object(
    [
      .required("id", .string("The key's id; tokens name it as kid.", max: IdentityToken.keyNameBytesMax)),
      .required("algorithm", algorithm),
      .optional("public_key", .string("The public key of ES256 as PEM.", max: 4_096)),
      .required("created_at", .time("When it was made.")),
      .optional(
        "secret",
        .string(
          "What signs, only in the answer that made it: with HS256 the whole text is the secret; with ES256 the private key"
            + " as PEM, when the server made it.", max: 4_096)),
      .optional("report", .named("Report")),
    ], "A key that verifies identity tokens.")
  static let schema = Schema.object(
    [
      .required("mode", mode),
      .required("keys", .array(of: .named("IdentityKey"), max: StoreLimits.identityKeysPerAppMax, "The keys.")),
      .optional("report", .named("Report")),
    ], "Whether an app reads identity tokens, and the keys that verify them.")

  // MARK: - Work

  @Sendable private static func set(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let app = try service.app(call).app
    let mode = IdentityMode(name: call["mode"]?.string ?? "") ?? .required
    let identity = try await service.change { store throws(StoreError) in
      try store.setIdentityMode(mode, app: app.id, now: call.now)
    }
    service.log(.info, "identity set", ["app": .text(app.name), "mode": .text(mode.name)])
    return Reply(200, json(identity), report: call.report)
  }

  @Sendable private static func create(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let app = try service.app(call).app
    let made = try IdentityKeyMaker(call, service).make(call, app.id, service)
    let key = try await service.change { store throws(StoreError) in
      try store.createIdentityKey(made.key, now: call.now)
    }
    service.log(
      .info, "identity key created",
      ["app": .text(app.name), "id": .text(key.name), "algorithm": .text(key.algorithm.name)])
    var object = json(key)
    if let secret = made.secret { object["secret"] = .string(secret) }
    return Reply(201, object, report: call.report)
  }

  @Sendable private static func delete(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let (app, name) = (try service.app(call).app, call.parameters[1])
    let left: AppIdentity
    do throws(StoreError) {
      left = try await service.store.change { store throws(StoreError) in
        try store.deleteIdentityKey(name, app: app.id)
        return try store.identity(app: app.id)
      }
    } catch {
      guard error.code == .notFound else { throw Problem(error) }
      throw Problem(.notFound, "this app has no identity key with that id")
    }
    service.log(.info, "identity key deleted", ["app": .text(app.name), "id": .text(name)])
    if left.keys.isEmpty, left.mode != .off {
      service.log(
        .warning, "no identity key is left",
        ["app": .text(app.name), "detail": .text("every identity token is refused until another key is made")])
    }
    return .noContent
  }

  // MARK: - Parts

  private static func json(_ identity: AppIdentity) -> JSONObject {
    ["mode": .string(identity.mode.name), "keys": .array(identity.keys.map { .object(json($0)) })]
  }

  private static func json(_ key: IdentityKey) -> JSONObject {
    var object: JSONObject = ["id": .string(key.name), "algorithm": .string(key.algorithm.name)]
    if key.algorithm == .es256 { object["public_key"] = .string(String(decoding: key.material, as: UTF8.self)) }
    object["created_at"] = .string(TimeText.text(key.createdAt))
    return object
  }
}
