import Glibc
import PostriderServer
import TestEngines
import TestSupport
import Testing
import WireJSON

@Suite(.onBothEngines, .timeLimit(.minutes(2))) struct SegmentTests {
  let fixture: ServerFixture

  init() throws { fixture = try ServerFixture() }

  private func setUp() throws -> (ios: String, android: String) {
    let (ios, android) = try fixture.makeDemo()
    _ = try fixture.send(
      "PATCH", "/v1/apps/demo/devices/\(ios)", #"{"user":"ann","properties":{"plan":"pro","age":41},"tags":["vip"]}"#)
    _ = try fixture.send("PATCH", "/v1/apps/demo/users/ann", #"{"entitlements":{"premium":true}}"#)
    return (ios, android)
  }

  private func count(_ filter: String) throws -> Int? {
    try fixture.send("POST", "/v1/apps/demo/segments/count", #"{"filter":\#(filter)}"#).json["devices"]?.int
  }

  @Test func filtersAreCountedWithASample() throws {
    let (ios, _) = try setUp()
    let answer = try fixture.send(
      "POST", "/v1/apps/demo/segments/count",
      #"{"filter":{"operator":"AND","conditions":[{"field":"properties.plan","op":"eq","value":"pro"},"#
        + #"{"operator":"OR","conditions":[{"field":"properties.age","op":"gt","value":40},"#
        + #"{"field":"tags","op":"contains","value":"x"}]}]},"sample":5}"#)
    #expect(answer.status == 200 && answer.json["devices"] == 1)
    #expect(answer.json["sample"]?[0]?["id"]?.string == ios)
    #expect(try count(#"{"field":"properties.none","op":"neq","value":1}"#) == 0)
    #expect(try count(#"{"field":"properties.none","op":"not_exists"}"#) == 2)
    #expect(try count(#"{"field":"last_seen_at","op":"within","value":"7d"}"#) == 2)
    #expect(try count(#"{"field":"platform","op":"eq","value":"android"}"#) == 1)
    // None of the conditions: also where a device has no such field, and where one of several is true.
    let pro = #"{"field":"properties.plan","op":"eq","value":"pro"}"#
    #expect(try count(#"{"operator":"NOT","conditions":[\#(pro)]}"#) == 1)
    #expect(
      try count(#"{"operator":"NOT","conditions":[\#(pro),{"field":"platform","op":"eq","value":"android"}]}"#) == 0)
    #expect(try count(#"{"operator":"NOT","conditions":[{"field":"properties.none","op":"neq","value":1}]}"#) == 2)
    // A value is a value, whatever it looks like.
    #expect(try count(#"{"field":"id","op":"eq","value":"' OR 1=1 --"}"#) == 0)
    #expect(try count(#"{"field":"properties.') OR 1=1 --","op":"exists"}"#) == 0)
  }

  @Test("Tokens of Live Activities are no devices that a push goes to, in counts and samples alike")
  func activityTokens() throws {
    let (ios, _) = try setUp()
    for number in 1...3 {
      let body =
        #"{"type":"ios-live-activity-start","token":"\#(String(repeating: "a\(number)", count: 40))","user":"ann"}"#
      #expect(try fixture.send("POST", "/v1/apps/demo/devices", body).status == 201)
    }
    for sample in [0, 1, 10] {
      let answer = try fixture.send(
        "POST", "/v1/apps/demo/segments/count",
        #"{"filter":{"field":"platform","op":"eq","value":"ios"},"sample":\#(sample)}"#)
      #expect(answer.json["devices"] == 1 && answer.json["activity_tokens"] == 3, "\(answer.text)")
      #expect(answer.json["sample"]?.array?.compactMap { $0["id"]?.string } == (sample == 0 ? [] : [ios]))
    }
  }

  @Test func aliasesAreCompared() throws {
    _ = try setUp()
    #expect(try fixture.send("PATCH", "/v1/apps/demo/users/ann", #"{"aliases":{"crm":"4711"}}"#).status == 200)
    for (condition, devices) in [
      (#""op":"eq","value":"4711""#, 1), (#""op":"eq","value":"4712""#, 0), (#""op":"neq","value":"4711""#, 0),
      (#""op":"neq","value":"1""#, 1), (#""op":"contains","value":"71""#, 1), (#""op":"not_contains","value":"71""#, 0),
      (#""op":"exists""#, 1), (#""op":"not_exists""#, 1),
    ] { #expect(try count(#"{"field":"aliases.crm",\#(condition)}"#) == devices, "\(condition)") }
    #expect(try count(#"{"field":"aliases.shop","op":"exists"}"#) == 0)
    // What is erased is in no segment either.
    let body = #"{"name":"them","expression":"aliases.crm = \"4711\" or aliases.crm = \"9\""}"#
    #expect(try fixture.send("POST", "/v1/apps/demo/segments", body).status == 201)
    let erased = try fixture.send("DELETE", "/v1/apps/demo/users/ann")
    let pseudonym = try #require(erased.json["pseudonym"])
    let left = try fixture.send("GET", "/v1/apps/demo/segments/them").json["filter"]?["conditions"]?.array ?? []
    #expect(left.map { $0["value"] } == [pseudonym, "9"])
  }

  @Test func segmentsAreSavedChangedAndSentTo() throws {
    let (ios, _) = try setUp()
    let body = #"{"name":"pros","filter":{"field":"properties.plan","op":"eq","value":"pro"}}"#
    let made = try fixture.send("POST", "/v1/apps/demo/segments", body)
    #expect(made.status == 201)
    #expect(
      made.text
        == #"{"name":"pros","title":"pros","system":false,"filter":{"field":"properties.plan","op":"eq","value":"pro"},"#
        + #""expression":"properties.plan = \"pro\"","created_at":"2026-11-21T00:00:00.000Z","updated_at":"2026-11-21T00:00:00.000Z","#
        + #""author":{"kind":"key","id":"1","name":"first"}}"#
    )
    #expect(try fixture.send("POST", "/v1/apps/demo/segments", body).status == 409)
    #expect(try fixture.send("POST", "/v1/apps/demo/segments", body, headers: ["Idempotency-Key: k"]).status == 201)
    #expect(
      try fixture.send("GET", "/v1/apps/demo/segments/pros/count?sample=0").text
        == #"{"devices":1,"activity_tokens":0,"sample":[]}"#)
    for target in [
      #"{"segment":"pros"}"#, #"{"segment":"premium"}"#, #"{"filter":{"field":"tags","op":"eq","value":"vip"}}"#,
    ] {
      let push = try fixture.send(
        "POST", "/v1/apps/demo/pushes", #"{"message":{"title":"T","body":"B"},"to":\#(target)}"#)
      #expect(push.status == 202)
      let path = "/v1/apps/demo/pushes/\(push.json["id"]?.string ?? "")"
      let done = try fixture.wait(until: { try fixture.send("GET", path).json["audience_complete"] == true })
      #expect(done)
      let rows = try fixture.send("GET", path + "/deliveries").json["deliveries"]?.array ?? []
      #expect(rows.compactMap { $0["device"]?.string } == [ios])
    }
    let changed = try fixture.send("PATCH", "/v1/apps/demo/segments/pros", #"{"title":"Pros"}"#)
    #expect(changed.json["title"] == "Pros" && changed.json["filter"]?["field"] == "properties.plan")
    #expect(try fixture.send("DELETE", "/v1/apps/demo/segments/pros").status == 204)
    #expect(try fixture.send("GET", "/v1/apps/demo/segments/pros").status == 404)
    let gone = try fixture.send(
      "POST", "/v1/apps/demo/pushes", #"{"message":{"title":"T","body":"B"},"to":{"segment":"pros"}}"#)
    #expect(gone.status == 422 && gone.json["report"]?[0]?["field"] == "to.segment")
  }

  @Test func everyAppHasSystemSegments() throws {
    _ = try setUp()
    let names = (try fixture.send("GET", "/v1/apps/demo/segments").json["segments"]?.array ?? [])
      .compactMap { $0["name"]?.string }
    #expect(names == ["all", "active_7d", "churning", "premium", "free", "new_users"])
    let counts = try names.map { try fixture.send("GET", "/v1/apps/demo/segments/\($0)/count").json["devices"]?.int }
    #expect(counts == [2, 2, 0, 1, 1, 2])
    #expect(try fixture.send("DELETE", "/v1/apps/demo/segments/all").status == 409)
    #expect(
      try fixture.send("POST", "/v1/apps/demo/segments", #"{"name":"free","filter":{"field":"id","op":"exists"}}"#)
        .status
        == 409)
  }

  /// A filter, and the field that the refusal names.
  static let bad: [(filter: String, field: String)] = [
    ("5", "filter"), ("{}", "filter.field"), (#"{"field":"nope","op":"exists"}"#, "filter.field"),
    (#"{"field":"properties.","op":"exists"}"#, "filter.field"), (#"{"field":"id","op":"like"}"#, "filter.op"),
    (#"{"field":"id","op":"eq"}"#, "filter.value"), (#"{"field":"id","op":"eq","value":null}"#, "filter.value"),
    (#"{"field":"id","op":"exists","value":1}"#, "filter.value"),
    (#"{"field":"id","op":"contains","value":1}"#, "filter.value"),
    (#"{"field":"created_at","op":"within","value":"7"}"#, "filter.value"),
    (#"{"field":"created_at","op":"within","value":"9999999w"}"#, "filter.value"),
    (#"{"field":"id","op":"within","value":"7d"}"#, "filter"),
    (#"{"field":"created_at","op":"eq","value":"x"}"#, "filter"),
    (#"{"field":"type","op":"eq","value":"phone"}"#, "filter"),
    (#"{"field":"type","op":"gt","value":"ios"}"#, "filter"),
    (#"{"field":"tags","op":"gt","value":"a"}"#, "filter"),
    (#"{"field":"properties.a","op":"gt","value":true}"#, "filter"),
    (#"{"field":"aliases.","op":"exists"}"#, "filter.field"),
    (#"{"field":"aliases.a b","op":"exists"}"#, "filter.field"),
    (#"{"field":"aliases.crm","op":"gt","value":"1"}"#, "filter"),
    (#"{"field":"aliases.crm","op":"eq","value":4711}"#, "filter"),
    (#"{"field":"id","op":"eq","value":"a","extra":1}"#, "filter.extra"),
    (#"{"operator":"XOR","conditions":[{"field":"id","op":"exists"}]}"#, "filter.operator"),
    (#"{"operator":"AND","conditions":[]}"#, "filter.conditions"),
    (#"{"operator":"AND","conditions":[{"field":"id","op":"exists"},7]}"#, "filter.conditions[1]"),
  ]

  @Test(arguments: bad) func whatIsWrongIsNamed(_ row: (filter: String, field: String)) throws {
    _ = try fixture.makeDemo()
    for (path, body) in [
      ("segments/count", #"{"filter":\#(row.filter)}"#), ("segments", #"{"name":"s","filter":\#(row.filter)}"#),
    ] {
      let answer = try fixture.send("POST", "/v1/apps/demo/\(path)", body)
      #expect(answer.status == 422)
      #expect(answer.json["report"]?.array?.first?["field"]?.string == row.field, "\(answer.text)")
    }
  }

  @Test func nestingAndLengthHaveAnEnd() throws {
    _ = try fixture.makeDemo()
    let one = #"{"field":"id","op":"exists"}"#
    let deep = (0..<8).reduce(one) { inner, _ in #"{"operator":"OR","conditions":[\#(inner)]}"# }
    let half = #"{"operator":"OR","conditions":[\#([String](repeating: one, count: 30).joined(separator: ","))]}"#
    for filter in [deep, #"{"operator":"AND","conditions":[\#(half),\#(half)]}"#] {
      #expect(try fixture.send("POST", "/v1/apps/demo/segments/count", #"{"filter":\#(filter)}"#).status == 422)
    }
  }
}

extension ServerFixture {
  /// Asks repeatedly until it holds, for ten seconds at most.
  func wait(until holds: () throws -> Bool) throws -> Bool {
    for _ in 0..<1_000 {
      if try holds() { return true }
      usleep(10_000)
    }
    return false
  }
}
