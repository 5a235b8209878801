import PushContracts
import PushCore
import PushPayload
import PushRules
import Testing
import WireJSON

@testable import PostriderServer

/// A message with placeholders is written once, and what is checked is made of those bytes: it has to be what the message
/// with its defaults would have been written as.
@Suite struct PersonalWritingTests {
  static let messages: [(contract: ContractName, text: String)] = [
    (.amba, #"{"title":"Hi {{name|you \"A\"}}","body":"{{a|1}}{{b|2}}","data":{"k":{"d":"{{a|é\n}}"}},"badge":3}"#),
    (.native, #"{"title":"{{name|you}}","body":"B {{a|\\}}","subtitle":"{{b|x}}","data":{"k":"{{a|1}}"}}"#),
    (
      .imkit,
      #"""
      {"messageType":"text","sender":"{{name|Ann}}","content":"{{a|Hi}} there","room":"r","badge":3,
      "message":{"_id":"5f","messageType":"text","message":"{{a|\"Hi\"}}"}}
      """#
    ),
    (.powerauth, #"{"title":"T {{name|you}}","body":"{{a|B}}","sound":"default","extras":{"k":"{{b|c}}"}}"#),
    (
      .adobe,
      #"""
      {"adb_title":"T {{name|you}}","adb_body":"{{a|B}}","adb_sound":"parcel","adb_uri":"https://s.example/1",
      "adb_a_type":"WEBURL","adb_act":[{"label":"{{b|Track \"it\"}}","uri":"https://s.example/t","type":"DEEPLINK"}]}
      """#
    ),
    (
      .onesignal,
      #"""
      {"headings":{"en":"H {{name|you}}"},"contents":{"en":"{{a|\"C\"}}"},"data":{"k":"{{b|c}}"},
      "notification_id":"1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed"}
      """#
    ),
  ]

  static let context = WriteContext(topic: "com.example.app", campaign: "c")

  /// What a desk has of a message: the requests, what the contract says and what the providers would.
  static func found(_ desk: borrowing WritingDesk, _ contract: ContractName) -> (Rendering, Report) {
    var checker = PushChecker()
    return (desk.rendering(contract), ProviderRules.check(desk, contract, hasTopic: true, with: &checker))
  }

  static func cut(_ writer: borrowing JSONWriter, _ message: MarkedMessage) throws -> MarkedBytes {
    let cut = writer.withBytes { MarkedBytes($0, message) }
    return try #require(cut)
  }

  @Test("What is made of the written bytes is what the message with its defaults is written as", arguments: messages)
  func fills(contract: ContractName, text: String) throws {
    let message = MarkedMessage(try JSON.parse(text))
    let marked = try #require(message.marked)
    var desk = WritingDesk()
    Contracts.render(contract, message: marked, context: Self.context, platforms: Platform.allCases, at: &desk)
    #expect(desk.headers != nil && desk.target != nil, "\(desk.report)")
    let (payload, body) = (try Self.cut(desk.payload, message), try Self.cut(desk.body, message))
    #expect(!payload.cuts.isEmpty && !body.cuts.isEmpty)
    let plain: (Int) -> String = { message.placeholders[$0].plain }
    desk.fill(payload: payload.filled(plain), body: body.filled(plain), hasEmptyTexts: false)
    Contracts.judge(
      contract, message: message.plain, context: Self.context, platforms: Platform.allCases, at: &desk)
    let made = Self.found(desk, contract)

    var other = WritingDesk()
    Contracts.render(contract, message: message.plain, context: Self.context, platforms: Platform.allCases, at: &other)
    let written = Self.found(other, contract)
    #expect(made.0 == written.0)
    #expect(made.1 == written.1)
    #expect(made.1 == ProviderRules.check(made.0, hasTopic: true), "the rules read the bytes and say something else")
  }

  @Test("A text that may be empty is read again by the rules")
  func emptyTexts() throws {
    let message = MarkedMessage(try JSON.parse(#"{"title":"{{name}}","body":"B"}"#))
    var desk = WritingDesk()
    Contracts.render(
      .amba, message: try #require(message.marked), context: Self.context, platforms: Platform.allCases, at: &desk)
    let (payload, body) = (try Self.cut(desk.payload, message), try Self.cut(desk.body, message))
    desk.fill(payload: payload.filled { _ in "" }, body: body.filled { _ in "" }, hasEmptyTexts: true)
    Contracts.judge(.amba, message: message.plain, context: Self.context, platforms: Platform.allCases, at: &desk)
    let (rendering, said) = Self.found(desk, .amba)
    #expect(said == ProviderRules.check(rendering, hasTopic: true))
    let expected = Array(#"{"aps":{"alert":{"title":"","body":"B"},"mutable-content":1}}"#.utf8)
    #expect(rendering.apns?.payload == expected, "\(rendering)")
  }
}
