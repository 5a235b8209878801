import HTTPServer
import TestSupport
import Testing
import WireJSON

@testable import PostriderServer

/// The forms of answers, and what is kept of activations.
extension CompatPowerAuthTests {
  // MARK: - Answers

  @Test(
    "Each kind of refusal has its status and its code",
    arguments: [
      (.badJSON, 400, "ERROR_REQUEST"), (.badRequest, 400, "ERROR_REQUEST"), (.invalid, 400, "ERROR_REQUEST"),
      (.idempotencyMismatch, 400, "ERROR_REQUEST"), (.unauthenticated, 401, "ERROR_GENERIC"),
      (.forbidden, 403, "ERROR_GENERIC"), (.notFound, 404, "ERROR_GENERIC"), (.methodNotAllowed, 405, "ERROR_GENERIC"),
      (.conflict, 409, "ERROR_DATA_INTEGRITY"), (.tooLarge, 413, "ERROR_GENERIC"), (.tooMany, 429, "ERROR_GENERIC"),
      (.internalError, 500, "ERROR_GENERIC"), (.busy, 503, "ERROR_GENERIC"), (.storeFailed, 503, "ERROR_GENERIC"),
    ] as [(Problem.Kind, Int, String)])
  func refusals(kind: Problem.Kind, status: Int, code: String) throws {
    let response = CompatVendor.powerAuth.response(to: Problem(kind, "why", headers: [("Retry-After", "1")]))
    #expect(response.status == status)
    #expect(response.headers.contains { $0.name == "Retry-After" && $0.value == "1" })
    #expect(response.headers.contains { $0.name == "Cache-Control" && $0.value == "no-store" })
    guard case .bytes(let bytes) = response.body else { return #expect(Bool(false), "no bytes") }
    #expect(
      try JSON.parse(bytes) == ["status": "ERROR", "responseObject": ["code": .string(code), "message": "why"]])
  }

  @Test("A record that is gone when the request is worked on, and a conflict with what exists") func ofRecords() throws
  {
    func shown(_ problem: Problem) throws -> (Int, JSONValue?) {
      let response = CompatVendor.powerAuth.response(to: problem)
      guard case .bytes(let bytes) = response.body else { return (response.status, nil) }
      return (response.status, try JSON.parse(bytes)["responseObject"]?["code"])
    }
    #expect(try shown(PowerAuthErrors.ofRecord(Problem(.notFound, "gone"))) == (404, "ERROR_DATABASE"))
    #expect(
      try shown(PowerAuthErrors.naming(Problem(.conflict, "no credentials"), body: "b")) == (400, "ERROR_GENERIC"))
  }

  @Test("The same Idempotency-Key leaves one message in an inbox") func inboxOnce() throws {
    let site = try Site()
    func leave(_ subject: String, key: String) throws -> ServerFixture.Answer {
      try site.ask(
        "POST", "/inbox/messages",
        JSON.minifiedText([
          "requestObject": [
            "userId": "ann", "type": "text", "subject": .string(subject), "summary": "S", "body": "B",
            "applications": ["demo"],
          ]
        ]), headers: ["Authorization: Bearer \(site.key)", "Idempotency-Key: \(key)"])
    }
    let first = try leave("T", key: "k1")
    #expect(first.status == 200 && first.json["responseObject"]?["id"]?.string?.utf8.count == 36, "\(first.text)")
    #expect(try leave("T", key: "k1").text == first.text)
    let other = try leave("Another", key: "k1")
    #expect(other.status == 400 && other.text.contains("Idempotency-Key"), "\(other.text)")
    #expect(try leave("T", key: "k2").json["responseObject"]?["id"] != first.json["responseObject"]?["id"])
    #expect(try site.fixture.send("GET", "/v1/apps/demo/users/ann/inbox").json["total"] == 2)
  }

  @Test("A device with several activations is found by each of them") func severalActivations() throws {
    let site = try Site()
    let made = try site.post(
      "/push/device/create/multi",
      [
        "appId": "demo", "token": .string(Self.token), "platform": "apns", "activationIds": ["act-1", "act-2"],
        "userId": "ann",
      ])
    #expect(made.status == 200, "\(made.text)")
    func send(_ id: String) throws -> JSONValue? {
      try site.post(
        "/push/message/send",
        [
          "appId": "demo", "mode": "ASYNCHRONOUS",
          "message": ["userId": "ann", "activationId": .string(id), "body": ["title": "T"]],
        ]
      ).json["status"]
    }
    for id in ["act-1", "act-2"] { #expect(try send(id) == "OK") }
    #expect(try site.fixture.send("GET", "/v1/apps/demo/pushes").json["pushes"]?.array?.count == 2)
    let state = try site.ask(
      "POST", "/push/device/status/update", #"{"activationId":"act-2","activationStatus":"BLOCKED"}"#)
    #expect(state.status == 200)
    #expect(try site.device(named: "act-1")?["properties"]?["powerauth_inactive"] == " act-2 ")
  }

  @Test("A synchronous send is answered when the server stops") func waitsEndWithTheServer() async throws {
    let site = try Site()
    #expect(try site.post("/push/device/create", Self.device(["userId": "ann"])).status == 200)
    let clock = ContinuousClock()
    let start = clock.now
    async let sent = Task.detached {
      try site.post("/push/message/send", ["appId": "demo", "message": ["userId": "ann", "body": ["title": "T"]]])
    }.value
    while try site.fixture.send("GET", "/v1/apps/demo/pushes").json["pushes"]?.array?.isEmpty != false {
      try await Task.sleep(for: .milliseconds(5))
    }
    site.fixture.server.stop(drainingFor: .seconds(5))
    let answer = try await sent
    let counts: JSONValue = ["sent": 0, "failed": 0, "pending": 1, "total": 1]
    #expect(answer.status == 200 && answer.json["responseObject"]?["apns"] == counts, "\(answer.text)")
    #expect(clock.now - start < .seconds(PushWaits.seconds - 5))
  }

  @Test("A synchronous send waits for no device whose environment has no credential") func waitsForNoCredential() throws
  {
    let site = try Site()
    let device = Self.device(["userId": "ann", "environment": "development"])
    #expect(try site.post("/push/device/create", device).status == 200)
    let clock = ContinuousClock()
    let start = clock.now
    let answer = try site.post(
      "/push/message/send", ["appId": "demo", "message": ["userId": "ann", "body": ["title": "T"]]])
    let counts: JSONValue = ["sent": 0, "failed": 0, "pending": 1, "total": 1]
    #expect(answer.status == 200 && answer.json["responseObject"]?["apns"] == counts, "\(answer.text)")
    // Well before the wait would end by itself.
    #expect(clock.now - start < .seconds(PushWaits.seconds - 5))
  }

  // MARK: - Activations

  @Test("An activation is found as a whole, and by nothing that only contains it") func wholeActivations() throws {
    let site = try Site()
    let several: JSONValue = [
      "appId": "demo", "token": .string(Self.token), "platform": "apns", "activationIds": ["alpha-1", "beta-1"],
    ]
    #expect(try site.post("/push/device/create/multi", several).status == 200)
    func inactive() throws -> JSONValue? { try site.device(named: "alpha-1")?["properties"]?["powerauth_inactive"] }
    for id in ["beta", "eta-1", "beta-11", "1", "BETA-1", "-"] {
      let body = JSON.minifiedText(["activationId": .string(id), "activationStatus": "BLOCKED"])
      #expect(try site.ask("POST", "/push/device/status/update", body).status == 200)
      #expect(try inactive() == nil, "\(id)")
    }
    let body = #"{"activationId": "beta-1", "activationStatus": "BLOCKED"}"#
    #expect(try site.ask("POST", "/push/device/status/update", body).status == 200)
    #expect(try inactive() == " beta-1 ")
    // A property of a user, or of another app's device, does not make a device theirs.
    let path = "/v1/apps/demo/users/mallory"
    let forged = #"{"properties": {"powerauth_activations": " gamma "}}"#
    #expect(try site.fixture.send("PATCH", path, forged).status < 300)
    let mine = Self.device([
      "activationId": "own", "userId": "mallory", "token": .string(String(repeating: "6b", count: 32)),
    ])
    #expect(try site.post("/push/device/create", mine).status == 200)
    let stolen = #"{"activationId": "gamma", "activationStatus": "BLOCKED"}"#
    #expect(try site.ask("POST", "/push/device/status/update", stolen).status == 200)
    #expect(try site.device(named: "own")?["properties"] == nil)
  }

  @Test("States that come at once are all kept, whichever activation of a device they are of") func statesAtOnce()
    async throws
  {
    let site = try Site()
    let ids = (0..<6).map { "act-\($0)" }
    let several: JSONValue = [
      "appId": "demo", "token": .string(Self.token), "platform": "apns", "userId": "ann",
      "activationIds": .array(ids.map { .string($0) }),
    ]
    #expect(try site.post("/push/device/create/multi", several).status == 200)
    for round in 0..<10 {
      let state = round % 2 == 0 ? "BLOCKED" : "ACTIVE"
      try await withThrowingTaskGroup(of: Int.self) { group in
        for id in ids {
          group.addTask {
            let body = JSON.minifiedText(["activationId": .string(id), "activationStatus": .string(state)])
            return try site.ask("POST", "/push/device/status/update", body).status
          }
        }
        // A registration says nothing of states.
        group.addTask { try site.post("/push/device/create/multi", several).status }
        group.addTask { try site.post("/push/device/create", Self.device(["activationId": "act-3"])).status }
        for try await status in group { #expect(status == 200) }
      }
      let shown = try site.device(named: "act-0")?["properties"]?["powerauth_inactive"]?.string
      #expect(Set(shown?.split(separator: " ").map(String.init) ?? []) == Set(round % 2 == 0 ? ids : []), "\(round)")
    }
  }

  @Test("A state that nobody has named is the PowerAuth server's to know") func statesAreNotGuessed() throws {
    let site = try Site()
    #expect(try site.post("/push/device/create", Self.device()).status == 200)
    for body in [
      #"{"activationId": "act-1"}"#, #"{"activationId": "act-1", "activationStatus": null}"#,
      #"{"activationId": "unknown"}"#,
    ] {
      let answer = try site.ask("PUT", "/push/device/status/update", body)
      #expect(answer.status == 400 && Self.code(answer) == "ERROR_PA_SERVER_COMM", "\(answer.text)")
    }
  }
}
