import PostriderServer
import TestSupport
import Testing
import WireJSON

/// Who a push is for, as far as a request says it: segments that are left out, members that are not known.
@Suite(.timeLimit(.minutes(2))) struct AudienceTests {
  let fixture: ServerFixture

  init() throws {
    fixture = try ServerFixture()
    _ = try fixture.makeDemo()
    for (token, tags) in [("a1", #"["vip"]"#), ("b2", #"["beta"]"#), ("c3", #"["vip","beta"]"#)] {
      let made = try fixture.send(
        "POST", "/v1/apps/demo/devices",
        #"{"type":"ios","token":"\#(String(repeating: token, count: 32))","user":"\#(token)","tags":\#(tags)}"#)
      #expect(made.status == 201, "\(made.text)")
    }
    for name in ["vip", "beta"] {
      _ = try fixture.send(
        "POST", "/v1/apps/demo/segments",
        #"{"name":"\#(name)","filter":{"field":"tags","op":"contains","value":"\#(name)"}}"#)
    }
  }

  private func count(_ to: String) throws -> Int? {
    try fixture.send("POST", "/v1/apps/demo/audience", #"{"to":\#(to)}"#).json["total"]?.int
  }

  private func push(_ to: String, _ more: String = "") throws -> ServerFixture.Answer {
    try fixture.send("POST", "/v1/apps/demo/pushes", #"{"to":\#(to),"message":{"title":"T","body":"B"}\#(more)}"#)
  }

  @Test("Segments are left out of an audience") func except() throws {
    let all = try #require(try count(#"{"all":true}"#))
    #expect(try count(#"{"all":true,"except":["vip"]}"#) == all - 2)
    #expect(try count(#"{"all":true,"except":["vip","beta"]}"#) == all - 3)
    #expect(try count(#"{"segment":"beta","except":["vip"]}"#) == 1)
    let filter = #"{"field":"tags","op":"contains","value":"vip"}"#
    #expect(try count(#"{"filter":\#(filter),"except":["vip"]}"#) == 0)
    let made = try push(#"{"segment":"beta","except":["vip"]}"#)
    let id = try #require(made.json["id"]?.string, "\(made.text)")
    let path = "/v1/apps/demo/pushes/\(id)"
    #expect(try fixture.wait { try fixture.send("GET", path).json["audience_complete"] == true })
    let rows = try fixture.send("GET", path + "/deliveries").json["deliveries"]?.array ?? []
    #expect(rows.map { $0["user"]?.string } == ["b2"])
  }

  static let refused: [(to: String, more: String, field: String)] = [
    (#"{"all":true,"except":["nothing"]}"#, "", "to.except[0]"),
    (#"{"users":["a1"],"except":["vip"]}"#, "", "to.except"), (#"{"all":true,"except":[]}"#, "", "to.except"),
    (#"{"all":true,"exclude_segments":["vip"]}"#, "", "to.exclude_segments"),
    (#"{"all":true,"user":["a1"]}"#, "", "to.user"),
    (#"{"all":true}"#, #","send_att":"2027-12-24T18:00:00Z""#, "send_att"),
    (#"{"all":true}"#, #","send_after":"2027-12-24 18:00:00""#, "send_after"),
    (#"{"all":true}"#, #","included_segments":["vip"]"#, "included_segments"),
    (#"{"all":true}"#, #","send_att":"x","draft":true"#, "send_att"),
  ]

  @Test("Nobody gets a push whose request has a member that would decide it and is not known", arguments: refused)
  func unknown(_ row: (to: String, more: String, field: String)) throws {
    let answer = try push(row.to, row.more)
    #expect(answer.status == 422, "\(answer.text)")
    let errors = (answer.json["report"]?.array ?? []).filter { $0["severity"] == "error" }
    #expect(errors.first?["field"]?.string == row.field, "\(answer.text)")
    #expect(try fixture.send("GET", "/v1/apps/demo/pushes").json["pushes"]?.array?.isEmpty == true)
  }

  @Test("Any other unknown member is reported and left out") func harmless() throws {
    let answer = try push(#"{"users":["a1"]}"#, #","note":"n""#)
    #expect(answer.status == 202 && answer.rules == ["request-unknown-field"], "\(answer.text)")
  }

  @Test("Tokens of Live Activities are in no count of an audience") func liveActivities() throws {
    let all = try #require(try count(#"{"all":true}"#))
    let made = try fixture.send(
      "POST", "/v1/apps/demo/devices",
      #"{"type":"ios-live-activity-start","token":"\#(String(repeating: "d4", count: 40))","user":"a1"}"#)
    #expect(made.status == 201, "\(made.text)")
    #expect(try count(#"{"all":true}"#) == all)
  }
}
