import Glibc
import PostriderServer
import ProviderEmulator
import TestEngines
import TestSupport
import Testing
import WireJSON

/// Several servers on one database, and the providers' emulator.
@Suite(.timeLimit(.minutes(5))) struct ServerNodeTests {
  private static let key = String(repeating: "5a", count: 32)

  private static func node(_ name: String, _ database: TestDatabase)
    -> (inout PostriderServerConfiguration) -> Void
  {
    {
      $0.database = DatabaseServer(url: database.url, node: name)
      $0.sealingKey = key
    }
  }

  @Test("Credentials that are saved at one server are used by another, which goes on when the first stops")
  func newsOfCredentials() throws {
    let database = try TestDatabase(empty: true)
    let test = try EndToEndTests(clock: .system, change: Self.node("a", database))
    let second = try ServerFixture(
      admin: test.fixture.admin, clock: .system, change: Self.node("b", database))
    defer { second.server.stop() }
    // The second knows nothing of this app but what it is told.
    try test.fixture.server.makeApp(name: "late", title: "", contract: "amba")
    try test.fixture.server.setCredentials(app: "late", json: JSON.minified(test.credentials()))
    let device: JSONValue = ["type": "ios", "token": .string(ServerFixture.iosToken)]
    #expect(try second.post("/v1/apps/late/devices", device).status == 201)
    // It hands everything back, and its name is free.
    test.fixture.server.stop()
    #expect(try database.run("SELECT name FROM nodes") == "b\n")
    let answer = try second.send(
      "POST", "/v1/apps/late/pushes", #"{"to":{"all":true},"message":{"title":"Hello","body":"There"}}"#)
    let id = try #require(answer.json["id"]?.string, "\(answer.text)")
    var push = JSONValue.null
    for _ in 0..<3_000 {
      push = try second.send("GET", "/v1/apps/late/pushes/\(id)").json
      if push["finished_at"] != nil { break }
      usleep(10_000)
    }
    #expect(push["state"] == "sent" && push["counts"]?["accepted"] == 1, "\(push)")
    #expect(test.emulator.device(.apns, ServerFixture.iosToken)?.receivedPushes.count == 1)
  }

  @Test("A name is refused that another server has, and is free when that one has stopped")
  func names() throws {
    let database = try TestDatabase(empty: true)
    let first = try ServerFixture(clock: .system, change: Self.node("a", database))
    let folder = try TemporaryFolder()
    let words = StartTests.refusal(folder, Self.node("a", database))
    #expect(words?.contains("another server is running as the node “a”") == true, "\(words ?? "")")
    #expect(words?.contains("--node") == true, "\(words ?? "")")
    first.server.stop()
    #expect(StartTests.refusal(folder, Self.node("a", database)) == nil)
  }

  @Test("A server whose clock differs from the database's says so where it is asked whether it is ready")
  func clocks() throws {
    let database = try TestDatabase(empty: true)
    let fixture = try ServerFixture(change: Self.node("a", database))
    defer { fixture.server.stop() }
    let answer = try fixture.send("GET", "/readyz")
    #expect(answer.status == 503 && answer.text.contains("the clock of the node"), "\(answer.text)")
  }
}
