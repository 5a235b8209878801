internal import HTTPServer
internal import PushPayload
internal import Signing
internal import StoreModel
internal import WireJSON

/// Messages that users read in the app: the push server's inbox, kept in our own.
///
/// The push server sends no push with one; backends that want one send it by `/push/message/send`.
enum PowerAuthInbox {
  static let routes: [Route] =
    PowerAuthRoutes.route(
      [.post], "/inbox/messages", "CreateInboxMessage", "Leaves a message in a user's inbox.", body: body
    ) { c async throws(Problem) in try await create(c) }
    + PowerAuthRoutes.replying(
      [.get], "/inbox/messages/list", "ListInboxMessages", "Lists a user's messages by pages.",
      query: [
        userQuery, Route.Query(name: "applications", schema: .string("The app's id.", max: 255)),
        Route.Query(name: "onlyUnread", schema: .choice(["true", "false"], "Whether to list unread ones only.")),
        Route.Query(name: "page", schema: .integer(0...1_000, "The page, from 0.")),
        Route.Query(
          name: "size", schema: .integer(1...StoreLimits.messagesPerInboxMax, "Messages of a page; 100 by default.")),
      ]
    ) { c throws(Problem) in try list(c) }
    + PowerAuthRoutes.route(
      [.get], "/inbox/messages/count", "CountInboxMessages", "Counts a user's unread messages.",
      query: [userQuery, Route.Query(name: "appId", schema: .string("The app's id.", max: 255))]
    ) { c throws(Problem) in
      try checkApps(c.query["appId"], "appId", c)
      let user = try user(c.query["userId"], "userId")
      let counts = try c.ask { store throws(StoreError) in
        try store.inboxCounts(app: c.app, user: user, now: c.now)
      }
      return ["countUnread": PowerAuthRoutes.number(counts.unread)]
    }
    + PowerAuthRoutes.route(
      [.get], "/inbox/messages/detail", "GetInboxMessage", "Shows a message.",
      query: ["id", "messageId"].map { Route.Query(name: $0, schema: .string("The message's id.", max: 100)) }
    ) { c throws(Problem) in
      json(try message(c.query["id"] ?? c.query["messageId"], c), hasBody: true)
    }
    // The server takes POST with an object, its documentation says PUT with parameters.
    + PowerAuthRoutes.route(
      [.post, .put], "/inbox/messages/read", "ReadInboxMessage", "Marks a message as read.",
      query: ["id", "messageId"].map { Route.Query(name: $0, schema: .string("The message's id.", max: 100)) },
      body: optionalBody(["requestObject": ["inboxId": "ae641389-d37a-4425-bd14-41c29484596f"]])
    ) { c async throws(Problem) in
      let names = ["inboxId", "id", "messageId"]
      var named = c.query["id"] ?? c.query["messageId"]
      if let object = try object(c, known: Set(names)) {
        for name in names where named == nil { named = try object.text(name) }
      }
      let found = try message(named, c)
      let read = try await c.change { store throws(StoreError) in
        try store.markInboxMessage(found.id, read: true, now: c.now)
      }
      return json(read, hasBody: true)
    }
    + PowerAuthRoutes.route(
      [.post, .put], "/inbox/messages/read-all", "ReadAllInboxMessages", "Marks a user's messages as read.",
      query: [userQuery, Route.Query(name: "appId", schema: .string("The app's id.", max: 255))],
      body: optionalBody(["requestObject": ["userId": "123", "appId": "mobile-bank"]])
    ) { c async throws(Problem) in
      let object = try object(c, known: ["userId", "appId"])
      let (app, named) = (try object?.text("appId"), try object?.text("userId"))
      try checkApps(app ?? c.query["appId"], "appId", c)
      let user = try user(named ?? c.query["userId"], "userId")
      _ = try await c.change { store throws(StoreError) in
        try store.markInboxRead(app: c.app, user: user, upTo: nil, now: c.now)
      }
      return nil
    }

  private static let userQuery = Route.Query(name: "userId", schema: .string("The user.", max: 255))
  private static let sizeUsual = 100
  private static let body = Schema(
    .map, "The push server's request.",
    example: [
      "requestObject": [
        "userId": "123", "type": "text", "subject": "Your statement", "summary": "It is ready.",
        "body": "Your statement of October is ready.", "applications": ["mobile-bank"],
      ]
    ])

  private static func optionalBody(_ example: JSONValue) -> Schema {
    Schema(.map, "The push server's request.", example: example)
  }

  /// The envelope's object of a request that may have parameters instead.
  private static func object(_ c: CompatCall, known: Set<String>) throws(Problem) -> CompatObject? {
    c.body.isNull || c.body.object?.isEmpty == true ? nil : try CompatObject(envelope: c.body, known: known)
  }

  // MARK: - Parts of requests

  private static func user(_ text: String?, _ field: String) throws(Problem) -> String {
    guard let text, !text.isEmpty else { throw PowerAuthErrors.violation(field, "is missing") }
    guard text.unicodeScalars.count <= DeviceRoutes.userCharactersMax else {
      throw PowerAuthErrors.violation(field, "expected at most \(DeviceRoutes.userCharactersMax) characters")
    }
    return text
  }

  /// The push server keeps one message for several apps; here each app has its own inboxes.
  private static func checkApps(_ text: String?, _ field: String, _ c: CompatCall) throws(Problem) {
    guard let text, !text.isEmpty else { throw PowerAuthErrors.violation(field, "is missing") }
    guard text.split(separator: ",").allSatisfy({ $0.utf8.elementsEqual(c.appID.utf8) }) else {
      throw PowerAuthErrors.otherApp
    }
  }

  private static func message(_ id: String?, _ c: CompatCall) throws(Problem) -> InboxMessage {
    guard let id, !id.isEmpty else { throw PowerAuthErrors.violation("id", "is missing") }
    let found = try c.ask { store throws(StoreError) in
      try store.inboxMessage(app: c.app, named: id, now: c.now)
    }
    guard let found else { throw PowerAuthErrors.otherMessage }
    return found.0
  }

  // MARK: - Work

  private static func create(_ c: CompatCall) async throws(Problem) -> JSONValue {
    let object = try CompatObject(
      envelope: c.body, known: ["userId", "type", "subject", "summary", "body", "applications", "silent"])
    let user = try user(try object.userID("userId"), object.field("userId"))
    let apps = try object.elements("applications") ?? []
    guard !apps.isEmpty else { throw PowerAuthErrors.violation(object.field("applications"), "is missing") }
    for (index, app) in apps.enumerated() {
      guard let app = app.string else {
        throw PowerAuthErrors.violation(object.field("applications[\(index)]"), "expected a text")
      }
      try checkApps(app, object.field("applications"), c)
    }
    if try object.flag("silent") == false {
      throw PowerAuthErrors.violation(
        object.field("silent"), "expected true or nothing; send the push with /push/message/send")
    }
    var request = JSONObject()
    request["type"] = try object.choice("type", InboxType.allCases.map { ($0.name, .string($0.name)) })
    for (name, theirs) in [("title", "subject"), ("summary", "summary"), ("body", "body")] {
      if let text = try object.text(theirs) { request[name] = .string(text) }
    }
    if let name = c.call.idempotency.map({ name(under: $0, c) }) {
      if let known = try repeated(name, user, request, c) { return json(known, hasBody: true) }
      request["id"] = .string(name)
    }
    do throws(Problem) {
      let id = try await c.run(.leaveInboxMessage, [user], .object(request))["id"]?.string
      return json(try message(id, c), hasBody: true)
    } catch { throw PowerAuthErrors.naming(error, inbox: object) }
  }

  /// The id of the message that is left under a key: the same key again is the same message.
  private static func name(under key: IdempotencyHeader, _ c: CompatCall) -> String {
    let digest = SHA256.digest(key.digest(c.call, purpose: "powerauth inbox"))
    func half(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
    return APNsID(
      high: half(digest[0..<8]) & ~0xF000 | 0x8000, low: half(digest[8..<16]) & (1 << 62 - 1) | 1 << 63
    ).text
  }

  /// The message that was left under a key before; refuses another message under it.
  private static func repeated(
    _ name: String, _ user: String, _ request: JSONObject, _ c: CompatCall
  ) throws(Problem) -> InboxMessage? {
    let found = try c.ask { store throws(StoreError) in
      try store.inboxMessage(app: c.app, named: name, now: c.now)
    }
    guard let (known, owner) = found else { return nil }
    let content = known.content
    let isSame =
      owner.utf8.elementsEqual(user.utf8) && request["title"]?.string == content.title
      && request["summary"]?.string == content.summary && request["body"]?.string == content.body
      && request["type"]?.string ?? InboxType.text.name == content.type.name
    guard isSame else {
      throw Problem(.idempotencyMismatch, "this Idempotency-Key was used with another message; choose another key")
    }
    return known
  }

  private static func list(_ c: CompatCall) throws(Problem) -> Reply {
    try checkApps(c.query["applications"], "applications", c)
    let user = try user(c.query["userId"], "userId")
    let page = c.query["page"].flatMap { Int($0) } ?? 0
    let size = c.query["size"].flatMap { Int($0) } ?? sizeUsual
    // An inbox is short enough to be read to the end of the page.
    let all = try c.ask { store throws(StoreError) in
      try store.inbox(
        app: c.app, user: user, unreadOnly: c.query["onlyUnread"] == "true", before: nil,
        limit: min((page + 1) * size, StoreLimits.messagesPerInboxMax), now: c.now)
    }
    return PowerAuthRoutes.ok(
      .array(all.dropFirst(page * size).map { json($0, hasBody: false) }),
      more: ["page": PowerAuthRoutes.number(page), "size": PowerAuthRoutes.number(size)])
  }

  /// A message as the push server shows it: a list has no bodies.
  private static func json(_ message: InboxMessage, hasBody: Bool) -> JSONValue {
    var object: JSONObject = [
      "id": .string(message.name), "type": .string(message.content.type.name),
      "subject": .string(message.content.title), "summary": .string(message.content.summary ?? ""),
    ]
    if hasBody { object["body"] = .string(message.content.body) }
    object["read"] = .bool(message.readAt != nil)
    object["timestampCreated"] = .string(TimeText.text(message.createdAt))
    return .object(object)
  }
}
