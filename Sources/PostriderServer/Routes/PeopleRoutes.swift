internal import HTTPServer
internal import PushPayload
internal import Signing
internal import StoreModel
internal import WireJSON

/// `/v1/people`: who works with the server, and what they may do.
enum PeopleRoutes {
  static let routes: [Route] = [
    Route(
      .post("/v1/people", .scopes([])), name: "invitePerson",
      about: "Invites somebody; the answer is the only time that the invitation is shown.",
      body: .object([
        .required("email", email), .required("name", .string("The display name.", max: 200, example: "Ann")),
        .required("roles", roles), .optional("expires_in_seconds", lifetime),
      ]),
      answers: [Route.Answer(status: 201, about: "The person, with the invitation.", schema: .named("Person"))],
      traits: .init(secrets: [secret, email(ofStored: "id")]), action: .write(invite)),
    Route(
      .get("/v1/people", .scopes([])), name: "listPeople",
      about: "Lists the people who have an account or are invited.",
      answers: [
        Route.Answer(
          status: 200, about: "The people.",
          schema: .object([
            .required("people", .array(of: .named("Person"), max: Int(AccountLimits.accountsMax)))
          ]))
      ], action: .now(list)),
    Route(
      .get("/v1/people/{person}", .scopes([])), name: "getPerson", about: "Shows a person.",
      answers: [answer],
      action: .now { call, service throws(Problem) in
        Reply(200, .object(json(try person(call, service), try appNames(service), call.now)))
      }),
    Route(
      .patch("/v1/people/{person}", .scopes([])), name: "updatePerson",
      about: "Changes the name or the roles of a person.",
      body: .object([
        .optional("name", .string("The display name.", max: 200)), .optional("roles", roles),
      ]), answers: [answer], action: .write(update)),
    Route(
      .delete("/v1/people/{person}", .scopes([])), name: "removePerson",
      about: "Removes a person with their sessions and keys; what they did keeps their name. The last owner remains.",
      answers: [Route.Answer(status: 204, about: "The person is removed.")], action: .write(remove)),
    Route(
      .post("/v1/people/{person}/invitation", .scopes([])), name: "renewInvitation",
      about: "Invites somebody again, also to choose a new password; the invitation before cannot be used any more.",
      body: .object([.optional("expires_in_seconds", lifetime)]),
      answers: [Route.Answer(status: 201, about: "The person, with the invitation.", schema: .named("Person"))],
      traits: .init(secrets: [secret, email(ofStored: "id")]), action: .write(renew)),
    Route(
      .delete("/v1/people/{person}/invitation", .scopes([])), name: "revokeInvitation",
      about: "Revokes the invitation of a person.",
      answers: [Route.Answer(status: 204, about: "It cannot be used any more.")], action: .write(revoke)),
  ]

  private static let answer = Route.Answer(status: 200, about: "The person.", schema: .named("Person"))
  private static let email = Schema.string(
    "With what they sign in.", min: 3, max: AccountLimits.emailBytesMax, example: "ann@example.com")
  static let roles = Schema.array(
    of: .string(
      "A role (\(AccountRole.allCases.map(\.name).joined(separator: ", "))), behind a colon the app it is for: sender:shop.",
      max: 120, example: "sender:shop"), min: 1, max: AccountLimits.grantsMax,
    "What they may do: one role for each app, or one for the whole server.")
  private static let lifetime = Schema.integer(
    600...2_592_000, "How long the invitation can be used; seven days by default.")
  static let lifetimeSeconds: Int64 = 7 * 86_400
  /// The email is not stored with an answer, which is kept for longer than whom it names: a repetition has it as long as they are
  /// here.
  private static func email(ofStored id: String) -> DerivedSecret {
    DerivedSecret(member: "email") { _, service, stored in
      guard let account = stored[id]?.string.flatMap({ AccountID($0) }) else { return nil }
      return (try? service.store.account(account))??.email
    }
  }
  private static let secret = DerivedSecret(member: "invitation") { call, service, _ in token(call, service) }

  static let schema = Schema.object(
    [
      .required("id", .string("The person's id.", max: 20)),
      .optional("email", email), .required("name", .string("The display name.")),
      .required("roles", roles),
      .required(
        "state",
        .choice(
          ["invited", "expired", "active"], "Whether they have joined, can still join, or the invitation expired.")),
      .required("created_at", .time("When they were invited.")),
      .optional("invited_until", .time("Until when the invitation can be used.")),
      .optional("joined_at", .time("When they first chose a password.")),
      .optional("signed_in_at", .time("When they last signed in.")),
      .optional(
        "invitation",
        .string("Only in the answer that made it: the link is the server's address and /#/join/ with this.", max: 60)),
      .optional("report", .named("Report")),
    ], "Somebody who works with the server.")

  // MARK: - Reading

  /// The roles of a request, with the apps that they name.
  private static func grants(_ call: Call, _ service: Service) throws(Problem) -> [AccountGrant]? {
    guard let texts = call["roles"]?.array?.compactMap(\.string) else { return nil }
    var report = call.report
    var grants: [AccountGrant] = []
    for (index, text) in texts.enumerated() {
      let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
      guard let role = parts.first.flatMap({ AccountRole(name: $0) }) else {
        report.add(
          rule: Schema.Rule.value, severity: .error, field: "roles[\(index)]",
          message:
            "expected one of \(AccountRole.allCases.map(\.name).joined(separator: ", ")), and behind a colon an app")
        continue
      }
      let app = try parts.count > 1 ? service.app(named: parts[1]).id : nil
      grants.append(AccountGrant(app: app, role: role))
    }
    if report.hasErrors { throw Problem(.invalid, report: report) }
    return grants
  }

  private static func person(_ call: Call, _ service: Service) throws(Problem) -> Account {
    let found = try AccountID(call.parameters[0]).map { id throws(Problem) in
      try service.ask { store throws(StoreError) in try store.account(id) }
    }
    guard let account = found ?? nil, account.removedAt == nil else {
      throw Problem(.notFound, "there is no such person; GET /v1/people lists them")
    }
    return account
  }

  /// The token of an invitation: random, or with an idempotency key the same for the same request.
  private static func token(_ call: Call, _ service: Service) -> String {
    guard let key = call.idempotency else { return Base64URL.encode(SecureRandom.bytes(32)) }
    // With the body, so that a key that is used again after it was forgotten gives another person another token.
    let request = Array("invitation:".utf8) + key.digest(call, purpose: call.http.path) + call.http.body
    return Base64URL.encode(HMACSHA256.authenticate(request, key: service.vault.derivation))
  }

  private static func invitation(_ token: String, _ call: Call) -> Invitation {
    let seconds = call["expires_in_seconds"]?.int.map { Int64($0) } ?? lifetimeSeconds
    return Invitation(hash: SHA256.digest(token), until: call.now.adding(seconds: seconds))
  }

  // MARK: - Work

  @Sendable private static func invite(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    guard let email = EmailText.read(call["email"]?.string ?? "") else {
      throw Problem(.invalid, "email: expected an email such as ann@example.com, in ASCII")
    }
    let token = token(call, service)
    let new = NewAccount(
      email: email, name: call["name"]?.string ?? "", grants: try grants(call, service) ?? [],
      invitation: invitation(token, call))
    let account = try await service.change { store throws(StoreError) in
      try store.inviteAccount(new, now: call.now)
    }
    service.log(.info, "person invited", ["person": .text(account.id.description)])
    return try shown(account, token, call, service)
  }

  private static func shown(
    _ account: Account, _ token: String, _ call: Call, _ service: Service
  ) throws(Problem) -> Reply {
    var object = json(account, try appNames(service), call.now)
    object["invitation"] = .string(token)
    return Reply(201, object, report: call.report)
  }

  @Sendable private static func list(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    let accounts = try service.ask { store throws(StoreError) in try store.accounts() }
    let names = try appNames(service)
    let present = accounts.filter { $0.removedAt == nil }
    return Reply(200, ["people": .array(present.map { .object(json($0, names, call.now)) })])
  }

  @Sendable private static func update(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let account = try person(call, service)
    let grants = try grants(call, service)
    let changed = try await service.change { store throws(StoreError) in
      try store.updateAccount(
        account.id, name: call["name"]?.string, grants: grants, unlessLastKeyWith: KeyRoutes.lastScope, now: call.now)
    }
    service.accounts.forgetAll()
    service.keys.forgetAll()
    return Reply(200, json(changed, try appNames(service), call.now), report: call.report)
  }

  @Sendable private static func remove(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let account = try person(call, service)
    try await service.change { store throws(StoreError) in
      try store.removeAccount(account.id, unlessLastKeyWith: KeyRoutes.lastScope, now: call.now)
    }
    service.accounts.forgetAll()
    service.keys.forgetAll()
    service.sessions.drop { $0.holder == .account(account.id) }
    service.log(.info, "person removed", ["person": .text(account.id.description)])
    return .noContent
  }

  @Sendable private static func renew(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let account = try person(call, service)
    let token = token(call, service)
    let invitation = invitation(token, call)
    let changed = try await service.change { store throws(StoreError) in
      try store.setInvitation(invitation, of: account.id)
    }
    return try shown(changed, token, call, service)
  }

  @Sendable private static func revoke(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let account = try person(call, service)
    _ = try await service.change { store throws(StoreError) in try store.setInvitation(nil, of: account.id) }
    return .noContent
  }

  // MARK: - Showing

  static func appNames(_ service: Service) throws(Problem) -> [AppID: String] {
    let apps = try service.ask { store throws(StoreError) in try store.apps() }
    return Dictionary(apps.map { ($0.id, $0.name) }) { first, _ in first }
  }

  /// The roles of a person, as requests give them.
  static func roles(of account: Account, _ names: [AppID: String]) -> JSONValue {
    .array(
      account.grants.map { grant in
        .string(grant.role.name + (grant.app.map { ":" + (names[$0] ?? $0.description) } ?? ""))
      })
  }

  private static func json(_ account: Account, _ names: [AppID: String], _ now: Timestamp) -> JSONObject {
    var object: JSONObject = ["id": .string(account.id.description)]
    if let email = account.email { object["email"] = .string(email) }
    object["name"] = .string(account.name)
    object["roles"] = roles(of: account, names)
    let isOpen = account.invitedUntil.map { now < $0 } ?? false
    object["state"] = .string(account.joinedAt != nil ? "active" : isOpen ? "invited" : "expired")
    object["created_at"] = .string(TimeText.text(account.createdAt))
    for (name, time) in [
      ("invited_until", account.invitedUntil), ("joined_at", account.joinedAt), ("signed_in_at", account.signedInAt),
    ] { if let time { object[name] = .string(TimeText.text(time)) } }
    return object
  }
}
