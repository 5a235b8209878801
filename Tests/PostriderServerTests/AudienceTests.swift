import TestSupport
import Testing
import WireJSON

/// An audience without segments, and requests whose narrowing members nobody knows: none of them goes to more people than
/// it says.
@Suite(.timeLimit(.minutes(2))) struct AudienceTests {
  private static let app = "/v1/apps/demo"
  private static let message = #""message":{"title":"T","body":"B","channel_id":"c"}"#

  let fixture: ServerFixture
  let ios: String
  let android: String

  /// Two devices; that of Apple's is ann's, who is in the segment `vips`.
  init() throws {
    fixture = try ServerFixture()
    (ios, android) = try fixture.makeDemo()
    _ = try fixture.send("PATCH", Self.app + "/devices/\(ios)", #"{"user":"ann","tags":["vip"]}"#)
    let segment = #"{"name":"vips","filter":{"field":"tags","op":"contains","value":"vip"}}"#
    #expect(try fixture.send("POST", Self.app + "/segments", segment).status == 201)
  }

  /// The devices that a push was sent to, when its audience is complete.
  private func reached(by push: String) throws -> [String] {
    let path = Self.app + "/pushes/\(push)"
    let isComplete = try fixture.wait(until: { try fixture.send("GET", path).json["audience_complete"] == true })
    #expect(isComplete)
    return try (fixture.send("GET", path + "/deliveries").json["deliveries"]?.array ?? [])
      .compactMap { $0["device"]?.string }.sorted()
  }

  @Test(
    "Segments are left out of everyone, of a segment and of a filter",
    arguments: [
      (#"{"all":true,"exclude_segments":["vips"]}"#, ["android"]),
      (#"{"all":true,"exclude_segments":["free"]}"#, []),
      (#"{"segment":"active_7d","exclude_segments":["vips","premium"]}"#, ["android"]),
      (#"{"segment":"vips","exclude_segments":["premium"]}"#, ["ios"]),
      (#"{"segment":"vips","exclude_segments":["vips"]}"#, []),
      (#"{"filter":{"field":"platform","op":"eq","value":"ios"},"exclude_segments":["vips"]}"#, []),
      (#"{"filter":{"field":"platform","op":"eq","value":"ios"},"exclude_segments":["churning"]}"#, ["ios"]),
    ])
  func excluded(to: String, platforms: [String]) throws {
    let wanted = platforms.map { $0 == "ios" ? ios : android }
    let count = try fixture.send("POST", Self.app + "/audience", #"{"to":\#(to)}"#)
    #expect(count.json["total"]?.int == wanted.count, "\(count.text)")
    let check = try fixture.send("POST", Self.app + "/pushes/check", #"{\#(Self.message),"to":\#(to)}"#)
    #expect(check.json["total"]?.int == wanted.count, "\(check.text)")
    let push = try fixture.send("POST", Self.app + "/pushes", #"{\#(Self.message),"to":\#(to)}"#)
    #expect(push.status == 202, "\(push.text)")
    #expect(try reached(by: push.json["id"]?.string ?? "") == wanted)
  }

  @Test("A draft leaves out who is in the segment when it is sent") func draft() throws {
    let draft = try fixture.send(
      "POST", Self.app + "/pushes",
      #"{\#(Self.message),"to":{"all":true,"exclude_segments":["vips"]},"draft":true}"#)
    #expect(draft.status == 202, "\(draft.text)")
    let id = try #require(draft.json["id"]?.string)
    _ = try fixture.send("PATCH", Self.app + "/devices/\(ios)", #"{"tags":[]}"#)
    _ = try fixture.send("PATCH", Self.app + "/devices/\(android)", #"{"tags":["vip"]}"#)
    #expect(try fixture.send("POST", Self.app + "/pushes/\(id)/send").status == 200)
    #expect(try reached(by: id) == [ios])
  }

  @Test(
    "What cannot be left out is refused with its place",
    arguments: [
      (#"{"all":true,"exclude_segments":["vips","none"]}"#, "to.exclude_segments[1]", #"no segment "none""#),
      (
        #"{"users":["ann"],"exclude_segments":["vips"]}"#, "to.exclude_segments",
        #"leave the recipients out of "users""#
      ),
      (#"{"all":true,"exclude_segments":[]}"#, "to.exclude_segments", "at least one element"),
      (#"{"all":true,"exclude_segments":"vips"}"#, "to.exclude_segments", "expected an array"),
      (#"{"all":true,"excluded_segments":["vips"]}"#, "to.excluded_segments", "did you mean exclude_segments?"),
      (#"{"all":true,"user":["alice"]}"#, "to.user", "did you mean users?"),
      (#"{"all":true,"country":"AT"}"#, "to.country", "the fields are all"),
    ])
  func refused(to: String, field: String, said: String) throws {
    for (path, body) in [("pushes", #"{\#(Self.message),"to":\#(to)}"#), ("audience", #"{"to":\#(to)}"#)] {
      let answer = try fixture.send("POST", Self.app + "/" + path, body)
      #expect(answer.status == 422, "\(path): \(answer.text)")
      let finding = answer.json["report"]?.array?.first { $0["severity"] == "error" }
      #expect(finding?["field"]?.string == field, "\(path): \(answer.text)")
      #expect(finding?["message"]?.string?.contains(said) == true, "\(path): \(answer.text)")
    }
    #expect(try fixture.send("GET", Self.app + "/pushes").json["pushes"] == [])
  }

  @Test("Segments with more conditions than can be compared are refused") func tooMany() throws {
    let conditions = (0..<30).map { #"{"field":"properties.p\#($0)","op":"exists"}"# }.joined(separator: ",")
    for name in ["a", "b"] {
      let body = #"{"name":"\#(name)","filter":{"operator":"OR","conditions":[\#(conditions)]}}"#
      #expect(try fixture.send("POST", Self.app + "/segments", body).status == 201)
    }
    let body = #"{\#(Self.message),"to":{"segment":"a","exclude_segments":["b"]}}"#
    let answer = try fixture.send("POST", Self.app + "/pushes", body)
    #expect(answer.status == 422 && answer.detail.contains("60 conditions"), "\(answer.text)")
  }

  @Test(
    "A member that resembles one that decides who, when or how is refused",
    arguments: [
      ("send_att", #""2026-12-24T18:00:00Z""#, "did you mean send_at?"),
      ("sendAt", #""2026-12-24T18:00:00Z""#, "did you mean send_at?"),
      ("send_after", #""2026-12-24T18:00:00Z""#, "use send_at"), ("ttl", "60", "use expires_in_seconds"),
      ("categroy", #""news""#, "did you mean category?"), ("exclude_segments", #"["vips"]"#, "use to.exclude_segments"),
      ("dry_run", "true", "use POST …/pushes/check"), ("delayUntil", "5", "the fields are to"),
      ("isSilent", "true", "the fields are to"),
    ])
  func resembling(name: String, value: String, said: String) throws {
    for (path, more) in [
      ("pushes", ""), ("pushes/check", ""),
      ("schedules", #","repeat":{"every":"day","first":"2026-12-24T18:00:00"}"#),
    ] {
      let body = #"{\#(Self.message),"to":{"all":true},"\#(name)":\#(value)\#(more)}"#
      let answer = try fixture.send("POST", Self.app + "/" + path, body)
      #expect(answer.status == 422, "\(path): \(answer.text)")
      let finding = answer.json["report"]?.array?.first { $0["field"]?.string == name }
      #expect(finding?["severity"] == "error" && finding?["rule"] == "request-unknown-field", "\(path): \(answer.text)")
      #expect(finding?["message"]?.string?.contains(said) == true, "\(path): \(answer.text)")
    }
    #expect(try fixture.send("GET", Self.app + "/pushes").json["pushes"] == [])
  }

  @Test("A member that resembles none is ignored, with a warning") func harmless() throws {
    let answer = try fixture.send(
      "POST", Self.app + "/pushes", #"{\#(Self.message),"to":{"users":["ann"]},"reference":"order 7"}"#)
    #expect(answer.status == 202, "\(answer.text)")
    #expect(answer.rules.contains("request-unknown-field"), "\(answer.text)")
  }

  @Test(
    "A vendor's delivery member inside a message is refused once, with the member that decides the same",
    arguments: [
      ("onesignal", #""contents":{"en":"Hi"}"#, "isIos", "true", "a condition on platform in to.filter"),
      ("onesignal", #""contents":{"en":"Hi"}"#, "isAnyWeb", "true", "a condition on platform in to.filter"),
      ("onesignal", #""contents":{"en":"Hi"}"#, "external_id", #""k""#, "the header Idempotency-Key"),
      ("onesignal", #""contents":{"en":"Hi"}"#, "custom_data", #"{"a":1}"#, "values"),
      ("onesignal", #""contents":{"en":"Hi"}"#, "include_email_tokens", #"["a"]"#, "to"),
      ("onesignal", #""contents":{"en":"Hi"}"#, "excluded_segments", #"["a"]"#, "to.exclude_segments"),
      ("onesignal", #""contents":{"en":"Hi"}"#, "tags", #"[{"key":"a"}]"#, "to.filter"),
      ("onesignal", #""contents":{"en":"Hi"}"#, "enable_frequency_cap", "false", "urgent"),
      ("imkit", #""title":"T","body":"B""#, "expiry", "1795219200", "expires_in_seconds"),
      ("imkit", #""title":"T","body":"B""#, "topic", #""a.b""#, "topic"),
      ("imkit", #""title":"T","body":"B""#, "clients", #"["a"]"#, "to.users"),
      ("powerauth", #""title":"T","body":"B""#, "attributes", #"{"encrypted":true}"#, "silent in the message"),
      ("powerauth", #""title":"T","body":"B""#, "ttl", "60", "expires_in_seconds"),
      ("powerauth", #""title":"T","body":"B""#, "mode", #""SYNCHRONOUS""#, "POST …/pushes"),
      ("powerauth", #""title":"T","body":"B""#, "appId", #""bank""#, "the app in the path"),
      ("powerauth", #""title":"T","body":"B""#, "activationId", #""a""#, "to.devices"),
      ("amba", #""title":"T","body":"B","channel_id":"c""#, "campaign", #""c-1""#, "campaign"),
      ("amba", #""title":"T","body":"B","channel_id":"c""#, "segment_id", #""s""#, "to.segment"),
      ("amba", #""title":"T","body":"B","channel_id":"c""#, "provider", #""apns""#, "to.tokens"),
      ("native", #""title":"T","body":"B""#, "ttl", "60", "expires_in_seconds"),
      ("native", #""title":"T","body":"B""#, "dry_run", "true", "POST …/pushes/check"),
    ])
  func vendorMembers(contract: String, message: String, name: String, value: String, member: String) throws {
    let body = #"{"contract":"\#(contract)","message":{\#(message),"\#(name)":\#(value)},"to":{"all":true}}"#
    let answer = try fixture.send("POST", Self.app + "/pushes", body)
    #expect(answer.status == 422, "\(answer.text)")
    let findings = (answer.json["report"]?.array ?? []).filter { $0["rule"] == "delivery-field" }
    #expect(findings.count == 1 && findings.first?["severity"] == "error", "\(answer.text)")
    #expect(findings.first?["field"]?.string == name, "\(answer.text)")
    #expect(findings.first?["message"]?.string?.contains("create the push with \(member)") == true, "\(answer.text)")
  }

  @Test("An unknown time zone of a device is reported, and the device kept") func zone() throws {
    let token = String(repeating: "cd", count: 32)
    let made = try fixture.send(
      "POST", Self.app + "/devices", #"{"type":"ios","token":"\#(token)","timezone":"Mars/Base"}"#)
    #expect(made.status == 201 && made.rules == ["timezone-unknown"], "\(made.text)")
    let id = try #require(made.json["id"]?.string)
    let changed = try fixture.send("PATCH", Self.app + "/devices/\(id)", #"{"timezone":"Venus/Base"}"#)
    #expect(changed.status == 200 && changed.rules == ["timezone-unknown"], "\(changed.text)")
    let fine = try fixture.send("PATCH", Self.app + "/devices/\(id)", #"{"timezone":"Europe/Vienna"}"#)
    #expect(fine.status == 200 && fine.rules.isEmpty, "\(fine.text)")
  }

  @Test("Tokens of Live Activities are in no count of an audience") func liveActivities() throws {
    let made = try fixture.send(
      "POST", Self.app + "/devices",
      #"{"type":"ios-live-activity-start","token":"\#(String(repeating: "d4", count: 40))","user":"ann"}"#)
    #expect(made.status == 201, "\(made.text)")
    for (to, total) in [(#"{"all":true}"#, 2), (#"{"users":["ann"]}"#, 1)] {
      #expect(try fixture.send("POST", Self.app + "/audience", #"{"to":\#(to)}"#).json["total"]?.int == total)
    }
  }
}
