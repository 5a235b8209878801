import Glibc
import PostriderServer
import ProviderEmulator
import TestSupport
import Testing
import WireJSON

/// A message goes in over HTTP, and a virtual device of the emulator has it, byte for byte.
@Suite(.timeLimit(.minutes(2))) struct EndToEndTests {
  static let topic = "com.example.app"

  /// A token whose app was removed.
  static let goneToken = String(repeating: "abcd", count: 16)

  let fixture: ServerFixture
  let emulator: ProviderEmulator

  init() throws { try self.init(clock: .system) }

  init(clock: WallClock, change: (inout PostriderServerConfiguration) -> Void = { _ in }) throws {
    var configuration = EmulatorConfiguration()
    var phone = DeviceDescription(provider: .apns, token: ServerFixture.iosToken)
    phone.topics = [Self.topic]
    var gone = DeviceDescription(provider: .apns, token: Self.goneToken)
    gone.registration = .unregistered(sinceMs: 4_000_000_000_000)
    configuration.scenario.devices = [
      gone, phone, DeviceDescription(provider: .fcm, token: ServerFixture.androidToken),
    ]
    emulator = try ProviderEmulator(configuration)
    fixture = try ServerFixture(clock: clock, change: change)
    try fixture.server.makeApp(name: "demo", title: "Demo", contract: "amba")
    try fixture.server.setCredentials(app: "demo", json: JSON.minified(credentials()))
  }

  func credentials(keyID: String? = nil) throws -> JSONValue {
    let (keys, ports) = (emulator.credentials, emulator.ports)
    func gateway(_ port: UInt16) -> JSONValue {
      ["host": .string(ports.host), "port": .number(JSONNumber(port)), "ca": .string(emulator.authorityPEM)]
    }
    return [
      "apns": [
        "topic": .string(Self.topic), "key": .string(keys.signingKeyPEM), "key_id": .string(keyID ?? keys.keyID),
        "team_id": .string(keys.teamID), "gateway": gateway(ports.apns),
      ],
      "fcm": [
        "service_account": try JSON.parse(keys.serviceAccountJSON(tokenURI: ports.tokenURI)),
        "gateway": gateway(ports.fcm),
      ],
    ]
  }

  func register() throws {
    for (type, token) in [("ios", ServerFixture.iosToken), ("android", ServerFixture.androidToken)] {
      let body: JSONValue = ["type": .string(type), "token": .string(token)]
      #expect(try fixture.post("/v1/apps/demo/devices", body).status == 201)
    }
  }

  func push(_ body: String) throws -> String {
    let answer = try fixture.send("POST", "/v1/apps/demo/pushes", body)
    return try #require(answer.json["id"]?.string, "\(answer.text)")
  }

  /// Waits until the push is over.
  func finished(_ id: String) throws -> JSONValue {
    for _ in 0..<2_000 {
      let push = try fixture.send("GET", "/v1/apps/demo/pushes/\(id)").json
      if push["finished_at"] != nil { return push }
      usleep(10_000)
    }
    return try fixture.send("GET", "/v1/apps/demo/pushes/\(id)").json
  }

  @Test func deliversTheSeedsMessageByteForByte() throws {
    try register()
    let id = try push(
      #"{"to":{"all":true},"campaign":"c-1","message":{"title":"Welcome back!","#
        + #""body":"Your streak is waiting for you.","data":{"screen":"home","promo":"winback"}}}"#)
    let push = try finished(id)
    #expect(push["state"] == "sent")
    #expect(push["counts"]?["targeted"] == 2)
    #expect(push["counts"]?["accepted"] == 2)
    let phone = try #require(emulator.device(.apns, ServerFixture.iosToken)?.receivedPushes.first)
    #expect(
      String(decoding: phone.payload, as: UTF8.self)
        == #"{"screen":"home","promo":"winback","aps":{"alert":{"title":"Welcome back!","#
        + #""body":"Your streak is waiting for you."},"mutable-content":1}}"#)
    let headers = Dictionary(phone.headers.map { ($0.name, $0.value) }) { first, _ in first }
    #expect(headers["apns-push-type"] == "alert")
    #expect(headers["apns-priority"] == "10")
    #expect(headers["apns-topic"] == Self.topic)
    #expect(headers["apns-collapse-id"] == "c-1")
    let android = try #require(emulator.device(.fcm, ServerFixture.androidToken)?.receivedPushes.first)
    #expect(
      String(decoding: android.payload, as: UTF8.self)
        == #"{"message":{"token":"\#(ServerFixture.androidToken)","notification":{"title":"Welcome back!","#
        + #""body":"Your streak is waiting for you."},"android":{"priority":"high","notification":{"tag":"c-1"}},"#
        + #""data":{"screen":"home","promo":"winback"}}}"#)
    let rows = try fixture.send("GET", "/v1/apps/demo/pushes/\(id)/deliveries").json["deliveries"]?.array ?? []
    #expect(rows.map { $0["provider"]?.string } == ["apns", "fcm"])
    #expect(rows.map { $0["status"]?.int } == [200, 200])
    #expect(rows.first?["apns_id"]?.string == headers["apns-id"])
    #expect(rows.last?["message_name"]?.string?.hasSuffix(android.id) == true)
  }

  /// A phone's PushKit token takes calls only: who sends an alert to all does not mean it, who names it is told.
  @Test func leavesOutTokensThatTheMessageHasNothingFor() throws {
    try register()
    let call: JSONValue = ["type": "ios-voip", "token": .string(String(repeating: "c0", count: 32))]
    let device = try #require(try fixture.post("/v1/apps/demo/devices", call).json["id"]?.string)
    let message = #""message":{"title":"T","body":"B"}"#
    for to in [#"{"all":true}"#, #"{"segment":"all"}"#] {
      let all = try finished(try push(#"{"to":\#(to),\#(message)}"#))
      #expect(all["counts"]?["targeted"] == 2 && all["counts"]?["accepted"] == 2, "\(to): \(all)")
    }
    let named = try push(#"{"to":{"devices":["\#(device)"]},\#(message)}"#)
    #expect(try finished(named)["counts"]?["rejected"] == 1)
    let reasons = try fixture.send("GET", "/v1/apps/demo/pushes/\(named)/funnel").json["reasons"]
    #expect(reasons?[0]?["reason"] == "no-payload" && reasons?[0]?["count"] == 1)
  }

  /// Trap 12: labels are names of our own, so that no caller and no provider makes a series each.
  @Test func trap12NoMetricIsLabelledByTokenIdOrReason() throws {
    // Not of Google's token endpoint: without an access token the push would wait instead of being refused.
    for provider in [EmulatedProvider.apns, .fcm] {
      var rule = FaultRule(name: "new-\(provider)", effect: .refuse(Refusal("ReasonOfTomorrow", status: 400)))
      rule.provider = provider
      emulator.add(rule)
    }
    let id = try push(
      #"{"message":{"title":"T","body":"B"},"campaign":"spring-sale","to":{"tokens":[{"type":"ios","token":"#
        + #""\#(ServerFixture.iosToken)"},{"type":"android","token":"\#(ServerFixture.androidToken)"}]}}"#)
    let push = try finished(id)
    #expect(push["counts"]?["rejected"] == 2, "\(push)")
    let text = try fixture.send("GET", "/metrics").text
    #expect(text.contains("postrider_"))
    for secret in [ServerFixture.iosToken, ServerFixture.androidToken, "spring-sale", "ReasonOfTomorrow"] {
      #expect(!text.contains(secret), "\(secret)")
    }
    let labels = Set(text.split(separator: "\n").flatMap { $0.split(separator: "\"").dropFirst().map(String.init) })
    #expect(!labels.contains(id))
  }

  @Test func recordsARefusalWithItsReason() throws {
    let id = try push(
      #"{"message":{"title":"T","body":"B"},"to":{"tokens":[{"type":"ios","token":"\#(ServerFixture.iosToken)"},"#
        + #"{"type":"ios","token":"\#(Self.goneToken)"}]}}"#)
    let push = try finished(id)
    #expect(push["counts"]?["accepted"] == 1)
    #expect(push["counts"]?["rejected"] == 1)
    let rows = try fixture.send("GET", "/v1/apps/demo/pushes/\(id)/deliveries?state=rejected").json["deliveries"]
    #expect(rows?[0]?["status"] == 410)
    #expect(rows?[0]?["reason"] == "Unregistered")
  }

  @Test func stopsAnAppWhoseKeyIsRefusedUntilItIsReplaced() throws {
    try fixture.server.setCredentials(app: "demo", json: JSON.minified(credentials(keyID: "WRONGKEY00")))
    let body =
      #"{"message":{"title":"T","body":"B"},"to":{"tokens":[{"type":"ios","token":"\#(ServerFixture.iosToken)"}]}}"#
    _ = try push(body)
    var reason: String?
    for _ in 0..<1_000 where reason == nil {
      reason = try fixture.send("GET", "/v1/apps/demo").json["stopped"]?.string
      if reason == nil { usleep(20_000) }
    }
    #expect(reason?.hasPrefix("apns refused the credential") == true, "\(reason ?? "not stopped")")
    let stops = try fixture.send("GET", "/v1/apps/demo").json["stops"]?.array ?? []
    #expect(stops.map { $0["slot"]?.string } == ["apns"] && stops[0]["reason"] == "InvalidProviderToken")
    #expect((stops[0]["retry_at"]?.string ?? "") > (stops[0]["since"]?.string ?? "~"))
    let overview = try fixture.send("GET", "/v1/apps/demo/overview").json
    let states = overview["providers"]?.array?.map { [$0["slot"]?.string, $0["state"]?.string] } ?? []
    #expect(states.contains(["apns", "stopped"]) && states.contains(["fcm", "ready"]), "\(states)")
    #expect(overview["alerts"]?.array?.contains { $0["kind"] == "provider-stopped" } == true)
    let metrics = try fixture.send("GET", "/metrics").text
    #expect(metrics.contains("postrider_providers_stopped{slot=\"apns\"} 1"))
    #expect(metrics.contains("postrider_providers_stopped{slot=\"fcm\"} 0"))
    // A person may have it tried again at once.
    let resumed = try fixture.send("POST", "/v1/apps/demo/resume")
    #expect(resumed.status == 200 && resumed.json["stopped"] == nil && resumed.json["stops"] == nil)
    try fixture.server.setCredentials(app: "demo", json: JSON.minified(credentials()))
    #expect(try fixture.send("GET", "/v1/apps/demo").json["stopped"] == nil)
    // What was refused is tried again later; what comes now goes out at once.
    #expect(try finished(push(body))["counts"]?["accepted"] == 1)
  }

  @Test func asksTheProvidersWhetherTheyTakeACredential() throws {
    let path = "/v1/apps/demo/credentials/check"
    let saved = try fixture.send("POST", path, "{}")
    #expect(saved.status == 200)
    #expect(saved.json["apns"] == ["usable": true, "detail": "APNs takes the credential"])
    #expect(saved.json["fcm"] == ["usable": true, "detail": "FCM takes the credential"])

    let wrong = try fixture.post(path, credentials(keyID: "WRONGKEY00"))
    #expect(wrong.json["apns"]?["usable"] == false)
    #expect(wrong.json["apns"]?["detail"]?.string?.hasPrefix("apns answered 403 InvalidProviderToken: ") == true)
    #expect(wrong.json["fcm"]?["usable"] == true)
    // Asking changes nothing.
    #expect(try fixture.send("GET", "/v1/apps/demo/credentials").json["apns"]?["key_id"] != "WRONGKEY00")

    var nobody = try #require(try credentials()["apns"]?.object)
    nobody["gateway"] = ServerFixture.gateway
    let unreachable = try fixture.post(path, ["apns": .object(nobody)])
    #expect(unreachable.json["apns"]?["usable"] == false)
    #expect(unreachable.json["apns"]?["detail"]?.string?.contains("127.0.0.1") == true, "\(unreachable.text)")
    #expect(unreachable.json["fcm"] == nil)

    nobody["key"] = "no key"
    #expect(try fixture.post(path, ["apns": .object(nobody)]).status == 422)
  }

  @Test("A credential that names the environment of the other member is refused")
  func environmentOfTheOtherMember() throws {
    var apns = try #require(try credentials()["apns"]?.object)
    for (slot, named, other) in [("apns", "sandbox", "apns_sandbox"), ("apns_sandbox", "production", "apns")] {
      apns["environment"] = .string(named)
      let body = JSON.minifiedText(.object([slot: .object(apns)]))
      for (method, path) in [("PUT", "credentials"), ("POST", "credentials/check")] {
        let answer = try fixture.send(method, "/v1/apps/demo/\(path)", body)
        #expect(answer.status == 422 && answer.detail.hasPrefix("\(slot).environment: "), "\(answer.text)")
        #expect(answer.detail.contains("belongs at \"\(other)\""), "\(answer.text)")
      }
    }
    apns["environment"] = "production"
    let kept = try fixture.send("PUT", "/v1/apps/demo/credentials", JSON.minifiedText(["apns": .object(apns)]))
    #expect(kept.status == 200, "\(kept.text)")
  }

  @Test func savesNothingThatAProviderDoesNotTake() throws {
    let path = "/v1/apps/demo/credentials"
    let before = try fixture.send("GET", path).text
    let refused = try fixture.send("PUT", path + "?check=true", JSON.minifiedText(credentials(keyID: "WRONGKEY00")))
    #expect(refused.status == 422 && refused.rules == ["credential-refused"], "\(refused.text)")
    #expect(refused.json["report"]?[0]?["field"] == "apns")
    #expect(try fixture.send("GET", path).text == before)
    // The old ones go on.
    let body =
      #"{"message":{"title":"T","body":"B"},"to":{"tokens":[{"type":"ios","token":"\#(ServerFixture.iosToken)"}]}}"#
    #expect(try finished(push(body))["counts"]?["accepted"] == 1)
    let taken = try fixture.send("PUT", path + "?check=true", JSON.minifiedText(credentials()))
    #expect(taken.status == 200, "\(taken.text)")
    #expect(try fixture.send("PUT", path + "?check=perhaps", "{}").status == 400)
  }

  @Test func sendsUnderEachOfSeveralTopicsAndDevelopmentsOwn() throws {
    let path = "/v1/apps/demo/credentials"
    var apns = try #require(try credentials()["apns"]?.object)
    apns["topics"] = ["com.example.lite"]
    var sandbox = apns
    sandbox["topic"] = "com.example.app.dev"
    sandbox["topics"] = nil
    for topic in ["bad id", ""] {
      var bad = apns
      bad["topics"] = [.string(topic)]
      #expect(try fixture.send("PUT", path, JSON.minifiedText(["apns": .object(bad)])).status == 422)
    }
    let saved = try fixture.send(
      "PUT", path, JSON.minifiedText(["apns": .object(apns), "apns_sandbox": .object(sandbox)]))
    #expect(saved.json["apns"]?["topics"] == ["com.example.lite"], "\(saved.text)")
    let rows: [(token: String, environment: String, topic: String?, expected: String)] = [
      (String(repeating: "a1", count: 32), "production", nil, "com.example.app"),
      (String(repeating: "a2", count: 32), "production", "com.example.lite", "com.example.lite"),
      (String(repeating: "a3", count: 32), "development", nil, "com.example.app.dev"),
      (String(repeating: "a4", count: 32), "development", "com.example.lite", "com.example.lite"),
    ]
    for row in rows {
      var device = DeviceDescription(provider: .apns, token: row.token)
      device.topics = [row.expected]
      emulator.makeDevice(device)
      let topic = row.topic.map { #","topic":"\#($0)""# } ?? ""
      let address = #"{"type":"ios","token":"\#(row.token)","environment":"\#(row.environment)"}"#
      let body = #"{"message":{"title":"T","body":"B"},"to":{"tokens":[\#(address)]}\#(topic)}"#
      #expect(try finished(push(body))["counts"]?["accepted"] == 1, "\(row)")
      let sent = emulator.device(.apns, row.token)?.receivedPushes.first
      #expect(sent?.headers.first { $0.name == "apns-topic" }?.value == row.expected)
    }
    let other = try fixture.send(
      "POST", "/v1/apps/demo/pushes",
      #"{"message":{"title":"T","body":"B"},"to":{"all":true},"topic":"com.example.other"}"#)
    #expect(other.status == 422 && other.json["report"]?[0]?["field"] == "topic", "\(other.text)")
  }

  @Test func writesWithTheAppsContractAndItsOptions() throws {
    let path = "/v1/apps/demo"
    let tag = try #require(try fixture.send("GET", path).headers["etag"])
    let match = "If-Match: \(tag)"
    let changed = try fixture.send(
      "PATCH", path, #"{"title":"Chat","contract":"imkit","options":["ios-voip"]}"#, headers: [match])
    #expect(changed.json["title"] == "Chat" && changed.json["options"] == ["ios-voip"], "\(changed.text)")
    #expect(try fixture.send("PATCH", path, #"{"title":"X"}"#, headers: [match]).status == 412)
    #expect(try fixture.send("GET", path).text == changed.text)
    let voip = String(repeating: "b1", count: 32)
    var device = DeviceDescription(provider: .apns, token: voip)
    device.topics = [Self.topic]
    emulator.makeDevice(device)
    let message = #""message":{"messageType":"text","sender":"Al","content":"Hi","room":"r","message":{"a":1}}"#
    let call = #"{\#(message),"to":{"tokens":[{"type":"ios-voip","token":"\#(voip)"}]}}"#
    #expect(try finished(push(call))["counts"]?["accepted"] == 1)
    let called = emulator.device(.apns, voip)?.receivedPushes.first
    #expect(called?.headers.first { $0.name == "apns-topic" }?.value == Self.topic + ".voip")
    let chat =
      #"{\#(message),"to":{"tokens":[{"type":"ios","token":"\#(ServerFixture.iosToken)"}]},"options":[]}"#
    #expect(try finished(push(chat))["counts"]?["accepted"] == 1)

    let rows: [(body: String, field: String)] = [
      (#"{"options":["no-such"]}"#, "options[0]"), (#"{"contract":"nope"}"#, "contract"),
      (#"{"contract":null,"options":["x"]}"#, "options"),
    ]
    for row in rows {
      let refused = try fixture.send("PATCH", path, row.body)
      #expect(
        refused.status == 422 && refused.json["report"]?[0]?["field"]?.string == row.field, "\(refused.text)")
    }
    // The options of one contract mean nothing to another.
    #expect(try fixture.send("PATCH", path, #"{"contract":"amba"}"#).json["options"] == nil)
    #expect(try fixture.send("PATCH", path, #"{"contract":null}"#).json["contract"] == nil)
    let made = try fixture.post("/v1/apps", ["name": "chat", "contract": "imkit", "options": ["ios-voip"]])
    #expect(made.status == 201 && made.json["options"] == ["ios-voip"])
  }

  @Test func holdsResumesAndCancelsAndTellsTheProgress() throws {
    let tokens = (0..<50).map { #"{"type":"ios","token":"\#(String(repeating: "ab", count: 31))\#($0 + 10)"}"# }
    let id = try push(
      #"{"message":{"title":"T","body":"B"},"campaign":"c","throttle_per_minute":1,"to":{"tokens":["#
        + tokens.joined(separator: ",") + "]}}")
    let path = "/v1/apps/demo/pushes/\(id)"
    let watcher = try HTTPTestClient(port: fixture.server.port)
    watcher.send("GET \(path)/progress HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer \(fixture.admin)\r\n\r\n")
    #expect(try fixture.send("POST", path + "/pause").json["state"] == "paused")
    #expect(try fixture.send("POST", path + "/resume").json["state"] == "sending")
    #expect(try fixture.send("PATCH", path, #"{"throttle_per_minute":2}"#).json["throttle_per_minute"] == 2)
    let cancelled = try fixture.send("POST", path + "/cancel").json
    #expect(cancelled["state"] == "cancelled")
    // One went out, or is on its way; the throttle kept the others here.
    let left = (cancelled["stopped"]?.int ?? -1) + (cancelled["not_stopped"]?.int ?? -1)
    #expect((48...50).contains(left) && cancelled["stopped"]?.int ?? 0 >= 40, "\(cancelled)")
    #expect(cancelled["counts"]?["cancelled"] == cancelled["stopped"], "\(cancelled)")
    #expect(try fixture.send("POST", path + "/cancel").status == 409)
    let push = try finished(id)
    let counts = push["counts"]?.object ?? [:]
    #expect(counts["targeted"] == 50)
    let parts = counts.filter { $0.key != "targeted" }.reduce(0) { $0 + ($1.value.int ?? 0) }
    #expect(parts == 50)
    // The stream ends by itself with the last state.
    let events = try watcher.readAnswer()
    #expect(events.headers["content-type"] == "text/event-stream")
    let last = events.body.split(separator: "data: ").last.map(String.init) ?? ""
    #expect(try JSON.parse(last)["state"] == "cancelled")
  }

  @Test func sendsWhatWaitedWhenTheServerStartsAgain() throws {
    try register()
    emulator.add(FaultRule(name: "down", effect: .silence))
    let folder = fixture.folder
    let id = try push(#"{"message":{"title":"T","body":"B"},"to":{"all":true}}"#)
    fixture.server.stop(drainingFor: .milliseconds(100))
    emulator.removeFaults()
    let again = try ServerFixture(folder: folder, admin: fixture.admin, clock: .system)
    var push: JSONValue = .null
    for _ in 0..<2_000 {
      push = try again.send("GET", "/v1/apps/demo/pushes/\(id)").json
      if push["finished_at"] != nil { break }
      usleep(10_000)
    }
    #expect(push["counts"]?["accepted"] == 2, "\(push)")
  }
}
