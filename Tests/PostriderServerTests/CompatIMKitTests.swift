import TestSupport
import Testing
import WireJSON

@testable import PostriderServer

/// IMKit's interface: requests that are refused whole, muted rooms, and whose device is whose.
@Suite(.timeLimit(.minutes(2))) struct CompatIMKitTests {
  private static let push = "/push/push2clients"

  @Test("A push is sent to clients, and a wrong one is refused with its code and writes nothing") func pushes() throws {
    let site = try CompatAppsSite()
    let before = try site.state()
    let good: JSONValue = ["alert": "Hi", "badge": 1, "sound": "default", "type": "marketing"]
    for (body, code) in [
      ([:], "MISSING_PARAMETER"), (["clients": ["ann"]], "MISSING_PARAMETER"), (["payload": good], "MISSING_PARAMETER"),
      (["clients": "ann", "payload": good], "INVALID_PARAMETER"),
      (["clients": [], "payload": good], "INVALID_PARAMETER"),
      (["clients": [5], "payload": good], "INVALID_PARAMETER"),
      (["clients": ["ann"], "payload": "x"], "INVALID_PARAMETER"),
      (["clients": ["ann"], "payload": good, "surprise": 1], "INVALID_PARAMETER"),
      (["clients": ["ann"], "payload": ["alert": 5]], "INVALID_PARAMETER"),
      (["clients": ["ann"], "payload": ["alert": "a", "body": "b"]], "INVALID_PARAMETER"),
      (["clients": ["ann"], "payload": ["alert": "a", "surprise": 1]], "INVALID_PARAMETER"),
      (["clients": ["ann"], "payload": ["alert": "a", "badge": "x"]], "INVALID_PARAMETER"),
      (["clients": ["ann"], "payload": ["alert": "a", "expiry": 5]], "INVALID_PARAMETER"),
      (["clients": ["ann"], "payload": ["alert": "a", "expiry": "x"]], "INVALID_PARAMETER"),
      (["clients": ["ann"], "payload": ["alert": "a", "expiry": 9_999_999_999]], "INVALID_PARAMETER"),
      (["clients": ["ann"], "payload": ["alert": "a", "topic": "other.app"]], "INVALID_PARAMETER"),
      (
        ["clients": ["ann"], "payload": ["alert": "a", "room": .string(String(repeating: "r", count: 99))]],
        "INVALID_PARAMETER"
      ),
      (["clients": ["ann"], "payload": [:]], "INVALID_PARAMETER"),
    ] as [(JSONValue, String)] {
      let answer = try site.imkit("POST", Self.push, body)
      #expect(answer.status == 400 && answer.json["RC"] == 400 && answer.json["RM"] == "Bad Request", "\(answer.text)")
      #expect(CompatAppsSite.code(answer) == code, "\(body) \(answer.text)")
    }
    #expect(try site.state() == before)
    let sent = try site.imkit("POST", Self.push, ["clients": ["ann", "nobody"], "payload": good])
    #expect(sent.status == 200 && sent.json == ["RC": 0, "RM": "OK", "result": [:]], "\(sent.text)")
    let headers = ["IM-API-KEY: \(site.compat)", "Idempotency-Key: once"]
    for _ in 0..<2 {
      let answer = try site.ask(.imKit, "POST", Self.push, ["clients": ["ann"], "payload": good], headers: headers)
      #expect(answer.status == 200, "\(answer.text)")
    }
    #expect(try site.fixture.send("GET", "/v1/apps/demo/pushes").json["pushes"]?.array?.count == 2)
  }

  @Test("A client mutes rooms and hears of them again") func muted() throws {
    let site = try CompatAppsSite()
    for (number, client) in ["ann", "bob"].enumerated() {
      let device: JSONValue = [
        "type": "ios", "token": .string(String(repeating: "\(number)e", count: 32)), "deviceId": "d",
        "clientId": .string(client),
      ]
      #expect(try site.imkit("POST", "/me/subscribe", device).status == 200)
    }
    let answer = try site.app(.imKit, "POST", "/me/mute/demo-room")
    #expect(answer.json["result"] == ["_id": "ann", "appID": "SampleApp", "mute": ["demo-room"]], "\(answer.text)")
    #expect(try site.imkit("POST", "/admin/clients/ann/mute/other").json["result"]?["mute"] == ["demo-room", "other"])
    #expect(try site.app(.imKit, "POST", "/me/mute/demo-room").json["result"]?["mute"] == ["demo-room", "other"])
    // What is muted is what our own API knows, and pushes about the room are called the same.
    let user = try site.fixture.send("GET", "/v1/apps/demo/users/ann").json
    #expect(user["opt_out_categories"]?.array?.count == 2, "\(user)")
    #expect(try site.app(.imKit, "DELETE", "/me/mute/demo-room").json["result"]?["mute"] == ["other"])
    let long = String(repeating: "r", count: 96)
    let refused = try site.app(.imKit, "POST", "/me/mute/\(long)")
    #expect(refused.status == 400 && CompatAppsSite.code(refused) == "INVALID_PARAMETER", "\(refused.text)")
  }

  @Test("A device is registered once, moves to its new token, and is forgotten") func devices() throws {
    let site = try CompatAppsSite()
    func subscribe(_ token: String, _ type: String = "fcm") throws -> ServerFixture.Answer {
      try site.app(
        .imKit, "POST", "/me/subscribe", ["type": .string(type), "token": .string(token), "deviceId": "pixel-8"])
    }
    let before = try site.devices().count
    for token in ["token-1", "token-1", "token-2"] { #expect(try subscribe(token).status == 200) }
    #expect(try subscribe("token-2", "android").json == ["RC": 0, "RM": "OK", "result": [:]])
    #expect(try site.devices().count == before + 1)
    #expect(try subscribe(String(repeating: "ab", count: 32), "ios-voip").status == 200)
    #expect(try site.devices().count == before + 2)
    for (body, code) in [
      (["type": "web", "token": "t", "deviceId": "d"], "INVALID_PARAMETER"),
      (["type": "pager", "token": "t", "deviceId": "d"], "INVALID_PARAMETER"),
      (["token": "t", "deviceId": "d"], "MISSING_PARAMETER"), (["type": "ios", "deviceId": "d"], "MISSING_PARAMETER"),
      (["type": "ios", "token": "t"], "MISSING_PARAMETER"),
      (["type": "ios", "token": "zz", "deviceId": "d"], "INVALID_PARAMETER"),
      (["type": "fcm", "token": "t", "deviceId": "d", "x": 1], "INVALID_PARAMETER"),
    ] as [(JSONValue, String)] {
      let answer = try site.app(.imKit, "POST", "/me/subscribe", body)
      #expect(answer.status == 400 && CompatAppsSite.code(answer) == code, "\(body) \(answer.text)")
    }
    for (body, said) in [
      (["deviceId": "d"], "type is required"), (["type": "fcm"], "deviceId is required"),
      (["type": "web", "deviceId": "d"], "POST /v1/apps/{app}/devices and the type web"),
    ] as [(JSONValue, String)] {
      let answer = try site.app(.imKit, "POST", "/me/unsubscribe", body)
      #expect(answer.status == 400 && answer.text.contains(said), "\(answer.text)")
    }
    let nameless = try site.imkit("POST", "/me/subscribe", ["type": "fcm", "token": "t", "deviceId": "d"])
    #expect(CompatAppsSite.code(nameless) == "MISSING_PARAMETER", "\(nameless.text)")
    for n in [1, 0] {
      let gone = try site.app(.imKit, "POST", "/me/unsubscribe", ["type": "fcm", "deviceId": "pixel-8"])
      #expect(gone.json["result"] == ["n": .number(JSONNumber(n)), "ok": 1], "\(gone.text)")
    }
    #expect(try site.devices().count == before + 1)
    let tags = try site.app(.imKit, "GET", "/me/badge?roomTags=demo&roomTags=foo")
    #expect(tags.status == 400 && tags.text.contains("roomTags"), "\(tags.text)")
    let absent = try site.imkit("POST", "/admin/clients", ["_id": "ann"])
    #expect(absent.status == 400 && absent.text.contains("PATCH /v1/apps"), "\(absent.text)")
  }
}
