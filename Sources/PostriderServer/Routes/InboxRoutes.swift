internal import HTTPServer
internal import PushPayload
internal import StoreModel
internal import WireJSON

/// `/v1/apps/{app}/users/{user}/inbox`: messages that a user reads in the app, with or without a push.
///
/// A backend leaves them; the app reads them with a key of scope `client` and a token of the user.
enum InboxRoutes {
  private static let path = "/v1/apps/{app}/users/{user}/inbox"
  /// Of what an app's own key may do.
  private static let appTraits = Route.Traits(repetition: .harmless, readsIdentity: true)

  static let routes: [Route] = [
    Route(
      .post(path, .scopes([.send])), name: "leaveInboxMessage",
      about: "Leaves a message in a user's inbox, and announces it with a push when the request has one.", body: body,
      answers: [Route.Answer(status: 201, about: "The message is in the inbox.", schema: .named("InboxMessage"))],
      action: .write(leave)),
    Route(
      .get(path, .scopes([.client, .send, .read])), name: "listInbox",
      about: "Lists a user's messages, newest first, and counts them.",
      query: [Route.Query(name: "unread", schema: .choice(["true", "false"], "Whether to list unread ones only."))]
        + Paging.query,
      answers: [Route.Answer(status: 200, about: "A page of the inbox.", schema: page)], traits: appTraits,
      action: .now(list)),
    Route(
      .patch(path, .scopes([.client, .send])), name: "readInbox",
      about: "Marks the messages of an inbox as read: all, or those up to one.",
      body: .object([
        .required("read", .boolean("true; one message at a time is marked as unread.")),
        .optional("up_to", .string("The id of the newest message that was read; all by default.", max: nameMax)),
      ]),
      answers: [Route.Answer(status: 200, about: "How many were not read before.", schema: marked)], traits: appTraits,
      action: .write(markAll)),
    Route(
      .get(path + "/{message}", .scopes([.client, .send, .read])), name: "getInboxMessage", about: "Shows a message.",
      answers: [Route.Answer(status: 200, about: "The message.", schema: .named("InboxMessage"))], traits: appTraits,
      action: .now(show)),
    Route(
      .patch(path + "/{message}", .scopes([.client, .send])), name: "updateInboxMessage",
      about: "Marks a message as read or unread.",
      body: .object([.required("read", .boolean("Whether it was read."))]),
      answers: [Route.Answer(status: 200, about: "The message.", schema: .named("InboxMessage"))], traits: appTraits,
      action: .write(mark)),
    Route(
      .delete(path + "/{message}", .scopes([.client, .send])), name: "deleteInboxMessage",
      about: "Removes a message from an inbox.",
      answers: [Route.Answer(status: 204, about: "The message is gone.")], traits: appTraits, action: .write(delete)),
  ]

  /// Characters of a message's id.
  static let nameMax = 100
  static let bodyMax = 32_768
  static let summaryMax = 1_000
  static let titleMax = 250
  private static let dataBytesMax = 4_096
  /// Days until a message expires, unless it says otherwise.
  static let days = 90

  private static let body = Schema.object([
    .optional(
      "id",
      .string("Your own id of it, unique in the app: letters, digits, - _ and . only; made if absent.", max: nameMax)),
    .required("title", .string("The line that a list shows.", max: titleMax)),
    .optional("summary", .string("The lines that a list shows below it.", max: summaryMax)),
    .required("body", .string("The whole text.", max: bodyMax)),
    .optional("type", .choice(InboxType.allCases.map(\.name), "What the body is; text by default.")),
    .optional("url", .string("Where it leads.", max: StoreLimits.urlBytesMax)),
    .optional("data", Schema(.map, "More for the app; at most \(dataBytesMax) bytes.")),
    .optional("expires_in_seconds", .integer(1...31_536_000, "When it is removed; after \(days) days by default.")),
    .optional(
      "push", .object(PushRoutes.properties.filter { $0.name != "to" }, "A push to the user's devices, sent with it.")),
  ])
  static let schema = Schema.object(
    [
      .required("id", .string("Its id.", max: nameMax)),
      .required("user", .string("Whose it is.", max: DeviceRoutes.userCharactersMax)),
      .required("title", .string("The line of a list.", max: titleMax)),
      .optional("summary", .string("The lines below it.", max: summaryMax)),
      .required("body", .string("The whole text.", max: bodyMax)),
      .required("type", .choice(InboxType.allCases.map(\.name), "What the body is.")),
      .optional("url", .string("Where it leads.", max: StoreLimits.urlBytesMax)),
      .optional("data", Schema(.map, "More for the app.")), .required("read", .boolean("Whether it was read.")),
      .optional("read_at", .time("When it was first read.")), .required("created_at", .time("When it was left.")),
      .required("expires_at", .time("When it is removed.")),
      .optional("push", .string("The push that was sent with it.", max: 20)), PushNumbers.property(),
      .optional("report", .named("Report")),
    ], "A message in a user's inbox.")
  private static let count = Schema.integer(0...StoreLimits.messagesPerInboxMax, "")
  private static let page = Schema.object([
    .required("messages", .array(of: .named("InboxMessage"), max: Paging.limitMax)),
    .optional("next", .string("The cursor of the next page; absent on the last.", max: 40)),
    .required("total", count), .required("unread", count),
  ])
  private static let marked = Schema.object([.required("marked", count), .optional("report", .named("Report"))])

  // MARK: - Whose inbox

  /// The user in the path.
  ///
  /// An app's own key reads the inbox of the user whose token comes with the request and of nobody else, whatever the app
  /// requires elsewhere: an inbox is private.
  private static func owner(_ call: Call, _ service: Service) throws(Problem) -> (app: App, user: String) {
    let app = try service.app(call).app
    let user = try UserRoutes.name(call)
    let token = call.http.headers.valueBytes(IdentityCheck.header)
    if let token, !(1...IdentityToken.bytesMax).contains(token.count) {
      throw Problem(.badRequest, "\(IdentityCheck.header): expected 1 to \(IdentityToken.bytesMax) bytes")
    }
    if let scopes = call.caller?.scopes, scopes.contains(.client), !scopes.satisfies(.send) {
      let subject = try IdentityCheck.user(ofSession: token, call, app, service)
      guard subject.utf8.elementsEqual(user.utf8) else {
        throw Problem(
          .identityMismatch, "the token is of another user than the inbox; an app reads its own user's inbox only")
      }
    }
    return (app, user)
  }

  private static func message(_ call: Call, _ service: Service) throws(Problem) -> InboxMessage {
    let (app, user) = try owner(call, service)
    let name = call.parameters[2]
    let found = try service.ask { store throws(StoreError) in
      try store.inboxMessage(app: app.id, named: name, now: call.now)
    }
    guard let found, found.user.utf8.elementsEqual(user.utf8) else {
      throw Problem(.notFound, "this user's inbox has no message with that id; it may have expired")
    }
    return found.0
  }

  // MARK: - Reading

  @Sendable private static func list(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    let (app, user) = try owner(call, service)
    let limit = Paging.limit(call)
    let before: InboxMessageID? = try Paging.cursor(call)
    let (rows, counts) = try service.ask { store throws(StoreError) in
      (
        try store.inbox(
          app: app.id, user: user, unreadOnly: call.http.query["unread"] == "true", before: before, limit: limit + 1,
          now: call.now),
        try store.inboxCounts(app: app.id, user: user, now: call.now)
      )
    }
    let numbers = try PushNumbers(rows.lazy.compactMap(\.push), service)
    var object: JSONObject = ["messages": .array(rows.prefix(limit).map { .object(json($0, of: user, numbers)) })]
    if rows.count > limit { object["next"] = .string(rows[limit - 1].id.description) }
    object["total"] = .number(JSONNumber(counts.total))
    object["unread"] = .number(JSONNumber(counts.unread))
    return Reply(200, .object(object))
  }

  @Sendable private static func show(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    let one = try message(call, service)
    let numbers = try PushNumbers([one.push].compactMap { $0 }, service)
    return Reply(200, .object(json(one, of: try UserRoutes.name(call), numbers)))
  }

  /// A message with its user's name, by which erasing them finds the answers that are kept for repeated requests.
  private static func json(_ message: InboxMessage, of user: String, _ numbers: PushNumbers? = nil) -> JSONObject {
    let content = message.content
    var object: JSONObject = [
      "id": .string(message.name), "user": .string(user), "title": .string(content.title),
    ]
    if let summary = content.summary { object["summary"] = .string(summary) }
    object["body"] = .string(content.body)
    object["type"] = .string(content.type.name)
    if let url = content.url { object["url"] = .string(url) }
    if let data = content.data.flatMap({ try? JSON.parse($0) }) { object["data"] = data }
    object["read"] = .bool(message.readAt != nil)
    if let time = message.readAt { object["read_at"] = .string(TimeText.text(time)) }
    object["created_at"] = .string(TimeText.text(message.createdAt))
    object["expires_at"] = .string(TimeText.text(message.expiresAt))
    if let push = message.push {
      object["push"] = .string(push.description)
      if let number = numbers?[push] { object["push_number"] = number }
    }
    return object
  }

  // MARK: - Changing

  @Sendable private static func leave(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let entry = try service.app(call)
    let user = try UserRoutes.name(call)
    var report = call.report
    let content = content(call.body, &report)
    let name = call["id"]?.string ?? CompatID.random()
    if !AppRoutes.isPlainName(name) {
      report.add(
        rule: Schema.Rule.value, severity: .error, field: "id",
        message: "expected letters, digits, - _ and . only, because the id is part of addresses")
    }
    if report.hasErrors { throw Problem(.invalid, report: report) }
    let push = try push(call, entry, user, service, &report)
    let seconds = Int64(call["expires_in_seconds"]?.int ?? days * 86_400)
    let message = NewInboxMessage(
      app: entry.app.id, user: user, name: name, content: content, push: nil,
      expiresAt: call.now.adding(seconds: seconds))
    // Both or neither: a push that announces a message finds it.
    let (left, created) = try await service.change { store throws(StoreError) in
      var new = message
      let created = try push.map { (push) throws(StoreError) in
        try store.wait { store.createPushes([push], now: call.now, completion: $0) }
      }
      new.push = created?.first?.id
      return (try store.addInboxMessage(new, now: call.now), created?.first)
    }
    if let created {
      service.sending.wake()
      var said = Report().naming(created.unreached, ["to"])
      said.warn(of: created, entry)
      report.findings += said.findings.map(ofAudience)
    }
    var reply = Reply(201, json(left, of: user), report: report)
    reply.headers.append(("Location", "\(call.http.head.target.path)/\(name)"))
    return reply
  }

  private static func content(_ body: JSONValue, _ report: inout Report) -> InboxContent {
    let data = body["data"].map { JSON.minified($0) }
    if let data, data.count > dataBytesMax {
      report.add(
        rule: Schema.Rule.value, severity: .error, field: "data",
        message:
          "has \(data.count) bytes as JSON, at most \(dataBytesMax) are kept; keep what is larger where \"url\" leads")
    }
    return InboxContent(
      type: InboxType(name: body["type"]?.string ?? "") ?? .text, title: body["title"]?.string ?? "",
      summary: body["summary"]?.string, body: body["body"]?.string ?? "", url: body["url"]?.string, data: data)
  }

  /// The push that announces a message, composed as one to the user alone.
  private static func push(
    _ call: Call, _ entry: AppEntry, _ user: String, _ service: Service, _ report: inout Report
  ) throws(Problem) -> NewPush? {
    guard var request = call["push"]?.object else { return nil }
    request["to"] = ["users": .array([.string(user)])]
    do throws(Problem) {
      var composer = PushComposer(
        entry: entry, body: try MessageFields.resolve(.object(request), app: entry.app.id, store: service.store),
        now: call.now, store: service.store, rules: service.rules, report: Report())
      let push = try composer.compose(idempotency: nil)
      report.findings += composer.report.findings.map(ofPush)
      return push
    } catch {
      var problem = error
      if problem.kind == .invalid, problem.report.findings.isEmpty {
        problem.report.add(rule: Schema.Rule.value, severity: .error, field: "", message: problem.detail)
      }
      problem.report.findings = report.findings + problem.report.findings.map(ofPush)
      if problem.kind == .invalid { problem.detail = Problem(.invalid, report: problem.report).detail }
      throw problem
    }
  }

  /// A finding about the audience of the push, which the request does not name: it is the user in the path.
  private static func ofAudience(_ finding: Finding) -> Finding {
    var finding = finding
    finding.field = "push"
    return finding
  }

  /// A finding about the push's own request, with the field as the caller has it.
  private static func ofPush(_ finding: Finding) -> Finding {
    var finding = finding
    finding.field = finding.field.isEmpty ? "push" : "push.\(finding.field)"
    return finding
  }

  @Sendable private static func mark(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let one = try message(call, service)
    let isRead = call["read"] == true
    let changed = try await service.change { store throws(StoreError) in
      try store.markInboxMessage(one.id, read: isRead, now: call.now)
    }
    return Reply(200, json(changed, of: try UserRoutes.name(call)), report: call.report)
  }

  @Sendable private static func markAll(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let (app, user) = try owner(call, service)
    let last = try last(call, app, user, service)
    let marked = try await service.change { store throws(StoreError) in
      try store.markInboxRead(app: app.id, user: user, upTo: last, now: call.now)
    }
    return Reply(200, ["marked": .number(JSONNumber(marked))], report: call.report)
  }

  /// The newest message to be marked; nil for all.
  private static func last(
    _ call: Call, _ app: App, _ user: String, _ service: Service
  ) throws(Problem) -> InboxMessageID? {
    guard call["read"] == true else {
      var report = call.report
      report.add(
        rule: Schema.Rule.value, severity: .error, field: "read",
        message: "expected true; PATCH …/inbox/{message} marks one message as unread")
      throw Problem(.invalid, report: report)
    }
    guard let name = call["up_to"]?.string else { return nil }
    let found = try service.ask { store throws(StoreError) in
      try store.inboxMessage(app: app.id, named: name, now: call.now)
    }
    guard let found, found.user.utf8.elementsEqual(user.utf8) else {
      throw Problem(.notFound, "this user's inbox has no message with the id in \"up_to\"; it may have expired")
    }
    return found.0.id
  }

  @Sendable private static func delete(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let one = try message(call, service)
    try await service.change { store throws(StoreError) in try store.deleteInboxMessage(one.id) }
    return .noContent
  }
}
