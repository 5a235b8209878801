internal import HTTPServer
internal import PushPayload
internal import Signing
internal import StoreModel
internal import WireJSON

/// `/session/…`: what a person does for themselves: joining by an invitation, password, own sessions.
///
/// Each reads the session's cookie or the invitation itself, whatever the person's roles are.
enum OwnAccountRoutes {
  static let routes: [Route] = [
    Route(
      .post("/session/invitation", .open), name: "showInvitation",
      about: "Shows for whom an invitation is; it is not used up.", body: .object([token]),
      answers: [Route.Answer(status: 200, about: "The invitation.", schema: invitation)],
      traits: .init(repetition: .harmless), action: .write(showInvitation)),
    Route(
      .post("/session/join", .open), name: "join",
      about:
        "Uses up an invitation: a password or a passkey replaces what there was, other sessions end, and the person signs in.",
      body: .object([
        token, .optional("password", password), .optional("credential", PasskeyFields.registration),
        .optional("name", .string("How the passkey is called.", max: 100)),
      ]),
      answers: [Route.Answer(status: 200, about: "The session; its cookie is set.", schema: .named("Session"))],
      traits: .init(repetition: .harmless), action: .write(join)),
    Route(
      .put("/session/password", .open), name: "changePassword",
      about: "Changes or sets the password of the person who is signed in, and ends all their other sessions.",
      body: .object([
        .optional(
          "current", .string("The password as it is; left out when there is none yet.", max: PasswordDesk.lengthMax)),
        .required("password", password),
      ]),
      answers: [Route.Answer(status: 204, about: "The password is changed.")], action: .write(changePassword)),
    Route(
      .get("/session/all", .open), name: "listOwnSessions",
      about: "Lists the sessions of whoever is signed in, the one used last first.",
      answers: [
        Route.Answer(
          status: 200, about: "The sessions.",
          schema: .object([
            .required("sessions", .array(of: .named("SessionEntry"), max: SessionRing.sessionsMax))
          ]))
      ], action: .now(list)),
    Route(
      .delete("/session/all", .open), name: "endOtherSessions",
      about: "Ends all sessions of whoever is signed in, except this one.",
      answers: [Route.Answer(status: 204, about: "They are over.")], action: .write(endOthers)),
    Route(
      .delete("/session/all/{session}", .open), name: "endOwnSession",
      about: "Ends a session of whoever is signed in.",
      answers: [Route.Answer(status: 204, about: "It is ended.")], action: .write(endOne)),
  ]

  private static let token = Schema.Property.required(
    "token", .string("What the invitation's link ends with.", max: 100))
  private static let password = Schema.string(
    "The new password.", min: PasswordDesk.lengthMin, max: PasswordDesk.lengthMax)
  private static let invitation = Schema.object([
    .required("name", .string("Who is invited.")),
    .required("email", .string("With what they will sign in.", max: AccountLimits.emailBytesMax)),
    .required("roles", PeopleRoutes.roles),
    .required("expires_at", .time("Until when it can be used.")), .optional("report", .named("Report")),
  ])

  // MARK: - Joining

  static func hash(_ call: Call) -> [UInt8] { SHA256.digest(call["token"]?.string ?? "") }

  /// Who may use the invitation of a request; guessing is slowed down as at the sign-in.
  static func invited(_ call: Call, _ service: Service) async throws(Problem) -> Account {
    let subjects = SignInLimit.subjects(call.http.head.peer)
    try await service.signIns.begin(subjects, now: call.now)
    let found = try service.ask { store throws(StoreError) in
      try store.account(invitedBy: hash(call), now: call.now)
    }
    guard let found else {
      throw Problem(.notFound, "this invitation was used, revoked, or has expired; ask for another one")
    }
    service.signIns.succeeded(subjects)
    return found
  }

  @Sendable private static func showInvitation(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let account = try await invited(call, service)
    var reply = Reply(
      200,
      [
        "name": .string(account.name), "email": .string(account.email ?? ""),
        "roles": PeopleRoutes.roles(of: account, try PeopleRoutes.appNames(service)),
        "expires_at": .string(TimeText.text(account.invitedUntil ?? call.now)),
      ], report: call.report)
    reply.headers = [("Cache-Control", "no-store")]
    return reply
  }

  @Sendable private static func join(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    try SessionRoutes.checkOrigin(call)
    let account = try await invited(call, service)
    let hash = hash(call)
    switch (call["password"]?.string, call["credential"]) {
    case (let text?, nil):
      try check(text, account)
      let password = try await service.passwords.hash(text)
      _ = try await service.change { store throws(StoreError) in
        try store.join(invitedBy: hash, password: password, now: call.now)
      }
      await joined(account, call, service)
      return try await SessionRoutes.begin(.account(account.id), proof: .password(password), call, service)
    case (nil, _?):
      let new = try await PasskeyCeremony.registered(for: account, .invitation(hash), call, service)
      let passkey = try await service.change { store throws(StoreError) in
        try store.join(invitedBy: hash, passkey: new, now: call.now)
      }
      await joined(account, call, service)
      let use = PasskeyUse(passkey, counter: passkey.made.counter, isBackedUp: passkey.made.isBackedUp)
      return try await SessionRoutes.begin(.account(account.id), proof: .passkey(use), call, service)
    default: throw Problem(.invalid, "send either “password” or “credential”")
    }
  }

  private static func joined(_ account: Account, _ call: Call, _ service: Service) async {
    service.accounts.forgetAll()
    service.sessions.drop { $0.holder == .account(account.id) }
    await AuditRoutes.keep("join", "/v1/people/\(account.id)", of: account.id, call, service)
  }

  private static func check(_ password: String, _ account: Account) throws(Problem) {
    guard EmailText.folded(password) != account.email, password != account.name else {
      throw Problem(.invalid, "password: is the email or the name; choose one that nobody can guess")
    }
  }

  // MARK: - The password

  /// Who is signed in.
  static func person(_ call: Call, _ service: Service) throws(Problem) -> (Account, SessionRecord) {
    let session = try SessionAccess.session(call, service)
    guard case .person(let account) = try SessionAccess.holder(of: session, service, now: call.now) else {
      throw Problem(.conflict, "the session is an API key's, which has no password; sign in as a person")
    }
    return (account, session)
  }

  /// Until when a session is proof enough that its owner is there: ten minutes.
  static func freshUntil(_ session: SessionRecord) -> Timestamp { session.startedAt.adding(seconds: 600) }

  @Sendable private static func changePassword(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let (account, session) = try person(call, service)
    let text = call["password"]?.string ?? ""
    try check(text, account)
    let old = try service.ask { store throws(StoreError) in try store.password(of: account.id) }
    if old == nil {
      guard call.now < freshUntil(session) else {
        throw Problem(.forbidden, "you signed in more than ten minutes ago; sign in again, and set the password then")
      }
    } else {
      guard try await service.isPassword(call["current"]?.string ?? "", old, of: account.email, call) else {
        throw Problem(.forbidden, "current: is not the password")
      }
    }
    let new = try await service.passwords.hash(text)
    try await service.change { store throws(StoreError) in
      try store.setPassword(new, replacing: old, of: account.id, keeping: session.hash)
    }
    service.sessions.drop { $0.holder == .account(account.id) && $0.id != session.id }
    await AuditRoutes.keep("changePassword", "/v1/people/\(account.id)", of: account.id, call, service)
    service.log(.info, "password changed", ["person": .text(account.id.description)])
    return .noContent
  }

  // MARK: - Sessions

  @Sendable private static func list(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    let session = try SessionAccess.session(call, service)
    let own = try service.sessions.list(now: call.now).filter { $0.holder == session.holder }
    var reply = Reply(200, ["sessions": .array(try SessionListRoutes.json(own, current: session.id, service))])
    reply.headers = [("Cache-Control", "no-store")]
    return reply
  }

  @Sendable private static func endOthers(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let session = try SessionAccess.session(call, service)
    try await service.sessions.end(now: call.now) { $0.holder == session.holder && $0.id != session.id }
    return .noContent
  }

  @Sendable private static func endOne(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let session = try SessionAccess.session(call, service)
    let id = SessionID(call.parameters[0])
    let ended = try await service.sessions.end(now: call.now) { $0.holder == session.holder && $0.id == id }
    guard ended > 0 else { throw Problem(.notFound, "there is no such session of yours; it may be over") }
    return .noContent
  }
}
