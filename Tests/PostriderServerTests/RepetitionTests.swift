import Glibc
import HTTPServer
import PostriderServer
import ProviderEmulator
import SQLiteEngine
import TestSupport
import Testing
import WireJSON

@testable import PushStore
@testable import StoreModel

/// A POST that comes again with its `Idempotency-Key` is answered as it was, whatever changed since.
@Suite(.timeLimit(.minutes(5))) struct RepetitionTests {
  /// A request to be repeated.
  struct Row: Sendable, CustomTestStringConvertible {
    let operation: String
    var variant = ""
    /// What the request needs first; its `id` replaces `{id}` in path and undo.
    var before: [Step] = []
    let path: String
    var body: String?
    /// What somebody does after the first request.
    var undo: [Step] = []
    /// Whether the push that is made before has to have ended: what is being sent is not cancelled at once.
    var waitsForEnd = false
    /// Whether it creates a push, which is shown by its id.
    var isPush = false

    var testDescription: String { variant.isEmpty ? operation : "\(operation), \(variant)" }
  }

  /// A request of somebody else.
  struct Step: Sendable {
    let method: String
    let path: String
    var body: String?
    /// Whether another key than the one that makes the request sends it.
    var isByAnother: Bool

    init(_ method: String, _ path: String, _ body: String? = nil, byAnother isByAnother: Bool = false) {
      self.method = method
      self.path = path
      self.body = body
      self.isByAnother = isByAnother
    }
  }

  static let app = "/v1/apps/demo"
  static let pushes = app + "/pushes"
  static let rest = #""template":"t","to":{"segment":"s"},"campaign":"c""#
  static let draft = Step("POST", pushes, #"{\#(rest),"draft":true}"#)
  static let sending = Step("POST", pushes, "{\(rest)}")
  static let later = #"{"send_at":"2026-11-20T13:00:00Z"}"#
  static let repeating = #"{\#(rest),"repeat":{"every":"day","start":"2026-11-21T09:00:00","timezone":"UTC"}}"#
  /// A push of somebody else's that waits for an approval.
  static let awaiting = [
    Step("PATCH", app, #"{"approval":{"above_devices":0}}"#), Step("POST", pushes, "{\(rest)}", byAnother: true),
  ]
  static let hook = #"{"url":"https://example.com/h","types":["event.opened"]}"#

  /// An APNs that makes channels, which takes no pushes that end before they are repeated.
  private static let emulator = Result { try ProviderEmulator(EmulatorConfiguration()) }
  static let emulated: String = {
    guard let emulator = try? emulator.get() else { return "{}" }
    let (keys, ports) = (emulator.credentials, emulator.ports)
    return JSON.minifiedText([
      "apns": [
        "topic": "com.example.app", "key": .string(keys.signingKeyPEM), "key_id": .string(keys.keyID),
        "team_id": .string(keys.teamID),
        "gateway": [
          "host": .string(ports.host), "port": .number(JSONNumber(ports.apns)), "ca": .string(emulator.authorityPEM),
        ],
      ]
    ])
  }()
  static let startToken = Step(
    "POST", app + "/devices",
    #"{"type":"ios-live-activity-start","token":"\#(String(repeating: "cd", count: 40))","user":"lars"}"#)
  static let updateToken = #"{"token":"\#(String(repeating: "ef", count: 40))"}"#
  static let activity =
    #"{"id":"a","to":{"user":"lars"},"attributes_type":"Order","attributes":{},"content_state":{},"#
    + #""alert":{"title":"T","body":"B"}}"#
  static let channels = Step("PUT", app + "/credentials", emulated)

  static let rows: [Row] = [
    Row(
      operation: "createPush", path: pushes, body: "{\(rest)}", undo: [Step("POST", pushes + "/{made}/cancel")],
      isPush: true),
    Row(
      operation: "createPush", variant: "to a user", path: pushes, body: #"{"template":"t","to":{"users":["erika"]}}"#,
      undo: [Step("POST", pushes + "/{made}/cancel")], isPush: true),
    Row(
      operation: "createPush", variant: "draft", path: pushes, body: #"{\#(rest),"draft":true}"#,
      undo: [Step("DELETE", pushes + "/{made}")], isPush: true),
    Row(
      operation: "createPush", variant: "send_at", path: pushes, body: #"{\#(rest),"send_at":"2026-11-20T13:00:00Z"}"#,
      undo: [Step("POST", pushes + "/{made}/send")], isPush: true),
    Row(
      operation: "createPush", variant: "send_at_local", path: pushes,
      body: #"{\#(rest),"send_at_local":"2026-11-20T13:00:00","timezone":"UTC"}"#,
      undo: [Step("POST", pushes + "/{made}/cancel")], isPush: true),
    Row(
      operation: "testPush", path: app + "/test-pushes", body: #"{"template":"t","to":{"user":"erika"}}"#,
      undo: [Step("POST", pushes + "/{made}/cancel")], isPush: true),
    Row(
      operation: "resendPush", before: [sending, Step("POST", pushes + "/{id}/cancel")], path: pushes + "/{id}/resend",
      undo: [Step("POST", pushes + "/{made}/cancel")], isPush: true),
    Row(
      // Users are there with the push: a segment's devices would be only once it is expanded.
      operation: "resendFailed",
      before: [
        Step("POST", pushes, #"{"template":"t","to":{"users":["erika"]},"campaign":"c"}"#),
        Step("POST", pushes + "/{id}/cancel"),
      ],
      path: pushes + "/{id}/resend-failed", body: #"{"states":["cancelled"]}"#,
      undo: [Step("POST", pushes + "/{made}/cancel")], waitsForEnd: true, isPush: true),
    Row(
      operation: "pausePush", before: [sending], path: pushes + "/{id}/pause",
      undo: [Step("POST", pushes + "/{id}/cancel")]),
    Row(
      operation: "resumePush", before: [sending, Step("POST", pushes + "/{id}/pause")], path: pushes + "/{id}/resume",
      undo: [Step("POST", pushes + "/{id}/cancel")]),
    Row(operation: "cancelPush", before: [sending], path: pushes + "/{id}/cancel"),
    Row(
      operation: "sendPush", before: [draft], path: pushes + "/{id}/send",
      undo: [Step("POST", pushes + "/{id}/cancel")]),
    Row(
      operation: "schedulePush", before: [draft], path: pushes + "/{id}/schedule", body: later,
      undo: [Step("POST", pushes + "/{id}/send")]),
    Row(
      operation: "unschedulePush", before: [draft, Step("POST", pushes + "/{id}/schedule", later)],
      path: pushes + "/{id}/unschedule", undo: [Step("DELETE", pushes + "/{id}")]),
    Row(
      operation: "approvePush", before: awaiting, path: pushes + "/{id}/approve", body: "{}",
      undo: [Step("POST", pushes + "/{id}/cancel")]),
    Row(operation: "declinePush", before: awaiting, path: pushes + "/{id}/decline", body: #"{"reason":"no"}"#),
    Row(
      operation: "createSchedule", path: app + "/schedules", body: repeating,
      undo: [Step("DELETE", app + "/schedules/{made}")]),
    Row(
      operation: "pauseSchedule", before: [Step("POST", app + "/schedules", repeating)],
      path: app + "/schedules/{id}/pause", undo: [Step("DELETE", app + "/schedules/{id}")]),
    Row(
      operation: "resumeSchedule",
      before: [Step("POST", app + "/schedules", repeating), Step("POST", app + "/schedules/{id}/pause")],
      path: app + "/schedules/{id}/resume", undo: [Step("POST", app + "/schedules/{id}/pause")]),
    Row(
      operation: "createSegment", path: app + "/segments",
      body:
        #"{"name":"new","filter":{"operator":"AND","conditions":[{"field":"properties.plan","op":"eq","value":"pro"}]}}"#,
      undo: [Step("DELETE", app + "/segments/new")]),
    Row(
      operation: "createWebhook", path: app + "/webhooks", body: hook,
      undo: [Step("PATCH", app + "/webhooks/{made}", #"{"url":"https://example.com/other"}"#)]),
    Row(
      operation: "rotateWebhook", before: [Step("POST", app + "/webhooks", hook)], path: app + "/webhooks/{id}/rotate",
      undo: [Step("POST", app + "/webhooks/{id}/rotate")]),
    Row(
      operation: "replayWebhook", before: [Step("POST", app + "/webhooks", hook)], path: app + "/webhooks/{id}/replay",
      body: "{}", undo: [Step("DELETE", app + "/webhooks/{id}")]),
    Row(
      operation: "createIdentityKey", path: app + "/identity/keys", body: #"{"algorithm":"HS256"}"#,
      undo: [Step("DELETE", app + "/identity/keys/{made}")]),
    Row(
      operation: "createIdentityKey", variant: "a pair", path: app + "/identity/keys", body: #"{"algorithm":"ES256"}"#,
      undo: [Step("DELETE", app + "/identity/keys/{made}")]),
    Row(
      operation: "createKey", path: "/v1/keys", body: #"{"name":"k","scopes":["send"]}"#,
      undo: [Step("DELETE", "/v1/keys/{made}")]),
    Row(
      operation: "rotateKey", before: [Step("POST", "/v1/keys", #"{"name":"k","scopes":["send"]}"#)],
      path: "/v1/keys/{id}/rotate", body: "{}",
      undo: [Step("DELETE", "/v1/keys/{id}"), Step("DELETE", "/v1/keys/{made}")]),
    Row(
      operation: "invitePerson", path: "/v1/people",
      body: #"{"email":"new@example.com","name":"New","roles":["sender"]}"#,
      undo: [Step("DELETE", "/v1/people/{made}")]),
    Row(
      operation: "renewInvitation",
      before: [Step("POST", "/v1/people", #"{"email":"old@example.com","name":"Old","roles":["sender"]}"#)],
      path: "/v1/people/{id}/invitation", body: "{}", undo: [Step("DELETE", "/v1/people/{id}")]),
    Row(
      operation: "createApp", path: "/v1/apps", body: #"{"name":"new","title":"New"}"#,
      undo: [Step("PATCH", "/v1/apps/new", #"{"title":"Other"}"#)]),
    Row(
      operation: "postCredentials", path: app + "/credentials", body: #"{"fcm":null}"#,
      undo: [Step("PUT", app + "/credentials", #"{"apns":null}"#)]),
    Row(
      operation: "resumeHeldOfApp", path: app + "/held/resume", undo: [Step("POST", app + "/held/resume")]),
    Row(operation: "resumeHeld", path: "/v1/held/resume", undo: [Step("POST", "/v1/held/resume")]),
    Row(
      operation: "rotateWebPushKey",
      before: [Step("PUT", app + "/credentials", #"{"web":{"subject":"mailto:ops@example.com"}}"#)],
      path: app + "/web-push/rotate", undo: [Step("POST", app + "/web-push/rotate")]),
    Row(
      operation: "createChannel", before: [channels], path: app + "/channels", body: #"{"name":"c"}"#,
      undo: [Step("PUT", app + "/credentials", emulated), Step("DELETE", app + "/channels/{made}")]),
    Row(
      operation: "createBroadcast", before: [channels, Step("POST", app + "/channels", "{}")],
      path: app + "/channels/{id}/broadcasts", body: #"{"event":"update","content_state":{}}"#, isPush: true),
    Row(
      operation: "leaveInboxMessage", path: app + "/users/erika/inbox", body: #"{"title":"T","body":"B"}"#,
      undo: [Step("DELETE", app + "/users/erika/inbox/{made}")]),
    Row(
      operation: "startActivity", before: [startToken], path: app + "/activities", body: activity,
      undo: [Step("DELETE", app + "/activities/a")], isPush: true),
    Row(
      operation: "updateActivity",
      before: [
        startToken, Step("POST", app + "/activities", activity),
        Step("POST", app + "/activities/a/tokens", updateToken),
      ],
      path: app + "/activities/a/updates", body: #"{"event":"update","content_state":{}}"#,
      undo: [Step("POST", app + "/activities/a/updates", #"{"event":"end"}"#)], isPush: true),
    Row(operation: "resumeApp", path: app + "/resume", undo: [Step("POST", app + "/resume")]),
  ]

  /// POSTs that change nothing, or that have no further effect when they come again.
  static let harmless: Set<String> = [
    "render", "parse", "explain", "preview", "check", "checkPush", "previewPush", "checkCredentials", "countFilter",
    "countAudience",
    "reportEvents", "registerDevice", "reportActivityToken", "signIn", "showInvitation", "join", "beginOIDC",
    "finishOIDC",
    "preparePasskeySignIn", "signInWithPasskey", "preparePasskey", "addPasskey",
  ]

  enum Change: String, Sendable, CaseIterable {
    case nothing, timePasses, templateDeleted, segmentDeleted, credentialsRemoved, userErased, undone, all
  }

  let clock = SteppedClock()
  let fixture: ServerFixture
  /// A second key.
  let another: String

  init() throws {
    fixture = try ServerFixture(clock: clock.clock)
    another = try fixture.key(["send"])
    try furnish("demo")
  }

  /// An app with all that a row needs.
  func furnish(_ name: String) throws {
    let app = "/v1/apps/\(name)"
    func send(_ method: String, _ path: String, _ body: String) throws {
      let answer = try fixture.send(method, path, body)
      #expect(answer.status < 300, "\(method) \(path): \(answer.text)")
    }
    try send("POST", "/v1/apps", #"{"name":"\#(name)","contract":"amba"}"#)
    try send("PUT", app + "/credentials", JSON.minifiedText(try ServerFixture.credentials()))
    try send("PUT", app + "/templates/t", #"{"contract":"amba","message":{"title":"T","body":"B"}}"#)
    try send(
      "POST", app + "/devices",
      #"{"type":"ios","token":"\#(String(repeating: "ab", count: 32))","user":"erika","properties":{"plan":"pro"}}"#)
    try send(
      "POST", app + "/segments",
      #"{"name":"s","filter":{"operator":"AND","conditions":[{"field":"properties.plan","op":"eq","value":"pro"}]}}"#)
  }

  /// A row at work in an app of its own.
  struct Case {
    let row: Row
    /// The app that takes the position of `demo`.
    let app: String
    let key: String
    var id = ""
    var first: ServerFixture.Answer?

    func filled(_ path: String) -> String {
      let path =
        path == RepetitionTests.app || path.hasPrefix(RepetitionTests.app + "/")
        ? "/v1/apps/\(app)" + path.dropFirst(RepetitionTests.app.count) : path
      let made = first?.json["id"]?.string ?? ""
      return path.replacing("{id}", with: id).replacing("{made}", with: made)
    }
  }

  /// Sends a row's request for the first time.
  func begin(_ row: Row, _ number: Int) throws -> Case {
    var one = Case(row: row, app: "demo\(number)", key: "Idempotency-Key: once\(number)")
    try furnish(one.app)
    for step in row.before {
      let answer = try fixture.send(
        step.method, one.filled(step.path), step.body, key: step.isByAnother ? another : .none)
      #expect(answer.status < 300, "\(row): \(answer.text)")
      if one.id.isEmpty { one.id = answer.json["id"]?.string ?? "" }
    }
    if row.waitsForEnd {
      var isOver = false
      for _ in 0..<2_000 where !isOver {
        usleep(10_000)
        isOver = try fixture.send("GET", one.filled(Self.pushes + "/{id}")).json["finished_at"] != nil
      }
      #expect(isOver, "\(row)")
    }
    let first = try fixture.send("POST", one.filled(row.path), row.body, headers: [one.key])
    #expect(first.status < 300, "\(row): \(first.text)")
    #expect(first.headers["idempotent-replayed"] == nil, "\(row)")
    one.first = first
    return one
  }

  /// What somebody does in a row's app; time passes for all together.
  func apply(_ change: Change, to one: Case) throws {
    func send(_ method: String, _ path: String, _ body: String? = nil) throws {
      let answer = try fixture.send(method, one.filled(path), body)
      #expect(answer.status < 300, "\(one.row), \(change), \(method) \(path): \(answer.text)")
    }
    switch change {
    case .nothing, .timePasses: break
    case .templateDeleted: try send("DELETE", Self.app + "/templates/t")
    case .segmentDeleted: try send("DELETE", Self.app + "/segments/s")
    case .credentialsRemoved: try send("PUT", Self.app + "/credentials", #"{"apns":null,"fcm":null}"#)
    case .userErased: try send("DELETE", Self.app + "/users/erika")
    case .undone: for step in one.row.undo { try send(step.method, step.path, step.body) }
    case .all:
      for part: Change in [.undone, .templateDeleted, .segmentDeleted, .credentialsRemoved, .userErased] {
        try apply(part, to: one)
      }
    }
  }

  @Test("A repetition is answered as the first request was", arguments: Change.allCases)
  func isAnsweredAgain(change: Change) throws {
    let cases = try Self.rows.enumerated().map { number, row in try begin(row, number) }
    for one in cases { try apply(change, to: one) }
    if change == .timePasses || change == .all { clock.move(seconds: 7_200) }
    for one in cases { try repeats(one, after: change) }
  }

  private func pushes(_ one: Case) throws -> Int {
    try fixture.send("GET", one.filled(Self.pushes) + "?limit=1000").json["pushes"]?.array?.count ?? 0
  }

  private func repeats(_ one: Case, after change: Change) throws {
    let row = one.row
    let first = try #require(one.first)
    let path = one.filled(row.path)
    let before = try pushes(one)
    let second = try fixture.send("POST", path, row.body, headers: [one.key])
    #expect(second.status == first.status, "\(row): \(second.text)")
    #expect(second.headers["idempotent-replayed"] == "true", "\(row)")
    #expect(second.headers["location"] == first.headers["location"] || second.json["replayed"] == true, "\(row)")
    if row.isPush {
      #expect(second.json["id"] == first.json["id"], "\(row)")
      #expect(second.json["replayed"] == true, "\(row)")
    } else if row.path.hasPrefix("/v1/people"), change == .undone || change == .all {
      // Who was removed is named by no email any more.
      var object = first.json.object
      #expect(object?["email"] != nil)
      object?["email"] = nil
      #expect(second.json.object == object, "\(row)")
    } else if second.json["replayed"] == first.json["replayed"] {
      #expect(second.text == first.text, "\(row)")
    } else {
      // What the first answer said of the user was erased with the user.
      #expect(change == .userErased || change == .all, "\(row)")
    }
    #expect(try pushes(one) == before, "\(row)")

    let other = try fixture.send("POST", path, (row.body ?? "") + " ", headers: [one.key])
    #expect(other.status == 422, "\(row): \(other.text)")
    #expect(other.json["type"] == "urn:postrider:problem:idempotency-mismatch", "\(row)")
  }

  @Test("Every POST of the API is in the table, or is harmless") func isComplete() throws {
    let document = try fixture.send("GET", "/openapi.json").json
    var operations: Set<String> = []
    for (_, item) in document["paths"]?.object ?? [:] {
      if let name = item["post"]?["operationId"]?.string { operations.insert(name) }
    }
    #expect(operations == Self.harmless.union(Self.rows.map(\.operation)))
  }

  @Test("A request that was refused may be repeated with its key once it is right") func refusalsAreNotRemembered()
    throws
  {
    let path = Self.app + "/segments"
    let body =
      #"{"name":"s","filter":{"operator":"AND","conditions":[{"field":"properties.plan","op":"eq","value":"free"}]}}"#
    let key = ["Idempotency-Key: r"]
    #expect(try fixture.send("POST", path, body, headers: key).status == 409)
    #expect(try fixture.send("DELETE", path + "/s").status == 204)
    let answer = try fixture.send("POST", path, body, headers: key)
    #expect(answer.status == 201)
    #expect(answer.headers["idempotent-replayed"] == nil)
  }

  /// Whether the request came before is not known then, and what is known of it may be older than that.
  @Test("A request with a key is not judged while keys cannot be read") func unreadableKeys() throws {
    let bodies = [
      ("/v1/apps/demo/pushes", #"{\#(Self.rest),"send_at":"2026-11-20T13:00:00Z"}"#),
      (
        "/v1/apps/demo/segments",
        #"{"name":"unread","filter":{"operator":"AND","conditions":[{"field":"id","op":"eq","value":"a"}]}}"#
      ),
    ]
    var first: [ServerFixture.Answer] = []
    for (path, body) in bodies {
      first.append(try fixture.send("POST", path, body, headers: ["Idempotency-Key: \(path)"]))
      #expect(first.last?.status ?? 0 < 300, "\(first.last?.text ?? "")")
    }
    clock.move(seconds: 7_200)
    let path = fixture.folder.path + "/data/postrider.sqlite"
    let db = try Connection(path: path, access: .readWrite)
    try db.execute("ALTER TABLE idempotency RENAME TO unread")
    for (path, body) in bodies {
      let answer = try fixture.send("POST", path, body, headers: ["Idempotency-Key: \(path)"])
      #expect(answer.status >= 500, "\(path): \(answer.text)")
    }
    try db.execute("ALTER TABLE unread RENAME TO idempotency")
    for (index, (path, body)) in bodies.enumerated() {
      let answer = try fixture.send("POST", path, body, headers: ["Idempotency-Key: \(path)"])
      #expect(answer.status == first[index].status && answer.json["id"] == first[index].json["id"], "\(answer.text)")
    }
  }

  @Test("A key is looked up only for who may use it") func authenticationComesFirst() throws {
    let key = ["Idempotency-Key: a"]
    let body = #"{"template":"t","to":{"users":["erika"]}}"#
    #expect(try fixture.send("POST", Self.pushes, body, headers: key).status == 202)
    #expect(try fixture.send("POST", Self.pushes, body, key: .some(nil), headers: key).status == 401)
    let reader = try fixture.key(["read"])
    #expect(try fixture.send("POST", Self.pushes, body, key: reader, headers: key).status == 403)
    // Keys belong to the API key that sends them.
    let sender = try fixture.key(["send"])
    let other = try fixture.send("POST", Self.pushes, body, key: sender, headers: key)
    #expect(other.status == 202)
    #expect(other.json["replayed"] == nil)
  }

  @Test("No secret of an answer is stored") func secretsAreNotStored() throws {
    let made = try fixture.send(
      "POST", Self.app + "/webhooks", Self.hook, headers: ["Idempotency-Key: w"])
    let key = try fixture.send(
      "POST", "/v1/keys", #"{"name":"k","scopes":["send"]}"#, headers: ["Idempotency-Key: k"])
    let identity = try fixture.send(
      "POST", Self.app + "/identity/keys", #"{"algorithm":"HS256"}"#, headers: ["Idempotency-Key: i"])
    let pair = try fixture.send(
      "POST", Self.app + "/identity/keys", #"{"algorithm":"ES256"}"#, headers: ["Idempotency-Key: p"])
    // A line of the private key; the last line but one, as all begin alike.
    let line = pair.json["secret"]?.string?.split(separator: "\n").dropLast().last.map(String.init)
    let secrets = [made.json["secret"]?.string, key.json["key"]?.string, identity.json["secret"]?.string, line]
      .compactMap { $0 }
    #expect(secrets.count == 4)
    fixture.server.stop()
    for name in try Files.list(fixture.folder.path + "/data") {
      let text = String(decoding: try Files.read(fixture.folder.path + "/data/" + name), as: UTF8.self)
      for secret in secrets { #expect(!text.contains(secret)) }
    }
  }
}
