import PostriderServer
import TestSupport
import Testing
import WireJSON

/// Inboxes through the API: what a backend leaves, what an app's key may read.
@Suite(.timeLimit(.minutes(2))) struct InboxTests {
  static let path = "/v1/apps/demo/users/ann/inbox"

  @Test("A message is left, listed, read, marked as unread and removed") func life() throws {
    let fixture = try ServerFixture()
    _ = try fixture.makeDemo()
    let left = try fixture.send(
      "POST", Self.path,
      #"{"id":"m-1","title":"T","summary":"S","body":"<b>B</b>","type":"html","url":"https://example.com/a","data":{"n":1},"#
        + #""expires_in_seconds":60}"#)
    #expect(left.status == 201, "\(left.text)")
    #expect(left.headers["location"] == Self.path + "/m-1")
    #expect(
      left.text
        == #"{"id":"m-1","user":"ann","title":"T","summary":"S","body":"<b>B</b>","type":"html","url":"https://example.com/a","#
        + #""data":{"n":1},"read":false,"created_at":"\#(left.json["created_at"]?.string ?? "")","#
        + #""expires_at":"\#(left.json["expires_at"]?.string ?? "")"}"#)
    #expect(try fixture.send("GET", Self.path + "/m-1").text == left.text)
    let made = try fixture.send("POST", Self.path, #"{"title":"T2","body":"B2"}"#).json
    let id = try #require(made["id"]?.string)
    #expect(id.utf8.count == 36 && made["type"] == "text")
    let page = try fixture.send("GET", Self.path + "?limit=1").json
    #expect(page["messages"]?[0]?["id"]?.string == id && page["total"] == 2 && page["unread"] == 2, "\(page)")
    let next = try #require(page["next"]?.string)
    #expect(try fixture.send("GET", Self.path + "?limit=1&cursor=\(next)").json["messages"]?[0]?["id"] == "m-1")
    let read = try fixture.send("PATCH", Self.path + "/m-1", #"{"read":true}"#).json
    #expect(read["read"] == true && read["read_at"]?.string != nil)
    #expect(try fixture.send("GET", Self.path + "?unread=true").json["messages"]?.array?.count == 1)
    #expect(try fixture.send("PATCH", Self.path + "/m-1", #"{"read":false}"#).json["read_at"] == nil)
    let upTo = try fixture.send("PATCH", Self.path, #"{"read":true,"up_to":"m-1"}"#)
    #expect(upTo.text == #"{"marked":1}"#, "\(upTo.text)")
    #expect(try fixture.send("PATCH", Self.path, #"{"read":true}"#).text == #"{"marked":1}"#)
    #expect(try fixture.send("GET", Self.path).json["unread"] == 0)
    #expect(try fixture.send("DELETE", Self.path + "/m-1").status == 204)
    #expect(try fixture.send("DELETE", Self.path + "/m-1").status == 404)
    // The user has nothing but an inbox.
    #expect(try fixture.send("GET", "/v1/apps/demo/users/ann").json["devices"]?.array?.isEmpty == true)
    #expect(
      try fixture.send("GET", "/v1/apps/demo/users/nobody/inbox").text == #"{"messages":[],"total":0,"unread":0}"#)
  }

  @Test("A push goes with it, or neither is there") func announced() throws {
    let world = try EndToEndTests()
    try world.register()
    let fixture = world.fixture
    _ = try fixture.send("PATCH", "/v1/apps/demo/users/ann", "{}")
    let device = try fixture.send("GET", "/v1/apps/demo/devices").json["devices"]?[0]?["id"]?.string ?? ""
    _ = try fixture.send("PATCH", "/v1/apps/demo/devices/\(device)", #"{"user":"ann"}"#)
    let body = #"{"id":"m-1","title":"T","body":"B","push":{"message":{"title":"New","body":"A message."}}}"#
    let left = try fixture.send("POST", Self.path, body, headers: ["Idempotency-Key: k"])
    #expect(left.status == 201, "\(left.text)")
    let push = try #require(left.json["push"]?.string)
    #expect(try world.finished(push)["counts"]?["accepted"] == 1)
    #expect(try fixture.send("GET", Self.path + "/m-1").json["push_number"] == 1)
    #expect(try fixture.send("GET", Self.path).json["messages"]?[0]?["push_number"] == 1)
    for path in ["pushes/\(push)/deliveries", "deliveries?user=ann"] {
      let delivery = try fixture.send("GET", "/v1/apps/demo/" + path).json["deliveries"]?[0]
      #expect(delivery?["push"]?.string == push && delivery?["push_number"] == 1, "\(path): \(delivery ?? .null)")
    }
    let again = try fixture.send("POST", Self.path, body, headers: ["Idempotency-Key: k"])
    #expect(again.status == 201 && again.text == left.text && again.headers["idempotent-replayed"] == "true")
    // The id is taken: no second push either.
    let before = try fixture.send("GET", "/v1/apps/demo/pushes").text
    #expect(try fixture.send("POST", Self.path, body).status == 409)
    #expect(try fixture.send("GET", "/v1/apps/demo/pushes").text == before)
    let wrong = try fixture.send(
      "POST", Self.path, #"{"title":"T","body":"B","push":{"message":{"title":"New","badge":"x"}}}"#)
    #expect(wrong.status == 422 && wrong.detail.hasPrefix("push.badge: "), "\(wrong.text)")
    #expect(try fixture.send("GET", "/v1/apps/demo/pushes").text == before)
    #expect(try fixture.send("GET", Self.path).json["total"] == 1)
  }

  @Test("Erasing a user leaves nothing of their messages, nor of the answers that are kept") func erased() throws {
    let fixture = try ServerFixture()
    _ = try fixture.makeDemo()
    let mark = Array("Ann-inbox-5521".utf8)
    func holdsMark() throws -> Bool {
      let path = fixture.folder.path + "/data/postrider.sqlite"
      return try Files.read(path).contains(mark) || ((try? Files.read(path + "-wal"))?.contains(mark) ?? false)
    }
    // In the path the name is escaped otherwise than in JSON.
    let user = "/v1/apps/demo/users/ann%2F1%20%22b"
    let left = try fixture.send(
      "POST", user + "/inbox", #"{"title":"T","body":"dear Ann-inbox-5521"}"#, headers: ["Idempotency-Key: k-1"])
    #expect(try holdsMark())
    #expect(left.status == 201 && left.json["user"] == #"ann/1 "b"#, "\(left.text)")
    let proof = try fixture.send("DELETE", user)
    #expect(proof.json["left"] == 0 && proof.json["log_emptied"] == true, "\(proof.text)")
    #expect(try !holdsMark())
  }

  @Test(
    "What is no message is refused at its field",
    arguments: [
      (#"{"body":"B"}"#, "title"), (#"{"title":"T"}"#, "body"), (#"{"title":"","body":"B"}"#, "title"),
      (#"{"title":"T","body":"B","type":"rtf"}"#, "type"), (#"{"title":"T","body":"B","id":"a/b"}"#, "id"),
      (#"{"title":"T","body":"B","data":[]}"#, "data"),
      (#"{"title":"T","body":"B","expires_in_seconds":0}"#, "expires"),
      (#"{"title":"T","body":"B","data":{"a":"\#(String(repeating: "x", count: 5_000))"}}"#, "data"),
      (#"{"title":"T","body":"B","push":{}}"#, "push"),
      (#"{"title":"T","body":"B","push":{"to":{"all":true}}}"#, "push"),
    ])
  func refusals(body: String, field: String) throws {
    let fixture = try ServerFixture()
    _ = try fixture.makeDemo()
    let answer = try fixture.send("POST", Self.path, body)
    #expect(answer.status == 422 && answer.detail.hasPrefix(field), "\(answer.text)")
    #expect(try fixture.send("GET", "/v1/apps/demo/users/ann").status == 404)
  }

  @Test("What is marked has to be there and the user's") func markedWrongly() throws {
    let fixture = try ServerFixture()
    _ = try fixture.makeDemo()
    let bob = "/v1/apps/demo/users/bob/inbox"
    #expect(try fixture.send("POST", bob, #"{"id":"b","title":"T","body":"B"}"#).status == 201)
    for (method, path, body, status) in [
      ("PATCH", Self.path, #"{"read":false}"#, 422), ("PATCH", Self.path, #"{"read":true,"up_to":"b"}"#, 404),
      ("GET", Self.path + "/b", nil, 404), ("PATCH", Self.path + "/b", #"{"read":true}"#, 404),
      ("DELETE", Self.path + "/b", nil, 404),
    ] {
      let answer = try fixture.send(method, path, body)
      #expect(answer.status == status, "\(method) \(path) \(answer.text)")
    }
    #expect(try fixture.send("GET", bob).json["unread"] == 1)
  }

  @Test("An app's key reads the inbox of the user of its token, in every mode, and of nobody else")
  func identity() throws {
    let world = try IdentityFixture()
    let fixture = world.fixture
    #expect(
      try fixture.send("POST", Self.path, #"{"id":"m","title":"T","body":"B"}"#, key: world.backend).status == 201)
    let looking = try fixture.key(["client", "read"], app: "demo")
    for mode in ["off", "optional", "required"] {
      try world.set(mode)
      for (method, path, body) in [
        ("GET", Self.path, nil), ("GET", Self.path + "/m", nil), ("PATCH", Self.path, #"{"read":true}"#),
        ("PATCH", Self.path + "/m", #"{"read":true}"#),
      ] {
        func asked(_ token: String?, key: String) throws -> Int {
          try fixture.send(
            method, path, body, key: key, headers: token.map { ["Postrider-Identity: \($0)"] } ?? []
          ).status
        }
        for key in [world.client, looking] {
          #expect(try asked(nil, key: key) == 401, "\(mode) \(method) \(path)")
          #expect(try asked("nonsense", key: key) == 401)
          #expect(try asked(world.token("bob").text(), key: key) == 403)
          #expect(try asked(world.token().text(), key: key) == 200)
        }
        #expect(try asked(nil, key: world.backend) == 200)
      }
      #expect(try fixture.send("POST", Self.path, #"{"title":"T","body":"B"}"#, key: world.client).status == 403)
      #expect(try fixture.send("DELETE", Self.path + "/m", key: world.client).status == 401)
    }
    let own = ["Postrider-Identity: \(try world.token().text())"]
    #expect(try fixture.send("DELETE", Self.path + "/m", key: world.client, headers: own).status == 204)
  }
}
