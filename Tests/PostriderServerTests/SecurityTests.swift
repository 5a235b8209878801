import HTTPServer
import TestSupport
import Testing
import WireJSON

@testable import PostriderServer

/// Answers to threats that concern the API as a whole; `docs/security.md` names them.
@Suite(.timeLimit(.minutes(5))) struct SecurityTests {
  let fixture: ServerFixture

  init() throws {
    fixture = try ServerFixture()
    _ = try fixture.makeDemo()
  }

  /// What anyone may ask for: whether the server works, what it can do, and to be let in.
  static let open: Set<String> = [
    "health", "ready", "openapi", "signIn", "getSession", "signOut",
    // Each reads a session or an invitation itself.
    "showInvitation", "join", "changePassword", "listOwnSessions", "endOtherSessions", "endOwnSession", "showOIDC",
    "beginOIDC", "finishOIDC", "unlinkOIDC",
    "preparePasskeySignIn", "signInWithPasskey", "preparePasskey", "addPasskey", "listPasskeys", "renamePasskey",
    "removePasskey",
  ]

  @Test("Every path wants a key, but those that show and change nothing") func everyPathWantsAKey() throws {
    var open: Set<String> = []
    for route in RouteTable.routes {
      if case .open = route.access {
        open.insert(route.name)
        continue
      }
      let path = route.pattern.replacing(/\{[a-z]+\}/, with: "1")
      let answer = try fixture.send("\(route.method)", path, "{}", key: .some(nil))
      #expect(answer.status == 401, "\(route.method) \(path): \(answer.status) \(answer.text)")
    }
    #expect(open == Self.open)
    // Nobody has changed anything.
    #expect(try fixture.send("GET", "/v1/apps").json["apps"]?.array?.count == 1)
  }

  @Test(
    "A request without a key is answered on its head, and its body is not buffered", arguments: ["", "Bearer prk_x"])
  func aBodyWithoutAKeyIsNotBuffered(_ key: String) throws {
    let lines = key.isEmpty ? "" : "Authorization: \(key)\r\n"
    let clients = try (0..<50).map { _ in try HTTPTestClient(port: fixture.server.port) }
    for client in clients {
      client.send("POST /v1/apps/demo/pushes HTTP/1.1\r\nHost: h\r\n\(lines)Content-Length: 4194304\r\n\r\n")
    }
    for client in clients { #expect(try client.readAnswer().status == 401) }
    // Nor what leads nowhere.
    clients[0].send(String(repeating: "x", count: 4_194_304))
    #expect(try clients[0].exchange("POST /none HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\n").status == 404)
    #expect(fixture.server.bodyBytes == 0)
    // What anyone may send is short.
    let long = #"{"key":"\#(String(repeating: "x", count: 20_000))"}"#
    #expect(try fixture.send("POST", "/session", long, key: .some(nil)).status == 413)
  }

  @Test("A body of more names and values than any request needs is refused before it takes memory for each")
  func manyValuesAreRefused() throws {
    let zeros = String(repeating: "0,", count: RequestBody.jsonTokensMax)
    for body in ["{\"a\":[\(zeros)0]}", "[\(String(repeating: "[],", count: RequestBody.jsonTokensMax))[]]"] {
      let answer = try fixture.send("POST", "/v1/apps/demo/pushes", body)
      #expect(answer.status == 400 && answer.detail.contains("at most 524288 names and values"), "\(answer)")
    }
  }

  @Test("A request with two Authorization headers is refused, whichever of them is right") func oneAuthorization()
    throws
  {
    let right = "Authorization: Bearer \(fixture.admin)"
    for headers in [[right, right], [right, "Authorization: Bearer x"], ["Authorization: Bearer x", right]] {
      #expect(try fixture.send("GET", "/v1/apps", key: .some(nil), headers: headers).status == 401)
    }
    #expect(try fixture.send("GET", "/v1/apps", key: .some(nil), headers: [right]).status == 200)
  }

  @Test("A key that differs in one place is none, wherever it differs") func everyPlaceOfAKeyCounts() throws {
    let key = try fixture.key(["send"])
    #expect(key.utf8.count == 47)
    #expect(try fixture.send("GET", "/v1/apps/demo/devices", key: key).status == 200)
    for index in stride(from: 4, to: 46, by: 6) {
      var bytes = Array(key.utf8)
      bytes[index] = bytes[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
      let other = String(decoding: bytes, as: UTF8.self)
      #expect(try fixture.send("GET", "/v1/apps/demo/devices", key: other).status == 401, "place \(index)")
    }
    // Keys share nothing but their form.
    let keys = try (0..<20).map { _ in try fixture.key(["read"]) }
    #expect(Set(keys.map { $0.dropFirst(4).prefix(8) }).count == 20)
  }

  @Test(
    "A name is only a name, whatever it looks like",
    arguments: [
      "'; DROP TABLE devices; --", "\" OR \"1\"=\"1", "x' UNION SELECT hash FROM api_keys --", "%' OR 1=1 --",
      "${jndi:ldap://x}", "{{constructor}}", "<script>alert(1)</script>", "../../etc/passwd", "name\\u0000end",
      "\u{202E}drawkcab",
    ])
  func namesAreOnlyNames(hostile: String) throws {
    let device: JSONValue = [
      "type": "ios", "token": .string(String(repeating: "0b", count: 32)), "user": .string(hostile),
      "properties": ["note": .string(hostile)], "tags": [.string(hostile)],
    ]
    #expect(try fixture.post("/v1/apps/demo/devices", device).status == 201)
    for (field, op) in [("properties.note", "eq"), ("properties.note", "contains"), ("tags", "eq")] {
      let filter: JSONValue = [
        "operator": "AND",
        "conditions": [["field": .string(field), "op": .string(op), "value": .string(hostile)]],
      ]
      let answer = try fixture.post("/v1/apps/demo/segments/count", ["filter": filter])
      #expect(answer.status == 200 && answer.json["devices"] == 1, "\(field) \(op): \(answer.text)")
    }
    let push: JSONValue = ["message": ["title": "T", "body": "B"], "to": ["users": [.string(hostile)]]]
    let answer = try fixture.post("/v1/apps/demo/pushes", push)
    #expect(answer.status == 202 && answer.json["targeted"] == 1, "\(answer.text)")
    #expect(try fixture.send("GET", "/v1/apps/demo/devices").json["devices"]?.array?.count == 3)
  }
}
