import Synchronization
import Testing
import WireJSON

@testable import PostriderServer

/// What is made of vendors that are silent, and of what they say.
@Suite(.timeLimit(.minutes(3))) struct ShadowVendorTests {
  @Test("A vendor that does not answer may have had the request: 504, and nothing is delivered here")
  func silentVendor() throws {
    let site = try ShadowTests(vendorAnswerMs: 4_000)
    try site.forward()
    site.vendor.kept.withLock { $0.isOn = true }
    let answer = try site.ask(
      "POST", "/onesignal/notifications", #"{"included_segments":["All"],"contents":{"en":"x"}}"#)
    #expect(answer.status == 504, "\(answer.text)")
    #expect(answer.json["errors"]?[0]?.string?.contains("may have had the request") == true, "\(answer.text)")
    #expect(site.vendor.all.count == 1)
    #expect(ShadowTests.counts(try site.report(requests: 1), "agreement") == ["vendor_down": 1])
    try site.expectNothingDelivered()
    let app = try #require(
      try site.fixture.send("GET", "/v1/apps/demo").json["compat"]?["onesignal"]?["app_id"]?.string)
    // Users are not changed either: the backend repeats the request.
    let made = try site.ask(
      "POST", "/onesignal/players", #"{"device_type":1,"identifier":"new-token","app_id":"\#(app)"}"#)
    #expect(made.status == 504, "\(made.text)")
    let devices = try site.fixture.send("GET", "/v1/apps/demo/devices").text
    #expect(!devices.contains("new-token"))
  }

  @Test(
    "Of a vendor's sentence no id is kept",
    arguments: [
      ("API rate limit exceeded.", "API rate limit exceeded."),
      ("User 84cfc487-8b8b-4e80-a013-3d194ac0dd75 not found", "User … not found"),
      ("user 4711 of app 12 (ann@example.com): expected at most 200", "user … of app 12 (…): expected at most 200"),
      ("\"ann\" isn't subscribed", "\"…\" isn't subscribed"), ("no 'ann smith' here", "no '…' here"),
      ("token dGhpcyBpcyBhIHRva2Vu is bad", "token … is bad"), ("cut off 'ann", "cut off '…"),
      ("token abcdefghijklmnopqrstuvwxyz is bad", "token … is bad"), ("", ""),
    ])
  func sentences(text: String, kept: String) { #expect(ShadowShape.withoutIDs(text) == kept) }
}
