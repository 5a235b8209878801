import PostriderServer
import TestEngines
import TestSupport
import Testing
import WireJSON

/// Reports of devices over HTTP, and the numbers that follow from them.
@Suite(.onBothEngines, .timeLimit(.minutes(2))) struct RecordTests {
  let world: EndToEndTests

  init() throws { world = try EndToEndTests() }

  var fixture: ServerFixture { world.fixture }

  /// A campaign that reached an iOS and an Android device.
  func send() throws -> (push: String, rows: [JSONValue]) {
    try world.register()
    let push = try world.push(#"{"to":{"all":true},"campaign":"c-1","message":{"title":"T","body":"B"}}"#)
    _ = try world.finished(push)
    return (push, try fixture.send("GET", "/v1/apps/demo/pushes/\(push)/deliveries").json["deliveries"]?.array ?? [])
  }

  func report(_ events: [JSONValue], key: String? = nil) throws -> ServerFixture.Answer {
    let body = JSON.minifiedText(["events": .array(events)])
    guard let key else { return try fixture.send("POST", "/v1/apps/demo/events", body) }
    return try fixture.send("POST", "/v1/apps/demo/events", body, key: key)
  }

  @Test func takesReportsFromAClientAndShowsTheFunnel() throws {
    let (push, rows) = try send()
    let client = try fixture.key(["client"], app: "demo")
    let apnsID = try #require(rows[0]["apns_id"])
    let name = try #require(rows[1]["message_name"]?.string)
    let messageID = String(name.split(separator: "/").last ?? "")
    let answer = try report(
      [
        ["type": "received", "apns_id": apnsID],
        ["type": "received", "apns_id": .string(apnsID.string?.uppercased() ?? "")],
        ["type": "opened", "message_name": .string(messageID)],
        ["type": "action", "action": "reply", "message_name": .string(name)],
        ["type": "opened", "token": .string(ServerFixture.iosToken), "campaign": "c-1"],
        ["type": "opened", "apns_id": "00000000-0000-8000-8000-000000000001"],
      ], key: client)
    #expect(
      answer.text == #"{"counts":{"recorded":4,"duplicate":1,"late":0,"unknown":1},"results":["#
        + #""recorded","duplicate","recorded","recorded","recorded","unknown"]}"#)
    #expect(
      try fixture.send("GET", "/v1/apps/demo/pushes/\(push)/funnel").text
        == #"{"targeted":2,"accepted":2,"received":2,"opened":2,"action":1,"open_rate":1.0000,"actions":["#
        + #"{"action":"reply","count":1}],"reasons":[]}"#)
    #expect(
      try fixture.send("GET", "/v1/apps/demo/pushes/\(push)").json["events"] == [
        "received": 2, "opened": 2, "action": 1,
      ])
    for path in ["pushes/\(push)/series?step=day", "series?step=day"] {
      let series = try fixture.send("GET", "/v1/apps/demo/\(path)").json
      let points = series["points"]?.array ?? []
      // A test that runs over midnight sees two days.
      for (metric, count) in [("accepted", 2), ("received", 2), ("opened", 2), ("action", 1)] {
        #expect(points.reduce(0) { $0 + ($1[metric]?.int ?? 0) } == count, "\(path) \(metric)")
      }
    }
  }

  @Test func listsFindsAndExportsDeliveries() throws {
    let gone: JSONValue = ["type": "ios", "token": .string(EndToEndTests.goneToken), "user": "a \"b\", c"]
    let device = try #require(try fixture.post("/v1/apps/demo/devices", gone).json["id"]?.string)
    let (push, rows) = try send()
    _ = try report([["type": "action", "action": "yes", "delivery": try #require(rows[1]["id"])]])
    let refused = rows[0]
    #expect(refused["reason"] == "Unregistered")
    #expect(
      refused["explanation"]?["meaning"]
        == "The app was removed, or pushes are off: the token is inactive for the topic.")
    let reason: JSONValue = [
      "provider": "apns", "status": 410, "reason": "Unregistered", "count": 1,
      "explanation": try #require(refused["explanation"]),
    ]
    #expect(try fixture.send("GET", "/v1/apps/demo/pushes/\(push)/funnel").json["reasons"] == [reason])
    let list = "/v1/apps/demo/pushes/\(push)/deliveries"
    let queries = [
      "state=rejected", "reason=Unregistered", "device=\(device)", "user=a%20%22b%22,%20c",
      "state=rejected&provider=apns",
    ]
    for query in queries {
      let found = try fixture.send("GET", "\(list)?\(query)").json["deliveries"]?.array ?? []
      #expect(found == [refused], "\(query)")
    }
    let found = try fixture.send("GET", "/v1/apps/demo/deliveries?device=\(device)").json["deliveries"]?.array ?? []
    #expect(found == [refused])
    let lines = try fixture.send("GET", "\(list)/export")
    #expect(lines.headers["content-type"] == "application/x-ndjson")
    let read = try lines.text.split(separator: "\n").map { try JSON.parse(String($0)) }
    #expect(read == (try fixture.send("GET", list).json["deliveries"]?.array ?? []))
    #expect(read.first { $0["actions"] == ["yes"] }?["opened_at"] != nil)
    let table = try fixture.send("GET", "\(list)/export?format=csv&state=rejected").text.split(separator: "\r\n")
    #expect(table.count == 2)
    #expect(
      table[0]
        == "id,push,device,user,type,state,provider,status,reason,meaning,apns_id,message_name,attempts,unknowns,"
        + "at,not_before,received_at,opened_at,actions,location,request_id,push_number")
    #expect(
      table[1].contains("\(device),\"a \"\"b\"\", c\",ios,rejected,apns,410,Unregistered,\"The app was removed, or"))
  }

  @Test func wantsToKnowWhose() throws {
    let answer = try fixture.send("GET", "/v1/apps/demo/deliveries")
    #expect(answer.status == 422)
    #expect(answer.detail.hasPrefix("expected ?device or ?user; the deliveries of a push are under"))
  }

  @Test(arguments: [
    ("/v1/apps/demo/deliveries?limit=0", "?limit: expected a whole number from 1 to 1000, found 0"),
    ("/v1/apps/demo/deliveries?device=0", "?device: expected a device's id, found \"0\""),
    ("/v1/apps/demo/deliveries?unknown=1", "?unknown: unknown query parameter; known:"),
    ("/v1/apps/demo/deliveries?device=x", "?device: expected a device's id, found \"x\""),
    ("/v1/apps/demo/deliveries?device=1&state=gone", "?state: expected one of"),
    ("/v1/apps/demo/deliveries?device=1&provider=mail", "?provider: expected one of \"apns\", \"fcm\""),
    ("/v1/apps/demo/deliveries?device=1&until=soon", "?until: expected a date and time"),
    ("/v1/apps/demo/deliveries?device=1&cursor=0", "?cursor: expected \"next\" of the page before"),
  ])
  func saysWhatIsWrongWithAFilter(_ path: String, _ detail: String) throws {
    let answer = try fixture.send("GET", path)
    // What is missing is not a matter of form.
    #expect(answer.status == (path.hasSuffix("deliveries") ? 422 : 400))
    #expect(answer.detail.hasPrefix(detail), "\(answer.detail)")
  }

  @Test func aClientSeesNothing() throws {
    let (push, _) = try send()
    let client = try fixture.key(["client"], app: "demo")
    for path in ["pushes/\(push)/funnel", "pushes/\(push)/series", "series", "deliveries?device=1"] {
      #expect(try fixture.send("GET", "/v1/apps/demo/\(path)", key: client).status == 403)
      #expect(try fixture.send("GET", "/v1/apps/demo/\(path)", key: .some(nil)).status == 401)
    }
    let reader = try fixture.key(["read"])
    #expect(try report([["type": "opened", "delivery": "1"]], key: reader).status == 403)
  }

  @Test(arguments: [
    (#"{}"#, "events: is required and missing"),
    (#"{"events":[]}"#, "events: expected at least one element, found 0"),
    (#"{"events":[{"apns_id":"x"}]}"#, "events[0].type: is required and missing (and 1 more, see the report)"),
    (
      #"{"events":[{"type":"opened"}]}"#,
      "events[0]: expected exactly one of apns_id, message_name, request_id, delivery, device and token, found 0"
    ),
    (
      #"{"events":[{"type":"opened","delivery":"1","device":"2"}]}"#,
      "events[0]: expected exactly one of apns_id, message_name, request_id, delivery, device and token, found 2"
    ),
    (
      #"{"events":[{"type":"opened","device":"1"}]}"#,
      "events[0].push: is required with \"device\" or \"token\", unless \"campaign\" is given"
    ),
    (
      #"{"events":[{"type":"opened","device":"1","push":"1","campaign":"c"}]}"#,
      "events[0].campaign: expected either push or campaign, found both"
    ),
    (
      #"{"events":[{"type":"opened","delivery":"1","push":"2"}]}"#,
      "events[0].push: is only taken with \"device\" or \"token\"; the other names say which push it was"
    ),
    (
      #"{"events":[{"type":"opened","delivery":"-1"}]}"#,
      "events[0].delivery: expected an id as the API lists it, found \"-1\""
    ),
    (
      #"{"events":[{"type":"opened","apns_id":"zzzzzzzz-0000-8000-8000-000000000001"}]}"#,
      "events[0].apns_id: expected a UUID of 32 hexadecimal digits and four hyphens"
    ),
    (
      #"{"events":[{"type":"action","delivery":"1"}]}"#,
      "events[0].action: is required with the type \"action\", and missing"
    ),
    (
      #"{"events":[{"type":"opened","action":"x","delivery":"1"}]}"#,
      "events[0].action: is only taken with the type \"action\""
    ),
    (
      #"{"events":[{"type":"opened","at":"yesterday","delivery":"1"}]}"#,
      "events[0].at: expected a date and time as in RFC 3339, such as 2026-11-20T12:00:00Z, found \"yesterday\""
    ),
  ])
  func saysWhatIsWrongWithAReport(_ body: String, _ detail: String) throws {
    let answer = try fixture.send("POST", "/v1/apps/demo/events", body)
    #expect(answer.status == 422)
    #expect(answer.detail == detail)
  }

  @Test func saysWhatIsWrongWithATime() throws {
    let answer = try fixture.send("GET", "/v1/apps/demo/series?from=today")
    #expect(answer.status == 400)
    #expect(
      answer.detail == "?from: expected a date and time as in RFC 3339, such as 2026-11-20T12:00:00Z, found \"today\"")
    #expect(try fixture.send("GET", "/v1/apps/demo/series?step=year").status == 400)
    #expect(try fixture.send("GET", "/v1/apps/demo/series?from=2026-11-20T12:00:00%2B02:00").status == 200)
  }
}
