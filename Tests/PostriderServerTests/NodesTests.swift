import Glibc
import HTTPServer
import PostriderServer
import PushStore
import StoreModel
import Synchronization
import TestEngines
import TestSupport
import Testing
import WireJSON

@testable import PostriderServer

/// Two servers on one database: any of them takes any request.
@Suite(.timeLimit(.minutes(5))) struct NodesTests {
  /// A database with two servers, which send to one emulator.
  final class Pair: Sendable {
    let database: TestDatabase
    let world: EndToEndTests
    let a: ServerFixture
    let b: ServerFixture
    static let key = String(repeating: "5a", count: 32)

    /// - Parameters:
    ///   - stepped: a clock for both instead of the system's.
    ///   - losesNotifications: whether neither hears of what the other one has changed.
    init(
      stepped: SteppedClock? = nil, losesNotifications: Bool = false,
      change: @escaping (inout PostriderServerConfiguration) -> Void = { _ in }
    ) throws {
      let database = try TestDatabase(empty: true)
      self.database = database
      if losesNotifications { try database.server.loseNotifications(in: database.name) }
      let clock = stepped?.clock ?? .system
      func set(_ configuration: inout PostriderServerConfiguration, _ name: String) {
        Self.set(&configuration, database, name)
        if stepped != nil { configuration.database?.clockSkewMaxMs = .max }
        change(&configuration)
      }
      world = try EndToEndTests(clock: clock) { set(&$0, "a") }
      a = world.fixture
      b = try ServerFixture(admin: world.fixture.admin, clock: clock) { set(&$0, "b") }
      try world.register()
    }

    static func set(
      _ configuration: inout PostriderServerConfiguration, _ database: TestDatabase, _ name: String
    ) {
      configuration.database = DatabaseServer(url: database.url, node: name)
      configuration.sealingKey = key
    }

    deinit {
      a.server.stop(drainingFor: .seconds(5))
      b.server.stop(drainingFor: .seconds(5))
    }

    /// Waits for what another node's news bring about.
    func wait(_ what: String, _ isDone: () throws -> Bool) throws {
      for _ in 0..<1_000 {
        if try isDone() { return }
        usleep(20_000)
      }
      #expect(Bool(false), "never: \(what)")
    }

    /// Starts a receiver that a webhook tells of pushes that end; the caller stops it.
    func tell(_ receiver: WebhookTests.Receiver) throws -> HTTPServer {
      let hook = try HTTPServer(HTTPServerConfiguration(), handler: receiver)
      let url = JSONValue.string("http://127.0.0.1:\(hook.port)/hook")
      #expect(try a.post("/v1/apps/demo/webhooks", ["url": url, "types": ["push.finished"]]).status == 201)
      return hook
    }

    /// A request at both nodes at once, with the body for each; their answers.
    func both(
      _ method: String, _ path: String, _ header: String, _ body: (String) -> String
    ) throws -> [ServerFixture.Answer] {
      let clients = try [("a", a), ("b", b)].map { name, node in
        let (client, body) = (try HTTPTestClient(port: node.server.port), body(name))
        return (
          client,
          "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(a.admin)\r\n"
            + "\(header)\r\nContent-Length: \(body.utf8.count)\r\n\r\n" + body
        )
      }
      for (client, text) in clients { client.send(text) }
      return try clients.map { client, _ in
        let answer = try client.readAnswer(toHead: false)
        return ServerFixture.Answer(status: answer.status, headers: answer.headers, text: answer.body)
      }
    }
  }

  @Test("Keys, sessions and apps: what one node changes holds at the other") func remembered() throws {
    let pair = try Pair()
    let (a, b) = (pair.a, pair.b)
    #expect(try a.send("GET", "/readyz", key: .some(nil)).json["node"] == "a")
    #expect(try b.send("GET", "/metrics").text.contains("postrider_node{node=\"b\"} 1"))
    let made = try a.post("/v1/keys", ["name": "other", "scopes": ["admin"]])
    let key = try #require(made.json["key"]?.string)
    #expect(try b.send("GET", "/v1/apps", key: key).status == 200)

    let signed = try a.send("POST", "/session", JSON.minifiedText(["key": .string(key)]), key: .some(nil))
    let cookie = try #require(signed.headers["set-cookie"]?.split(separator: ";").first.map(String.init))
    let browser = SessionTests.Browser(cookie: cookie, token: try #require(signed.json["write_token"]?.string))
    for node in [b, a, b] {
      #expect(try node.send("GET", "/v1/apps", key: .some(nil), headers: browser.headers).status == 200)
    }
    #expect(
      try b.send("GET", "/session/all", key: .some(nil), headers: browser.headers).json["sessions"]?.array?.count == 1)
    #expect(try b.send("DELETE", "/session", key: .some(nil), headers: browser.writing).status == 204)
    try pair.wait("the session is over at the other node") {
      try a.send("GET", "/v1/apps", key: .some(nil), headers: browser.headers).status == 401
    }

    let id = try #require(made.json["id"]?.string)
    #expect(try a.send("DELETE", "/v1/keys/\(id)").status == 204)
    try pair.wait("the key is refused at the other node") { try b.send("GET", "/v1/apps", key: key).status == 401 }

    #expect(try b.send("GET", "/v1/apps/demo").json["title"] == "Demo")
    #expect(try a.send("PATCH", "/v1/apps/demo", #"{"title":"Other"}"#).status == 200)
    try pair.wait("the app has its title at the other node") {
      try b.send("GET", "/v1/apps/demo").json["title"] == "Other"
    }
    let template = #"{"message":{"title":"T","body":"One"}}"#
    #expect(try a.send("PUT", "/v1/apps/demo/templates/t", template).status < 300)
    #expect(try b.send("GET", "/v1/apps/demo/templates/t").json["message"]?["body"] == "One")
  }

  @Test("A credential that is saved at one node is opened at the other, and closed when it is removed")
  func credentials() throws {
    let pair = try Pair(stepped: .atPresent)
    let second = try pair.a.post("/v1/apps", ["name": "second", "contract": "amba"])
    #expect(second.status == 201)
    let body = JSON.minifiedText(try pair.world.credentials())
    #expect(try pair.a.send("PUT", "/v1/apps/second/credentials", body).status == 200)
    let service = pair.b.server.service
    func isOpen() throws -> Bool {
      let app = try service.apps.app(named: "second", now: service.now).app.id
      return service.sending.channels(of: app, .production) != nil
    }
    try pair.wait("the credential is open at the other node") { try isOpen() }
    #expect(try pair.a.send("PUT", "/v1/apps/second/credentials", #"{"apns":null}"#).status == 200)
    try pair.wait("it is closed there") { try !isOpen() }
  }

  @Test("Failed sign-ins count at both nodes together") func brake() throws {
    let pair = try Pair()
    let body = JSON.minifiedText(["email": "ann@example.com", "password": "not the password"])
    var statuses: [Int] = []
    for attempt in 0..<10 {
      statuses.append(try [pair.a, pair.b][attempt % 2].send("POST", "/session", body, key: .some(nil)).status)
    }
    #expect(statuses == Array(repeating: 401, count: 10))
    for node in [pair.a, pair.b] { #expect(try node.send("POST", "/session", body, key: .some(nil)).status == 429) }
  }

  @Test("A passkey is asked for at one node and answered at the other, once") func passkey() throws {
    let pair = try Pair()
    let (a, b) = (pair.a, pair.b)
    let owner = try a.invite("ann@example.com", ["owner"])
    let phone = TestPasskey()
    // Joining: the options come from one node, and the other makes the passkey.
    let asked = try a.options(["token": .string(owner.token)]).json["publicKey"]
    let challenge = try #require(asked?["challenge"]?.string)
    let handle = try #require(asked?["user"]?["id"]?.string)
    let joining: JSONValue = [
      "token": .string(owner.token),
      "credential": ServerFixture.credential(phone, phone.register(challenge: challenge)),
    ]
    let joined = try b.open("POST", "/session/join", joining)
    #expect(joined.status == 200, "\(joined)")
    let answer = phone.sign(challenge: try a.challenge(), counter: 0)
    let body: JSONValue = ["credential": ServerFixture.credential(phone, answer, handle: handle)]
    #expect(try b.open("POST", "/session/passkey", body).status == 200)
    for node in [a, b] { #expect(try node.open("POST", "/session/passkey", body).status == 401) }
  }

  @Test("A sign-in at the identity provider begins at one node and ends at the other, once") func identityProvider()
    throws
  {
    let issuer = TestIssuer(clock: .system)
    let http = try HTTPServer(HTTPServerConfiguration(), handler: issuer)
    defer { http.stop(drainingFor: .zero) }
    issuer.serve(at: "http://127.0.0.1:\(http.port)")
    let setting = try OIDCSetting(
      issuer: issuer.issuer, clientID: TestIssuer.clientID, secret: TestIssuer.secret, name: "Example")
    let pair = try Pair { $0.oidc = setting }
    let (a, b) = (pair.a, pair.b)
    let (id, _) = try a.invite("ann@example.com", ["sender"])
    for (begins, ends) in [(a, b), (b, a)] {
      let start = try begins.beginOIDC()
      let code = try issuer.code(for: start.url)
      let answer = try ends.finishOIDC(start, code: code)
      #expect(answer.status == 200 && answer.json["person"]?.string == id, "\(answer)")
      let browser = try ends.browser(answer)
      for node in [a, b] { #expect(try node.send("GET", "/v1/apps", by: browser).status == 200) }
      // It is used up at both, and so is the code.
      let asked = issuer.count("/token")
      for node in [a, b] { #expect(try node.finishOIDC(start, code: code).status >= 400) }
      #expect(issuer.count("/token") == asked)
    }
  }

  @Test("An approval that is asked for at one node is given at the other, once") func approval() throws {
    let pair = try Pair()
    let (a, b) = (pair.a, pair.b)
    #expect(try a.send("PATCH", "/v1/apps/demo", #"{"approval":{"above_devices":1}}"#).status == 200)
    let other = try a.key(["send"])
    for (asks, gives) in [(a, b), (b, a)] {
      // The rule itself is news at the other node.
      try pair.wait("the rule holds") {
        try asks.send("GET", "/v1/apps/demo").json["approval"]?["above_devices"] == 1
      }
      let made = try asks.send(
        "POST", ApprovalTests.path, #"{"to":{"all":true},"message":{"title":"T","body":"B"},"campaign":"c"}"#)
      let id = try #require(made.json["id"]?.string, "\(made.text)")
      let waiting = try gives.send("GET", "/v1/apps/demo/approvals").json["pushes"]?.array
      #expect(waiting?.compactMap { $0["id"]?.string } == [id])
      let path = "\(ApprovalTests.path)/\(id)"
      #expect(try gives.send("POST", "\(path)/approve", "{}").status == 403)
      #expect(try gives.send("POST", "\(path)/approve", "{}", key: other).status == 200)
      #expect(try asks.send("POST", "\(path)/approve", "{}", key: other).status == 409)
      try pair.wait("it is sent, once") {
        let counts = try asks.send("GET", path).json["counts"]
        return counts?["targeted"] == 2 && counts?["accepted"] == 2
      }
    }
  }

  @Test("Of two changes under one If-Match at two nodes at once, one is made") func ifMatch() throws {
    let pair = try Pair()
    for round in 0..<8 {
      let tag = try #require(try pair.a.send("GET", "/v1/apps/demo").headers["etag"])
      let answers = try pair.both("PATCH", "/v1/apps/demo", "If-Match: \(tag)") { #"{"title":"T\#(round)\#($0)"}"# }
      #expect(answers.map(\.status).sorted() == [200, 412], "round \(round): \(answers)")
      let winner = answers[0].status == 200 ? "T\(round)a" : "T\(round)b"
      for node in [pair.a, pair.b] {
        try pair.wait("both have what won") { try node.send("GET", "/v1/apps/demo").json["title"]?.string == winner }
      }
    }
  }

  @Test("One request with its Idempotency-Key at two nodes at once is carried out once") func idempotency() throws {
    let pair = try Pair()
    for round in 0..<8 {
      let path = round % 2 == 0 ? "/v1/keys" : "/v1/apps/demo/pushes"
      let body =
        round % 2 == 0
        ? #"{"name":"twice-\#(round)","scopes":["read"]}"#
        : #"{"to":{"all":true},"draft":true,"message":{"title":"T","body":"B"},"campaign":"twice-\#(round)"}"#
      let answers = try pair.both("POST", path, "Idempotency-Key: k-\(round)") { _ in body }
      #expect(answers.allSatisfy { $0.status < 300 || $0.status == 409 }, "\(answers)")
      #expect(answers.contains { $0.status < 300 }, "\(answers)")
      let later = try pair.b.send("POST", path, body, headers: ["Idempotency-Key: k-\(round)"])
      #expect(later.status < 300)
      let ids = Set((answers + [later]).filter { $0.status < 300 }.compactMap { $0.json["id"]?.string })
      #expect(ids.count == 1, "\(answers) \(later)")
    }
    let names = (try pair.a.send("GET", "/v1/keys").json["keys"]?.array ?? []).compactMap { $0["name"]?.string }
    #expect(names.count { $0.hasPrefix("twice") } == 4)
    #expect(try pair.database.run("SELECT count(*) FROM pushes") == "4\n")
  }

  @Test("A progress stream, a cancelled push and an import are the same at every node") func elsewhere() throws {
    let pair = try Pair()
    let (a, b) = (pair.a, pair.b)
    let draft = #"{"to":{"all":true},"draft":true,"message":{"title":"T","body":"B"},"campaign":"c"}"#
    let id = try #require(try a.send("POST", "/v1/apps/demo/pushes", draft).json["id"]?.string)
    let watcher = try HTTPTestClient(port: b.server.port)
    watcher.send(
      "GET /v1/apps/demo/pushes/\(id)/progress HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(a.admin)\r\n\r\n")
    #expect(try a.send("POST", "/v1/apps/demo/pushes/\(id)/send", "{}").status < 300)
    let events = try watcher.readAnswer()
    let last = events.body.split(separator: "data: ").last.map(String.init) ?? ""
    #expect(try JSON.parse(last)["state"] == "sent", "\(events.body)")

    let later = try #require(try a.send("POST", "/v1/apps/demo/pushes", draft).json["id"]?.string)
    #expect(try b.send("POST", "/v1/apps/demo/pushes/\(later)/cancel", "{}").status < 300)
    #expect(try a.send("GET", "/v1/apps/demo/pushes/\(later)").json["state"] == "cancelled")

    let line = #"{"type":"ios","token":"\#(String(repeating: "ab", count: 32))"}"#
    let type = ["Content-Type: application/x-ndjson"]
    #expect(try a.send("PUT", "/v1/apps/demo/devices/import", line, headers: type).json["created"] == 1)
    let shown = try b.send("GET", "/v1/apps/demo/devices/imports").json["imports"]?[0]
    #expect(shown?["node"] == "a" && shown?["running"] == false && shown?["created"] == 1, "\(shown ?? .null)")
    #expect(shown?["problem"] == nil)
  }

  @Test("A schedule's run is made once, and a webhook is told each batch once, by whichever node") func once() throws {
    let receiver = WebhookTests.Receiver()
    let pair = try Pair { $0.allowsPrivateWebhooks = true }
    let hook = try pair.tell(receiver)
    defer { hook.stop(drainingFor: .zero) }
    for number in 0..<6 {
      let time = TimeText.text(pair.a.server.service.now.adding(milliseconds: 3_000))
      let body =
        #"{"to":{"all":true},"send_at":"\#(time)","message":{"title":"T","body":"B"},"campaign":"c-\#(number)"}"#
      let answer = try [pair.a, pair.b][number % 2].send("POST", "/v1/apps/demo/pushes", body)
      #expect(answer.status < 300, "\(answer.text)")
    }
    try pair.wait("all are sent") {
      let text = try pair.database.run(
        "SELECT count(*), sum(accepted), sum(targeted) FROM pushes WHERE finished_at IS NOT NULL")
      return text == "6|12|12\n"
    }
    try pair.wait("all is told") { Set(receiver.all.compactMap { $0.json["push"]?.string }).count == 6 }
    let batches = receiver.all.compactMap { $0.headers.first("Postrider-Batch") }
    #expect(Set(batches).count == batches.count, "\(batches)")
    // The one that goes hands its duties to the other.
    pair.a.server.stop(drainingFor: .seconds(5))
    let body = #"{"to":{"all":true},"message":{"title":"T","body":"B"},"campaign":"c-last"}"#
    #expect(try pair.b.send("POST", "/v1/apps/demo/pushes", body).status < 300)
    try pair.wait("the other node tells") { Set(receiver.all.compactMap { $0.json["push"]?.string }).count == 7 }
  }

  @Test("A node that read batches for longer than its term lasts tells none of them") func late() throws {
    let receiver = WebhookTests.Receiver()
    let pair = try Pair { $0.allowsPrivateWebhooks = true }
    let hook = try pair.tell(receiver)
    defer { hook.stop(drainingFor: .zero) }
    // The one that tells looks for what is queued, and waits for the table until its term is over and the other one waits, too.
    try pair.database.run("UPDATE webhooks SET queued = 2")
    try pair.database.run(
      """
      BEGIN; LOCK TABLE outbox IN ACCESS EXCLUSIVE MODE;
      INSERT INTO outbox(webhook, push, notices, created_at, attempts, not_before, dead)
      SELECT id, n, '', 0, 0, 0, 0 FROM webhooks, generate_series(1, 2) AS n;
      SELECT pg_sleep(18); COMMIT
      """)
    try pair.wait("all is told") { try pair.database.run("SELECT count(*) FROM outbox") == "0\n" }
    #expect(receiver.all.compactMap { $0.headers.first("Postrider-Batch") }.count == 2)
  }

  @Test("How long something is stored is followed at once, at whatever node it is changed") func retention() throws {
    let pair = try Pair()
    func count(_ sql: String) throws -> String { try pair.database.run(sql) }
    for node in [pair.a, pair.b] {
      let body = #"{"to":{"all":true},"message":{"title":"T","body":"B"}}"#
      let id = try #require(try pair.a.send("POST", "/v1/apps/demo/pushes", body).json["id"]?.string)
      try pair.wait("it is sent") { try pair.a.send("GET", "/v1/apps/demo/pushes/\(id)").json["finished_at"] != nil }
      _ = try count(
        "UPDATE pushes SET created_at = created_at - 864000000, finished_at = finished_at - 864000000")
      #expect(try count("SELECT count(*) FROM deliveries") == "2\n")
      #expect(try node.send("PUT", "/v1/apps/demo/retention", #"{"deliveries_days":1}"#).status == 200)
      try pair.wait("its deliveries are deleted") { try count("SELECT count(*) FROM deliveries") == "0\n" }
      #expect(try node.send("PUT", "/v1/apps/demo/retention", #"{"deliveries_days":null}"#).status == 200)
      // Nothing is left to delete, so that the one that deletes rests for ten minutes.
      try pair.wait("it rests") {
        [pair.a, pair.b].contains { $0.server.service.upkeep.isResting }
      }
    }
  }

  @Test("What waits for webhooks is counted by one node, so that the sum over the nodes is right") func queued() throws
  {
    let pair = try Pair { $0.allowsPrivateWebhooks = true }
    // Nobody listens there.
    let hook: JSONValue = ["url": "http://127.0.0.1:9/hook", "types": ["push.finished"]]
    #expect(try pair.a.post("/v1/apps/demo/webhooks", hook).status == 201)
    let body = #"{"to":{"all":true},"message":{"title":"T","body":"B"}}"#
    #expect(try pair.b.send("POST", "/v1/apps/demo/pushes", body).status < 300)
    func queued(_ node: ServerFixture) throws -> String {
      let lines = try node.send("GET", "/metrics").text.split(separator: "\n")
      return String(lines.first { $0.hasPrefix("postrider_webhook_batches_queued ") }?.split(separator: " ").last ?? "")
    }
    try pair.wait("one node counts it") { try [queued(pair.a), queued(pair.b)].sorted() == ["0", "1"] }
  }

  @Test("Each node lists both, says which one it is, and shows what they do") func listed() throws {
    let pair = try Pair()
    let duties = Set(["schedules", "upkeep", "webhooks"])
    for (name, node) in [("a", pair.a), ("b", pair.b)] {
      var nodes: [JSONValue] = []
      try pair.wait("every duty is somebody's") {
        nodes = try node.send("GET", "/v1/nodes").json["nodes"]?.array ?? []
        let had = nodes.flatMap { $0["duties"]?.array ?? [] }.compactMap(\.string)
        return had.count == duties.count && Set(had) == duties
      }
      #expect(nodes.map { $0["name"] } == ["a", "b"])
      #expect(nodes.first { $0["current"] == true }?["name"]?.string == name)
      for row in nodes {
        #expect(row["live"] == true && row["version"]?.string == node.server.service.version && row["problem"] == nil)
        #expect(row["clock_ahead_ms"]?.int.map { abs($0) <= 1_000 } == true, "\(row)")
        #expect(row["in_flight"] == 0, "\(row)")
      }
    }
    pair.b.server.stop(drainingFor: .seconds(5))
    #expect(try pair.a.send("GET", "/v1/nodes").json["nodes"]?.array?.compactMap { $0["name"] } == ["a"])
  }

  @Test("With a file there is one server, which has every duty") func alone() throws {
    let fixture = try ServerFixture()
    _ = try fixture.makeDemo()
    let answer = try fixture.send("GET", "/v1/nodes")
    let row = try #require(answer.json["nodes"]?.array?.first)
    #expect(answer.json["nodes"]?.array?.count == 1 && row["name"] == "local" && row["current"] == true)
    #expect(row["duties"] == ["schedules", "upkeep", "webhooks"] && row["in_flight"] == 0 && row["leases"] == 0)
    #expect(row["started_at"]?.string == TimeText.text(fixture.server.service.startedAt))
    #expect(row["clock_ahead_ms"] == nil && answer.json["at"] != nil)
    // It is about the whole server: not for a key of one app, nor for one that only sends.
    let made = try fixture.post("/v1/keys", ["name": "one", "scopes": ["read"], "app": "demo"])
    #expect(try fixture.send("GET", "/v1/nodes", key: made.json["key"]?.string).status == 403)
    let sender = try fixture.post("/v1/keys", ["name": "two", "scopes": ["send"]])
    #expect(try fixture.send("GET", "/v1/nodes", key: sender.json["key"]?.string).status == 403)
  }

  @Test("A second server of the same name, and one with another sealing key, are refused") func refusals() throws {
    let database = try TestDatabase(empty: true)
    let first = try ServerFixture(clock: .system) { Pair.set(&$0, database, "a") }
    defer { first.server.stop() }
    let same = StartTests.refusal(try TemporaryFolder()) {
      Pair.set(&$0, database, "a")
      $0.clock = .system
    }
    #expect(same?.contains("--node") == true, "\(same ?? "")")
    // Nothing is sealed yet, and still the key has to be the others'.
    let other = StartTests.refusal(try TemporaryFolder()) {
      Pair.set(&$0, database, "b")
      $0.sealingKey = String(repeating: "6b", count: 32)
    }
    #expect(other?.contains("another sealing key") == true, "\(other ?? "")")
    let none = StartTests.refusal(try TemporaryFolder()) {
      Pair.set(&$0, database, "b")
      $0.sealingKey = nil
    }
    #expect(none?.contains("POSTRIDER_SEALING_KEY") == true, "\(none ?? "")")
    let port = first.server.port
    let taken = StartTests.refusal(try TemporaryFolder()) {
      Pair.set(&$0, database, "c")
      $0.http = HTTPServerConfiguration(port: port)
    }
    #expect(taken?.contains("\(port)") == true, "\(taken ?? "")")
    // Those who were refused are no nodes, by whose number rates are divided.
    #expect(try first.server.service.store.nodes().map(\.name) == ["a"])
  }
}
