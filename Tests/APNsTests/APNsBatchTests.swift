import PushPayload
import Testing

@testable import APNs

@Suite struct APNsBatchTests {
  private static let template = APNsTemplate(APNsRequest(headers: APNsHeaders(), payload: []))

  @Test func tokensCannotLeaveTheirPathSegment() {
    let plain = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_~"
    for byte in UInt8(1)..<128 {
      let character = String(UnicodeScalar(byte))
      var batch = APNsBatch(Self.template)
      batch.append(tag: 1, token: "a\(character)b", id: APNsID(high: 0, low: 0))
      let hex = (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      let expected = plain.contains(character) ? "a\(character)b" : "a%\(hex)b"
      #expect(String(decoding: batch.tokens, as: UTF8.self) == expected)
    }
  }

  @Test func bothWaysOfAppendingAreTheSame() {
    var first = APNsBatch(Self.template)
    var second = APNsBatch(Self.template)
    for (number, token) in ["00ff", "../x", "é", ""].enumerated() {
      first.append(tag: UInt64(number), token: token, id: APNsID(high: 1, low: 2))
      let bytes = Array(token.utf8)
      second.append(tag: UInt64(number), token: bytes.span, id: APNsID(high: 1, low: 2))
    }
    #expect(first.tokens == second.tokens)
    #expect(first.entries.map(\.length) == second.entries.map(\.length))
    #expect(first.count == 4)
    #expect(String(decoding: first.tokens, as: UTF8.self) == "00ff%2E%2E%2Fx%C3%A9")
  }
}
