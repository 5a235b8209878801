import PostriderServer
import TestSupport
import Testing
import WireJSON

/// A token is that of one kind of device, whatever a later registration calls it.
@Suite(.timeLimit(.minutes(2))) struct DeviceKindTests {
  let world: EndToEndTests
  var fixture: ServerFixture { world.fixture }

  static let path = "/v1/apps/demo"
  static let ios = String(repeating: "7d", count: 32)
  static let start = String(repeating: "5a", count: 48)
  static let fcm = "bk3RNwTe3H0:CI2k_HHwgIpoDKCIZvvDMExUdFQ3P1"

  init() throws { world = try EndToEndTests() }

  private func register(_ type: String, _ token: String, user: String? = nil) throws -> ServerFixture.Answer {
    var body: JSONObject = ["type": .string(type), "token": .string(token)]
    if let user { body["user"] = .string(user) }
    return try fixture.post("\(Self.path)/devices", .object(body))
  }

  private func kind(_ id: String) throws -> JSONValue? {
    try fixture.send("GET", "\(Self.path)/devices/\(id)").json["type"]
  }

  @Test("A token of another provider's device, or of an app's and a Live Activity's, is refused; the device stays")
  func others() throws {
    let rows: [(first: String, token: String, others: [String])] = [
      ("ios", Self.ios, ["fcm-ios", "hms", "ios-live-activity", "ios-live-activity-start"]),
      ("ios-live-activity-start", Self.start, ["ios", "ios-live-activity"]),
    ]
    for row in rows {
      let id = try #require(try register(row.first, row.token, user: "ann").json["id"]?.string)
      for other in row.others {
        let answer = try register(other, row.token, user: "bob")
        #expect(answer.status == 422, "\(row.first) as \(other): \(answer.text)")
        #expect(answer.text.contains("registered with the type \(row.first)"), "\(answer.text)")
        #expect(answer.json["report"]?[0]?["field"] == "token", "\(answer.text)")
        #expect(try kind(id) == .string(row.first))
      }
      #expect(try fixture.send("GET", "\(Self.path)/devices/\(id)").json["user"] == "ann")
      #expect(try register(row.first, row.token, user: "ann").status == 200)
    }
  }

  @Test("A name stays that of the address that a phone has for one purpose") func names() throws {
    func named(_ type: String, _ token: String) throws -> ServerFixture.Answer {
      try fixture.post(
        "\(Self.path)/devices", ["type": .string(type), "token": .string(token), "name": "phone-7", "user": "ann"])
    }
    let id = try #require(try named("ios", Self.ios).json["id"]?.string)
    for type in ["ios-voip", "ios-live-activity-start"] {
      let answer = try named(type, Self.start)
      #expect(answer.status == 422 && answer.text.contains("a name of its own"), "\(answer.text)")
      #expect(answer.json["report"]?[0]?["field"] == "name", "\(answer.text)")
      #expect(try kind(id) == "ios")
    }
    // The same person's next phone.
    #expect(try named("android", Self.fcm).json["id"]?.string == id)
    #expect(try kind(id) == "android")
  }

  @Test("A report of an activity's token does not take over the device of an app") func reported() throws {
    let phone = try #require(try register("ios", Self.ios, user: "alice").json["id"]?.string)
    let start = try #require(try register("ios-live-activity-start", Self.start, user: "ann").json["id"]?.string)
    let parts =
      #""to":{"user":"ann"},"attributes_type":"Order","attributes":{},"content_state":{},"#
      + #""alert":{"title":"Your order","body":"It is on its way."}"#
    let made = try fixture.send("POST", "\(Self.path)/activities", #"{"id":"o-1",\#(parts)}"#)
    #expect(made.status == 202, "\(made.text)")
    for (token, device, type) in [(Self.ios, phone, "ios"), (Self.start, start, "ios-live-activity-start")] {
      let answer = try fixture.send(
        "POST", "\(Self.path)/activities/o-1/tokens", #"{"token":"\#(token)"}"#)
      #expect(answer.status == 422, "\(answer.text)")
      #expect(try kind(device) == .string(type))
    }
    #expect(try fixture.send("GET", "\(Self.path)/activities/o-1").json["tokens"] == [])
  }

  @Test("FCM's tokens may be called what they are later") func corrected() throws {
    let id = try #require(try register("android", Self.fcm).json["id"]?.string)
    for type in ["fcm-ios", "fcm-web", "android"] {
      #expect(try register(type, Self.fcm).status == 200)
      #expect(try kind(id) == .string(type))
    }
  }

  @Test("A file does not change the kind either: the row fails, the others are taken") func file() throws {
    let id = try #require(try register("ios", Self.ios).json["id"]?.string)
    let answer = try fixture.send(
      "PUT", "\(Self.path)/devices/import", "type,token\nhms,\(Self.ios)\nandroid,\(Self.fcm)\n",
      headers: ["Content-Type: text/csv"])
    #expect(answer.json["created"] == 1 && answer.json["failed"] == 1, "\(answer.text)")
    #expect(try kind(id) == "ios")
  }

  @Test("A file's doubtful addresses are warned of as those of a registration, each once") func doubts() throws {
    let other = String(repeating: "8e", count: 32)
    let answer = try fixture.send(
      "PUT", "\(Self.path)/devices/import",
      "type,token\nandroid,\(Self.ios)\nfcm-ios,\(other)\nfcm-web,https://example.com/1\nandroid,\(Self.fcm)\n",
      headers: ["Content-Type: text/csv"])
    #expect(answer.json["created"] == 4, "\(answer.text)")
    let warnings = answer.json["warnings"]?.array ?? []
    #expect(warnings.map { $0["line"]?.int } == [2, 4], "\(answer.text)")
    #expect(warnings.allSatisfy { $0["field"] == "token" })
  }

  @Test(
    "What another type of device has is refused or doubted",
    arguments: [
      (#"{"type":"ios","token":"TOKEN","endpoint":"https://example.com/y"}"#, 422, "request-value"),
      (#"{"type":"android","token":"x:APA91b","p256dh":"z"}"#, 422, "request-value"),
      (#"{"type":"fcm-web","token":"https://fcm.googleapis.com/fcm/send/abc"}"#, 201, "device-token"),
      (#"{"type":"hms","token":"TOKEN"}"#, 201, "device-token"), (#"{"type":"ios","token":"TOKEN"}"#, 201, ""),
    ])
  func members(body: String, status: Int, rule: String) throws {
    let answer = try fixture.send("POST", "\(Self.path)/devices", body.replacing("TOKEN", with: Self.ios))
    #expect(answer.status == status, "\(answer.text)")
    #expect(answer.rules == (rule.isEmpty ? [] : [rule]), "\(answer.text)")
  }
}
