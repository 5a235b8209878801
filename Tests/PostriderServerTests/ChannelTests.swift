import APNs
import Glibc
import ProviderEmulator
import TestSupport
import Testing
import WireJSON

@testable import PostriderServer
@testable import PushStore
@testable import StoreModel

/// Channels and broadcasts from the API to the emulator's APNs.
@Suite(.timeLimit(.minutes(3))) struct ChannelTests {
  let world: EndToEndTests
  var fixture: ServerFixture { world.fixture }
  var emulator: ProviderEmulator { world.emulator }

  static let path = "/v1/apps/demo/channels"
  static let update = #"{"event":"update","content_state":{"home":2,"away":1}}"#

  init() throws { world = try EndToEndTests() }

  private func make(_ body: String = "{}", status: Int = 201) throws -> JSONValue {
    let answer = try fixture.send("POST", Self.path, body)
    #expect(answer.status == status, "\(answer.text)")
    return answer.json
  }

  private func broadcast(_ channel: JSONValue, _ body: String) throws -> ServerFixture.Answer {
    try fixture.send("POST", "\(Self.path)/\(channel["id"]?.string ?? "")/broadcasts", body)
  }

  private func sent(_ channel: JSONValue, _ body: String) throws -> JSONValue {
    let answer = try broadcast(channel, body)
    #expect(answer.status == 202, "\(answer.text)")
    return try world.finished(answer.json["id"]?.string ?? "")
  }

  @Test("A channel is made at Apple, shown, listed and deleted there") func resource() throws {
    let made = try make(#"{"name":"match-17","storage":"none"}"#)
    #expect(made["storage"] == "none" && made["name"] == "match-17" && made["environment"] == "production")
    #expect(made["bundle_id"] == .string(EndToEndTests.topic))
    #expect(emulator.channels.map(\.id) == [made["channel_id"]?.string])
    #expect(emulator.channels.map(\.storagePolicy) == [.none])
    let id = try #require(made["id"]?.string)
    let shown = try fixture.send("GET", "\(Self.path)/\(id)")
    #expect(shown.json == made)
    #expect(try fixture.send("GET", Self.path).json["channels"] == [made])
    #expect(try make(#"{"name":"match-17"}"#, status: 409)["detail"]?.string?.contains("this name") == true)
    #expect(emulator.channels.count == 1)
    #expect(try fixture.send("DELETE", "\(Self.path)/\(id)", headers: ["If-Match: \"other\""]).status == 412)
    #expect(try fixture.send("DELETE", "\(Self.path)/\(id)").status == 204)
    #expect(emulator.channels.isEmpty)
    #expect(try fixture.send("GET", "\(Self.path)/\(id)").status == 404)
  }

  @Test("A channel that activities listen to is deleted once they have ended, or by whoever says so") func heard()
    throws
  {
    let device: JSONValue = [
      "type": "ios-live-activity-start", "token": .string(ActivityTests.startToken), "user": "ann",
    ]
    #expect(try fixture.post("/v1/apps/demo/devices", device).status == 201)
    func start(_ id: String, _ channel: JSONValue) throws {
      let answer = try fixture.send(
        "POST", ActivityTests.path,
        #"{"id":"\#(id)","to":{"user":"ann"},"channel":"\#(channel["id"]?.string ?? "")",\#(ActivityTests.parts)}"#)
      #expect(answer.status == 202, "\(answer.text)")
    }
    func delete(_ channel: JSONValue, _ query: String = "") throws -> ServerFixture.Answer {
      try fixture.send("DELETE", "\(Self.path)/\(channel["id"]?.string ?? "")\(query)")
    }
    let (first, second) = (try make(#"{"name":"first"}"#), try make(#"{"name":"second"}"#))
    try start("a", first)
    try start("b", first)
    try start("c", second)
    let refused = try delete(first)
    #expect(refused.status == 409 && refused.detail.contains("2 activities listen"), "\(refused.text)")
    #expect(
      refused.detail.contains("delete the channel all the same with ?listeners=ignore") && emulator.channels.count == 2)
    #expect(try delete(first, "?listeners=refuse").status == 409)
    #expect(try sent(first, #"{"event":"update","content_state":{}}"#)["counts"]?["accepted"] == 1)
    #expect(try delete(first).status == 409)
    #expect(try sent(first, #"{"event":"end"}"#)["counts"]?["accepted"] == 1)
    #expect(try delete(first).status == 204)
    #expect(try delete(second).detail.contains("1 activity listens"))
    // An end that Apple refused has ended nothing.
    try gone(second)
    #expect(try sent(second, #"{"event":"end"}"#)["counts"]?["rejected"] == 1)
    #expect(try delete(second).detail.contains("1 activity listens"))
    #expect(try delete(second, "?listeners=ignore").status == 204)
    #expect(emulator.channels.isEmpty)
  }

  @Test("What Apple failed at is one sentence, with what to do") func failure() {
    for status in [429, 500, 503] {
      for reason in [APNsReason.internalServerError, .serviceUnavailable, .tooManyRequests] {
        let problem = ChannelAccess.refused(APNsRejection(status: status, reason: reason), field: "")
        #expect(problem.kind == .busy && problem.detail.hasSuffix("; try again, and compare the channels afterwards"))
        #expect(
          !problem.detail.contains(".;") && problem.detail.contains("\(status) \(reason.rawValue)"), "\(problem.detail)"
        )
      }
    }
  }

  @Test("A broadcast warns of a stale date that has passed") func stale() throws {
    let answer = try broadcast(
      try make(), #"{"event":"update","content_state":{},"stale_date":"2020-05-18T03:33:20Z"}"#)
    #expect(answer.status == 202 && answer.json["report"]?[0]?["field"] == "stale_date", "\(answer.text)")
    #expect(answer.json["report"]?[0]?["severity"] == "warning")
  }

  @Test("A broadcast arrives as Apple's page has it, with a row in the ledger that balances") func sends() throws {
    let channel = try make()
    let push = try sent(
      channel,
      #"{"event":"update","content_state":{"home":2,"away":1},"alert":{"title":"Goal","body":"2:1"},"#
        + #""stale_date":"2033-05-18T03:33:20Z","relevance_score":75.5,"priority":5,"expires_in_seconds":3600,"#
        + #""timestamp":"2026-11-20T12:00:00Z"}"#)
    #expect(push["state"] == "sent" && push["counts"]?["targeted"] == 1 && push["counts"]?["accepted"] == 1, "\(push)")
    let received = try #require(emulator.channels.first?.broadcasts.first)
    #expect(
      String(decoding: received.payload, as: UTF8.self)
        == #"{"aps":{"timestamp":1795176000,"event":"update","content-state":{"home":2,"away":1},"#
        + #""alert":{"title":"Goal","body":"2:1"},"stale-date":2000000000,"relevance-score":75.5}}"#)
    let headers = Dictionary(received.headers.map { ($0.name, $0.value) }) { first, _ in first }
    #expect(headers["apns-push-type"] == "liveactivity" && headers["apns-priority"] == "5")
    #expect(headers["apns-channel-id"] == channel["channel_id"]?.string && headers["apns-topic"] == nil)
    #expect(headers["apns-expiration"].flatMap { Int($0) } ?? 0 > 1_700_000_000)
    let id = push["id"]?.string ?? ""
    let rows = try fixture.send("GET", "/v1/apps/demo/pushes/\(id)/deliveries").json["deliveries"]?.array ?? []
    #expect(rows.map { $0["type"]?.string } == ["ios-broadcast"] && rows.map { $0["status"]?.int } == [200])
    #expect(rows.first?["apns_id"]?.string == headers["apns-request-id"])
    let list = try fixture.send("GET", "\(Self.path)/\(channel["id"]?.string ?? "")/broadcasts").json["broadcasts"]
    #expect(list?[0]?["id"]?.string == id && list?[0]?["event"] == "update" && list?[1] == nil)
  }

  @Test("A broadcast for now only has expiration 0, to either kind of channel") func forNow() throws {
    for storage in ["none", "most-recent"] {
      let channel = try make(#"{"storage":"\#(storage)"}"#)
      let push = try sent(channel, #"{"event":"end","dismissal_date":"2033-05-18T03:33:20Z"}"#)
      #expect(push["counts"]?["accepted"] == 1, "\(push)")
      let received = try #require(emulator.channels.last?.broadcasts.first)
      #expect(received.headers.first { $0.name == "apns-expiration" }?.value == "0")
      #expect(String(decoding: received.payload, as: UTF8.self).contains(#""dismissal-date":2000000000"#))
    }
  }

  @Test("Of broadcasts in one second each is later than the one before, and one of an earlier time is warned of")
  func seconds() throws {
    let channel = try make()
    for number in 0..<3 {
      #expect(try broadcast(channel, #"{"event":"update","content_state":{"n":\#(number)}}"#).status == 202)
    }
    let old = try broadcast(
      channel, #"{"event":"update","content_state":{"n":3},"timestamp":"2026-01-01T00:00:00Z"}"#)
    #expect(old.json["report"]?[0]?["field"] == "timestamp" && old.json["report"]?[0]?["severity"] == "warning")
    #expect(try sent(channel, #"{"event":"end"}"#)["counts"]?["accepted"] == 1)
    for _ in 0..<2_000 where emulator.channels.first?.broadcasts.count ?? 0 < 5 { usleep(10_000) }
    let bodies = try (emulator.channels.first?.broadcasts ?? []).map { try JSON.parse($0.payload)["aps"] ?? .null }
    func second(_ number: Int) -> Int64? {
      bodies.first { $0["content-state"]?["n"]?.int.map { Int($0) } == number }?["timestamp"]?.int.map { Int64($0) }
    }
    let end = try #require(bodies.first { $0["event"] == "end" }?["timestamp"]?.int)
    let times = try (0..<3).map { try #require(second($0)) } + [Int64(end)]
    #expect(times == times.sorted() && Set(times).count == 4, "\(times)")
    #expect(second(3) == 1_767_225_600)
  }

  @Test("A channel that is sent to without end gets ahead of the clock by a minute at most") func ahead() throws {
    let id = try #require(try make()["id"]?.string.flatMap { ChannelID($0) })
    let store = fixture.server.service.store
    let now = Timestamp(seconds: 4_000_000_000)
    var last: Int64 = 0
    for _ in 0..<100 {
      let taken = try store.takeSecond(of: id, given: nil, now: now)
      #expect(taken.second >= last && !taken.isOlder)
      last = taken.second
    }
    #expect(last == 4_000_000_060)
    // A time far ahead holds no later broadcast back.
    #expect(try !store.takeSecond(of: id, given: 9_000_000_000, now: now).isOlder)
    #expect(try store.takeSecond(of: id, given: nil, now: now).second == 4_000_000_060)
    #expect(try store.takeSecond(of: id, given: 5, now: now).isOlder)
  }

  @Test("A request with its Idempotency-Key makes one channel and one broadcast") func once() throws {
    let key = ["Idempotency-Key: a"]
    let first = try fixture.send("POST", Self.path, "{}", headers: key)
    #expect(try fixture.send("POST", Self.path, "{}", headers: key).text == first.text && emulator.channels.count == 1)
    let path = "\(Self.path)/\(first.json["id"]?.string ?? "")/broadcasts"
    let other = ["Idempotency-Key: b"]
    let one = try fixture.send("POST", path, Self.update, headers: other)
    let two = try fixture.send("POST", path, Self.update, headers: other)
    #expect(one.status == 202 && two.json["id"] == one.json["id"] && two.json["replayed"] == true, "\(two.text)")
    _ = try world.finished(one.json["id"]?.string ?? "")
    #expect(emulator.channels.first?.broadcasts.count == 1)
  }

  /// What is refused: the body, the field and a word of the remedy.
  static let refusals: [(body: String, field: String, word: String)] = [
    (#"{"event":"start","content_state":{}}"#, "event", "expected one of"),
    (#"{"content_state":{}}"#, "event", "required"),
    (#"{"event":"update"}"#, "content_state", "add it"),
    (#"{"event":"update","content_state":[]}"#, "content_state", "an object"),
    (
      #"{"event":"update","content_state":{},"dismissal_date":"2033-05-18T03:33:20Z"}"#, "dismissal_date",
      "leave it out"
    ),
    (#"{"event":"update","content_state":{},"stale_date":"soon"}"#, "stale_date", "expected a time"),
    (#"{"event":"update","content_state":{},"timestamp":"1"}"#, "timestamp", "expected a time"),
    (#"{"event":"update","content_state":{},"priority":7}"#, "priority", "expected 10"),
    (#"{"event":"update","content_state":{},"relevance_score":"high"}"#, "relevance_score", "a number"),
    (#"{"event":"update","content_state":{},"expires_in_seconds":99999}"#, "expires_in_seconds", "28800"),
    (#"{"event":"update","content_state":{},"expires_in_seconds":60}"#, "expires_in_seconds", "most-recent"),
    (
      #"{"event":"update","content_state":{"a":"\#(String(repeating: "x", count: 5_200))"}}"#, "", "5120"
    ),
  ]

  @Test("What a channel cannot be sent is refused with field and remedy, and leaves nothing", arguments: refusals)
  func refuses(body: String, field: String, word: String) throws {
    let channel = try make(#"{"storage":"none"}"#)
    let answer = try broadcast(channel, body)
    #expect(answer.status == 422, "\(answer.text)")
    let finding = (answer.json["report"]?.array ?? []).first { $0["severity"] == "error" }
    #expect(finding?["field"]?.string == field, "\(answer.text)")
    #expect(finding?["message"]?.string?.contains(word) == true, "\(answer.text)")
    #expect(try fixture.send("GET", "/v1/apps/demo/pushes").json["pushes"] == [])
  }

  @Test("A channel of another bundle is refused, when it is made and when it is used") func otherBundle() throws {
    let refused = try fixture.send("POST", Self.path, #"{"bundle_id":"com.example.other"}"#)
    #expect(refused.status == 422 && refused.json["report"]?[0]?["field"] == "bundle_id", "\(refused.text)")
    #expect(refused.detail.contains(EndToEndTests.topic), "\(refused.text)")
    // One that belongs to another app at Apple.
    let alien = try fixture.send("POST", Self.path, #"{"channel_id":"dHN0LXNyY2gtY2hubA=="}"#)
    #expect(alien.status == 422 && alien.json["report"]?[0]?["field"] == "channel_id", "\(alien.text)")
    #expect(alien.detail.contains("ChannelNotRegistered"), "\(alien.text)")
    let malformed = try fixture.send("POST", Self.path, #"{"channel_id":"no base64!"}"#)
    #expect(malformed.status == 422 && malformed.json["report"]?[0]?["field"] == "channel_id", "\(malformed.text)")
    // The credential is for another bundle from now on.
    let channel = try make()
    var credentials = try #require(try world.credentials()["apns"]?.object)
    credentials["topic"] = "com.example.renamed"
    let saved = try fixture.send(
      "PUT", "/v1/apps/demo/credentials", JSON.minifiedText(["apns": .object(credentials)]))
    #expect(saved.status == 200, "\(saved.text)")
    for answer in [
      try broadcast(channel, Self.update),
      try fixture.send("DELETE", "\(Self.path)/\(channel["id"]?.string ?? "")"),
    ] {
      #expect(answer.status == 422 && answer.json["report"]?[0]?["field"] == "channel", "\(answer.text)")
      #expect(answer.detail.contains("com.example.renamed"), "\(answer.text)")
    }
  }

  @Test("What is here and what is at Apple is compared, saved and forgotten") func compares() throws {
    let both = try make()
    let here = try make()
    let there = try make(#"{"storage":"none"}"#)
    // Forgotten here, as if a crash had come between Apple's answer and the commit.
    let ids = [there, here].compactMap { $0["id"]?.string }
    try fixture.forgetChannel(ids[0])
    try gone(here)
    let answer = try fixture.send("GET", "\(Self.path)/comparison")
    #expect(answer.status == 200 && answer.json["on_both"] == 1, "\(answer.text)")
    #expect(answer.json["only_here"] == [here] && answer.json["only_there"] == [there["channel_id"] ?? .null])
    let body: JSONObject = ["channel_id": there["channel_id"] ?? .null]
    let wrong = try fixture.send(
      "POST", Self.path,
      JSON.minifiedText(.object(["channel_id": body["channel_id"] ?? .null, "storage": "most-recent"])))
    #expect(wrong.status == 422 && wrong.json["report"]?[0]?["field"] == "storage", "\(wrong.text)")
    let saved = try make(JSON.minifiedText(.object(body)))
    #expect(saved["storage"] == "none" && saved["channel_id"] == there["channel_id"])
    #expect(try fixture.send("DELETE", "\(Self.path)/\(ids[1])").status == 204)
    let after = try fixture.send("GET", "\(Self.path)/comparison").json
    #expect(after["on_both"] == 2 && after["only_here"] == [] && after["only_there"] == [], "\(after)")
    #expect(try sent(both, Self.update)["counts"]?["accepted"] == 1)
  }

  /// Deletes a channel at Apple by other means, through an app that knows it too.
  private func gone(_ channel: JSONValue) throws {
    try fixture.server.makeApp(name: "other", title: "Other", contract: "amba")
    try fixture.server.setCredentials(app: "other", json: JSON.minified(world.credentials()))
    let body = JSONValue.object(["channel_id": channel["channel_id"] ?? .null])
    let answer = try fixture.post("/v1/apps/other/channels", body)
    let id = try #require(answer.json["id"]?.string, "\(answer.text)")
    #expect(try fixture.send("DELETE", "/v1/apps/other/channels/\(id)").status == 204)
  }

  @Test("A broadcast that Apple refuses is rejected with Apple's reason and explained, and stops nothing else")
  func refusedByApple() throws {
    try world.register()
    let channel = try make()
    try gone(channel)
    let push = try sent(channel, Self.update)
    #expect(push["counts"]?["rejected"] == 1, "\(push)")
    let id = push["id"]?.string ?? ""
    let row = try fixture.send("GET", "/v1/apps/demo/pushes/\(id)/deliveries").json["deliveries"]?[0]
    #expect(row?["reason"] == "ChannelNotRegistered" && row?["status"] == 400, "\(row ?? .null)")
    #expect(row?["explanation"]?["next"]?.string?.contains("List the channels") == true, "\(row ?? .null)")
    let other = try world.finished(try world.push(#"{"to":{"all":true},"message":{"title":"T","body":"B"}}"#))
    #expect(other["counts"]?["accepted"] == 2, "\(other)")
    #expect(try fixture.send("GET", "/v1/apps/demo").json["stopped"] == nil)
  }

  @Test("A key of another app sees no channel of this one, and keys of scope client see none") func rights() throws {
    let channel = try make()
    try fixture.server.makeApp(name: "other", title: "Other", contract: "amba")
    let id = channel["id"]?.string ?? ""
    #expect(try fixture.send("GET", "/v1/apps/other/channels/\(id)").status == 404)
    let client = try fixture.key(["client"], app: "demo")
    let read = try fixture.key(["read"], app: "demo")
    for (method, path, body) in [
      ("POST", Self.path, "{}"), ("DELETE", "\(Self.path)/\(id)", nil),
      ("POST", "\(Self.path)/\(id)/broadcasts", Self.update),
    ] as [(String, String, String?)] {
      for key in [client, read] { #expect(try fixture.send(method, path, body, key: key).status == 403) }
    }
    #expect(try fixture.send("GET", Self.path, key: client).status == 403)
    #expect(try fixture.send("GET", Self.path, key: read).status == 200)
  }

  @Test("Without an APNs credential, or with one that nobody answers, it is said and nothing is saved") func noWay()
    throws
  {
    try fixture.server.makeApp(name: "bare", title: "Bare", contract: "amba")
    let bare = try fixture.send("POST", "/v1/apps/bare/channels", "{}")
    #expect(bare.status == 409 && bare.detail.contains("PUT /v1/apps/bare/credentials"), "\(bare.text)")
    let sandbox = try fixture.send("POST", Self.path, #"{"environment":"development"}"#)
    #expect(sandbox.status == 409 && sandbox.detail.contains("development"), "\(sandbox.text)")
  }
}

extension ServerFixture {
  /// Forgets a channel here and leaves it at Apple.
  func forgetChannel(_ id: String) throws {
    let key = try #require(Int64(id))
    try server.service.store.deleteChannel(.init(rawValue: key))
  }
}
