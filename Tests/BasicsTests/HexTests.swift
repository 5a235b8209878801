import Basics
import TestSupport
import Testing

struct HexTests {
  @Test func readsAndWrites() {
    #expect(Hex.encode([0x00, 0x7F, 0xAB]) == "007fab")
    #expect(Hex.encode([0x00, 0x7F, 0xAB], uppercase: true) == "007FAB")
    #expect(Hex.decode("007FaB") == [0x00, 0x7F, 0xAB])
    #expect(Hex.decode("") == [])
  }

  @Test(arguments: ["0", "0g", "é", "0x", "+1", " 1", "１２"])
  func refuses(text: String) { #expect(Hex.decode(text) == nil) }

  @Test func everyByteIsADigitOrNone() {
    for byte in UInt8.min...UInt8.max {
      #expect(Hex.value(byte).map(Int.init) == Character(Unicode.Scalar(byte)).hexDigitValue, "\(byte)")
    }
  }

  @Test func randomBytesSurvive() {
    var random = SeededRandom.fromEnvironment()
    for length in 0..<200 {
      let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
      #expect(Hex.decode(Hex.encode(bytes, uppercase: length % 2 == 0)) == bytes, "seed \(random.seed)")
    }
  }

  @Test(arguments: [(0x1F600, 4, "1F600"), (0xAD, 4, "00AD"), (0, 2, "00"), (255, 1, "FF")])
  func numbers(number: Int, digits: Int, text: String) { #expect(Hex.text(number, digits: digits) == text) }

  @Test func writesTheLastDigits() {
    var bytes: [UInt8] = []
    Hex.write(0xFEDC_BA98_7654_3210, digits: 16, to: &bytes)
    Hex.write(0xFEDC_BA98_7654_3210, digits: 4, to: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self) == "fedcba98765432103210")
  }
}

struct PercentEncodingTests {
  @Test(arguments: [
    ("a-Z.0_9~", "", "a-Z.0_9~"), ("a/b c", "", "a%2Fb%20c"), ("a/b c", "/", "a/b%20c"),
    ("é%\u{0}", "", "%C3%A9%25%00"),
  ])
  func encodes(text: String, allowed: String, encoded: String) {
    #expect((allowed == "/" ? PercentEncoding.encode(text, allowing: "/") : PercentEncoding.encode(text)) == encoded)
  }
}

struct EditDistanceTests {
  @Test(arguments: [
    ("", "", 0), ("", "abc", 3), ("abc", "", 3), ("title", "title", 0), ("tilte", "title", 1), ("send", "sent", 1),
    ("kitten", "sitting", 3), ("ca", "abc", 3), ("list", "ist", 1),
  ])
  func counts(left: String, right: String, edits: Int) {
    #expect(EditDistance.between(Array(left.utf8), Array(right.utf8)) == edits)
    #expect(EditDistance.between(Array(right.utf8), Array(left.utf8)) == edits)
  }
}
