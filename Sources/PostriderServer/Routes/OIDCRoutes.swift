internal import HTTPServer
internal import StoreModel
internal import WireJSON

/// `/session/oidc`: how people sign in with an identity provider (OpenID Connect).
///
/// The provider sends the browser back to a page of the dashboard, which hands over what the address has: nothing of it is in
/// a path or in a log, and refusals are answers like all others.
enum OIDCRoutes {
  static let routes: [Route] = [
    Route(
      .get("/session/oidc", .open), name: "showOIDC",
      about: "Names the identity provider that people sign in with, and of whoever is signed in the identity there.",
      answers: [
        Route.Answer(status: 200, about: "The provider.", schema: provider),
        Route.Answer(status: 204, about: "The server is started without one."),
      ], action: .now(show)),
    Route(
      .post("/session/oidc", .open), name: "beginOIDC",
      about: "Begins a sign-in with the identity provider: sets a cookie, and says where the browser goes.",
      answers: [
        Route.Answer(
          status: 200, about: "Where to go.",
          schema: .object([.required("url", .string("The provider's address.", max: 8_192))]))
      ], traits: .init(repetition: .harmless), action: .write(begin)),
    Route(
      .post("/session/oidc/finish", .open), name: "finishOIDC",
      about:
        "Signs in whom the identity provider sent back: who is linked, or has the verified email; joins who is invited.",
      body: .object([
        .required("state", .string("What the provider sent back.", max: 200)),
        .optional("code", .string("What the provider sent back; an error instead of it is refused.", max: 4_096)),
        .optional("error", .string("What the provider sent back.", max: 200)),
        .optional("iss", .string("What the provider sent back.", max: 2_048)),
      ]),
      answers: [Route.Answer(status: 200, about: "The session; its cookie is set.", schema: .named("Session"))],
      traits: .init(repetition: .harmless), action: .write(finish)),
    Route(
      .delete("/session/oidc", .open), name: "unlinkOIDC",
      about:
        "Removes the identity of the person who is signed in, and ends all their other sessions; not the only means to sign in.",
      answers: [Route.Answer(status: 204, about: "It is removed.")], action: .write(unlink)),
  ]

  private static let provider = Schema.object([
    .required("name", .string("What the sign-in page calls it.", max: OIDCSetting.nameCharactersMax)),
    .required("issuer", .string("What it calls itself.", max: 1_024)),
    .optional(
      "link",
      .object(
        [
          .required("issuer", .string("The provider.", max: 1_024)),
          .required("subject", .string("The person there.", max: OIDCToken.subjectBytesMax)),
          .required("linked_at", .time("Since when.")),
        ], "The identity of the person who is signed in.")),
    .optional("report", .named("Report")),
  ])

  /// Where the provider sends browsers back to.
  static let backPath = "/dashboard/oidc"

  private static func desk(_ service: Service) throws(Problem) -> OIDCDesk {
    guard let desk = service.oidc else {
      throw Problem(.notFound, "the server is started without an identity provider (postrider serve --oidc-issuer)")
    }
    return desk
  }

  // MARK: - Showing and removing

  @Sendable private static func show(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    guard let desk = service.oidc else { return .noContent }
    var object: JSONObject = [
      "name": .string(desk.client.setting.name), "issuer": .string(desk.client.setting.issuer),
    ]
    if let account = try person(call, service) {
      let link = try service.ask { store throws(StoreError) in try store.identityLink(of: account) }
      if let link {
        object["link"] = [
          "issuer": .string(link.identity.issuer), "subject": .string(link.identity.subject),
          "linked_at": .string(TimeText.text(link.linkedAt)),
        ]
      }
    }
    var reply = Reply(200, object, report: call.report)
    reply.headers = [("Cache-Control", "no-store")]
    return reply
  }

  private static func person(_ call: Call, _ service: Service) throws(Problem) -> AccountID? {
    guard let id = SessionCookie.read(call.http.head), let session = try service.sessions.use(id, now: call.now),
      case .account(let account) = session.holder
    else { return nil }
    return account
  }

  @Sendable private static func unlink(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let (account, session) = try OwnAccountRoutes.person(call, service)
    let host = PasskeyCeremony.host(call)
    try await service.change { store throws(StoreError) in
      try store.removeIdentityLink(of: account.id, at: host, keeping: session.hash)
    }
    service.sessions.drop { $0.holder == .account(account.id) && $0.id != session.id }
    await AuditRoutes.keep("unlinkOIDC", "/v1/people/\(account.id)", of: account.id, call, service)
    service.log(.info, "identity unlinked", ["person": .text(account.id.description)])
    return .noContent
  }

  // MARK: - Signing in

  /// Where the provider sends a browser back to: the address that the browser has called the server at.
  ///
  /// Who lies about it is sent nowhere: the provider takes only addresses that were named to it.
  private static func back(_ call: Call) throws(Problem) -> String {
    let host = call.http.headers.first("Host") ?? ""
    let scheme = SessionCookie.isSecure(call.http.head) ? "https" : "http"
    let isPlain = host.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x3A, 0x41...0x5B, 0x5D, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
      default: false
      }
    }
    guard isPlain, (1...255).contains(host.utf8.count) else {
      throw Problem(.badRequest, "the header Host names no host, so that the provider could not send the browser back")
    }
    return "\(scheme)://\(host)\(backPath)"
  }

  @Sendable private static func begin(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    try SessionRoutes.checkOrigin(call)
    let desk = try desk(service)
    let back = try back(call)
    let start = desk.starts.begin(now: call.now)
    let url: String
    do throws(OIDCFault) { url = try await desk.client.address(of: start, back: back, now: call.now) } catch {
      throw refusal(error, call, service)
    }
    var reply = Reply(200, ["url": .string(url)])
    reply.headers = [("Cache-Control", "no-store"), OIDCCookie.header(start.cookie, call.http)]
    return reply
  }

  @Sendable private static func finish(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    try SessionRoutes.checkOrigin(call)
    let desk = try desk(service)
    let subjects = SignInLimit.subjects(call.http.head.peer)
    // Apart from guesses, so that a provider that is away keeps nobody from signing in with a password.
    let exchanges = SignInLimit.exchanges(call.http.head.peer)
    try await service.signIns.begin(exchanges, now: call.now)
    try await service.signIns.begin(subjects, now: call.now)
    let back = try back(call)
    let claims: OIDCToken.Claims
    do throws(OIDCFault) { claims = try await self.claims(desk, call, back: back) } catch {
      // What is the provider's fault is no guess of the browser's; it uses up a state, and is bounded as such.
      if error.kind != .refused { service.signIns.succeeded(subjects) }
      throw refusal(error, call, service)
    }
    let identity = IssuedIdentity(issuer: desk.client.setting.issuer, subject: claims.subject)
    let entry: IdentityEntry
    do throws(Problem) {
      entry = try await service.change { store throws(StoreError) in
        try store.enter(with: identity, email: claims.email, now: call.now)
      }
    } catch {
      service.log(.warning, "sign-in refused", ["request": .text(call.http.id.description)])
      throw error
    }
    service.signIns.succeeded(subjects)
    service.signIns.succeeded(exchanges)
    try await note(entry, call, service)
    var reply = try await SessionRoutes.begin(.account(entry.account), proof: .identity(identity), call, service)
    reply.headers.insert(OIDCCookie.header(nil, call.http), at: 0)
    return reply
  }

  private static func claims(
    _ desk: OIDCDesk, _ call: Call, back: String
  ) async throws(OIDCFault) -> OIDCToken.Claims {
    let start = try await desk.starts.finish(
      cookie: OIDCCookie.read(call.http.head), state: call["state"]?.string ?? "", now: call.now)
    if let error = call["error"]?.string {
      let code = OIDCClient.shown(error).map { " (\($0))" } ?? ""
      throw .refused("\(desk.client.setting.name) did not sign you in\(code)")
    }
    let named = call["iss"]?.string
    // RFC 9207: an answer of another provider would have its code sent to this one.
    let mustBeNamed = try await desk.client.provider(now: call.now).namesItself
    guard named == desk.client.setting.issuer || named == nil && !mustBeNamed else {
      throw .refused("the answer is not of the provider that the sign-in was begun with; sign in again")
    }
    guard let code = call["code"]?.string, !code.isEmpty else {
      throw .refused("\(desk.client.setting.name) sent you back without a code; sign in again")
    }
    return try await desk.client.claims(code: code, start, back: back, now: call.now)
  }

  private static func refusal(_ fault: OIDCFault, _ call: Call, _ service: Service) -> Problem {
    service.log(
      .warning, fault.kind == .refused ? "sign-in refused" : "identity provider not usable",
      ["request": .text(call.http.id.description), "detail": .text(fault.detail)])
    return fault.problem
  }

  /// What has changed of the person is forgotten where it is remembered, and kept in the audit log.
  private static func note(_ entry: IdentityEntry, _ call: Call, _ service: Service) async throws(Problem) {
    guard entry.kind != .known else { return }
    service.accounts.forgetAll()
    if entry.kind == .joined { service.sessions.drop { $0.holder == .account(entry.account) } }
    let act = entry.kind == .joined ? "join" : "linkOIDC"
    await AuditRoutes.keep(act, "/v1/people/\(entry.account)", of: entry.account, call, service)
  }
}

/// The identity provider that the server is started with, and who is on the way to it.
final class OIDCDesk: Sendable {
  let client: OIDCClient
  let starts: OIDCStarts

  init(_ client: OIDCClient, store: any Store, vault: Vault) {
    self.client = client
    starts = OIDCStarts(store: store, vault: vault)
  }
}
