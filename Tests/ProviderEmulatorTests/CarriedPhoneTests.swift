import ProviderEmulator
import Testing
import WireJSON

@Suite("Screens of iPhones and browsers behind FCM", .timeLimit(.minutes(1)))
struct CarriedPhoneTests {
  private let fixture: EmulatorFixture
  private let accessToken: String

  init() throws {
    fixture = try EmulatorFixture()
    let issued = try fixture.plain.json("POST", "/control/access-tokens", ["seconds": 3600])
    accessToken = try #require(issued["access_token"]?.string)
  }

  private func make(_ platform: String, _ token: String = "dev") throws -> JSONValue {
    try fixture.plain.json(
      "POST", "/control/devices",
      ["provider": "fcm", "token": .string(token), "platform": .string(platform), "phone": ["app_name": "Shop"]])
  }

  @discardableResult
  private func push(_ message: String, status: Int = 200) throws -> String {
    let answer = try fixture.plain.send(
      "POST", "/v1/projects/\(fixture.emulator.credentials.projectID)/messages:send",
      headers: [("Authorization", "Bearer \(accessToken)")], body: #"{"message":{"token":"dev",\#(message)}}"#)
    #expect(answer.status == status, "\(answer)")
    return String(decoding: answer.body, as: UTF8.self)
  }

  private func phone(_ rest: String = "", _ method: String = "GET") throws -> JSONValue {
    try fixture.plain.json(method, "/control/devices/fcm/dev/phone\(rest)")
  }

  private func shown() throws -> [JSONValue] { try phone("/items/0/100")["items"]?.array ?? [] }

  @Test("An iPhone shows its block, and what FCM makes of the shared notification")
  func iPhone() throws {
    #expect(try make("ios")["platform"] == "ios")
    try push(#""apns":{"headers":{"apns-collapse-id":"c"},"payload":{"aps":{"alert":{"title":"one"}}}}"#)
    try push(#""notification":{"title":"shared","body":"B"},"data":{"k":"v"}"#)
    try push(#""notification":{"title":"lost"},"apns":{"payload":{"aps":{"alert":{"title":"own"}}}}"#)
    try push(#""apns":{"headers":{"apns-collapse-id":"c"},"payload":{"aps":{"alert":{"title":"two"}}}}"#)
    let titles = try shown().map { $0["notification"]?["title"]?["text"]?.string }
    #expect(titles.count == 3 && Set(titles) == ["two", "own", "shared"], "\(titles)")
    // Android alone has one.
    #expect(try shown().allSatisfy { $0["notification"]?["visibility"] == nil })
  }

  @Test("FCM keeps the last message for an iPhone that is away") func away() throws {
    _ = try make("ios")
    _ = try phone("/offline", "POST")
    for title in ["one", "two"] { try push(#""apns":{"payload":{"aps":{"alert":{"title":"\#(title)"}}}}"#) }
    _ = try phone("/online", "POST")
    #expect(try shown().map { $0["notification"]?["title"]?["text"] } == ["two"])
  }

  @Test("What a browser misses while it is closed is said: replaced by its topic, or expired") func closed() throws {
    _ = try make("web")
    _ = try phone("/offline", "POST")
    for (title, headers) in [
      ("one", #"{"TTL":"600","Topic":"t"}"#), ("two", #"{"TTL":"600","Topic":"t"}"#), ("three", #"{"TTL":"60"}"#),
    ] {
      try push(#""webpush":{"headers":\#(headers),"notification":{"title":"\#(title)","body":"B"}}"#)
    }
    _ = try fixture.plain.json("POST", "/control/clock", ["advance_ms": 120_000])
    _ = try phone("/online", "POST")
    let changes = try phone()["changes"]?.array ?? []
    #expect(
      changes.map { $0["change"]?.string ?? $0["kind"]?.string } == ["replaced", "expired", "shown"], "\(changes)")
    #expect(changes.prefix(2).allSatisfy { $0["reason"]?.string?.contains("the browser was closed") == true })
    #expect(try shown().count == 1)
  }

  @Test("A browser shows what Firebase's worker does, and a tap opens its link") func browser() throws {
    #expect(try make("web")["platform"] == "web")
    let rest = #""fcm_options":{"link":"https://e.x/a"},"data":{"k":"v"},"headers":{"TTL":"60","Topic":"t"}"#
    try push(#""webpush":{"notification":{"title":"one","tag":"g"},\#(rest)}"#)
    try push(#""webpush":{"notification":{"title":"two","tag":"g"},\#(rest)}"#)
    let items = try shown()
    #expect(items.map { $0["notification"]?["title"]?["text"] } == ["two"])
    let item = try #require(items.first?["item"]?.int)
    let tap = try phone("/items/\(item)/tap", "POST")
    #expect(tap["link"] == "https://e.x/a" && tap["data"] == ["k": "v"] && tap["token"] == nil, "\(tap)")
    _ = try phone("/offline", "POST")
    for title in ["three", "four"] { try push(#""webpush":{"notification":{"title":"\#(title)"},\#(rest)}"#) }
    _ = try phone("/online", "POST")
    #expect(try shown().map { $0["notification"]?["title"]?["text"] } == ["four"])
  }

  @Test("A block that FCM refuses is refused, and shown nowhere") func refused() throws {
    _ = try make("ios")
    #expect(try push(#""apns":{"payload":{"k":"v"}}"#, status: 400).contains("INVALID_ARGUMENT"))
    #expect(try push(#""webpush":{"fcm_options":{"link":"shop://a"}}"#, status: 400).contains("INVALID_ARGUMENT"))
    let long = String(repeating: "x", count: 4_097)
    #expect(try push(#""webpush":{"notification":{"body":"\#(long)"}}"#, status: 400).contains("INVALID_ARGUMENT"))
    #expect(try shown().isEmpty)
  }

  @Test("Another platform has another screen, and only FCM's devices have one") func change() throws {
    _ = try make("ios")
    try push(#""apns":{"payload":{"aps":{"alert":"one"}}}"#)
    #expect(try make("web")["platform"] == "web")
    #expect(try shown().isEmpty)
    for (provider, platform) in [("apns", "ios"), ("fcm", "palm")] {
      let answer = try fixture.plain.send(
        "POST", "/control/devices", headers: [("Content-Type", "application/json")],
        body: #"{"provider":"\#(provider)","platform":"\#(platform)"}"#)
      #expect(answer.status == 400 && String(decoding: answer.body, as: UTF8.self).contains("platform"), "\(answer)")
    }
  }
}
