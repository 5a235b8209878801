import PostriderServer
import TestEngines
import TestSupport
import Testing
import WireJSON

@Suite(.onBothEngines, .timeLimit(.minutes(2))) struct SuppressionTests {
  let fixture: ServerFixture

  init() throws { fixture = try ServerFixture() }

  @Test func theRulesAreSetShownAndLifted() throws {
    _ = try fixture.makeDemo()
    let path = "/v1/apps/demo/suppression"
    #expect(try fixture.send("GET", path).text == "{}")
    let set = try fixture.send(
      "PUT", path,
      #"{"quiet_hours":{"from":"22:00","to":"08:05","timezone":"Europe/Vienna"},"#
        + #""frequency_cap":{"pushes":3,"window_seconds":86400}}"#)
    #expect(set.status == 200)
    #expect(
      set.text == #"{"quiet_hours":{"from":"22:00","to":"08:05","timezone":"Europe/Vienna"},"#
        + #""frequency_cap":{"pushes":3,"window_seconds":86400}}"#)
    #expect(try fixture.send("GET", path).text == set.text)
    #expect(try fixture.send("PUT", path, #"{"quiet_hours":null,"frequency_cap":null}"#).text == "{}")
  }

  /// A request, and the settings after it; each continues where the one before ended.
  static let changes: [(body: String, after: String)] = [
    (
      #"{"quiet_hours":{"from":"22:00","to":"08:00","timezone":"Europe/Vienna"},"#
        + #""frequency_cap":{"pushes":3,"window_seconds":60}}"#,
      #"{"quiet_hours":{"from":"22:00","to":"08:00","timezone":"Europe/Vienna"},"#
        + #""frequency_cap":{"pushes":3,"window_seconds":60}}"#
    ),
    (
      #"{"frequency_cap":{"pushes":5}}"#,
      #"{"quiet_hours":{"from":"22:00","to":"08:00","timezone":"Europe/Vienna"},"#
        + #""frequency_cap":{"pushes":5,"window_seconds":60}}"#
    ),
    (
      #"{"quiet_hours":{"to":"07:30"},"frequency_cap":null}"#,
      #"{"quiet_hours":{"from":"22:00","to":"07:30","timezone":"Europe/Vienna"}}"#
    ),
    ("{}", #"{"quiet_hours":{"from":"22:00","to":"07:30","timezone":"Europe/Vienna"}}"#),
    (#"{"quiet_hours":null}"#, "{}"),
  ]

  @Test("A request changes the members that it names, and null removes one") func changesWhatIsNamed() throws {
    _ = try fixture.makeDemo()
    let path = "/v1/apps/demo/suppression"
    for (body, after) in Self.changes {
      #expect(try fixture.send("PUT", path, body).text == after, "\(body)")
      #expect(try fixture.send("GET", path).text == after, "\(body)")
    }
    // What is named is checked together with what is there.
    _ = try fixture.send("PUT", path, #"{"quiet_hours":{"from":"22:00","to":"08:00"}}"#)
    let equal = try fixture.send("PUT", path, #"{"quiet_hours":{"to":"22:00"}}"#)
    #expect(equal.status == 422 && equal.json["report"]?[0]?["field"] == "quiet_hours.to", "\(equal.text)")
    #expect(try fixture.send("GET", path).json["quiet_hours"]?["to"] == "08:00")
  }

  static let bad: [(body: String, field: String)] = [
    (#"{"quiet_hours":{"from":"24:00","to":"08:00"}}"#, "quiet_hours.from"),
    (#"{"quiet_hours":{"from":"22:00","to":"8:000"}}"#, "quiet_hours.to"),
    (#"{"quiet_hours":{"from":"22:00","to":"22:00"}}"#, "quiet_hours.to"),
    (#"{"quiet_hours":{"from":"22:00"}}"#, "quiet_hours.to"),
    (#"{"quiet_hours":{"from":"22:00","to":"08:00","timezone":"../etc/passwd"}}"#, "quiet_hours.timezone"),
    (#"{"frequency_cap":{"pushes":0,"window_seconds":60}}"#, "frequency_cap.pushes"),
    (#"{"frequency_cap":{"pushes":1}}"#, "frequency_cap.window_seconds"),
  ]

  @Test(arguments: bad) func whatIsWrongIsNamed(_ row: (body: String, field: String)) throws {
    _ = try fixture.makeDemo()
    let answer = try fixture.send("PUT", "/v1/apps/demo/suppression", row.body)
    #expect(answer.status == 422)
    #expect(answer.json["report"]?.array?.first?["field"]?.string == row.field)
    #expect(try fixture.send("GET", "/v1/apps/demo/suppression").text == "{}")
  }

  @Test func whatAPersonRefusesIsRecorded() throws {
    let (ios, _) = try fixture.makeDemo()
    _ = try fixture.send("PATCH", "/v1/apps/demo/devices/\(ios)", #"{"user":"ann"}"#)
    _ = try fixture.send("PATCH", "/v1/apps/demo/users/ann", #"{"opt_out_categories":["news"]}"#)
    let push = try fixture.send(
      "POST", "/v1/apps/demo/pushes",
      #"{"message":{"title":"T","body":"B"},"category":"news","urgent":true,"to":{"users":["ann"]}}"#)
    #expect(push.status == 202)
    let path = "/v1/apps/demo/pushes/\(push.json["id"]?.string ?? "")"
    let isDone = try fixture.wait(until: { try fixture.send("GET", path).json["state"] == "sent" })
    #expect(isDone)
    #expect(try fixture.send("GET", path).json["counts"]?["rejected"] == 1)
    let row = try fixture.send("GET", path + "/deliveries").json["deliveries"]?[0]
    #expect(row?["state"] == "rejected" && row?["reason"] == "suppressed-opt-out")
  }
}
