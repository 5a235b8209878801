import PushContracts
import PushCore
import TestSupport
import Testing
import WireJSON

/// One request that the command line and the core answer.
struct AgreementCase: Sendable, CustomTestStringConvertible {
  let operation: Core.Operation
  let options: [(name: String, value: JSONValue)]
  let input: [UInt8]
  let testDescription: String

  init(_ operation: Core.Operation, _ options: KeyValuePairs<String, JSONValue>, _ input: String) {
    self.operation = operation
    self.options = options.map { (name: $0.key, value: $0.value) }
    self.input = Array(input.utf8)
    testDescription = "\(operation.rawValue) \(self.options.map(\.name)) \(input.prefix(60))"
  }

  init(_ operation: Core.Operation, _ options: [(String, JSONValue)], _ input: [UInt8], name: String) {
    self.operation = operation
    self.options = options.map { (name: $0.0, value: $0.1) }
    self.input = input
    testDescription = name
  }
}

/// The core answers with the bytes that the command line prints.
@Suite struct AgreementTests {
  private static let cases: [AgreementCase] = [
    AgreementCase(.parse, ["platform": "ios"], #"{"aps":{"alert":"Hi"},"deep_link":"/home"}"#),
    AgreementCase(.parse, [:], #"{"aps":{"alert":{"title":"A"},"badge":5000000000}}"#),
    AgreementCase(.parse, ["platform": "ios", "badge": 7], #"{"aps":{"alert":"Hi","alert":"Ho"}}"#),
    AgreementCase(.parse, ["platform": "ios", "push_type": "background"], #"{"aps":{"content-available":1}}"#),
    AgreementCase(.parse, ["contract": "onesignal"], #"{"custom":"{\"i\":\"x\",\"a\":{\"b\":1}}","alert":"Hi"}"#),
    AgreementCase(.parse, [:], #"{"message":{"token":"t","notification":{"title":"é🙂"}}}"#),
    AgreementCase(.render, ["contract": "amba", "now": 1_790_000_000], #"{"title":"Hello","body":"World","badge":3}"#),
    AgreementCase(
      .render, ["contract": "native", "topic": "com.example.app", "token": "abc", "now": 1, "platform": "android"],
      #"{"title":"Hello","title":"again","data":{"n":12345678901234567890}}"#),
    AgreementCase(
      .render, ["contract": "powerauth", "now": 4_000_000_000, "no_provider_rules": true], #"{"title":1}"#),
    AgreementCase(
      .render, ["contract": "imkit", "now": 1_790_000_000, "apns_id": "123e4567-e89b-12d3-a456-426614174000"], "{}"),
    AgreementCase(.check, [:], #"{"aps":{"alert":"Hi","badge":"1"}}"#),
    AgreementCase(.check, [:], "{\n \"aps\": nothing}"),
    AgreementCase(.check, ["contract": "amba", "topic": "com.example.app"], #"{"title":"Hello","bodi":"World"}"#),
    AgreementCase(
      .check, ["platform": "ios", "push_type": "liveactivity", "topic": "a.b"],
      #"{"aps":{"timestamp":1790000000000,"event":"update","content-state":{}}}"#),
    AgreementCase(
      .check, ["rules": ["apns-unknown-key=off", "json-duplicate-key=error"], "as_sent": true, "apns_auth": "token"],
      #"{"aps":{"alert":"a","alert":"b","bogus":1}}"#),
    AgreementCase(.preview, ["platform": "ios"], #"{"aps":{"alert":{"title":"T","body":"B"},"badge":4}}"#),
    AgreementCase(
      .preview, ["contract": "native", "locales": ["de", "ja"], "app": "Demo"], #"{"title":"Hello","body":"World"}"#),
    AgreementCase(
      .preview, ["contract": "amba", "platform": "web", "app": "Demo"], #"{"title":"Hello","body":"World"}"#),
    AgreementCase(.preview, ["platform": "web"], #"{"title":"T","renotify":true}"#),
    AgreementCase(.contracts, [:], ""),
  ]

  @Test(arguments: cases)
  func answer(_ one: AgreementCase) throws {
    let (given, json) = CommandLine.options(one.options)
    var words = given
    if one.operation == .check || one.operation == .contracts { words.append("--format=json") }
    let printed = try CommandLine.print([one.operation.rawValue] + words, input: one.input)
    #expect(!printed.isEmpty)
    let answered = Core.answer(one.operation, one.input, options: json)
    #expect(String(decoding: answered, as: UTF8.self) == String(decoding: printed, as: UTF8.self))
  }

  @Test func explanations() throws {
    for reason in ["BadDeviceToken", "410", "UNREGISTERED"] {
      let printed = try CommandLine.print(["explain", reason, "--format=json"], input: [])
      #expect(Core.answer(.explain, Array(reason.utf8)) == printed)
    }
    let body = Array(#"{"reason":"Unregistered","timestamp":1790000000000}"#.utf8)
    #expect(Core.answer(.explain, body) == (try CommandLine.print(["explain", "--format=json"], input: body)))
  }

  @Test func tablesAndDifferences() throws {
    for contract in Contracts.names.map(\.rawValue) {
      let printed = try CommandLine.print(["contracts", "show", contract, "--format=json"], input: [])
      let (_, options) = CommandLine.options([("show", .string(contract))])
      #expect(Core.answer(.contracts, [], options: options) == printed)
    }
    let message = Array(#"{"title":"Hello","body":"World","badge":2}"#.utf8)
    let (_, options) = CommandLine.options([("diff", ["amba", "native"]), ("now", 1_790_000_000)])
    let printed = try CommandLine.print(
      ["contracts", "diff", "amba", "native", "--format=json", "--now=1790000000"], input: message)
    #expect(Core.answer(.contracts, message, options: options) == printed)
  }

  @Test("A request to FCM is shown as an iPhone or a browser shows its part of it", arguments: ["ios", "web"])
  func previewsWhatFCMHandsOn(platform: String) throws {
    let request = Array(
      (#"{"message":{"token":"t","apns":{"payload":{"aps":{"alert":{"title":"ios"}}}},"#
        + #""webpush":{"notification":{"title":"web"},"fcm_options":{"link":"https://e.x/"}}}}"#).utf8)
    for contract in [nil, "native"] {
      let named = contract.map { [(name: "contract", value: JSONValue.string($0))] } ?? []
      let (words, options) = CommandLine.options([("platform", .string(platform))] + named)
      let printed = try CommandLine.print(["preview", "--format=json"] + words, input: request)
      #expect(Core.answer(.preview, request, options: options) == printed)
      let preview = try JSON.parse(printed)["previews"]?[0]
      #expect(preview?["platform"]?.string == platform && preview?["title"]?["text"]?.string == platform, "\(printed)")
      #expect(try JSON.parse(printed)["report"] == [])
    }
  }

  @Test func previewsAsText() throws {
    let payload = Array(#"{"aps":{"alert":{"title":"T","body":"B"}}}"#.utf8)
    for locales: JSONValue in [["en"], ["en", "de"]] {
      let (words, _) = CommandLine.options([("locales", locales)])
      let (_, options) = CommandLine.options([("locales", locales), ("format", "text")])
      let printed = try CommandLine.print(["preview", "--format=text"] + words, input: payload)
      let answer = try JSON.parse(Core.answer(.preview, payload, options: options))
      #expect(answer["text"]?.string == String(decoding: printed + [UInt8(ascii: "\n")], as: UTF8.self))
    }
  }
}
