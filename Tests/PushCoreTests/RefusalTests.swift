import PushCore
import Testing
import WireJSON

/// A request that has an error for an answer.
struct RefusedRequest: Sendable, CustomTestStringConvertible {
  let operation: Core.Operation
  let input: String
  let options: String
  let kind: String
  let location: String
  let what: String

  init(
    _ operation: Core.Operation, _ input: String, _ options: String, _ kind: String, at location: String, _ what: String
  ) {
    (self.operation, self.input, self.options) = (operation, input, options)
    (self.kind, self.location, self.what) = (kind, location, what)
  }

  var testDescription: String { "\(operation.rawValue) \(what)" }
}

/// Input and options that are wrong have an answer that says what, where, and what to do.
@Suite struct RefusalTests {
  private static let requests: [RefusedRequest] = [
    RefusedRequest(
      .parse, "", "", "unreadable", at: "input:1:1",
      "input:1:1: not JSON: expected a value, found the end of the text at line 1, column 1 (byte 0)"),
    RefusedRequest(
      .parse, "{}", "[]", "usage", at: "options", "the options are an array, not an object"),
    RefusedRequest(
      .parse, "{}", #"{"platfrom":"ios"}"#, "usage", at: "platfrom", "unknown option “platfrom”; did you mean platform?"
    ),
    RefusedRequest(
      .parse, "{}", #"{"platform":"web"}"#, "usage", at: "platform", "platform takes one of ios, android, not “web”"),
    RefusedRequest(
      .parse, "{}", #"{"platform":null}"#, "usage", at: "platform", "platform takes one of ios, android, not null"),
    RefusedRequest(
      .parse, "{}", #"{"badge":1e400}"#, "usage", at: "badge",
      "badge takes a whole number from 0 to 2147483647, not 1e400"),
    RefusedRequest(
      .parse, "{}", #"{"badge":1,"badge":2}"#, "usage", at: "options", "an option is given twice, at byte 11"),
    RefusedRequest(
      .parse, "{}", #"{"push_type":"allert"}"#, "usage", at: "push_type",
      "push_type: no push type “allert”; did you mean alert?"),
    RefusedRequest(.parse, #"{"a":"b"}"#, "", "usage", at: "platform", "platform is missing: ios or android"),
    RefusedRequest(.render, "{}", "", "usage", at: "contract", "contract is missing"),
    RefusedRequest(
      .render, "{}", #"{"contract":"amba","token":"a","fid":"b"}"#, "usage", at: "token",
      "give one of token, fid, fcm_topic, condition"),
    RefusedRequest(
      .render, "{}", #"{"contract":"amba","apns_id":"x"}"#, "usage", at: "apns_id", "apns_id takes a UUID, not “x”"),
    RefusedRequest(
      .render, "{}", #"{"contract":"amba","options":["a",1]}"#, "usage", at: "options",
      "options takes an array of texts, not 1"),
    RefusedRequest(
      .check, "{}", #"{"rules":["apns-topik-missing=off"]}"#, "usage", at: "rules",
      "rules: there is no rule “apns-topik-missing”; did you mean apns-topic-missing?"),
    RefusedRequest(
      .check, "{}", #"{"contract":"amba","push_type":"alert"}"#, "usage", at: "push_type",
      "push_type is for raw payloads; with contract the contract decides it"),
    RefusedRequest(
      .explain, "BadDeviceTokens", "", "unknown", at: "input",
      "no provider is known to answer “BadDeviceTokens”; did you mean BadDeviceToken?"),
    RefusedRequest(
      .explain, "{", "", "unreadable", at: "input", "input is not the body of an answer of APNs, FCM or Push Kit"),
    RefusedRequest(
      .preview, "{}", #"{"locales":["?"]}"#, "usage", at: "locales",
      "locales takes a language tag such as de, pt-BR or zh-Hant, not “?”"),
    RefusedRequest(
      .preview, "{}", #"{"strings":{"a.txt":"x"}}"#, "usage", at: "strings",
      "strings: a.txt: expected a path that ends like de.lproj/Localizable.strings, Localizable.xcstrings or "
        + "values-de/strings.xml"),
    RefusedRequest(
      .contracts, "", #"{"show":"ambo"}"#, "usage", at: "contract", "no contract “ambo”; did you mean amba?"),
    RefusedRequest(
      .contracts, "{}", #"{"diff":["amba"]}"#, "usage", at: "diff", "diff needs the names of two contracts"),
  ]

  /// A word of a megabyte is no slip of the keyboard: nothing is compared with it, which would take minutes.
  @Test(
    .timeLimit(.minutes(1)),
    arguments: [
      (Core.Operation.explain, "WORD", ""), (.check, "{}", #"{"rules":["WORD=off"]}"#), (.parse, "{}", #"{"WORD":1}"#),
      (.parse, "{}", #"{"push_type":"WORD"}"#), (.contracts, "", #"{"show":"WORD"}"#),
      (.render, #"{"WORD":1}"#, #"{"contract":"amba"}"#), (.parse, #"{"aps":{"WORD":1}}"#, ""),
    ])
  func longWords(_ operation: Core.Operation, _ input: String, _ options: String) throws {
    let word = String(repeating: "a", count: 1_000_000)
    let (input, options) = (input.replacing("WORD", with: word), options.replacing("WORD", with: word))
    let answer = Core.answer(operation, Array(input.utf8), options: Array(options.utf8))
    #expect(!String(decoding: answer, as: UTF8.self).contains("did you mean"))
    #expect((try? JSON.parse(answer)) != nil)
  }

  @Test(arguments: requests)
  func refused(_ request: RefusedRequest) throws {
    let answer = try JSON.parse(
      Core.answer(request.operation, Array(request.input.utf8), options: Array(request.options.utf8)))
    let error = try #require(answer["error"])
    #expect(error["what"]?.string == request.what)
    #expect(error["kind"]?.string == request.kind)
    #expect(error["where"]?.string == request.location)
    #expect(error["fix"]?.string?.isEmpty == false)
  }

  @Test func positionOfAFault() throws {
    let answer = try JSON.parse(Core.answer(.parse, Array("{\"aps\":\n {\"alert\":x}}".utf8)))
    #expect(answer["error"]?["line"]?.int == 2)
    #expect(answer["error"]?["column"]?.int == 11)
    #expect(answer["error"]?["byte"]?.int == 18)
    #expect(answer["error"]?["pointer"]?.string == "/aps/alert")
  }

  @Test(arguments: Core.Operation.allCases)
  func tooMuch(_ operation: Core.Operation) throws {
    let large = [UInt8](repeating: 0x20, count: Core.bytesMax + 1)
    for (input, options, name) in [(large, [], "input"), ([UInt8](), large, "options")] {
      let answer = try JSON.parse(Core.answer(operation, input, options: options))
      #expect(answer["error"]?["what"]?.string == "\(name) is larger than 16 MiB, the most that is read")
    }
  }

  @Test(arguments: Core.Operation.allCases)
  func anyBytesHaveAnAnswer(_ operation: Core.Operation) throws {
    let deep = [UInt8](repeating: UInt8(ascii: "["), count: 100_000)
    let wrong: [[UInt8]] = [[], [0xFF], [0xC0, 0x80], deep, Array("{\"\\ud800\":1e999999999}".utf8), [0, 0, 0]]
    for input in wrong {
      for options in wrong {
        let answer = try JSON.parse(Core.answer(operation, input, options: options))
        #expect(answer.kind == .object || answer.kind == .array)
      }
    }
  }
}
