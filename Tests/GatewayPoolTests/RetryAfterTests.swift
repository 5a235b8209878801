import Testing

@testable import GatewayPool

@Suite struct RetryAfterTests {
  @Test(
    arguments: [
      ("0", 0), ("60", 60), ("86400", 86_400), ("86401", 86_400), ("99999999999999999999999", 86_400), ("", nil),
      ("-1", nil), ("1.5", nil), (" 5", nil), ("Wed, 21 Oct 2026 07:28:00 GMT", nil),
    ] as [(String, Int?)])
  func seconds(text: String, expected: Int?) {
    #expect(RetryAfter.seconds(in: Array(text.utf8)[...]) == expected)
  }
}
