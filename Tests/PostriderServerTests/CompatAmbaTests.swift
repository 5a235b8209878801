import TestSupport
import Testing
import WireJSON

@testable import PostriderServer

/// Amba's interface: campaigns in every state, and requests that are refused whole.
///
/// What arrives at the providers is judged by `Tests/Interop/test_compat_apps.py`.
@Suite(.timeLimit(.minutes(2))) struct CompatAmbaTests {
  private static let content: JSONObject = ["title": "Welcome back!", "body": "Your streak is waiting for you."]

  private static func content(_ more: JSONObject) -> JSONValue {
    var object = content
    for (name, value) in more { object[name] = value }
    return .object(object)
  }

  private func create(_ site: CompatAppsSite, _ more: JSONObject = [:]) throws -> JSONValue {
    let answer = try site.amba("POST", "/admin/push", Self.content(more))
    #expect(answer.status == 201, "\(answer.text)")
    return try #require(answer.json["data"])
  }

  @Test("A campaign is a draft, is sent once, and is a campaign in both generations of paths") func drafts() throws {
    let site = try CompatAppsSite()
    let made = try create(site, ["name": "win-back-7d", "data": ["screen": "home"], "segment_id": "active_7d"])
    let id = try #require(made["id"]?.string)
    #expect(CompatID.isUUID(id) && made["status"] == "draft" && made["segment_id"] == "active_7d")
    #expect(made["name"] == "win-back-7d" && made["data"] == ["screen": "home"] && made["sent_at"] == .null)
    for path in ["/admin/push/\(id)", "/v1/admin/projects/\(site.project)/push/campaigns/\(id.uppercased())"] {
      #expect(try site.amba("GET", path).json["data"] == made)
    }
    // The id is the payload's collapse id: our own API has the same campaign.
    let pushes = try site.fixture.send("GET", "/v1/apps/demo/pushes").json["pushes"]?.array ?? []
    #expect(pushes.map { $0["campaign"] } == [.string(id)])
    let sent = try site.amba("POST", "/admin/push/\(id)/send")
    #expect(sent.status == 200 && sent.json["data"]?["status"] == "sending", "\(sent.text)")
    for (method, path, body) in [
      ("POST", "/admin/push/\(id)/send", nil), ("DELETE", "/admin/push/\(id)", nil),
      ("PATCH", "/admin/push/\(id)", ["title": "Late"]),
    ] as [(String, String, JSONValue?)] {
      let answer = try site.amba(method, path, body)
      #expect(answer.status == 409 && CompatAppsSite.code(answer) == "ALREADY_SENT", "\(path) \(answer.text)")
    }
    let next = try #require(try create(site)["id"]?.string)
    #expect(try site.amba("DELETE", "/admin/projects/\(site.project)/push/campaigns/\(next)").status == 204)
    #expect(try site.amba("GET", "/admin/push/\(next)").status == 404)
    let list = try site.amba("GET", "/admin/push?limit=10").json
    #expect(list["total"] == 1 && list["data"]?.array?.map { $0["id"] } == [.string(id)])
  }

  @Test("A campaign with a time is scheduled, and changed whole or not at all") func scheduled() throws {
    let site = try CompatAppsSite()
    let made = try create(site, ["scheduled_at": "2027-05-01T13:00:00Z"])
    let id = try #require(made["id"]?.string)
    #expect(made["status"] == "scheduled" && made["scheduled_at"] == "2027-05-01T13:00:00.000Z", "\(made)")
    let early = try site.amba("POST", "/admin/push/\(id)/send")
    #expect(early.status == 409 && CompatAppsSite.code(early) == "ALREADY_SCHEDULED", "\(early.text)")
    // One wrong member, and neither the text nor the time has changed.
    for wrong in [
      ["title": "New", "scheduled_at": "2020-01-01T00:00:00Z"], ["title": "New", "scheduled_at": "soon"],
      ["title": "New", "scheduled_at": .null], ["scheduled_at": "2027-06-01T00:00:00Z", "segment_id": "nobody"],
      ["scheduled_at": "2027-06-01T00:00:00Z", "body": ""], ["scheduled_at": "2027-06-01T00:00:00Z", "title": 5],
      ["scheduled_at": "2027-06-01T00:00:00Z", "data": ["from": "x"]], ["surprise": 1, "title": "New"], [:],
      ["delivery_mode": "local_time", "title": "New"],
    ] as [JSONValue] {
      let answer = try site.amba("PATCH", "/admin/push/\(id)", wrong)
      #expect(answer.status == 400 && CompatAppsSite.code(answer) != nil, "\(wrong) \(answer.text)")
      #expect(try site.amba("GET", "/admin/push/\(id)").json["data"] == made, "\(wrong)")
    }
    let changed = try site.amba(
      "PATCH", "/admin/push/\(id)",
      ["body": "Soon!", "scheduled_at": "2027-06-01T09:00:00+02:00", "segment_id": "new_users"])
    #expect(changed.status == 200, "\(changed.text)")
    let data = changed.json["data"]
    #expect(data?["body"] == "Soon!" && data?["title"] == made["title"] && data?["segment_id"] == "new_users")
    #expect(data?["scheduled_at"] == "2027-06-01T07:00:00.000Z" && data?["status"] == "scheduled")
    let local = try site.amba(
      "PATCH", "/admin/push/\(id)",
      ["delivery_mode": "local_time", "local_date": "2027-06-02", "local_time": "09:00"])
    #expect(
      local.json["data"]?["local_time"] == "09:00" && local.json["data"]?["scheduled_at"] == .null, "\(local.text)")
    let push = try site.fixture.send("GET", "/v1/apps/demo/pushes").json["pushes"]?[0]?["id"]?.string
    let own = try site.fixture.send("GET", "/v1/apps/demo/pushes/\(push ?? "")").json
    #expect(own["send_at_local"] == "2027-06-02T09:00:00" && own["timezone"] == "UTC", "\(own)")
    // A draft that gets a time is scheduled.
    let draft = try #require(try create(site)["id"]?.string)
    let promoted = try site.amba("PATCH", "/admin/push/\(draft)", ["scheduled_at": "2027-05-01T13:00:00Z"])
    #expect(promoted.json["data"]?["status"] == "scheduled", "\(promoted.text)")
    #expect(try site.amba("DELETE", "/admin/push/\(draft)").status == 204)
  }

  @Test("A request that is wrong is refused with its code, and nothing is written") func refusals() throws {
    let site = try CompatAppsSite()
    let before = try site.state()
    let cases: [(JSONObject, String)] = [
      (["title": .null], "INVALID_INPUT"), (["title": ""], "INVALID_INPUT"), (["body": 5], "INVALID_INPUT"),
      (["data": "x"], "INVALID_INPUT"), (["name": []], "INVALID_INPUT"), (["segment_id": 5], "INVALID_INPUT"),
      (["segment_id": "unknown"], "INVALID_INPUT"), (["surprise": 1], "INVALID_INPUT"),
      (["delivery_mode": "soon"], "INVALID_INPUT"), (["local_date": "2027-01-01"], "INVALID_INPUT"),
      (["delivery_mode": "local_time", "scheduled_at": "2027-01-01T00:00:00Z"], "INVALID_INPUT"),
      (["scheduled_at": "tomorrow"], "INVALID_SCHEDULED_AT"), (["scheduled_at": 5], "INVALID_SCHEDULED_AT"),
      (["scheduled_at": "2026-13-01T00:00:00Z"], "INVALID_SCHEDULED_AT"),
      (["scheduled_at": "9999-01-01T00:00:00Z"], "INVALID_SCHEDULED_AT"),
      (["scheduled_at": "2026-01-01T00:00:00Z"], "SCHEDULED_AT_IN_PAST"),
      (["delivery_mode": "local_time"], "INVALID_SCHEDULED_AT"),
      (["delivery_mode": "local_time", "local_date": "2027-02-30", "local_time": "09:00"], "INVALID_SCHEDULED_AT"),
      (["delivery_mode": "local_time", "local_date": "2027-02-03", "local_time": "25:00"], "INVALID_SCHEDULED_AT"),
      (["delivery_mode": "local_time", "local_date": "2026-01-01", "local_time": "09:00"], "SCHEDULED_AT_IN_PAST"),
      (["title": .string(String(repeating: "x", count: 9_000))], "INVALID_INPUT"),
      (["data": ["google.x": 1]], "INVALID_INPUT"),
    ]
    for (change, code) in cases {
      let answer = try site.amba("POST", "/admin/push", Self.content(change))
      #expect(answer.status == 400 && CompatAppsSite.code(answer) == code, "\(change) \(answer.text.prefix(300))")
    }
    for path in ["/admin/push/test", "/admin/projects/\(site.project)/push/campaigns/test"] {
      for body in [
        [:], ["app_user_id": "nobody"], ["device_token": "t"], ["device_token": "t", "provider": "hms"],
        ["device_token": "zz", "provider": "apns"], ["app_user_id": "a", "device_token": "t", "provider": "fcm"],
      ] as [JSONObject] {
        let answer = try site.amba("POST", path, Self.content(body))
        #expect(answer.status == 400 && CompatAppsSite.code(answer) == "INVALID_INPUT", "\(body) \(answer.text)")
      }
    }
    let none = try site.amba("POST", "/admin/users/ann/push-schedule", Self.content([:]))
    #expect(CompatAppsSite.code(none) == "INVALID_SCHEDULED_AT", "\(none.text)")
    for id in ["x", CompatID.random(), CompatID.of(5, .campaign, app: "other"), site.project, "test"] {
      #expect(try site.amba("GET", "/admin/push/\(id)").status == (id == "test" ? 405 : 404), "\(id)")
    }
    for body in ["", "{", "[]", "5"] {
      let answer = try site.fixture.send(
        "POST", "/compat/amba/admin/push", body, key: .some(nil), headers: ["Authorization: Bearer \(site.compat)"])
      #expect(answer.status == 400 && CompatAppsSite.code(answer) == "INVALID_INPUT", "\(body) \(answer.text)")
    }
    #expect(try site.state() == before)
    let absent = try site.amba("POST", "/admin/projects/\(site.project)/segments", ["name": "x"])
    #expect(absent.status == 400 && absent.text.contains("/v1/apps/{app}/segments"), "\(absent.text)")
  }

  @Test("A request that comes again with its key has its effect once") func repeated() throws {
    let site = try CompatAppsSite()
    let headers = ["Authorization: Bearer \(site.compat)", "Idempotency-Key: k1"]
    let body = Self.content(["scheduled_at": "2027-05-01T13:00:00Z"])
    let answers = try (0..<2).map { _ in try site.ask(.amba, "POST", "/admin/push", body, headers: headers) }
    #expect(answers.allSatisfy { $0.status == 201 } && answers[0].json == answers[1].json, "\(answers)")
    let waits = try (0..<2).map { _ in
      try site.ask(.amba, "POST", "/admin/users/ann/push-schedule", body, headers: headers)
    }
    #expect(waits.allSatisfy { $0.status == 201 }, "\(waits)")
    let list = try site.fixture.send("GET", "/v1/apps/demo/users/ann/scheduled").json["scheduled"]?.array
    #expect(list?.count == 1 && list?[0]["campaign"] == nil)
    #expect(try site.amba("GET", "/admin/push").json["total"] == 1)
  }

  @Test("A user has a profile, and the time zone of the phone until they say another") func users() throws {
    let site = try CompatAppsSite()
    let me = "/client/users/me"
    let missing = try site.app(.amba, "GET", me, more: ["X-Amba-Timezone: Europe/Vienna"])
    #expect(missing.status == 404 && CompatAppsSite.code(missing) == "NOT_FOUND", "\(missing.text)")
    let token: JSONValue = ["token": .string(String(repeating: "7c", count: 32)), "platform": "ios"]
    let registered = try site.app(.amba, "POST", me + "/push-token", token)
    #expect(registered.status == 201 && registered.json["data"]?["provider"] == "apns", "\(registered.text)")
    for (headers, zone) in [
      ([], nil), (["Time-Zone: Mars/Olympus"], nil),
      (["Time-Zone: Europe/Vienna", "X-Amba-Timezone: America/New_York"], "America/New_York"),
      (["X-Amba-Timezone: Europe/Vienna"], "America/New_York"),
    ] as [([String], String?)] {
      let shown = try site.app(.amba, "GET", me, more: headers).json["data"]
      #expect(shown?["timezone"] == (zone.map { .string($0) } ?? .null), "\(headers) \(shown ?? .null)")
    }
    #expect(try site.devices().first { $0["user"] == "ann" }?["timezone"] == "America/New_York")
    for (body, code) in [
      ([:], "INVALID_INPUT"), (["surprise": 1], "INVALID_INPUT"), (["timezone": .null], "INVALID_TIMEZONE"),
      (["timezone": "Mars/Olympus"], "INVALID_TIMEZONE"), (["timezone": 5], "INVALID_TIMEZONE"),
      (["properties": ["a": ["b": 1]]], "INVALID_INPUT"), (["properties": 5], "INVALID_INPUT"),
      (["properties": ["timezone": "UTC"]], "INVALID_INPUT"), (["display_name": 5], "INVALID_INPUT"),
      (["display_name": "Eve", "timezone": "x"], "INVALID_TIMEZONE"), (["avatar_url": ["x"]], "INVALID_INPUT"),
    ] as [(JSONValue, String)] {
      let answer = try site.app(.amba, "PATCH", me, body)
      #expect(answer.status == 400 && CompatAppsSite.code(answer) == code, "\(body) \(answer.text)")
    }
    let changed = try site.app(
      .amba, "PATCH", me,
      [
        "display_name": "Ada", "avatar_url": "https://e.example/a.png", "timezone": "Europe/London",
        "properties": ["theme": "dark"], "ignored": true,
      ])
    let data = changed.json["data"]
    #expect(data?["display_name"] == "Ada" && data?["properties"] == ["theme": "dark"], "\(changed.text)")
    #expect(data?["timezone"] == "Europe/London" && data?["external_id"] == "ann")
    #expect(data?["avatar_url"] == "https://e.example/a.png")
    #expect(try site.devices().first { $0["user"] == "ann" }?["timezone"] == "Europe/London")
    // A later device has the zone too, and the record's id is the user's.
    let second: JSONValue = ["token": "fMEO1bKqT0:APA91b", "platform": "android"]
    #expect(try site.app(.amba, "POST", me + "/push-token", second, more: ["Time-Zone: Asia/Tokyo"]).status == 201)
    #expect(try site.devices().allSatisfy { $0["user"] != "ann" || $0["timezone"] == "Europe/London" })
    let id = try #require(data?["id"]?.string)
    let wait = try site.amba(
      "POST", "/admin/users/\(id)/push-schedule", Self.content(["scheduled_at": "2027-05-01T13:00:00Z"]))
    #expect(wait.status == 201 && wait.json["data"]?["app_user_id"] == .string(id), "\(wait.text)")
    let list = try site.fixture.send("GET", "/v1/apps/demo/users/ann/scheduled").json["scheduled"]?.array
    #expect(list?.count == 1)
    #expect(try site.app(.amba, "DELETE", me + "/push-token", token).status == 200)
    #expect(try site.devices().count { $0["user"] == "ann" } == 1)
  }

  @Test("A phone that changes hands keeps nothing of its former user, and nobody forgets another's") func changedHands()
    throws
  {
    let site = try CompatAppsSite()
    let token = JSONValue.string(String(repeating: "7d", count: 32))
    let former: JSONValue = [
      "type": "ios", "token": token, "user": "former", "name": "formers-phone", "locale": "de",
      "timezone": "Europe/Vienna", "app_version": "1.0", "tags": ["vip"], "properties": ["plan": "pro"],
    ]
    #expect(try site.fixture.post("/v1/apps/demo/devices", former).status == 201)
    let body: JSONValue = ["token": token, "platform": "ios"]
    let gone = try site.app(.amba, "DELETE", "/client/users/me/push-token", body)
    #expect(gone.status == 200, "\(gone.text)")
    #expect(try site.devices().contains { $0["user"] == "former" })
    #expect(try site.app(.amba, "POST", "/client/users/me/push-token", body).status == 201)
    let device = try #require(try site.devices().first { $0["token"] == token })
    #expect(device["user"] == "ann")
    for name in ["name", "locale", "timezone", "app_version"] { #expect(device[name]?.string == nil, "\(device)") }
    #expect(device["properties"]?.object?.isEmpty != false && device["tags"]?.array?.isEmpty != false, "\(device)")
    #expect(try site.devices().count { $0["token"] == token } == 1)
  }
}
