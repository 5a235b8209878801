import Glibc
import HTTPServer
import PostriderServer
import ProviderEmulator
import PushContracts
import Synchronization
import TestSupport
import Testing
import WireJSON

/// Huawei's phones, from the credential to what the virtual phone shows.
@Suite(.timeLimit(.minutes(3))) struct HuaweiPushTests {
  let world: EndToEndTests
  var fixture: ServerFixture { world.fixture }
  var emulator: ProviderEmulator { world.emulator }

  static let path = "/v1/apps/demo"
  static let token = "IQAAAACy0kYoAADUE-_Q"
  static let message = #""message":{"title":"Grüße","body":"B","data":{"screen":"home"}}"#

  init() throws {
    world = try EndToEndTests()
    let put = try fixture.send("PUT", "\(Self.path)/credentials", JSON.minifiedText(["hms": try credential()]))
    #expect(put.status == 200, "\(put.text)")
    var phone = DeviceDescription(provider: .hms, token: Self.token)
    phone.phone = PhoneDescription()
    phone.phone?.contract = .amba
    emulator.makeDevice(phone)
  }

  private func credential(_ change: (inout JSONObject) -> Void = { _ in }) throws -> JSONValue {
    let (keys, ports) = (emulator.credentials, emulator.ports)
    var object: JSONObject = [
      "client_id": .string(keys.huaweiClientID), "client_secret": .string(keys.huaweiClientSecret),
      "gateway": [
        "host": .string(ports.host), "port": .number(JSONNumber(ports.hms)), "ca": .string(emulator.authorityPEM),
      ],
    ]
    change(&object)
    return .object(object)
  }

  @discardableResult
  private func register(_ token: String = token, user: String? = nil) throws -> String {
    var body: JSONObject = ["type": "hms", "token": .string(token)]
    if let user { body["user"] = .string(user) }
    let answer = try fixture.post("\(Self.path)/devices", .object(body))
    return try #require(answer.json["id"]?.string, "\(answer.text)")
  }

  private func received(_ token: String = token) -> [String] {
    (emulator.device(.hms, token)?.receivedPushes ?? []).map { String(decoding: $0.payload, as: UTF8.self) }
  }

  private func deliveries(_ push: String) throws -> [JSONValue] {
    try fixture.send("GET", "\(Self.path)/pushes/\(push)/deliveries").json["deliveries"]?.array ?? []
  }

  @Test("A message over the PowerAuth push server's interface reaches Huawei's phones") func powerAuth() throws {
    #expect(try fixture.send("PATCH", Self.path, #"{"compat":{"powerauth":{}}}"#).status == 200)
    let key = try fixture.key(["compat"], app: "demo")
    func post(_ path: String, _ object: String) throws -> JSONValue {
      let body = #"{"requestObject":\#(object)}"#
      let answer = try fixture.send("POST", "/compat/powerauth/push/\(path)", body, key: .some(key))
      #expect(answer.status == 200, "\(answer.text)")
      return answer.json["responseObject"] ?? .null
    }
    for user in ["ann", "bob"] {
      let token = user == "ann" ? Self.token : "token-of-\(user)"
      _ = try post(
        "device/create",
        #"{"appId":"demo","token":"\#(token)","platform":"huawei","activationId":"of-\#(user)","userId":"\#(user)"}"#)
    }
    let message = #""message":{"userId":"ann","body":{"title":"T","body":"B"}}"#
    let sent = try post("message/send", #"{"appId":"demo",\#(message)}"#)
    #expect(sent["hms"] == ["sent": 1, "failed": 0, "pending": 0, "total": 1], "\(sent)")
    #expect(received().count == 1 && received().first?.contains("\"T\"") == true, "\(received())")
  }

  @Test("A campaign reaches Huawei's phones beside the others; the row has Push Kit's request id") func mixed() throws {
    try world.register()
    try register()
    let id = try world.push(#"{"to":{"all":true},"campaign":"c-1","expires_in_seconds":600,\#(Self.message)}"#)
    let push = try world.finished(id)
    #expect(push["counts"]?["accepted"] == 3 && push["counts"]?["targeted"] == 3, "\(push)")
    #expect(
      received() == [
        #"{"message":{"token":["\#(Self.token)"],"data":"{\"screen\":\"home\"}","android":{"notification":"#
          + #"{"title":"Grüße","body":"B","tag":"c-1","click_action":{"type":3}}}}}"#
      ])
    let row = try #require(try deliveries(id).last)
    #expect(row["type"] == "hms" && row["provider"] == "hms" && row["status"] == 200, "\(row)")
    let request = try #require(row["request_id"]?.string)
    #expect(request == emulator.device(.hms, Self.token)?.receivedPushes.first?.id)
    // The app's report names it.
    let report = try fixture.post(
      "\(Self.path)/events", ["events": [["type": "opened", "request_id": .string(request)]]])
    #expect(report.json["counts"]?["recorded"] == 1, "\(report.text)")
    #expect(try deliveries(id).last?["opened_at"] != nil)
  }

  @Test("Segments, counts, files and tokens know the kind") func known() throws {
    try world.register()
    try register(user: "ann")
    for (field, value, count) in [("type", "hms", 1), ("platform", "android", 2), ("platform", "ios", 1)] {
      let filter: JSONValue = ["field": .string(field), "op": "eq", "value": .string(value)]
      let answer = try fixture.post("\(Self.path)/audience", ["to": ["filter": filter]])
      #expect(answer.json["total"]?.int == count, "\(field) \(value): \(answer.text)")
    }
    #expect(try fixture.post("\(Self.path)/audience", ["to": ["all": true]]).json["devices"]?["hms"] == 1)
    let file = try fixture.send(
      "PUT", "\(Self.path)/devices/import", "type,token,user\nhms,IQother,bob\nhms,fcm:token,eve\n",
      headers: ["Content-Type: text/csv"])
    #expect(file.json["created"] == 1 && file.json["failed"] == 1, "\(file.text)")
    #expect(try fixture.send("GET", "\(Self.path)/devices/export?format=csv").text.contains("hms"))
    let id = try world.push(#"{"to":{"tokens":[{"type":"hms","token":"\#(Self.token)"}]},\#(Self.message)}"#)
    #expect(try world.finished(id)["counts"]?["accepted"] == 1)
    #expect(received().count == 1)
  }

  @Test("Only an answer that calls the token illegal retires the device") func answers() throws {
    let rows: [(String, retires: Bool)] = [
      ("80300007", true), ("80100000", true), ("80300002", false), ("80100003", false), ("80300011", false),
    ]
    var ids: [String] = []
    for (code, _) in rows {
      var device = DeviceDescription(provider: .hms, token: "IQ\(code)")
      device.script = DeviceScript([.refuse(Refusal(code))], repeatsLast: true)
      emulator.makeDevice(device)
      ids.append(try register("IQ\(code)"))
    }
    // Enough that go through, so that none of these looks like a mistake of the credential.
    for number in 0..<20 { try register("IQfine\(number)") }
    let id = try world.push(#"{"to":{"all":true},\#(Self.message)}"#)
    let push = try world.finished(id)
    #expect(push["counts"]?["rejected"] == 5 && push["counts"]?["accepted"] == 20, "\(push)")
    for (row, device) in zip(rows, ids) {
      let state = try fixture.send("GET", "\(Self.path)/devices/\(device)").json
      #expect((state["state"] == "retired") == row.retires, "\(row.0): \(state)")
    }
    let reasons = try deliveries(id).compactMap { $0["reason"]?.string }
    #expect(Set(reasons) == Set(rows.map(\.0)))
    let explained = try deliveries(id).first { $0["reason"] == "80300007" }?["explanation"]
    #expect(explained?["meaning"]?.string?.contains("token is invalid") == true, "\(String(describing: explained))")
  }

  @Test("An answer that is not Push Kit's leaves the delivery in doubt, with a reason that is explained")
  func unreadable() throws {
    try register()
    var rule = FaultRule(name: "portal", effect: .answer(RawAnswer(status: 200, body: Array("nonsense".utf8))))
    rule.provider = .hms
    emulator.add(rule)
    let id = try world.push(#"{"to":{"all":true},\#(Self.message)}"#)
    var row: JSONValue?
    // It is tried again later, and has its reason when the first answer is recorded.
    for _ in 0..<1_000 where row == nil {
      row = try deliveries(id).first { $0["reason"] == "unreadable_answer" }
      if row == nil { usleep(10_000) }
    }
    let found = try #require(row)
    #expect(found["state"] == "unknown" || found["state"] == "waiting", "\(found)")
    #expect(found["explanation"]?["meaning"]?.string?.contains("may have got the message") == true, "\(found)")
  }

  @Test("A preview shows the phone; its tray shows what arrived") func preview() throws {
    let phone = try register(user: "ann")
    let answer = try fixture.send(
      "POST", "\(Self.path)/pushes/preview", #"{"to":{"device":"\#(phone)"},"svg":true,\#(Self.message)}"#)
    let shown = try #require(answer.json["previews"]?[0], "\(answer.text)")
    // What an app reads is where its contract has it, so that nothing is unknown.
    #expect(!answer.text.contains("key-unknown"), "\(answer.text)")
    #expect(shown["platform"] == "android" && shown["title"]?["text"] == "Grüße", "\(shown)")
    #expect(shown["request"]?["message"]?["token"] == [.string(Self.token)])
    let id = try world.push(#"{"to":{"users":["ann"]},\#(Self.message)}"#)
    #expect(try world.finished(id)["counts"]?["accepted"] == 1)
    let tray = Mutex("")
    emulator.desk.handle(.get, ["devices", "hms", Self.token, "phone"], []) { answer in
      tray.withLock { $0 = "\(answer.body)" }
      if case .bytes(let bytes) = answer.body { tray.withLock { $0 = String(decoding: bytes, as: UTF8.self) } }
    }
    #expect(tray.withLock { $0 }.contains("Grüße"))
  }

  @Test("Placeholders are filled in texts and in data, and a size that is too large is the recipient's alone")
  func placeholders() throws {
    try register(user: "ann")
    let text = #""message":{"title":"T","body":"Hi {{name}}","data":{"who":"{{name}}"}}"#
    let id = try world.push(#"{"to":{"users":["ann"]},"user_values":{"ann":{"name":"A \"n\" n"}},\#(text)}"#)
    #expect(try world.finished(id)["counts"]?["accepted"] == 1)
    let message = try JSON.parse(try #require(received().first))["message"]
    #expect(message?["android"]?["notification"]?["body"] == #"Hi A "n" n"#)
    let data = try JSON.parse(message?["data"]?.string ?? "")
    #expect(data == ["who": #"A "n" n"#], "\(data)")
    let long = String(repeating: "y", count: 4_000)
    let large = try world.push(#"{"to":{"users":["ann"]},"user_values":{"ann":{"name":"\#(long)"}},\#(text)}"#)
    #expect(try world.finished(large)["counts"]?["rejected"] == 1)
    #expect(try deliveries(large).compactMap { $0["reason"]?.string } == ["payload-too-large"])
  }

  @Test("A message that is too long for Push Kit is refused, and one without a text for it alone") func refused() throws
  {
    try register()
    let long = String(repeating: "x", count: 4_050)
    let large = try fixture.send(
      "POST", "\(Self.path)/pushes",
      #"{"to":{"tokens":[{"type":"hms","token":"\#(Self.token)"}]},"message":{"title":"T","body":"\#(long)"}}"#)
    #expect(large.status == 422 && large.rules == ["hms-message-too-large"], "\(large.text)")
    let silent = try fixture.send(
      "POST", "\(Self.path)/pushes",
      #"{"to":{"tokens":[{"type":"hms","token":"\#(Self.token)"}]},"contract":"powerauth","message":{"title":"T"}}"#)
    #expect(silent.status == 422 && silent.rules.contains("device-shows-nothing"), "\(silent.text)")
  }

  @Test("The credential: checked, sealed, and refused with the member that is wrong") func credentials() throws {
    let get = try fixture.send("GET", "\(Self.path)/credentials")
    #expect(get.json["hms"]?["client_id"]?.string == emulator.credentials.huaweiClientID)
    #expect(!get.text.contains(emulator.credentials.huaweiClientSecret))
    let check = try fixture.send("POST", "\(Self.path)/credentials/check", "{}")
    #expect(check.json["hms"]?["usable"] == true, "\(check.text)")
    let wrong = try credential { $0["client_secret"] = "0123456789abcdef0123456789abcdef" }
    let refused = try fixture.send(
      "PUT", "\(Self.path)/credentials?check=true", JSON.minifiedText(["hms": wrong]))
    #expect(refused.status == 422 && refused.rules == ["credential-refused"], "\(refused.text)")
    #expect(refused.text.contains("12304") && !refused.text.contains("0123456789abcdef"))
    for (member, value) in [("client_id", "com.example.app"), ("client_secret", "short"), ("project_id", "demo")] {
      let bad = try credential { $0[member] = .string(value) }
      let answer = try fixture.send("PUT", "\(Self.path)/credentials", JSON.minifiedText(["hms": bad]))
      #expect(answer.status == 422 && answer.rules == ["credential-huawei"], "\(answer.text)")
      #expect(answer.text.contains("hms.\(member)") && answer.text.contains("expected"), "\(answer.text)")
    }
    let token = try fixture.post("\(Self.path)/devices", ["type": "hms", "token": "fMEO1bKqT0:APA91b"])
    #expect(token.status == 422 && token.text.contains("register that one as android"), "\(token.text)")
  }

  @Test("An app without the credential is told so; one with nothing else is served") func alone() throws {
    let off = try fixture.send("PUT", "\(Self.path)/credentials", #"{"apns":null,"fcm":null}"#)
    #expect(off.status == 200, "\(off.text)")
    try register()
    let id = try world.push(#"{"to":{"all":true},\#(Self.message)}"#)
    #expect(try world.finished(id)["counts"]?["accepted"] == 1)
    #expect(received().count == 1)
    #expect(try fixture.send("PUT", "\(Self.path)/credentials", #"{"hms":null}"#).status == 200)
    let named = try fixture.send(
      "POST", "\(Self.path)/pushes", #"{"to":{"tokens":[{"type":"hms","token":"\#(Self.token)"}]},\#(Self.message)}"#)
    #expect(named.status == 409 && named.text.contains("no hms credentials"), "\(named.text)")
  }
}
