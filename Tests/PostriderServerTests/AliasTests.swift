import PostriderServer
import TestSupport
import Testing
import WireJSON

/// Aliases through the API: users by the ids of other systems.
@Suite(.timeLimit(.minutes(2))) struct AliasTests {
  private static let ann = "/v1/apps/demo/users/ann"

  private static func rows(_ answer: ServerFixture.Answer) -> [String] {
    (answer.json["report"]?.array ?? []).map { "\($0["rule"]?.string ?? "") \($0["field"]?.string ?? "")" }
  }

  @Test("A user gets aliases, is found by them and loses them") func life() throws {
    let fixture = try ServerFixture()
    _ = try fixture.makeDemo()
    let made = try fixture.send("PATCH", Self.ann, #"{"aliases":{"crm":"17","shop":"a:b"}}"#)
    #expect(made.status == 200 && made.json["aliases"] == ["crm": "17", "shop": "a:b"], "\(made.text)")
    for alias in ["crm:17", "shop:a:b"] {
      let found = try fixture.send("GET", "/v1/apps/demo/users?alias=\(alias)").json["users"]?.array
      #expect(found?.count == 1 && found?[0]["user"] == "ann", "\(alias)")
    }
    #expect(try fixture.send("GET", "/v1/apps/demo/users?alias=crm:18").json["users"]?.array?.isEmpty == true)
    #expect(try fixture.send("GET", "/v1/apps/demo/users?alias=crm").status == 422)
    #expect(try fixture.send("PATCH", "/v1/apps/demo/users/bob", #"{"aliases":{"crm":"17"}}"#).status == 409)
    #expect(try fixture.send("GET", "/v1/apps/demo/users/bob").status == 404)
    let left = try fixture.send("PATCH", Self.ann, #"{"aliases":{"crm":null}}"#)
    #expect(left.json["aliases"] == ["shop": "a:b"])
    #expect(try fixture.send("GET", Self.ann).json["aliases"] == ["shop": "a:b"])
  }

  static let wrong: [(body: String, field: String)] = [
    (#"{"aliases":{"a b":"1"}}"#, "aliases.a b"), (#"{"aliases":{"":"1"}}"#, "aliases."),
    (#"{"aliases":{"crm":1}}"#, "aliases.crm"), (#"{"aliases":{"crm":""}}"#, "aliases.crm"),
    (#"{"aliases":{"crm":"\#(String(repeating: "x", count: 251))"}}"#, "aliases.crm"), (#"{"aliases":[]}"#, "aliases"),
  ]

  @Test(arguments: wrong) func whatIsWrongIsNamed(_ row: (body: String, field: String)) throws {
    let fixture = try ServerFixture()
    _ = try fixture.makeDemo()
    let answer = try fixture.send("PATCH", Self.ann, row.body)
    #expect(answer.status == 422 && answer.json["report"]?[0]?["field"]?.string == row.field, "\(answer.text)")
  }

  @Test("A push names users by alias; those who are not known are named in its report") func pushes() throws {
    let fixture = try ServerFixture()
    let (ios, _) = try fixture.makeDemo()
    _ = try fixture.send("PATCH", "/v1/apps/demo/devices/\(ios)", #"{"user":"ann"}"#)
    _ = try fixture.send("PATCH", Self.ann, #"{"aliases":{"crm":"17"}}"#)
    _ = try fixture.send("PATCH", "/v1/apps/demo/users/idle", #"{"aliases":{"crm":"18"}}"#)
    func push(_ to: String, _ more: String = "") throws -> ServerFixture.Answer {
      try fixture.send("POST", "/v1/apps/demo/pushes", #"{"to":\#(to),"message":{"title":"T","body":"B"}\#(more)}"#)
    }
    let sent = try push(#"{"aliases":{"crm":["9","17","18","17"]}}"#)
    #expect(sent.status == 202 && sent.json["targeted"] == 1, "\(sent.text)")
    #expect(
      Self.rows(sent) == [
        "push-user-unreached to.aliases.crm[0]", "push-user-unreached to.aliases.crm[2]",
      ])
    let count = try fixture.send(
      "POST", "/v1/apps/demo/audience", #"{"to":{"aliases":{"crm":["17","18"]}}}"#)
    #expect(count.json["total"] == 1, "\(count.text)")
    for (to, field) in [
      (#"{"aliases":{"crm":["9"]}}"#, "to.aliases.crm"), (#"{"aliases":{"crm":[]}}"#, "to.aliases.crm"),
      (#"{"aliases":{"crm":["17"],"shop":["1"]}}"#, "to.aliases"), (#"{"aliases":{"crm":[17]}}"#, "to.aliases.crm"),
      (#"{"aliases":{"crm":["17"]},"users":["ann"]}"#, "to"),
    ] {
      let refused = try push(to)
      #expect(refused.status == 422, "\(to) \(refused.text)")
      #expect(Self.rows(refused).last == "push-audience \(field)", "\(refused.text)")
    }
  }

  @Test("Erasing a user takes their aliases out of what waits") func erasure() throws {
    let fixture = try ServerFixture()
    _ = try fixture.makeDemo()
    _ = try fixture.send("PATCH", Self.ann, #"{"aliases":{"crm":"secret-17"}}"#)
    _ = try fixture.send("PATCH", "/v1/apps/demo/users/bob", #"{"aliases":{"crm":"18"}}"#)
    func draft(_ ids: String) throws -> String {
      let made = try fixture.send(
        "POST", "/v1/apps/demo/pushes",
        #"{"to":{"aliases":{"crm":[\#(ids)]}},"draft":true,"message":{"title":"T","body":"B"}}"#)
      #expect(made.status == 202, "\(made.text)")
      return made.json["id"]?.string ?? ""
    }
    let (own, both) = (try draft(#""secret-17""#), try draft(#""secret-17","18""#))
    #expect(try fixture.send("DELETE", Self.ann).json["left"] == 0)
    #expect(try fixture.send("GET", "/v1/apps/demo/pushes/\(own)").json["state"] == "cancelled")
    let kept = try fixture.send("GET", "/v1/apps/demo/pushes/\(both)")
    #expect(kept.json["request"]?["to"] == ["aliases": ["crm": ["18"]]], "\(kept.text)")
    #expect(!kept.text.contains("secret-17"))
    #expect(try fixture.send("GET", "/v1/apps/demo/users?alias=crm:secret-17").json["users"]?.array?.isEmpty == true)
  }

  @Test("A file of devices brings aliases of their users, and a second time changes nothing") func files() throws {
    let fixture = try ServerFixture()
    _ = try fixture.makeDemo()
    let line =
      #"{"type":"ios","token":"\#(String(repeating: "7e", count: 32))","user":"dora","aliases":{"onesignal_id":"o-1"}}"#
    for _ in 0..<2 {
      let done = try fixture.send(
        "PUT", "/v1/apps/demo/devices/import", line + "\n", headers: ["Content-Type: application/x-ndjson"])
      #expect(done.status == 200 && done.json["failed"] == 0, "\(done.text)")
      let shown = try fixture.send("GET", "/v1/apps/demo/users?alias=onesignal_id:o-1").json["users"]
      #expect(shown?[0]?["user"] == "dora")
    }
    let nobody = try fixture.send(
      "PUT", "/v1/apps/demo/devices/import",
      #"{"type":"ios","token":"\#(String(repeating: "7f", count: 32))","aliases":{"crm":"1"}}"# + "\n",
      headers: ["Content-Type: application/x-ndjson"])
    #expect(nobody.json["errors"]?[0]?["field"] == "user", "\(nobody.text)")
  }
}
