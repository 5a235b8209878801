import Glibc
import HTTPServer
import PostriderServer
import TestSupport
import Testing
import WireJSON

/// A server that is killed after a request's change and before its answer is stored: the repetition says what was created, and
/// shows the secret that the first answer would have shown.
@Suite(.timeLimit(.minutes(3))) struct LostAnswerTests {
  struct Row: Codable, Sendable, CustomTestStringConvertible {
    let operation: String
    /// `{}` represents the first of the list as it was before.
    let path: String
    let body: String
    /// The member of the list at `path` that holds what was created.
    let list: String
    /// The member by which the API knows it.
    var member = "id"
    /// Where the list is; nil for `path`.
    var shownAt: String?
    /// The member that is shown once.
    var secret: String?
    /// Whether it makes something that the list has then, and does not change its first.
    var creates = true

    var testDescription: String { operation }
  }

  static let rows: [Row] = [
    Row(
      operation: "createApp", path: "/v1/apps", body: #"{"name":"new","title":"New"}"#, list: "apps",
      member: "name"),
    Row(
      operation: "createKey", path: "/v1/keys", body: #"{"name":"new","scopes":["send"]}"#, list: "keys", secret: "key"),
    Row(
      operation: "rotateKey", path: "/v1/keys/{}/rotate", body: "{}", list: "keys", shownAt: "/v1/keys", secret: "key"),
    Row(
      operation: "createWebhook", path: "/v1/apps/demo/webhooks",
      body: #"{"url":"https://example.com/h","types":["event.opened"]}"#, list: "webhooks", secret: "secret"),
    Row(
      operation: "rotateWebhook", path: "/v1/apps/demo/webhooks/{}/rotate", body: "", list: "webhooks",
      shownAt: "/v1/apps/demo/webhooks", secret: "secret", creates: false),
    Row(
      operation: "invitePerson", path: "/v1/people",
      body: #"{"email":"ann@example.com","name":"Ann","roles":["owner"]}"#, list: "people", secret: "invitation"),
    Row(
      operation: "renewInvitation", path: "/v1/people/{}/invitation", body: #"{"expires_in_seconds":86400}"#,
      list: "people", shownAt: "/v1/people", secret: "invitation", creates: false),
    Row(
      operation: "createIdentityKey", path: "/v1/apps/demo/identity/keys", body: #"{"algorithm":"HS256"}"#,
      list: "keys", shownAt: "/v1/apps/demo/identity", secret: "secret"),
    Row(
      operation: "createIdentityKey", path: "/v1/apps/demo/identity/keys", body: #"{"algorithm":"ES256"}"#,
      list: "keys", shownAt: "/v1/apps/demo/identity", secret: "secret"),
    Row(
      operation: "createSegment", path: "/v1/apps/demo/segments",
      body: #"{"name":"new","filter":{"operator":"AND","conditions":[{"field":"type","op":"eq","value":"ios"}]}}"#,
      list: "segments", member: "name"),
    Row(
      operation: "createSchedule", path: "/v1/apps/demo/schedules",
      body: #"{"message":{"title":"T","body":"B"},"to":{"all":true},"#
        + #""repeat":{"every":"day","start":"2026-12-21T09:00:00","timezone":"UTC"}}"#, list: "schedules"),
  ]

  /// Sends the request to a server that dies before it stores the answer.
  static func die(_ row: Row, path: String, folder: String, admin: String) throws {
    var configuration = PostriderServerConfiguration(
      dataFolder: folder + "/data", http: HTTPServerConfiguration(port: 0))
    configuration.clock = WallClock { 1_795_219_200_000 }
    configuration.onUnstoredAnswer = { kill(getpid(), SIGKILL) }
    let server = try PostriderServer(configuration, log: Log(level: .error, clock: configuration.clock) { _ in })
    let client = try HTTPTestClient(port: server.port)
    client.send(
      "POST \(path) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(admin)\r\nIdempotency-Key: once\r\n"
        + "Content-Length: \(row.body.utf8.count)\r\n\r\n\(row.body)")
    _ = try client.readAnswer()
  }

  @Test(arguments: rows) func aRepetitionSaysWhatTheLostAnswerSaid(row: Row) async throws {
    let folder = try TemporaryFolder()
    let first = try ServerFixture(folder: folder)
    _ = try first.makeDemo()
    let webhook: JSONValue = ["url": "https://example.com/first", "types": ["event.opened"]]
    #expect(try first.post("/v1/apps/demo/webhooks", webhook).status == 201)
    let person: JSONValue = ["email": "bob@example.com", "name": "Bob", "roles": ["owner"]]
    #expect(try first.post("/v1/people", person).status == 201)
    let before = try Self.ids(first, row)
    let path = row.path.split(separator: "{}", omittingEmptySubsequences: false).joined(separator: before.first ?? "")
    let admin = first.admin
    first.server.stop()
    let copy = try TemporaryFolder()
    try Files.copyTree(folder.path + "/data", to: copy.path + "/data")
    let undisturbed = try ServerFixture(folder: copy, admin: admin)
    let whole = try undisturbed.send("POST", path, row.body, headers: ["Idempotency-Key: once"])
    undisturbed.server.stop()
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [row = row as Row, path = path as String, folder = folder.path as String, admin = admin as String] in
      try LostAnswerTests.die(row, path: path, folder: folder, admin: admin)
    }
    let again = try ServerFixture(folder: folder, admin: admin)
    let created = Set(try Self.ids(again, row)).subtracting(before)
    #expect(created.count == (row.creates ? 1 : 0), "\(created)")
    let answer = try again.send("POST", path, row.body, headers: ["Idempotency-Key: once"])
    #expect(answer.status == whole.status, "\(answer.text)")
    #expect(answer.headers["idempotent-replayed"] == "true")
    #expect(answer.json["replayed"] == true)
    #expect(answer.json[row.member]?.string == (row.creates ? Array(created) : before).first, "\(answer.text)")
    if let secret = row.secret {
      let shown = try #require(whole.json[secret]?.string)
      #expect(answer.json[secret]?.string == shown, "\(answer.text)")
    }
    #expect(Set(try Self.ids(again, row)) == created.union(before))
    again.server.stop()
  }

  private static func ids(_ fixture: ServerFixture, _ row: Row) throws -> [String] {
    (try fixture.send("GET", row.shownAt ?? row.path).json[row.list]?.array ?? []).compactMap { $0[row.member]?.string }
  }
}
