import ProviderEmulator
import TestEngines
import TestSupport
import Testing
import WireJSON

/// A transactional notification of FCM has a tag of its push's own, so that a send that is repeated is shown once.
@Suite(.onBothEngines, .timeLimit(.minutes(2))) struct TagTests {
  static let to = #""to":{"tokens":[{"type":"android","token":"\#(ServerFixture.androidToken)"}]}"#
  let world: EndToEndTests

  init() throws { world = try EndToEndTests() }

  func set(_ body: String) throws {
    let answer = try world.fixture.send("PATCH", "/v1/apps/demo", body)
    #expect(answer.status == 200, "\(answer.text)")
  }

  var received: [ReceivedPush] { world.emulator.device(.fcm, ServerFixture.androidToken)?.receivedPushes ?? [] }

  /// The message that the phone's push had.
  func sent(_ rest: String, to: String = to) throws -> JSONValue {
    let before = received.count
    let push = try world.finished(world.push("{\(to),\(rest)}"))
    #expect(push["counts"]?["accepted"] == 1, "\(push)")
    let all = received
    #expect(all.count == before + 1)
    return try JSON.parse(try #require(all.last).payload)
  }

  static func tag(_ payload: JSONValue) -> JSONValue? {
    (payload["message"] ?? payload)["android"]?["notification"]?["tag"]
  }

  @Test func isOfThePush() throws {
    try set(#"{"contract":"native"}"#)
    let message = #""message":{"title":"T","body":"B"}"#
    let first = try #require(Self.tag(try sent(message))?.string)
    #expect(first.hasPrefix("once-") && first.utf8.count == 21)
    #expect(try Self.tag(sent(message))?.string != first)
    // A personal text is where it was.
    let to = Self.to.replacing("}]}", with: #","values":{"name":"Ann"}}]}"#)
    let personal = try sent(#""message":{"title":"Hi {{name|you}}","body":"B"}"#, to: to)
    #expect(Self.tag(personal) != nil)
    #expect((personal["message"] ?? personal)["notification"]?["title"] == "Hi Ann")
  }

  @Test func isLeftToTheMessageTheContractAndTheApp() throws {
    // Apps of this contract read the tag as the campaign.
    #expect(try Self.tag(sent(#""message":{"title":"T","body":"B"}"#)) == nil)
    try set(#"{"fcm_tag":true}"#)
    #expect(try Self.tag(sent(#""message":{"title":"T","body":"B"}"#)) != nil)
    #expect(try Self.tag(sent(#""campaign":"c-1","message":{"title":"T","body":"B"}"#)) == "c-1")
    try set(#"{"contract":"native","fcm_tag":false}"#)
    #expect(try Self.tag(sent(#""message":{"title":"T","body":"B"}"#)) == nil)
    try set(#"{"fcm_tag":null}"#)
    #expect(try world.fixture.send("GET", "/v1/apps/demo").json["fcm_tag"] == nil)
    #expect(try Self.tag(sent(#""message":{"title":"T","body":"B","collapse_id":"mine"}"#)) == "mine")
  }
}
