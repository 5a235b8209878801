internal import HTTPServer
internal import PushPayload
internal import StoreModel
internal import WireJSON

/// `/v1/sessions`: who is signed in, for owners.
enum SessionListRoutes {
  static let routes: [Route] = [
    Route(
      .get("/v1/sessions", .scopes([])), name: "listSessions",
      about: "Lists the signed-in browsers of everybody, the one used last first.",
      answers: [
        Route.Answer(
          status: 200, about: "The sessions.",
          schema: .object([
            .required("sessions", .array(of: .named("SessionEntry"), max: SessionRing.sessionsMax))
          ]))
      ],
      action: .now { call, service throws(Problem) in
        Reply(200, ["sessions": .array(try json(try service.sessions.list(now: call.now), current: nil, service))])
      }),
    Route(
      .delete("/v1/sessions/{session}", .scopes([])), name: "endSession", about: "Ends a session of anybody.",
      answers: [Route.Answer(status: 204, about: "It is ended.")], action: .write(end)),
  ]

  static let schema = Schema.object(
    [
      .required("id", .string("The session's id.", max: 20)),
      .required("holder", .named("Author")),
      .required("started_at", .time("When it began.")),
      .required("used_at", .time("When it was last used.")),
      .required("expires_at", .time("When it expires unless it is used.")),
      .required("from", .string("From which address it began.", min: 0, max: 50)),
      .required("agent", .string("How the browser describes itself.", min: 0, max: 200)),
      .optional("current", .boolean("True for the session of this request.")),
    ], "A signed-in browser.")

  @Sendable private static func end(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let id = SessionID(call.parameters[0])
    guard try await service.sessions.end(now: call.now, where: { $0.id == id }) > 0 else {
      throw Problem(.notFound, "there is no such session; it may be over")
    }
    return .noContent
  }

  static func json(
    _ sessions: [SessionRecord], current: SessionID?, _ service: Service
  ) throws(Problem) -> [JSONValue] {
    let keys = try service.ask { store throws(StoreError) -> [[UInt8]: Author] in
      var keys: [[UInt8]: Author] = [:]
      for session in sessions {
        guard case .key(let hash) = session.holder, keys[hash] == nil else { continue }
        keys[hash] = try store.key(hash: hash).map { .key($0.id) }
      }
      return keys
    }
    let holders = sessions.map { session -> Author? in
      switch session.holder {
      case .key(let hash): keys[hash]
      case .account(let id): .account(id)
      }
    }
    let names = try AuthorText.names(holders, service)
    return zip(sessions, holders).compactMap { session, holder in
      // A session whose key is gone ends with its next request.
      guard let holder else { return nil }
      var object: JSONObject = [
        "id": .string(session.id.description), "holder": AuthorText.json(holder, names),
        "started_at": .string(TimeText.text(session.startedAt)), "used_at": .string(TimeText.text(session.usedAt)),
        "expires_at": .string(TimeText.text(SessionRing.end(of: session))), "from": .string(session.peer),
        "agent": .string(session.agent),
      ]
      if session.id == current { object["current"] = true }
      return .object(object)
    }
  }
}
