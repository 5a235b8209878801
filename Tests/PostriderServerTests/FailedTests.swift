import Glibc
import TestSupport
import Testing
import WireJSON

/// What ended without reaching a device is counted by reason and state, and sent once more in a push that names the old one.
@Suite(.timeLimit(.minutes(2))) struct FailedTests {
  static let pushes = "/v1/apps/demo/pushes"

  /// A campaign to two devices behind a gateway that nobody serves, cancelled.
  static func cancelled(_ fixture: ServerFixture) throws -> String {
    _ = try fixture.makeDemo()
    let body = #"{"to":{"all":true},"campaign":"c-1","message":{"title":"T","body":"B"}}"#
    let id = try #require(try fixture.send("POST", pushes, body).json["id"]?.string)
    for _ in 0..<2_000 {
      if try fixture.send("GET", "\(pushes)/\(id)").json["audience_complete"] == true { break }
      usleep(10_000)
    }
    #expect(try fixture.send("POST", "\(pushes)/\(id)/cancel").status == 200)
    for _ in 0..<2_000 {
      if try fixture.send("GET", "\(pushes)/\(id)").json["finished_at"] != nil { break }
      usleep(10_000)
    }
    return id
  }

  @Test func countsThenSendsOnce() throws {
    let fixture = try ServerFixture()
    let id = try Self.cancelled(fixture)
    let path = "\(Self.pushes)/\(id)/resend-failed"
    let counts = try fixture.send("GET", "\(Self.pushes)/\(id)").json["counts"]
    #expect(counts?["cancelled"] == 2)
    let preview = try fixture.send("POST", path, #"{"states":["cancelled"],"preview":true}"#)
    #expect(preview.status == 200)
    #expect(preview.text == #"{"deliveries":2,"devices":2,"left_out":0}"#)
    #expect(try fixture.send("POST", path, #"{"states":["rejected","expired"]}"#).status == 409)
    let headers = ["Idempotency-Key: again-1"]
    let sent = try fixture.send("POST", path, #"{"states":["cancelled"]}"#, headers: headers)
    #expect(sent.status == 202, "\(sent.text)")
    let new = try #require(sent.json["id"]?.string)
    #expect(new != id && sent.json["targeted"] == 2 && sent.json["devices"] == 2)
    let repeated = try fixture.send("POST", path, #"{"states":["cancelled"]}"#, headers: headers)
    #expect(repeated.json["id"]?.string == new && repeated.json["replayed"] == true)
    let push = try fixture.send("GET", "\(Self.pushes)/\(new)").json
    #expect(push["resend_of"]?.string == id)
    #expect(push["campaign"] == "c-1")
    #expect(push["request"]?["to"]?["devices"]?.array?.count == 2)
    #expect(push["request"]?["resend_of"] == nil)
    // The old push is what it was.
    #expect(try fixture.send("GET", "\(Self.pushes)/\(id)").json["counts"] == counts)
  }

  @Test func leavesOutDevicesThatAreGone() throws {
    let world = try EndToEndTests()
    let gone: JSONValue = ["type": "ios", "token": .string(EndToEndTests.goneToken)]
    #expect(try world.fixture.post("/v1/apps/demo/devices", gone).status == 201)
    let id = try world.push(#"{"to":{"all":true},"campaign":"c-1","message":{"title":"T","body":"B"}}"#)
    #expect(try world.finished(id)["counts"]?["rejected"] == 1)
    let path = "\(Self.pushes)/\(id)/resend-failed"
    let preview = try world.fixture.send("POST", path, #"{"reasons":["Unregistered"],"preview":true}"#)
    #expect(preview.text == #"{"deliveries":1,"devices":0,"left_out":1}"#)
    #expect(try world.fixture.send("POST", path, #"{"reasons":["Unregistered"]}"#).status == 409)
    // It registers again, and is sent to.
    #expect(try world.fixture.post("/v1/apps/demo/devices", gone).status < 300)
    let sent = try world.fixture.send("POST", path, #"{"reasons":["Unregistered"],"states":["rejected"]}"#)
    #expect(sent.status == 202 && sent.json["targeted"] == 1, "\(sent.text)")
  }

  @Test func refuses() throws {
    let fixture = try ServerFixture()
    let id = try Self.cancelled(fixture)
    let path = "\(Self.pushes)/\(id)/resend-failed"
    for (body, status, words) in [
      ("{}", 422, "or both; GET …/funnel lists the reasons"),
      (#"{"states":["unknown"]}"#, 422, "states[0]"),
      (#"{"states":["accepted"]}"#, 422, "states[0]"),
      (#"{"states":["cancelled"],"after":"x"}"#, 422, "after: expected"),
      (#"{"reasons":[]}"#, 422, "reasons"),
    ] {
      let answer = try fixture.send("POST", path, body)
      #expect(answer.status == status && answer.text.contains(words), "\(body): \(answer.text)")
    }
    let single = try fixture.send(
      "POST", Self.pushes,
      #"{"to":{"tokens":[{"type":"ios","token":"\#(ServerFixture.iosToken)"}]},"message":{"title":"T","body":"B"}}"#)
    let other = try #require(single.json["id"]?.string)
    let early = try fixture.send("POST", "\(Self.pushes)/\(other)/resend-failed", #"{"states":["expired"]}"#)
    #expect(early.status == 409 && early.text.contains("is not over"), "\(early.text)")
    #expect(try fixture.send("POST", "\(Self.pushes)/\(other)/cancel").status == 200)
    let nameless = try fixture.send("POST", "\(Self.pushes)/\(other)/resend-failed", #"{"states":["cancelled"]}"#)
    #expect(nameless.status == 409, "\(nameless.text)")
  }
}
