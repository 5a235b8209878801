import GatewayPool
import PushPayload
import Testing

@testable import APNs

@Suite struct APNsAnswerTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let status: Int
    let body: String
    let reason: APNsReason
    var timestamp: Int64?
  }

  @Test(arguments: [
    Row(
      testDescription: "a refusal", status: 400, body: #"{"reason":"BadDeviceToken"}"#, reason: .badDeviceToken),
    Row(
      testDescription: "a dead token with its time in milliseconds", status: 410,
      body: #"{"reason":"Unregistered","timestamp":1771632000123}"#, reason: .unregistered, timestamp: 1_771_632_000_123
    ),
    Row(
      testDescription: "members in another order, spaces, unknown members", status: 410,
      body: "{ \"timestamp\" : 5, \"x\": [1], \"reason\" : \"ExpiredToken\" }\n", reason: .expiredToken, timestamp: 5),
    Row(
      testDescription: "an unknown reason", status: 400, body: #"{"reason":"BadDate"}"#,
      reason: APNsReason(rawValue: "BadDate")),
    Row(testDescription: "no body", status: 500, body: "", reason: .none),
    Row(testDescription: "a proxy's page", status: 502, body: "<html><body>Bad Gateway</body></html>", reason: .none),
    Row(testDescription: "JSON that is no object", status: 400, body: "[\"BadTopic\"]", reason: .none),
    Row(testDescription: "a reason that is no string", status: 400, body: #"{"reason":7}"#, reason: .none),
    Row(
      testDescription: "a timestamp that is no integer", status: 410,
      body: #"{"reason":"Unregistered","timestamp":"5"}"#,
      reason: .unregistered),
    Row(
      testDescription: "a timestamp beyond 64 bits", status: 410,
      body: #"{"reason":"Unregistered","timestamp":99999999999999999999}"#, reason: .unregistered),
    Row(testDescription: "cut off", status: 400, body: #"{"reason":"BadTo"#, reason: .none),
    Row(testDescription: "bytes that are no text", status: 400, body: "\u{0}\u{1}", reason: .none),
  ])
  func refusals(row: Row) {
    let answer = APNsAnswer(status: row.status, body: Array(row.body.utf8))
    #expect(
      answer.outcome
        == .rejected(APNsRejection(status: row.status, reason: row.reason, timestamp: row.timestamp)))
  }

  @Test func anAnswerThatIsTooLongIsNotParsed() {
    let padding = [UInt8](repeating: UInt8(ascii: " "), count: APNsAnswer.bodyBytesMax)
    let body = Array(#"{"reason":"BadTopic"}"#.utf8)
    #expect(APNsAnswer.reason(in: body + padding.dropLast(body.count)).0 == .badTopic)
    #expect(APNsAnswer.reason(in: body + padding).0 == .none)
  }

  @Test func successCarriesTheIds() throws {
    let id = try #require(APNsID("eabeae54-14a8-11e5-b60b-1697f925ec7b"))
    var answer = APNsAnswer(status: 200)
    answer.id = id
    #expect(answer.outcome == .accepted(APNsAcceptance(id: id)))
  }

  @Test func theTextOfAnIdIsWrittenAndReadWithoutAString() throws {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<1000 {
      let id = APNsID(using: &generator)
      let text = APNsIDText(id)
      var bytes: [UInt8] = []
      for index in text.bytes.indices { bytes.append(text.bytes[index]) }
      #expect(bytes == Array(id.text.utf8))
      #expect(APNsID(anyCaseHeader: bytes.span) == id)
      let upperCase = Array(id.text.uppercased().utf8)
      #expect(APNsID(anyCaseHeader: upperCase.span) == id)
      #expect(id.text.utf8.allSatisfy { $0 < 0x61 } || APNsID(header: upperCase.span) == nil)
    }
    for bad in [
      "", "eabeae54-14a8-11e5-b60b-1697f925ec7", "eabeae54-14a8-11e5-b60b-1697f925ec7g",
      "eabeae54+14a8-11e5-b60b-1697f925ec7b",
    ] {
      let bytes = Array(bad.utf8)
      #expect(APNsID(anyCaseHeader: bytes.span) == nil)
    }
  }
}
