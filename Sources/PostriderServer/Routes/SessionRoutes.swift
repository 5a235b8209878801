internal import HTTPServer
internal import PushPayload
internal import PushStore
internal import Signing
internal import WireJSON

/// `/session`: how a browser signs in to the dashboard with an API key.
enum SessionRoutes {
  static let routes: [Route] = [
    Route(
      .post("/session", .open), name: "signIn",
      about: "Exchanges an API key for a session cookie, as the dashboard does.",
      body: .object([.required("key", .string("The API key.", max: 200))]),
      answers: [Route.Answer(status: 200, about: "The session; its cookie is set.", schema: .named("Session"))],
      traits: .init(repetition: .harmless), action: .now(signIn)),
    Route(
      .get("/session", .open), name: "getSession", about: "Shows the session of the request's cookie.",
      answers: [
        Route.Answer(status: 200, about: "The session.", schema: .named("Session")),
        Route.Answer(status: 204, about: "The request carries no session's cookie."),
      ], action: .now(show)),
    Route(
      .delete("/session", .open), name: "signOut", about: "Ends the session of the request's cookie.",
      answers: [Route.Answer(status: 204, about: "The session is over; its cookie is removed.")], action: .now(signOut)),
  ]

  static let schema = Schema.object(
    [
      .required("name", .string("The key's name.", min: 0, max: 200)),
      .required("scopes", .array(of: .choice(Scope.named.map(\.name), "A scope."), max: 4)),
      .optional("app", .string("The only app the key is good for.", max: 100)),
      .required("write_token", .string("What writes must carry in X-CSRF-Token.", max: 60)),
      .required("expires_at", .time("When it is over unless it is used.")),
    ], "A signed-in browser. Its requests carry the cookie, and its writes also the header X-CSRF-Token.")

  @Sendable private static func signIn(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    guard Origin.isOwn(call.http.headers) else {
      throw Problem(.forbidden, "another site's page may not sign in here")
    }
    if let seconds = service.signIns.wait(call.http.head.peer, now: call.now) {
      throw Problem(
        .tooMany, "too many failed attempts to sign in; try again in \(seconds) s",
        headers: [("Retry-After", String(seconds))])
    }
    let text = Array((call["key"]?.string ?? "").utf8)
    let caller: Caller
    do throws(Problem) { caller = try service.keys.caller(text: text[...], now: call.now) } catch {
      if error.kind == .unauthenticated {
        service.signIns.failed(call.http.head.peer, now: call.now)
        service.log(.warning, "sign-in refused", ["request": .text(call.http.id.description)])
      }
      throw error
    }
    // Keys that only register devices have nothing to view, and they are in the hands of app users.
    guard caller.scopes.satisfies([.send, .read]) else {
      throw Problem(.forbidden, "the dashboard needs a key with one of the scopes admin, send, read")
    }
    if let old = SessionCookie.read(call.http.head) { service.sessions.end(old) }
    let id = service.sessions.begin(keyHash: caller.hash, now: call.now)
    service.log(.info, "signed in", ["key": .text(caller.id.description)])
    var reply = try self.reply(id, call, service)
    reply.headers.append(SessionCookie.header(id, call.http))
    return reply
  }

  @Sendable private static func show(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    // Not an error: a browser without a session also sends this request.
    guard let id = SessionCookie.read(call.http.head) else { return .noContent }
    return try reply(id, call, service)
  }

  @Sendable private static func signOut(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    if let id = SessionCookie.read(call.http.head) {
      try SessionAccess.checkWrite(id, call.http.headers)
      service.sessions.end(id)
    }
    var reply = Reply.noContent
    reply.headers = [SessionCookie.header(nil, call.http)]
    return reply
  }

  private static func reply(_ id: String, _ call: Call, _ service: Service) throws(Problem) -> Reply {
    guard let session = service.sessions.use(id, now: call.now) else { throw SessionAccess.over }
    let caller = try service.keys.caller(hash: session.keyHash, now: call.now)
    let record = try service.ask { store throws(StoreError) in try store.key(hash: session.keyHash) }
    guard let caller, let record else { throw SessionAccess.over }
    var object: JSONObject = [
      "name": .string(record.name), "scopes": .array(caller.scopes.names.map { .string($0) }),
    ]
    if let app = try caller.app.map({ id throws(Problem) in
      try service.ask { store throws(StoreError) in try store.app(id) }
    }) {
      object["app"] = app.map { .string($0.name) }
    }
    object["write_token"] = .string(SessionRing.writeToken(of: id))
    object["expires_at"] = .string(TimeText.text(SessionRing.end(of: session)))
    var reply = Reply(200, .object(object))
    reply.headers = [("Cache-Control", "no-store")]
    return reply
  }
}
