import Glibc
import PostriderServer
import Synchronization
import TestEngines
import TestSupport
import Testing
import WireJSON

@Suite(.onBothEngines, .timeLimit(.minutes(2))) struct RetentionEndpointTests {
  @Test func setsShowsAndRefuses() throws {
    let fixture = try ServerFixture()
    _ = try fixture.makeDemo()
    let none = #"{"deliveries_days":null,"events_days":null}"#
    #expect(try fixture.send("GET", "/v1/retention").text == none)
    let body = #"{"deliveries_days":90,"events_days":60}"#
    #expect(try fixture.send("PUT", "/v1/retention", body).text == body)
    #expect(try fixture.send("GET", "/v1/apps/demo/retention").text == none)
    let half = try fixture.send("PUT", "/v1/apps/demo/retention", #"{"deliveries_days":7,"events_days":null}"#)
    #expect(half.text == #"{"deliveries_days":7,"events_days":null}"#)
    for (bad, detail) in [
      (#"{"deliveries_days":0}"#, "deliveries_days: expected a whole number from 1 to 3650, found 0"),
      (#"{"events_days":30}"#, "events_days: expected a whole number from 31 to 3650, found 30"),
      (#"{"events_days":"x"}"#, "events_days: expected a whole number, found a string"),
    ] {
      let answer = try fixture.send("PUT", "/v1/retention", bad)
      #expect(answer.status == 422)
      #expect(answer.detail == detail)
    }
    #expect(
      try fixture.send("PUT", "/v1/retention", #"{"events_days":31}"#).text
        == #"{"deliveries_days":90,"events_days":31}"#)
    #expect(try fixture.send("PUT", "/v1/retention", "{}").text == #"{"deliveries_days":90,"events_days":31}"#)
    let cleared = try fixture.send("PUT", "/v1/retention", #"{"deliveries_days":null}"#)
    #expect(cleared.text == #"{"deliveries_days":null,"events_days":31}"#)
    let reader = try fixture.key(["read"])
    #expect(try fixture.send("PUT", "/v1/retention", body, key: reader).status == 403)
    #expect(try fixture.send("GET", "/v1/retention", key: reader).status == 200)
  }

  @Test func countsAndSetsUnseenDevices() throws {
    let fixture = try ServerFixture()
    _ = try fixture.makeDemo()
    let path = "/v1/apps/demo/unseen-devices"
    let none = try fixture.send("GET", path)
    #expect(none.text == #"{"days":null,"counted_days":270,"count":0,"of":2,"kinds":{}}"#)
    #expect(try fixture.send("PUT", path, #"{"days":90}"#).text == #"{"days":90}"#)
    #expect(try fixture.send("GET", path).json["counted_days"] == 90)
    #expect(try fixture.send("GET", path + "?days=30").json["counted_days"] == 30)
    #expect(try fixture.send("GET", path + "?days=29").status == 400)
    let early = try fixture.send("PUT", path, #"{"days":29}"#)
    #expect(early.detail == "days: expected a whole number from 30 to 3650, found 29")
    #expect(try fixture.send("PUT", path, "{}").detail == "days: required, a number, or null to keep unseen devices")
    // Other settings of the same table stay, and so does this one when they change.
    #expect(try fixture.send("PUT", "/v1/apps/demo/retention", #"{"deliveries_days":7}"#).status == 200)
    #expect(try fixture.send("GET", path).json["days"] == 90)
    #expect(try fixture.send("PUT", path, #"{"days":null}"#).text == #"{"days":null}"#)
    #expect(try fixture.send("GET", "/v1/apps/demo/retention").json["deliveries_days"] == 7)
    let acts = try fixture.send("GET", "/v1/apps/demo/audit").json["acts"]?.array ?? []
    #expect(acts.contains { $0["act"] == "putUnseenDevices" })
    let reader = try fixture.key(["read"])
    #expect(try fixture.send("GET", path, key: reader).status == 200)
    #expect(try fixture.send("PUT", path, #"{"days":90}"#, key: reader).status == 403)
  }

  @Test func deletesWhatIsOver() throws {
    let ahead = Ahead()
    let world = try EndToEndTests(
      clock: WallClock {
        WallClock.system.nowMs() + ahead.ms.load(ordering: .relaxed)
      } monotonicMs: {
        WallClock.system.nowMs() + ahead.ms.load(ordering: .relaxed)
      })
    let fixture = world.fixture
    try world.register()
    let push = try world.push(#"{"to":{"all":true},"message":{"title":"T","body":"B"}}"#)
    _ = try world.finished(push)
    ahead.ms.store(3 * 86_400_000, ordering: .relaxed)
    #expect(try fixture.send("PUT", "/v1/apps/demo/retention", #"{"deliveries_days":2}"#).status == 200)
    var rows = 1
    for _ in 0..<1_000 where rows > 0 {
      usleep(10_000)
      rows = try fixture.send("GET", "/v1/apps/demo/pushes/\(push)/deliveries").json["deliveries"]?.array?.count ?? -1
    }
    #expect(rows == 0)
    #expect(try fixture.send("GET", "/v1/apps/demo/pushes/\(push)").json["counts"]?["accepted"] == 2)
  }

  final class Ahead: Sendable { let ms = Atomic<Int64>(0) }
}
