import Glibc
import HTTPServer
import PostriderServer
import TestSupport
import Testing
import WireJSON

/// A server that is killed after a request's change and before its answer is stored: the repetition says what was created.
@Suite(.timeLimit(.minutes(3))) struct LostAnswerTests {
  struct Row: Codable, Sendable, CustomTestStringConvertible {
    let operation: String
    let path: String
    let body: String
    /// The member of the list at `path` that holds what was created.
    let list: String
    /// The member by which the API knows it.
    var member = "id"
    /// Where the list is; nil for `path`.
    var shownAt: String?

    var testDescription: String { operation }
  }

  static let rows: [Row] = [
    Row(
      operation: "createApp", path: "/v1/apps", body: #"{"name":"new","title":"New"}"#, list: "apps",
      member: "name"),
    Row(operation: "createKey", path: "/v1/keys", body: #"{"name":"new","scopes":["send"]}"#, list: "keys"),
    Row(
      operation: "createWebhook", path: "/v1/apps/demo/webhooks",
      body: #"{"url":"https://example.com/h","types":["event.opened"]}"#, list: "webhooks"),
    Row(
      operation: "createIdentityKey", path: "/v1/apps/demo/identity/keys", body: #"{"algorithm":"HS256"}"#,
      list: "keys",
      shownAt: "/v1/apps/demo/identity"),
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
  static func die(_ row: Row, folder: String, admin: String) throws {
    var configuration = PostriderServerConfiguration(
      dataFolder: folder + "/data", http: HTTPServerConfiguration(port: 0))
    configuration.clock = WallClock { 1_795_219_200_000 }
    configuration.onUnstoredAnswer = { kill(getpid(), SIGKILL) }
    let server = try PostriderServer(configuration, log: Log(level: .error, clock: configuration.clock) { _ in })
    let client = try HTTPTestClient(port: server.port)
    client.send(
      "POST \(row.path) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(admin)\r\nIdempotency-Key: once\r\n"
        + "Content-Length: \(row.body.utf8.count)\r\n\r\n\(row.body)")
    _ = try client.readAnswer()
  }

  @Test(arguments: rows) func aRepetitionNamesWhatWasCreated(row: Row) async throws {
    let folder = try TemporaryFolder()
    let first = try ServerFixture(folder: folder)
    _ = try first.makeDemo()
    let before = try Self.ids(first, row)
    let admin = first.admin
    first.server.stop()
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [row = row as Row, path = folder.path as String, admin = admin as String] in
      try LostAnswerTests.die(row, folder: path, admin: admin)
    }
    let again = try ServerFixture(folder: folder, admin: admin)
    let created = Set(try Self.ids(again, row)).subtracting(before)
    #expect(created.count == 1, "\(created)")
    let answer = try again.send("POST", row.path, row.body, headers: ["Idempotency-Key: once"])
    #expect(answer.status == 201, "\(answer.text)")
    #expect(answer.headers["idempotent-replayed"] == "true")
    #expect(answer.json["replayed"] == true)
    #expect(answer.json[row.member]?.string == created.first, "\(answer.text)")
    #expect(Set(try Self.ids(again, row)) == created.union(before))
    again.server.stop()
  }

  private static func ids(_ fixture: ServerFixture, _ row: Row) throws -> [String] {
    (try fixture.send("GET", row.shownAt ?? row.path).json[row.list]?.array ?? []).compactMap { $0[row.member]?.string }
  }
}
