import Testing

@testable import WebAuthn

/// The reader of CBOR: what authenticators write, and a refusal for everything else.
@Suite struct CBORTests {
  private struct Row: Sendable, CustomTestStringConvertible {
    let bytes: [UInt8]
    let value: CBOR
    var testDescription: String { "\(bytes)" }

    init(_ bytes: [UInt8], _ value: CBOR) { (self.bytes, self.value) = (bytes, value) }
  }

  /// From RFC 8949, appendix A, as far as they are in CTAP2's canonical form.
  private static let good = [
    Row([0x00], .int(0)), Row([0x17], .int(23)), Row([0x18, 0x18], .int(24)), Row([0x19, 0x03, 0xE8], .int(1_000)),
    Row([0x1A, 0x00, 0x0F, 0x42, 0x40], .int(1_000_000)),
    Row([0x1B, 0x00, 0x00, 0x00, 0xE8, 0xD4, 0xA5, 0x10, 0x00], .int(1_000_000_000_000)),
    Row([0x20], .int(-1)), Row([0x38, 0x63], .int(-100)), Row([0x39, 0x03, 0xE7], .int(-1_000)),
    Row([0x3B, 0x7F] + [UInt8](repeating: 0xFF, count: 7), .int(.min)),
    Row([0xF4], .bool(false)), Row([0xF5], .bool(true)), Row([0xF6], .null), Row([0x40], .bytes([])),
    Row([0x44, 1, 2, 3, 4], .bytes([1, 2, 3, 4])), Row([0x60], .text("")), Row([0x62, 0xC3, 0xBC], .text("ü")),
    Row([0x80], .array([])), Row([0x83, 1, 2, 3], .array([.int(1), .int(2), .int(3)])), Row([0xA0], .map([])),
    Row([0xA1, 0x61, 0x61, 0x20], .map([CBORPair(key: .text("a"), value: .int(-1))])),
  ]

  @Test("What authenticators write is read", arguments: good) private func reads(_ row: Row) throws {
    #expect(try CBORReader.read(row.bytes) == row.value)
  }

  private static let bad: [(String, [UInt8])] = [
    ("ends early", []), ("ends early", [0x18]), ("ends early", [0x42, 1]), ("ends early", [0x83, 1, 2]),
    ("ends early", [0xA1, 1]), ("ends early", [0x5B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),
    ("ends early", [0x9A, 0xFF, 0xFF, 0xFF, 0xFF]), ("ends early", [0xBB, 0x80, 0, 0, 0, 0, 0, 0, 0]),
    ("more bytes", [0x00, 0x00]), ("could be shorter", [0x18, 0x17]), ("could be shorter", [0x19, 0x00, 0xFF]),
    ("could be shorter", [0x1A, 0, 0, 0xFF, 0xFF]), ("could be shorter", [0x1B, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF]),
    ("could be shorter", [0x58, 0x01, 0x00]), ("63 bits", [0x1B, 0x80, 0, 0, 0, 0, 0, 0, 0]),
    ("63 bits", [0x3B, 0x80, 0, 0, 0, 0, 0, 0, 0]), ("not given", [0x5F, 0x41, 1, 0xFF]),
    ("not given", [0x9F, 0xFF]), ("not given", [0xBF, 0xFF]), ("reserved", [0x1C]), ("a tag", [0xC0, 0x60]),
    ("float", [0xF9, 0, 0]), ("float", [0xF7]), ("float", [0xFF]), ("not UTF-8", [0x62, 0xC3, 0x28]),
    ("comes twice", [0xA2, 1, 1, 1, 2]), ("neither an integer nor a text", [0xA1, 0x41, 1, 1]),
    ("deeper than 4", [0x81, 0x81, 0x81, 0x81, 0x81, 0x00]),
    ("more than 256 values", [0x99, 0x01, 0x00] + [UInt8](repeating: 0, count: 256)),
  ]

  @Test("Everything else is refused, with the reason", arguments: bad)
  func refuses(_ reason: String, _ bytes: [UInt8]) {
    let error = #expect(throws: CBORError.self) { try CBORReader.read(bytes) }
    #expect(error?.description.contains(reason) == true, "\(bytes): \(error?.description ?? "")")
  }

  @Test("No beginning of a value is a value, and no byte too many is read") func beginnings() throws {
    for row in Self.good {
      for count in 0..<row.bytes.count {
        #expect(throws: CBORError.self) { try CBORReader.read(Array(row.bytes[..<count])) }
      }
      let (value, end) = try CBORReader.first(of: [0xF6] + row.bytes + [0x00], from: 1)
      #expect(value == row.value && end == row.bytes.count + 1)
    }
  }
}
