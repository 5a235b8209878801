import Glibc
import PostriderServer
import ProviderEmulator
import TestEngines
import TestSupport
import Testing
import WireJSON

/// A server that keeps everything in PostgreSQL.
@Suite(.timeLimit(.minutes(5))) struct DatabaseServerTests {
  @Test("A message goes in over HTTP, reaches the devices, and its ledger is in the database")
  func endToEnd() throws {
    let database = try TestDatabase(empty: true)
    let test = try EndToEndTests(clock: .system) { $0.database = DatabaseServer(url: database.url) }
    defer { test.fixture.server.stop() }
    try test.register()
    let push = try test.finished(
      try test.push(#"{"to":{"all":true},"campaign":"c-1","message":{"title":"Hello","body":"There"}}"#))
    #expect(push["state"] == "sent" && push["counts"]?["accepted"] == 2, "\(push)")
    #expect(test.emulator.device(.apns, ServerFixture.iosToken)?.receivedPushes.count == 1)
    #expect(test.emulator.device(.fcm, ServerFixture.androidToken)?.receivedPushes.count == 1)
    #expect(try database.run("SELECT state, accepted FROM pushes") == "6|2\n")
    #expect(try database.run("SELECT count(*) FROM deliveries WHERE state = 5") == "2\n")
    #expect(try test.fixture.send("GET", "/readyz", key: .some(nil)).status == 200)
    // The folder has the key, and no database.
    #expect(access(test.fixture.folder.path + "/data/sealing.key", F_OK) == 0)
    #expect(access(test.fixture.folder.path + "/data/postrider.sqlite", F_OK) != 0)
  }

  @Test("While the database lets nobody in, requests are answered with 503 and why, and afterwards work goes on")
  func databaseGoesAway() throws {
    let database = try TestDatabase(empty: true)
    let test = try EndToEndTests(clock: .system) { $0.database = DatabaseServer(url: database.url) }
    defer { test.fixture.server.stop() }
    try test.register()
    try database.server.run("ALTER DATABASE \(database.name) ALLOW_CONNECTIONS false")
    try database.disconnect()
    let body = #"{"to":{"all":true},"message":{"title":"Later","body":"!"}}"#
    let refused = try test.fixture.send("POST", "/v1/apps/demo/pushes", body)
    #expect(refused.status == 503 && refused.headers["retry-after"] != nil, "\(refused.text)")
    #expect(refused.detail.contains("cannot be reached") || refused.detail.contains("accepting connections"))
    // Who has no key that is known learns what is wrong, and not where the database is.
    let stranger = try test.fixture.send("GET", "/v1/apps", key: "prk_" + String(repeating: "A", count: 43))
    #expect(stranger.status == 503, "\(stranger.text)")
    #expect(stranger.detail == "the database of the server cannot be reached; send the request again later")
    // What was proven a moment ago holds for a second, where no write has failed since.
    var readiness = try test.fixture.send("GET", "/readyz")
    for _ in 0..<200 where readiness.status == 200 {
      usleep(50_000)
      readiness = try test.fixture.send("GET", "/readyz")
    }
    #expect(readiness.status == 503 && readiness.text.contains("PostgreSQL"), "\(readiness.text)")
    let outside = try test.fixture.send("GET", "/readyz", key: .some(nil))
    #expect(outside.status == 503 && !outside.text.contains(database.name), "\(outside.text)")

    try database.server.run("ALTER DATABASE \(database.name) ALLOW_CONNECTIONS true")
    var answer = try test.fixture.send("POST", "/v1/apps/demo/pushes", body)
    for _ in 0..<200 where answer.status == 503 {
      usleep(50_000)
      answer = try test.fixture.send("POST", "/v1/apps/demo/pushes", body)
    }
    let id = try #require(answer.json["id"]?.string, "\(answer.text)")
    let push = try test.finished(id)
    #expect(push["state"] == "sent" && push["counts"]?["accepted"] == 2, "\(push)")
    #expect(test.emulator.device(.apns, ServerFixture.iosToken)?.receivedPushes.count == 1)
    #expect(try test.fixture.send("GET", "/readyz", key: .some(nil)).status == 200)
  }

  @Test("A second start finds everything; another sealing key, and a folder with a database of its own, are refused")
  func startsAgain() throws {
    let database = try TestDatabase(empty: true)
    let change: (inout PostriderServerConfiguration) -> Void = { $0.database = DatabaseServer(url: database.url) }
    let first = try ServerFixture(change: change)
    _ = try first.makeDemo()
    first.server.stop()
    let again = try ServerFixture(folder: first.folder, admin: first.admin, change: change)
    #expect(try again.send("GET", "/v1/apps/demo").status == 200)
    #expect(again.server.firstKey == nil)
    again.server.stop()
    let other = StartTests.refusal(first.folder) {
      change(&$0)
      $0.sealingKey = String(repeating: "5a", count: 32)
    }
    #expect(other?.contains("the sealing key opens nothing of what is stored") == true, "\(other ?? "")")

    let own = try ServerFixture()
    own.server.stop()
    let words = StartTests.refusal(own.folder, change)
    #expect(words?.contains("has a database of its own") == true, "\(words ?? "")")
  }

  @Test(
    "Why a start is refused",
    arguments: [
      ("postgresql://u:secret@h/d", "POSTRIDER_STORE_PASSWORD"),
      ("mysql://h/d", "postgresql://user@host:5432/database"),
    ])
  func refusals(_ url: String, _ advice: String) throws {
    let words = StartTests.refusal(try TemporaryFolder()) { $0.database = DatabaseServer(url: url) }
    #expect(words?.contains(advice) == true && words?.contains("secret") == false, "\(words ?? "")")
  }
}
