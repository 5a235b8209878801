import PostriderServer
import TestSupport
import Testing
import WireJSON

/// A recipient that a request names twice gets the push once, and the answer says how many were repeats.
@Suite(.timeLimit(.minutes(1))) struct RepeatedRecipientTests {
  let fixture: ServerFixture
  let ios: String

  init() throws {
    fixture = try ServerFixture()
    ios = try fixture.makeDemo().ios
    let ann: JSONValue = ["type": "ios", "token": .string(Self.other), "user": "ann"]
    #expect(try fixture.post("/v1/apps/demo/devices", ann).status == 201)
  }

  static let other = String(repeating: "0b", count: 32)
  static let stranger = String(repeating: "cd", count: 32)

  private func token(_ token: String, _ type: String = "ios") -> JSONValue {
    ["type": .string(type), "token": .string(token)]
  }

  @Test("Every way of listing recipients") func lists() throws {
    let android = ServerFixture.androidToken
    let cases: [(to: JSONValue, targeted: Int, repeats: Int)] = [
      (["devices": [.string(ios), .string(ios), .string(ios)]], 1, 2),
      (["users": ["ann", "ann"]], 1, 1),
      // In another case, and as an old description of the bytes; a registered token and its device are one.
      (
        [
          "tokens": [
            token(ServerFixture.iosToken), token(ServerFixture.iosToken.uppercased()),
            token("<" + ServerFixture.iosToken + ">"), token(Self.stranger), token(Self.stranger.uppercased()),
            token(android, "android"), token(android, "android"),
          ]
        ], 3, 4
      ),
      (["devices": [.string(ios)]], 1, 0),
    ]
    for (to, targeted, repeats) in cases {
      let answer = try fixture.post("/v1/apps/demo/pushes", ["message": ["title": "T", "body": "B"], "to": to])
      #expect(answer.status == 202 && answer.json["targeted"]?.int == targeted, "\(to): \(answer.text)")
      #expect(answer.json["repeats"]?.int ?? 0 == repeats, "\(to): \(answer.text)")
      let push = try fixture.send("GET", "/v1/apps/demo/pushes/\(answer.json["id"]?.string ?? "")").json
      #expect(push["counts"]?["targeted"]?.int == targeted && push["repeats"]?.int ?? 0 == repeats, "\(push)")
      let check = try fixture.post(
        "/v1/apps/demo/pushes/check", ["message": ["title": "T", "body": "B"], "to": to, "values": [:]])
      #expect(check.json["total"]?.int == targeted, "\(to): \(check.text)")
    }
  }

  @Test("A draft says it when it was sent") func drafts() throws {
    let draft = try fixture.post(
      "/v1/apps/demo/pushes",
      ["message": ["title": "T", "body": "B"], "to": ["users": ["ann", "ann"]], "draft": true])
    let id = draft.json["id"]?.string ?? ""
    let sent = try fixture.send("POST", "/v1/apps/demo/pushes/\(id)/send")
    #expect(sent.json["counts"]?["targeted"] == 1 && sent.json["repeats"] == 1, "\(sent.text)")
  }
}
