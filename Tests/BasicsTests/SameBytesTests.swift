import TestSupport
import Testing

@testable import Basics

@Suite struct SameBytesTests {
  @Test("Texts are the same when their bytes are", arguments: 0..<40) func everyLength(length: Int) {
    let text = String(repeating: "a", count: length)
    // Made anew, so that the storage is another one.
    #expect(text.hasSameBytes(as: String(decoding: Array(text.utf8), as: UTF8.self)))
    #expect(!text.hasSameBytes(as: text + "a") && !(text + "a").hasSameBytes(as: text))
    for index in 0..<length {
      var bytes = Array(text.utf8)
      bytes[index] ^= 1
      #expect(!text.hasSameBytes(as: String(decoding: bytes, as: UTF8.self)), "byte \(index) of \(length)")
    }
  }

  @Test("Canonically equivalent texts differ") func equivalents() {
    let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
    #expect(composed == decomposed && !composed.hasSameBytes(as: decomposed))
    // As many bytes each: U+1E9B U+0323 and its other order.
    let (one, other) = ("q\u{307}\u{323}", "q\u{323}\u{307}")
    #expect(one == other && one.utf8.count == other.utf8.count && !one.hasSameBytes(as: other))
  }
}
