import Glibc
import PostriderServer
import ProviderEmulator
import PushStore
import StoreModel
import TestSupport
import Testing
import WireJSON

@testable import PostriderServer

/// A recipient for whom texts are empty, so that a device would show nothing, gets nothing.
@Suite struct NeededTextsTests {
  /// What kinds need of texts: a kind is shown with one of `any`, and all of `all`.
  private static func needs(
    _ texts: Set<Int>, any: Set<Int> = [], all: Set<Int> = [], asked: (Set<Int>) -> Void = { _ in }
  ) -> NeededTexts {
    NeededTexts(of: texts) { empty in
      asked(empty)
      let isShown = (any.isEmpty || !any.isSubset(of: empty)) && all.isDisjoint(with: empty)
      return isShown ? [.ios, .android] : [.android]
    }
  }

  private static func need(_ needs: NeededTexts, _ kind: DeviceKind = .ios) -> [RenderedPayload.Need] {
    (0..<3).map { needs.need(of: $0, for: [kind]) }
  }

  @Test("A text is needed by itself, with others, or not at all") func kinds() {
    #expect(Self.need(Self.needs([0, 1, 2], any: [0, 2])) == [.oneOf, .optional, .oneOf])
    #expect(Self.need(Self.needs([0, 1, 2], all: [1])) == [.optional, .always, .optional])
    #expect(Self.need(Self.needs([0, 1, 2], any: [0, 2], all: [1])) == [.oneOf, .always, .oneOf])
    #expect(Self.need(Self.needs([0, 1, 2])) == [.optional, .optional, .optional])
    #expect(Self.need(Self.needs([0, 1, 2], all: [0, 1]), .android) == [.optional, .optional, .optional])
    #expect(Self.need(Self.needs([0, 1], all: [5])) == [.optional, .optional, .optional])
  }

  @Test("A message that is shown without its texts is asked about once; of many texts all together are needed")
  func bounds() {
    var asked: [Set<Int>] = []
    _ = Self.needs([0, 1]) { asked.append($0) }
    #expect(asked.first == [0, 1] && asked.count <= 2)
    asked = []
    #expect(Self.need(Self.needs(Set(0..<9), all: [1]) { asked.append($0) }) == [.oneOf, .oneOf, .oneOf])
    #expect(asked.count == 2)
  }

  @Test("The form of a message has each text in its position") func form() throws {
    let text = #"{"a":"{{x}} and {{y|Y}}{{x}}","b":["{{ z | upcase }}",1,null],"c":{"d":"plain"}}"#
    let message = MarkedMessage(try JSON.parse(text))
    #expect(message.placeholders.map(\.isWhole) == [false, false, false, true])
    #expect(message.form(["1", "", "3", "é"]) == ["a": "1 and 3", "b": ["é", 1, nil], "c": ["d": "plain"]])
    #expect(message.form(message.placeholders.map(\.plain)) == message.plain)
    #expect(MarkedMessage(["a": "plain"]).form([]) == ["a": "plain"])
    #expect(MarkedMessage(["a": "{{x}}{{y}}"]).placeholders.map(\.isWhole) == [true, true])
  }
}

extension PersonalPushTests {
  /// Who of an iPhone and an Android phone gets a message when `t` is empty for them.
  @Test(
    "Who has no text gets nothing where a device would show nothing",
    arguments: [
      ("native", #"{"body":"{{t|}}"}"#, []), ("native", #"{"body":"{% if t %}{{ t }}{% endif %}"}"#, []),
      ("native", #"{"title":"{{t}}","body":"{{t}}"}"#, []),
      ("native", #"{"title":"Hi","body":"{{t}}"}"#, ["ios", "android"]),
      ("native", #"{"body":"{{t}}","data":{"k":"v"}}"#, ["ios", "android"]),
      ("native", #"{"body":"{{t}}","sound":"default"}"#, ["ios", "android"]),
      ("native", #"{"body":"Hi {{t}}"}"#, ["ios", "android"]), ("native", #"{"body":"{{t|there}}"}"#, []),
      ("amba", #"{"title":"{{t}}","body":"{{t}}"}"#, []),
      ("amba", #"{"title":"T","body":"{{t}}"}"#, ["ios", "android"]),
      ("powerauth", #"{"body":"{{t}}"}"#, []), ("imkit", #"{"body":"{{t}}"}"#, []),
      ("onesignal", #"{"headings":{"en":"Hi"},"contents":{"en":"{{t}}"}}"#, ["ios"]),
      ("adobe", #"{"adb_title":"{{t}}","adb_body":"{{t}}"}"#, []),
      (
        "adobe",
        #"{"adb_title":"T","adb_body":"B","adb_template_type":"timer","adb_title_alt":"{{t}}","adb_tmr_dur":60}"#,
        ["ios"]
      ),
    ] as [(String, String, [String])])
  func recipients(contract: String, message: String, reached: [String]) throws {
    let form = try JSON.parse(message)
    // A default is for who has no value, and not for who has an empty one.
    #expect(try self.reached(contract, form, ["t": ""]) == reached)
    #expect(try self.reached(contract, form, ["t": "Sale"]) == ["ios", "android"])
    if !message.contains("|there") { #expect(try self.reached(contract, form, [:]) == reached) }
  }

  /// The kinds of device that get something of a push.
  private func reached(_ contract: String, _ message: JSONValue, _ values: JSONObject) throws -> [String] {
    try ["ios", "android"].filter { kind in
      let token = kind == "ios" ? Self.tokens[0] : ServerFixture.androidToken
      let answer = try fixture.post(
        "/v1/apps/demo/pushes/preview",
        [
          "contract": .string(contract), "message": message, "values": .object(values),
          "to": ["token": ["type": .string(kind), "token": .string(token)]],
        ])
      #expect(answer.status == 200, "\(answer.text)")
      guard let skipped = answer.json["skipped"]?[0]?["reason"] else {
        return answer.json["previews"]?[0]?["request"] != nil
      }
      #expect(skipped == "template-empty", "\(answer.text)")
      return false
    }
  }

  @Test("A delivery to somebody without a text is rejected, the others are sent") func emptyDelivery() throws {
    try register(0, ["user": "ann", "properties": ["t": "Sale"]])
    try register(1, ["user": "bob", "properties": ["t": ""]])
    try register(2, ["user": "cy"])
    let (push, answer) = try push(["contract": "native", "message": ["body": "{{t}}"], "values": [:]])
    #expect(push["counts"]?["accepted"] == 1 && push["counts"]?["rejected"] == 2, "\(push)")
    #expect(answer.rules.contains("device-shows-nothing") && answer.rules.contains("push-recipient-skipped"))
    let id = try #require(answer.json["id"]?.string)
    let rows = try #require(try fixture.send("GET", "/v1/apps/demo/pushes/\(id)/deliveries").json["deliveries"]?.array)
    #expect(rows.map { $0["reason"]?.string } == [nil, "template-empty", "template-empty"])
    #expect(try alert(0) == ["body": "Sale"])
    #expect(emulator.device(.apns, Self.tokens[1])?.receivedPushes.isEmpty == true)
  }
}
