import ProviderEmulator
import PushStore
import StoreModel
import TestSupport
import Testing
import WireJSON

@testable import PostriderServer

/// The share of users who get their messages from here, and what may be set.
extension ShadowTests {
  @Test("A share of the users is divided exactly, stays as it is, and only grows with the share") func share() {
    let app = AppID(rawValue: 3)
    let users = (0..<10_000).map { "user user-\($0)" }
    var before: Set<String> = []
    for percent in [0, 1, 10, 30, 75, 99, 100] {
      let among = Set(users.filter { ShadowSplit.isAmong($0, app, percent: percent) })
      #expect(among == Set(users.filter { ShadowSplit.isAmong($0, app, percent: percent) }))
      #expect(before.isSubset(of: among))
      #expect(abs(among.count - percent * 100) < 300, "\(percent): \(among.count)")
      before = among
    }
    #expect(before.count == users.count)
    // The same for as long as the program is used: a user who moves would get a message from both sides.
    #expect(users.prefix(12).map { ShadowSplit.isAmong($0, app, percent: 50) } == Self.known)
  }

  private static let known = [true, true, false, false, true, false, false, true, false, false, false, false]

  @Test("Each listed recipient gets a message from exactly one side") func divides() throws {
    var users: [String] = []
    for number in 0..<60 {
      let user = "user-\(number)"
      users.append(user)
      let token = "c" + String(repeating: "0", count: 61) + (number < 10 ? "0\(number)" : "\(number)")
      let body: JSONValue = ["type": "ios", "token": .string(token), "user": .string(user)]
      #expect(try fixture.post("/v1/apps/demo/devices", body).status == 201)
    }
    try forward(live: 40)
    let ids = (users + ["unknown-1", "unknown-2"]).map { JSONValue.string($0) }
    let body: JSONValue = ["include_external_user_ids": .array(ids), "contents": ["en": "Hello"]]
    let answer = try ask("POST", "/onesignal/notifications", JSON.minifiedText(body))
    #expect(answer.json["id"] == "11111111-2222-4333-8444-555555555555", "\(answer.text)")
    let theirs = vendor.all.first?.json["include_external_user_ids"]?.array?.compactMap(\.string) ?? []
    let app = AppID(rawValue: 1)
    let ours = users.filter { ShadowSplit.isAmong("user \($0)", app, percent: 40) }
    #expect(!ours.isEmpty && ours.count < users.count)
    #expect(Set(theirs).isDisjoint(with: ours) && Set(theirs).union(ours) == Set(users + ["unknown-1", "unknown-2"]))
    let pushes = try fixture.send("GET", "/v1/apps/demo/pushes").json["pushes"]?.array ?? []
    #expect(pushes.count == 1)
    #expect(try world.finished(pushes.first?["id"]?.string ?? "")["counts"]?["targeted"]?.int == ours.count)
    let record = try #require(try report(requests: 1) != .null ? try records().first : nil)
    #expect(record["outcome"] == "live" && record["detail"]?["shares"]?["here"]?.int == ours.count, "\(record)")
    // What the vendor refuses nobody gets, and what goes to a segment the vendor delivers alone.
    vendor.set(503, #"{"errors":["Service temporarily unavailable"]}"#, [("Retry-After", "1")])
    #expect(try ask("POST", "/onesignal/notifications", JSON.minifiedText(body)).status == 503)
    vendor.set(200, #"{"id":"11111111-2222-4333-8444-555555555555"}"#)
    let segment = try ask("POST", "/onesignal/notifications", #"{"included_segments":["All"],"contents":{"en":"x"}}"#)
    #expect(segment.status == 200)
    _ = try report(requests: 3)
    let whole = try #require(try records().first { $0["note"]?.string?.contains("cannot be divided") == true })
    #expect(whole["outcome"] == "accepted" && vendor.all.last?.json["included_segments"] == ["All"])
    #expect(try fixture.send("GET", "/v1/apps/demo/pushes").json["pushes"]?.array?.count == 1)
  }

  @Test("Messages of the other vendors are divided by their own lists, and a campaign is not") func dividesOthers()
    throws
  {
    let app = AppID(rawValue: 1)
    // The one of the two who goes live first, at a share where the other does not.
    let share = { (user: String) in (0...100).first { ShadowSplit.isAmong("user \(user)", app, percent: $0) } ?? 101 }
    let (first, second) = share("ann") < share("bob") ? ("ann", "bob") : ("bob", "ann")
    #expect(share(first) < share(second))
    for name in ["powerauth", "imkit", "amba"] { try forward(name, live: share(first)) }
    vendor.set(200, #"{"RC":0,"RM":"OK","result":{}}"#)
    _ = try ask("POST", "/imkit/push/push2clients", #"{"clients":["ann","bob"],"payload":{"alert":"A","title":"T"}}"#)
    #expect(vendor.all.last?.json["clients"] == [.string(second)])
    vendor.set(200, #"{"status":"OK"}"#)
    let message = { (user: String) in #"{"userId":"\#(user)","body":{"title":"T","body":"B"}}"# }
    let batch = try ask(
      "POST", "/powerauth/push/message/batch/send",
      #"{"requestObject":{"appId":"demo","mode":"ASYNCHRONOUS","batch":[\#(message("ann")),\#(message("bob"))]}}"#)
    #expect(batch.text == #"{"status":"OK"}"#)
    let theirs = vendor.all.last?.json["requestObject"]?["batch"]?.array ?? []
    #expect(theirs.count == 1 && theirs.first?["userId"]?.string == second)
    let asked = vendor.all.count
    let body = #"{"title":"T","body":"B","scheduled_at":"2031-05-01T13:00:00Z"}"#
    #expect(try ask("POST", "/amba/admin/users/\(first)/push-schedule", body).status == 201)
    #expect(vendor.all.count == asked)
    vendor.set(201, #"{"data":{"id":"x"}}"#)
    #expect(try ask("POST", "/amba/admin/users/\(second)/push-schedule", body).json["data"]?["id"] == "x")
    #expect(try ask("POST", "/amba/admin/push", #"{"title":"T","body":"B"}"#).json["data"]?["id"] == "x")
    #expect(vendor.all.count == asked + 2)
    let pushes = try fixture.send("GET", "/v1/apps/demo/pushes").json["pushes"]?.array ?? []
    // One of each vendor's for who is live; the draft of the campaign is sent by nobody.
    #expect(pushes.count { $0["state"] == "draft" } == 1 && pushes.count == 4, "\(pushes)")
  }

  @Test("A vendor's page is no page of this server's") func answersAreData() throws {
    #expect(VendorAnswer.shown("application/json; charset=utf-8") == "application/json; charset=utf-8")
    for type in ["text/html", "image/svg+xml", "application/xhtml+xml", "a\u{7F}", nil] {
      #expect(VendorAnswer.shown(type) == "text/plain; charset=utf-8")
    }
    try forward()
    let answer = try ask("GET", "/onesignal/notifications")
    #expect(answer.headers["x-content-type-options"] == "nosniff")
  }

  @Test("A user who is live gets the message here, a hundred percent everyone, and then the vendor nothing")
  func goesLive()
    throws
  {
    let app = AppID(rawValue: 1)
    let percent = try #require((1..<100).first { ShadowSplit.isAmong("user ann", app, percent: $0) })
    try forward(live: percent)
    let one = try ask(
      "POST", "/onesignal/notifications", #"{"include_external_user_ids":["ann"],"contents":{"en":"Hello"}}"#)
    let id = try #require(one.json["id"]?.string)
    #expect(vendor.all.isEmpty && id != "")
    let view = try ask("GET", "/onesignal/notifications/\(id)")
    #expect(view.json["contents"]?["en"] == "Hello" && vendor.all.isEmpty, "\(view.text)")
    #expect(try set("onesignal", #"{"live_percent":100}"#).json["mode"] == "forward")
    let all = try ask("POST", "/onesignal/notifications", #"{"included_segments":["All"],"contents":{"en":"Hello"}}"#)
    #expect(all.status == 200 && all.json["id"]?.string != "" && vendor.all.isEmpty, "\(all.text)")
    for push in try fixture.send("GET", "/v1/apps/demo/pushes").json["pushes"]?.array ?? [] {
      _ = try world.finished(push["id"]?.string ?? "")
    }
    #expect(world.emulator.device(.apns, ServerFixture.iosToken)?.receivedPushes.count == 2)
    #expect(world.emulator.device(.fcm, ServerFixture.androidToken)?.receivedPushes.count == 1)
  }

  // MARK: - Settings

  @Test("Settings that would send twice, or nowhere, are refused with what to do") func settings() throws {
    for (name, body, words) in [
      ("onesignal", #"{"mode":"observe","live_percent":5}"#, "live_percent: expected 0 or 100"),
      ("powerauth", #"{"mode":"forward"}"#, "url: is required"),
      ("onesignal", #"{"mode":"forward","url":"ftp://example.com"}"#, "url: expected an address"),
      ("onesignal", #"{"mode":"forward","url":"https://u:p@example.com"}"#, "url: expected an address"),
      (
        "onesignal", #"{"mode":"forward","url":"https://example.com/?a=b"}"#, "url: expected an address without a query"
      ),
      ("onesignal", #"{"live_percent":101}"#, "live_percent: "), ("onesignal", #"{"mode":"on"}"#, "mode: "),
    ] {
      let answer = try set(name, body)
      #expect(answer.status == 422 && answer.detail.hasPrefix(words), "\(body): \(answer.text)")
    }
    #expect(try set("nobody", #"{"mode":"off"}"#).status == 404)
    #expect(try set("onesignal", #"{"mode":"forward"}"#).text == #"{"mode":"forward","live_percent":0}"#)
    #expect(try fixture.send("PATCH", "/v1/apps/demo", #"{"title":"T"}"#).status == 200)
    #expect(try report(requests: 0)["mode"] == "forward")
    #expect(try fixture.send("DELETE", "/v1/apps/demo/shadow").status == 204)
    #expect(try report(requests: 0)["mode"] == "forward")
    #expect(try fixture.send("GET", "/v1/apps/demo/shadow/requests/1").status == 404)
  }
}
