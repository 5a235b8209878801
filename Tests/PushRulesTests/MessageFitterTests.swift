import PushPayload
import PushRules
import TestSupport
import Testing
import WireJSON

struct MessageFitterTests {
  static func payload(title: String, body: String) -> [UInt8] {
    JSON.minified(["aps": ["alert": ["title": .string(title), "body": .string(body)]]])
  }

  @Test func theBodyGoesFirst() throws {
    let result = try MessageFitter.fit(
      apnsPayload: Self.payload(title: "Title", body: String(repeating: "word ", count: 100)), bytesMax: 100)
    #expect(result.fits)
    #expect(result.bytes == result.message.count)
    #expect(
      String(decoding: result.message, as: UTF8.self)
        == #"{"aps":{"alert":{"title":"Title","body":"word word word word word word word word word word wo…"}}}"#)
    #expect(
      result.changes.map { "\($0.field) \($0.bytesBefore) \($0.bytesAfter)" } == ["aps.alert.body 500 55"])
  }

  @Test func theTitleFollowsWhenTheBodyIsAtItsLeast() throws {
    let result = try MessageFitter.fit(
      apnsPayload: Self.payload(title: String(repeating: "t", count: 100), body: String(repeating: "b", count: 100)),
      bytesMax: 100)
    #expect(result.fits)
    #expect(
      String(decoding: result.message, as: UTF8.self)
        == #"{"aps":{"alert":{"title":"tttttttttttttttttttttttttttttttttttttttttttt…","body":"bbbbbbbbbb…"}}}"#)
  }

  @Test func whatCannotFitIsLeftAlone() throws {
    let payload = Array(
      #"{"aps":{"alert":"some text that is long enough"},"data":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}"#.utf8)
    let result = try MessageFitter.fit(apnsPayload: payload, bytesMax: 40)
    #expect(!result.fits)
    #expect(result.message == payload)
    #expect(result.changes.isEmpty)
  }

  @Test(arguments: [-1, 0, 1])
  func theLimitIsExact(offset: Int) throws {
    let payload = Self.payload(title: "T", body: String(repeating: "x", count: 300))
    let result = try MessageFitter.fit(apnsPayload: payload, bytesMax: payload.count + offset)
    #expect(result.fits)
    #expect(result.changes.isEmpty == (offset >= 0))
    #expect(result.bytes == payload.count + min(offset, 0))
  }

  @Test func layoutIsSavedBeforeWords() throws {
    let text = "{ \"aps\" : { \"alert\" : \"caf\\u00e9\" } }"
    let result = try MessageFitter.fit(apnsPayload: Array(text.utf8), bytesMax: 25)
    #expect(String(decoding: result.message, as: UTF8.self) == #"{"aps":{"alert":"café"}}"#)
    #expect(result.changes.isEmpty)
  }

  @Test func fcmCountsKeysAndValues() throws {
    let body = Array(
      #"{"message":{"token":"t","notification":{"title":"Hi","body":"one two three four five six"},"data":{"k":"v"}}}"#
        .utf8)
    #expect(FCMBudget.bytes(ofRequest: body) == 5 + 2 + 4 + 27 + 2)
    let result = try MessageFitter.fit(fcmBody: body, bytesMax: 30)
    #expect(result.fits)
    #expect(
      String(decoding: result.message, as: UTF8.self)
        == #"{"message":{"token":"t","notification":{"title":"Hi","body":"one two three…"},"data":{"k":"v"}}}"#)
  }

  /// Whatever the message, a fitted one keeps the limit and differs only in the policy's texts.
  @Test func fittedMessagesKeepTheLimit() throws {
    var random = SeededRandom.fromEnvironment()
    let words = ["é", "\"quoted\"", "👨‍👩‍👧‍👦", "plain", "\n", "\u{2067}עברית\u{2069}"]
    for _ in 0..<500 {
      let text = (0..<Int.random(in: 0...60, using: &random)).map { _ in words.randomElement(using: &random) ?? "" }
        .joined(separator: " ")
      let limit = Int.random(in: 40...400, using: &random)
      let result = try MessageFitter.fit(apnsPayload: Self.payload(title: "Title", body: text), bytesMax: limit)
      #expect(result.bytes == result.message.count, "seed \(random.seed)")
      if result.fits { #expect(result.message.count <= limit, "seed \(random.seed)") }
      if !result.fits { #expect(result.message == Self.payload(title: "Title", body: text), "seed \(random.seed)") }
    }
  }
}
