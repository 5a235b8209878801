import PostriderServer
import Signing
import TestSupport
import Testing
import WireJSON

/// Signed identity: what a key from an app's binary may do with which token (`docs/security.md`).
@Suite(.timeLimit(.minutes(5))) struct IdentityTests {
  /// A line of the page's table, with the results where tokens are required.
  struct Line: Sendable {
    let request: String
    let none, ann, bob, invalid: String
  }

  static func table() throws -> [Line] {
    let page = String(decoding: try Files.read(Files.packageRoot + "/docs/security.md"), as: UTF8.self)
    let rows = page.split(separator: "\n").drop { !$0.hasPrefix("| request of a key of scope `client`") }.dropFirst(2)
    return rows.prefix { $0.hasPrefix("|") }.map { row in
      let cells = row.split(separator: "|").map { $0.drop { $0 == " " } }
        .map { String($0.reversed().drop { $0 == " " }.reversed()) }
      return Line(request: cells[0], none: cells[1], ann: cells[2], bob: cells[3], invalid: cells[4])
    }
  }

  /// The results where they are not required, or where a backend asks: what works without a token works, and a token that
  /// is sent must be valid and, where the request names a user, of that user.
  static func lenient(_ line: Line, success: String, names user: String?) -> Line {
    guard line.none != "403" else { return line }
    return Line(
      request: line.request, none: success, ann: user == "bob" ? "403" : success, bob: user == "ann" ? "403" : success,
      invalid: "401")
  }

  enum Caller: Sendable, CaseIterable { case client, backend }

  @Test("The page's table is what happens", arguments: ["off", "optional", "required"], Caller.allCases)
  func matrix(mode: String, caller: Caller) throws {
    let world = try IdentityFixture()
    try world.set(mode)
    let tokens: [(KeyPath<Line, String>, String?)] = [
      (\.none, nil), (\.ann, try world.token("ann").text()), (\.bob, try world.secretToken("bob").text()),
      (\.invalid, try world.token("ann").text() + "A"),
    ]
    var number = 1
    var seen = 0
    for line in try Self.table() where line.request.hasPrefix("registers") {
      let request = try #require(Registration.all[line.request], "\(line.request)")
      let success = line.none == "403" ? "403" : request.isNew ? "201" : "200"
      let wanted =
        mode == "off"
        ? Line(request: line.request, none: success, ann: success, bob: success, invalid: success)
        : mode == "required" && caller == .client ? line : Self.lenient(line, success: success, names: request.user)
      for (result, token) in tokens {
        number += 10
        // The devices that are there, registered by a backend.
        for (offset, owner) in [(0, "ann"), (1, nil), (2, "bob")] as [(Int, String?)] {
          let made = try world.register(
            number + offset, user: owner, name: "n\(number + offset)", key: world.fixture.admin)
          #expect(made.status == 201)
        }
        let answer = try world.register(
          number + request.address, user: request.user, name: request.name.map { "n\(number + $0)" }, token: token,
          key: caller == .client ? world.client : world.backend)
        let name = "\(mode), \(caller): \(line.request), \(result)"
        #expect(String(answer.status) == wanted[keyPath: result], "\(name): \(answer.text)")
        try Self.check(answer, world, number, name)
        seen += 1
      }
    }
    #expect(seen == Registration.all.count * tokens.count)
  }

  /// A refusal says what to do, repeats no token, and changes nothing.
  private static func check(_ answer: ServerFixture.Answer, _ world: IdentityFixture, _ number: Int, _ name: String)
    throws
  {
    guard answer.status >= 400 else { return }
    #expect(answer.json["type"]?.string?.hasPrefix("urn:postrider:problem:identity-") == true, "\(name)")
    #expect(
      (answer.status == 401) == (answer.headers["www-authenticate"]?.hasPrefix("Postrider-Identity error=") == true))
    #expect(!answer.text.contains("eyJ"), "\(name)")
    let left = try world.fixture.send("GET", "/v1/apps/demo/devices?limit=1000").json["devices"]?.array ?? []
    func owner(_ offset: Int) -> JSONValue? {
      left.first { $0["token"]?.string == IdentityFixture.address(number + offset) }.map { $0["user"] ?? .null }
    }
    #expect(owner(0) == "ann" && owner(1) == .null && owner(2) == "bob" && owner(5) == nil, "\(name)")
  }

  /// A line's request: the offsets of the address and of the name that it has (0 is ann's device, 1 nobody's, 2 bob's, 5 none).
  struct Registration: Sendable {
    let address: Int
    var user: String?
    var name: Int?
    var isNew: Bool { address == 5 && name == nil }

    static let all: [String: Registration] = [
      "registers a new device of nobody": Registration(address: 5),
      "registers a new device of ann": Registration(address: 5, user: "ann"),
      "registers nobody's device again, by its push token": Registration(address: 1),
      "registers nobody's device again, by its name": Registration(address: 5, name: 1),
      "registers nobody's device as ann's": Registration(address: 1, user: "ann"),
      "registers ann's device as ann's, by its push token": Registration(address: 0, user: "ann"),
      "registers ann's device as ann's, by its name": Registration(address: 5, user: "ann", name: 0),
      "registers ann's device as nobody's, by its push token": Registration(address: 0),
      "registers ann's device as nobody's, by its name": Registration(address: 5, name: 0),
      "registers ann's device as bob's, by its push token": Registration(address: 0, user: "bob"),
      "registers ann's device as bob's, by its name": Registration(address: 5, user: "bob", name: 0),
      "registers bob's name with the push token of ann's device": Registration(address: 0, user: "bob", name: 2),
    ]
  }

  @Test("What an app's key cannot ask for at all, it cannot ask for with a token")
  func others() throws {
    let world = try IdentityFixture()
    try world.set("required")
    let device = try #require(try world.register(1, user: "ann", key: world.backend).json["id"]?.string)
    let requests = [
      ("GET", "/devices/\(device)"), ("GET", "/devices"), ("PATCH", "/devices/\(device)"),
      ("DELETE", "/devices/\(device)"),
      ("GET", "/users/ann"), ("GET", "/users"), ("PATCH", "/users/ann"), ("DELETE", "/users/ann"), ("GET", "/identity"),
      ("PUT", "/identity"), ("POST", "/identity/keys"), ("DELETE", "/identity/keys/\(world.es256)"),
    ]
    for (method, path) in requests {
      for token in [nil, try world.token().text(), "nonsense"] as [String?] {
        let answer = try world.fixture.send(
          method, "/v1/apps/demo" + path, method == "GET" || method == "DELETE" ? nil : "{}", key: world.client,
          headers: token.map { ["Postrider-Identity: \($0)"] } ?? [])
        #expect(answer.status == 403, "\(method) \(path): \(answer.text)")
      }
    }
    let rows = try Self.table().filter { $0.request.hasPrefix("reads") }
    #expect(rows.count == 3 && rows.allSatisfy { [$0.none, $0.ann, $0.bob, $0.invalid].allSatisfy { $0 == "403" } })
  }

  @Test("Reports count as the page says") func reports() throws {
    let world = try EndToEndTests()
    let fixture = world.fixture
    let client = try fixture.key(["client"], app: "demo")
    var ids: [String] = []
    for (type, token, user) in [("ios", ServerFixture.iosToken, "ann"), ("android", ServerFixture.androidToken, nil)]
      as [(String, String, String?)]
    {
      var body: JSONObject = ["type": .string(type), "token": .string(token)]
      if let user { body["user"] = .string(user) }
      ids.append(try #require(try fixture.post("/v1/apps/demo/devices", .object(body)).json["id"]?.string))
    }
    let push = try world.push(#"{"to":{"all":true},"campaign":"c-1","message":{"title":"T","body":"B"}}"#)
    _ = try world.finished(push)
    let rows = try fixture.send("GET", "/v1/apps/demo/pushes/\(push)/deliveries").json["deliveries"]?.array ?? []
    let row = try #require(rows.first { $0["device"]?.string == ids[0] })
    let secret = try fixture.post(IdentityFixture.path + "/keys", ["algorithm": "HS256"]).json
    let signer = TokenMaker.Signer.hs256(try #require(secret["secret"]?.string))
    let kid = try #require(secret["id"]?.string)
    let now = Int64(WallClock.system.nowMs() / 1_000)
    func token(_ user: String) throws -> String { try TokenMaker(signer, kid: kid, now: now, user: user).text() }
    #expect(try fixture.send("PUT", IdentityFixture.path, #"{"mode":"required"}"#).status == 200)

    let targets: [String: JSONObject] = [
      "reports on ann's device, by its id": ["device": .string(ids[0]), "push": .string(push)],
      "reports on ann's device, by its push token": ["token": .string(ServerFixture.iosToken), "push": .string(push)],
      "reports on ann's device, by the provider's id": ["apns_id": try #require(row["apns_id"])],
      "reports on ann's device, by the delivery's id": ["delivery": try #require(row["id"])],
      "reports on nobody's device, by its id": ["device": .string(ids[1]), "campaign": "c-1"],
    ]
    let tokens: [(KeyPath<Line, String>, String?)] = [
      (\.none, nil), (\.ann, try token("ann")), (\.bob, try token("bob")), (\.invalid, try token("ann") + "A"),
    ]
    let lines = try Self.table().filter { $0.request.hasPrefix("reports") }
    #expect(Set(lines.map(\.request)) == Set(targets.keys))
    for line in lines {
      for (result, token) in tokens {
        var event = try #require(targets[line.request])
        event["type"] = "opened"
        let answer = try fixture.send(
          "POST", "/v1/apps/demo/events", JSON.minifiedText(["events": [.object(event)]]), key: client,
          headers: token.map { ["Postrider-Identity: \($0)"] } ?? [])
        // The same report a second time is a duplicate, which is counted as the first was.
        let outcome = (answer.json["results"]?[0]?.string).map { $0 == "duplicate" ? "recorded" : $0 }
        #expect(outcome ?? String(answer.status) == line[keyPath: result], "\(line.request), \(result): \(answer.text)")
      }
    }
    // A backend names deliveries.
    let backend = try fixture.key(["send"], app: "demo")
    let body = JSON.minifiedText(["events": [["type": "received", "delivery": try #require(row["id"])]]])
    let answer = try fixture.send("POST", "/v1/apps/demo/events", body, key: backend)
    #expect(answer.json["results"] == ["duplicate"], "\(answer.text)")
  }
}
