import Glibc
import HTTPServer
import PostriderServer
import TestEngines
import TestSupport
import Testing
import WireJSON

/// The keys with which keys are created: one always remains, and a lost one is replaced.
@Suite(.onBothEngines, .timeLimit(.minutes(2))) struct KeyTests {
  static let given = "prk_0123456789abcdefghijklmnopqrstuvwxyzABCDE-_"

  private func make(_ fixture: ServerFixture, _ body: JSONValue, key: String? = nil) throws -> (
    id: String, text: String
  ) {
    let made = try fixture.send("POST", "/v1/keys", JSON.minifiedText(body), key: key ?? fixture.admin)
    return (try #require(made.json["id"]?.string), try #require(made.json["key"]?.string))
  }

  private func revoke(_ fixture: ServerFixture, _ id: String, key: String? = nil) throws -> ServerFixture.Answer {
    try fixture.send("DELETE", "/v1/keys/\(id)", key: key ?? fixture.admin)
  }

  @Test("The last admin key cannot be revoked; with another one it can") func oneAdminKeyRemains() throws {
    let fixture = try ServerFixture()
    _ = try fixture.makeDemo()
    // None of these can create a key.
    _ = try make(fixture, ["name": "sender", "scopes": ["send", "read"]])
    _ = try make(fixture, ["name": "of one app", "scopes": ["admin"], "app": "demo"])
    let gone = try make(fixture, ["name": "revoked", "scopes": ["admin"]])
    #expect(try revoke(fixture, gone.id).status == 204)
    #expect(try revoke(fixture, gone.id).status == 204)
    let refused = try revoke(fixture, "1")
    #expect(refused.status == 409 && refused.detail.contains("create another key with this scope first"), "\(refused)")
    #expect(try fixture.send("GET", "/v1/keys").status == 200)
    let next = try make(fixture, ["name": "next", "scopes": ["read", "admin"]])
    #expect(try revoke(fixture, "1").status == 204)
    #expect(try fixture.send("GET", "/v1/keys").status == 401)
    #expect(try revoke(fixture, next.id, key: next.text).status == 409)
  }

  @Test("An admin key that has expired is not the one that remains") func anExpiredKeyDoesNotCount() throws {
    let clock = SteppedClock()
    let fixture = try ServerFixture(clock: clock.clock)
    _ = try make(fixture, ["name": "short", "scopes": ["admin"], "expires_in_seconds": 60])
    clock.move(seconds: 61)
    #expect(try revoke(fixture, "1").status == 409)
  }

  @Test("A key is recovered from a stopped server's folder, and from no other", .aboutTheFile) func recovers() throws {
    let fixture = try ServerFixture()
    let data = fixture.folder.path + "/data"
    #expect(throws: PostriderServerError.self) { try KeyRecovery.run(.folder(data)) }
    fixture.server.stop()
    let key = try KeyRecovery.run(.folder(data))
    let again = try ServerFixture(folder: fixture.folder, admin: key.text)
    #expect(again.server.firstKey == nil)
    let keys = try again.send("GET", "/v1/keys").json["keys"]?.array ?? []
    #expect(keys.map { $0["name"] } == ["first", "recovered"] && keys.last?["scopes"] == ["admin"], "\(keys)")
    #expect(keys.last?["id"]?.string == key.id)
    let act = try again.send("GET", "/v1/audit").json["acts"]?[0]
    #expect(act?["act"] == "recoverKey" && act?["target"]?.string == "/v1/keys → \(key.id)", "\(act ?? .null)")
    let none = try TemporaryFolder()
    #expect(throws: PostriderServerError.self) { try KeyRecovery.run(.folder(none.path)) }
    #expect(try Files.list(none.path).isEmpty)
  }

  @Test("A given first key works, and is in no log") func takesTheGivenKey() throws {
    let fixture = try ServerFixture(admin: Self.given) { $0.adminKey = Self.given }
    #expect(fixture.server.firstKey == nil)
    #expect(try fixture.send("GET", "/v1/keys").json["keys"]?.array?.map { $0["name"] } == ["first"])
    #expect(!fixture.lines.text.contains(Self.given) && !fixture.lines.text.contains("not used"))
    fixture.server.stop()
    // Another key at a later start changes nothing, and the log says so.
    let other = String(Self.given.reversed().dropLast(4))
    let again = try ServerFixture(folder: fixture.folder, admin: Self.given) { $0.adminKey = "prk_" + other }
    #expect(try again.send("GET", "/v1/keys").json["keys"]?.array?.count == 1)
    #expect(try again.send("GET", "/v1/keys", key: "prk_" + other).status == 401)
    #expect(again.lines.text.contains("given admin key not used") && !again.lines.text.contains(other))
  }

  @Test(
    "A given key without the form of one is refused before anything is created",
    arguments: ["", "prk_", "secret", given + "x", "prk_" + String(repeating: "ü", count: 43)])
  func refusesWhatIsNoKey(_ text: String) throws {
    let folder = try TemporaryFolder()
    let words = try #require(StartTests.refusal(folder) { $0.adminKey = text })
    #expect(words.contains("43 letters, digits, - and _") && (text.utf8.count < 5 || !words.contains(text)), "\(words)")
    #expect(try Files.list(folder.path).isEmpty)
  }
}
