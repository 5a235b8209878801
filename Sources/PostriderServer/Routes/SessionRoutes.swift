internal import HTTPServer
internal import PushPayload
internal import Signing
internal import StoreModel
internal import WireJSON

/// `/session`: how a browser signs in to the dashboard, with a person's password or an API key.
enum SessionRoutes {
  static let routes: [Route] = [
    Route(
      .post("/session", .open), name: "signIn",
      about: "Exchanges an email and a password, or an API key, for a session cookie, as the dashboard does.",
      body: .object([
        .optional("key", .string("The API key.", max: 200)),
        .optional("email", .string("The person's email, instead of a key.", max: AccountLimits.emailBytesMax)),
        .optional("password", .string("The person's password.", max: PasswordDesk.lengthMax)),
      ]),
      answers: [Route.Answer(status: 200, about: "The session; its cookie is set.", schema: .named("Session"))],
      traits: .init(repetition: .harmless), action: .write(signIn)),
    Route(
      .get("/session", .open), name: "getSession", about: "Shows the session of the request's cookie.",
      answers: [
        Route.Answer(status: 200, about: "The session.", schema: .named("Session")),
        Route.Answer(status: 204, about: "The request carries no session's cookie."),
      ], action: .now(show)),
    Route(
      .delete("/session", .open), name: "signOut", about: "Ends the session of the request's cookie.",
      answers: [Route.Answer(status: 204, about: "The session is ended; its cookie is removed.")],
      action: .write(signOut)),
  ]

  private static let role = Schema.object(
    [
      .required("role", .choice(AccountRole.allCases.map(\.name), "The role.")),
      .optional("app", .string("The app it is for; all apps and the server unless given.", max: 100)),
      .required("scopes", scopes),
      .required("also", .array(of: .string("An operation."), max: 100, "Operations beyond the scopes.")),
      .required("never", .array(of: .string("An operation."), max: 100, "Operations that are not included.")),
    ], "What a person may do.")
  private static let scopes = Schema.array(of: .choice(Scope.named.map(\.name), "A scope."), max: 4)

  static let schema = Schema.object(
    [
      .required("name", .string("The name of the key or the person.", min: 0, max: 200)),
      .required("scopes", scopes),
      .optional("app", .string("The only app the session is good for.", max: 100)),
      .optional("person", .string("The person's id; without it, the session is a key's.", max: 20)),
      .optional("email", .string("The person's email.", max: AccountLimits.emailBytesMax)),
      .optional("roles", .array(of: role, max: AccountLimits.grantsMax, "What the person may do, by app.")),
      .required("write_token", .string("What writes must carry in X-CSRF-Token.", max: 60)),
      .required("expires_at", .time("When it expires unless it is used.")), .optional("report", .named("Report")),
    ], "A signed-in browser. Its requests carry the cookie, and its writes also the header X-CSRF-Token.")

  // MARK: - Signing in

  /// Whoever may sign in, and what a person has proven.
  private typealias Entrant = (holder: SessionRecord.Holder, proof: SignInProof?)

  @Sendable private static func signIn(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    try checkOrigin(call)
    let entrant: Entrant
    switch (call["key"]?.string, call["email"]?.string, call["password"]?.string) {
    case (let key?, nil, nil): entrant = try await self.entrant(key: key, call, service)
    case (nil, let email?, let password?):
      entrant = try await self.entrant(email: EmailText.folded(email), password: password, call, service)
    default: throw Problem(.invalid, "send either “key”, or “email” and “password”")
    }
    return try await begin(entrant.holder, proof: entrant.proof, call, service)
  }

  static func checkOrigin(_ call: Call) throws(Problem) {
    guard Origin.isOwn(call.http.headers) else {
      throw Problem(.forbidden, "another site's page may not sign in here")
    }
  }

  /// Begins a session, ends the one before, and answers with it.
  static func begin(
    _ holder: SessionRecord.Holder, proof: SignInProof?, _ call: Call, _ service: Service
  ) async throws(Problem) -> Reply {
    let id = try await service.sessions.begin(
      holder, proof: proof, from: SessionRing.Origin(call.http.head), now: call.now)
    if let old = SessionCookie.read(call.http.head) { try await service.sessions.end(old, now: call.now) }
    if case .account(let account) = holder {
      service.accounts.forgetAll()
      service.log(.info, "signed in", ["person": .text(account.description)])
    }
    var reply = try self.reply(id, call, service)
    reply.headers.append(SessionCookie.header(id, call.http))
    return reply
  }

  private static func entrant(key: String, _ call: Call, _ service: Service) async throws(Problem) -> Entrant {
    let subjects = SignInLimit.subjects(call.http.head.peer)
    try await service.signIns.begin(subjects, now: call.now)
    let caller: Caller
    do throws(Problem) { caller = try service.keys.caller(text: Array(key.utf8)[...], now: call.now) } catch {
      if error.kind == .unauthenticated {
        service.log(.warning, "sign-in refused", ["request": .text(call.http.id.description)])
      } else {
        service.signIns.succeeded(subjects)
      }
      throw error
    }
    service.signIns.succeeded(subjects)
    // Keys that only register devices have nothing to view, and they are in the hands of app users.
    guard caller.scopes.satisfies([.send, .read]) else {
      throw Problem(.forbidden, "the dashboard needs a key with one of the scopes admin, send, read")
    }
    service.log(.info, "signed in", ["key": .text(caller.key?.description ?? "")])
    return (.key(caller.hash), nil)
  }

  /// An email that nobody has takes as long as a wrong password, and is refused in the same words.
  private static func entrant(
    email: String, password: String, _ call: Call, _ service: Service
  ) async throws(Problem) -> Entrant {
    let known = try service.ask { store throws(StoreError) in try store.password(ofEmail: email) }
    guard try await service.isPassword(password, known?.password, of: email, call), let known else {
      service.log(.warning, "sign-in refused", ["request": .text(call.http.id.description)])
      throw Problem(.signInRefused, "the email or the password is wrong")
    }
    return (.account(known.account), .password(known.password))
  }

  // MARK: - Showing and ending

  @Sendable private static func show(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    // Not an error: a browser without a session also sends this request.
    guard let id = SessionCookie.read(call.http.head) else { return .noContent }
    return try reply(id, call, service)
  }

  @Sendable private static func signOut(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    if let id = SessionCookie.read(call.http.head) {
      try SessionAccess.checkWrite(id, call.http.headers)
      try await service.sessions.end(id, now: call.now)
    }
    var reply = Reply.noContent
    reply.headers = [SessionCookie.header(nil, call.http)]
    return reply
  }

  private static func reply(_ id: String, _ call: Call, _ service: Service) throws(Problem) -> Reply {
    guard let session = try service.sessions.use(id, now: call.now) else { throw SessionAccess.over }
    var object: JSONObject
    switch try SessionAccess.holder(of: session, service, now: call.now) {
    case .key(let caller): object = try json(caller, service)
    case .person(let account): object = try json(account, service)
    }
    object["write_token"] = .string(SessionRing.writeToken(of: id))
    object["expires_at"] = .string(TimeText.text(SessionRing.end(of: session)))
    var reply = Reply(200, object, report: call.report)
    reply.headers = [("Cache-Control", "no-store")]
    return reply
  }

  private static func json(_ caller: Caller, _ service: Service) throws(Problem) -> JSONObject {
    guard let record = try service.ask({ store throws(StoreError) in try store.key(hash: caller.hash) }) else {
      throw SessionAccess.over
    }
    var object: JSONObject = [
      "name": .string(record.name), "scopes": .array(caller.scopes.names.map { .string($0) }),
    ]
    if let app = try caller.app.map({ id throws(Problem) in
      try service.ask { store throws(StoreError) in try store.app(id) }
    }) {
      object["app"] = app.map { .string($0.name) }
    }
    return object
  }

  /// The scopes are those for the whole server; where there are none, those of the only app, if there is only one.
  private static func json(_ account: Account, _ service: Service) throws(Problem) -> JSONObject {
    let apps = try service.ask { store throws(StoreError) in try store.apps() }
    let names = Dictionary(apps.map { ($0.id, $0.name) }) { first, _ in first }
    var scopes: Scope = []
    let isOfOneApp = account.grants.count == 1 && account.grants[0].app != nil
    for grant in account.grants where grant.app == nil || isOfOneApp { scopes.formUnion(grant.role.rights.scopes) }
    var object: JSONObject = [
      "name": .string(account.name), "scopes": .array(scopes.names.map { .string($0) }),
    ]
    if isOfOneApp, let app = account.grants[0].app { object["app"] = names[app].map { .string($0) } }
    object["person"] = .string(account.id.description)
    if let email = account.email { object["email"] = .string(email) }
    object["roles"] = .array(
      account.grants.map { grant in
        let rights = grant.role.rights
        var role: JSONObject = ["role": .string(grant.role.name)]
        if let app = grant.app { role["app"] = .string(names[app] ?? "") }
        role["scopes"] = .array(rights.scopes.names.map { .string($0) })
        role["also"] = .array(rights.also.sorted().map { .string($0) })
        role["never"] = .array(rights.never.sorted().map { .string($0) })
        return .object(role)
      })
    return object
  }
}
