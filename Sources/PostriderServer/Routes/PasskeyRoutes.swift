internal import HTTPServer
internal import PushPayload
internal import StoreModel
internal import WireJSON

/// `/session/passkey…`: signing in with a passkey, and one's own passkeys.
enum PasskeyRoutes {
  static let routes: [Route] = [
    Route(
      .post("/session/passkey/options", .open), name: "preparePasskeySignIn",
      about: "Gives a browser what it asks for a passkey with; the challenge is good once, for five minutes.",
      answers: [Route.Answer(status: 200, about: "The options.", schema: PasskeyFields.requestOptions)],
      traits: .init(repetition: .harmless), action: .now(prepareSignIn)),
    Route(
      .post("/session/passkey", .open), name: "signInWithPasskey",
      about: "Exchanges what a passkey has signed for a session cookie.",
      body: .object([
        .required("credential", PasskeyFields.assertion),
        .optional(
          "email", .string("The person's email: nobody else's passkey signs in.", max: AccountLimits.emailBytesMax)),
      ]),
      answers: [Route.Answer(status: 200, about: "The session; its cookie is set.", schema: .named("Session"))],
      traits: .init(repetition: .harmless), action: .write(signIn)),
    Route(
      .post("/session/passkeys/options", .open), name: "preparePasskey",
      about: "Gives a browser what it makes a passkey with, for whoever is signed in or for an invitation.",
      body: .object([
        .optional("token", .string("What the invitation's link ends with, instead of a session.", max: 100)),
        .optional(
          "password",
          .string("The person's password, when the session is older than ten minutes.", max: PasswordDesk.lengthMax)),
      ]),
      answers: [Route.Answer(status: 200, about: "The options.", schema: PasskeyFields.creationOptions)],
      traits: .init(repetition: .harmless), action: .write(prepare)),
    Route(
      .post("/session/passkeys", .open), name: "addPasskey", about: "Adds a passkey of the person who is signed in.",
      body: .object([.required("credential", PasskeyFields.registration), .optional("name", name)]),
      answers: [Route.Answer(status: 201, about: "The passkey.", schema: .named("Passkey"))],
      traits: .init(repetition: .harmless), action: .write(add)),
    Route(
      .get("/session/passkeys", .open), name: "listPasskeys",
      about: "Lists the passkeys of the person who is signed in, the oldest first.",
      answers: [
        Route.Answer(
          status: 200, about: "The passkeys.",
          schema: .object([
            .required("passkeys", .array(of: .named("Passkey"), max: PasskeyLimits.passkeysMax)),
            .required("password", .boolean("Whether there is a password to sign in with, too.")),
            .required("fresh_until", .time("Until when a passkey can be added without the password.")),
          ]))
      ], action: .now(list)),
    Route(
      .patch("/session/passkeys/{passkey}", .open), name: "renamePasskey", about: "Gives a passkey another name.",
      body: .object([.required("name", name)]),
      answers: [Route.Answer(status: 200, about: "The passkey.", schema: .named("Passkey"))],
      action: .write(rename)),
    Route(
      .delete("/session/passkeys/{passkey}", .open), name: "removePasskey",
      about: "Removes a passkey and ends all other sessions of the person. The last thing to sign in with remains.",
      answers: [Route.Answer(status: 204, about: "The passkey is removed.")], action: .write(remove)),
  ]

  private static let name = Schema.string("How its owner calls it.", max: 100, example: "Ann's phone")

  // MARK: - Signing in

  @Sendable private static func prepareSignIn(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    let party = try PasskeyCeremony.party(call)
    var reply = Reply(
      200,
      PasskeyFields.request(challenge: service.challenges.make(for: .signIn, party, now: call.now), party))
    reply.headers = [("Cache-Control", "no-store")]
    return reply
  }

  @Sendable private static func signIn(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    try SessionRoutes.checkOrigin(call)
    let subjects = SignInLimit.subjects(
      call.http.head.peer, email: call["email"]?.string.map(EmailText.folded))
    try await service.signIns.begin(subjects, now: call.now)
    let use: PasskeyUse
    do throws(Problem) { use = try await PasskeyCeremony.signedIn(call, service) } catch {
      service.log(.warning, "sign-in refused", ["request": .text(call.http.id.description)])
      throw error
    }
    service.signIns.succeeded(subjects)
    return try await SessionRoutes.begin(.account(use.passkey.account), proof: .passkey(use), call, service)
  }

  // MARK: - Adding

  /// A passkey lets whoever adds it in for good: a session that was left open must not be enough.
  private static func requireFresh(
    _ session: SessionRecord, _ account: Account, _ call: Call, _ service: Service
  ) async throws(Problem) {
    guard let password = call["password"]?.string else {
      guard call.now < OwnAccountRoutes.freshUntil(session) else {
        throw Problem(
          .forbidden, "you signed in more than ten minutes ago; send your password, or sign in again")
      }
      return
    }
    let stored = try service.ask { store throws(StoreError) in try store.password(of: account.id) }
    guard try await service.isPassword(password, stored, of: account.email, call) else {
      throw Problem(.forbidden, "password: is not the password")
    }
  }

  @Sendable private static func prepare(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    if call["token"] != nil {
      let account = try await OwnAccountRoutes.invited(call, service)
      return try PasskeyCeremony.options(
        for: account, .invitation(OwnAccountRoutes.hash(call)), call, service)
    }
    let (account, session) = try OwnAccountRoutes.person(call, service)
    try await requireFresh(session, account, call, service)
    return try PasskeyCeremony.options(for: account, .session(session.hash), call, service)
  }

  @Sendable private static func add(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let (account, session) = try OwnAccountRoutes.person(call, service)
    let new = try await PasskeyCeremony.registered(for: account, .session(session.hash), call, service)
    let passkey = try await service.change { store throws(StoreError) in
      try store.addPasskey(new, to: account.id, now: call.now)
    }
    await AuditRoutes.keep("addPasskey", target(passkey.id), of: account.id, call, service)
    service.log(.info, "passkey added", ["person": .text(account.id.description)])
    return Reply(201, PasskeyFields.json(passkey), report: call.report)
  }

  private static func target(_ id: PasskeyID) -> String { "/session/passkeys/\(id)" }

  // MARK: - One's own

  @Sendable private static func list(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    let (account, session) = try OwnAccountRoutes.person(call, service)
    let passkeys = try service.ask { store throws(StoreError) in try store.passkeys(of: account.id) }
    let password = try service.ask { store throws(StoreError) in try store.password(of: account.id) }
    var reply = Reply(
      200,
      [
        "passkeys": .array(passkeys.map { .object(PasskeyFields.json($0)) }), "password": .bool(password != nil),
        "fresh_until": .string(TimeText.text(OwnAccountRoutes.freshUntil(session))),
      ])
    reply.headers = [("Cache-Control", "no-store")]
    return reply
  }

  private static func id(_ call: Call) throws(Problem) -> PasskeyID {
    guard let id = PasskeyID(call.parameters[0]) else {
      throw Problem(.notFound, "there is no such passkey of yours; GET /session/passkeys lists them")
    }
    return id
  }

  @Sendable private static func rename(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let (account, _) = try OwnAccountRoutes.person(call, service)
    let id = try id(call)
    let name = call["name"]?.string ?? ""
    let passkey = try await service.change { store throws(StoreError) in
      try store.renamePasskey(id, of: account.id, to: name)
    }
    await AuditRoutes.keep("renamePasskey", target(id), of: account.id, call, service)
    return Reply(200, PasskeyFields.json(passkey), report: call.report)
  }

  @Sendable private static func remove(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let (account, session) = try OwnAccountRoutes.person(call, service)
    let id = try id(call)
    let host = PasskeyCeremony.host(call)
    try await service.change { store throws(StoreError) in
      try store.removePasskey(id, of: account.id, at: host, keeping: session.hash)
    }
    service.sessions.drop { $0.holder == .account(account.id) && $0.id != session.id }
    await AuditRoutes.keep("removePasskey", target(id), of: account.id, call, service)
    service.log(.info, "passkey removed", ["person": .text(account.id.description)])
    return .noContent
  }
}
