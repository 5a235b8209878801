/// Base64 with padding, RFC 4648 section 4.
public enum Base64 {
  /// Writes Base64 with padding and without line breaks.
  public static func encode(_ bytes: [UInt8]) -> String {
    String(decoding: Base64Alphabet.standard.encode(bytes, padded: true), as: UTF8.self)
  }

  /// Reads Base64 strictly (padding required, no white space, unused bits zero); nil for anything else.
  public static func decode(_ text: some StringProtocol) -> [UInt8]? {
    decode(Array(text.utf8))
  }

  /// Reads Base64 strictly (padding required, no white space, unused bits zero); nil for anything else.
  public static func decode(_ text: [UInt8]) -> [UInt8]? {
    guard text.count % 4 == 0 else { return nil }
    var end = text.count
    while end > 0, end > text.count - 2, text[end - 1] == 0x3D { end -= 1 }
    return Base64Alphabet.standard.decode(text[..<end])
  }
}

/// Base64 with the URL alphabet and without padding, RFC 7515 section 2 (the encoding of JWS).
public enum Base64URL {
  /// Writes Base64URL without padding.
  public static func encode(_ bytes: [UInt8]) -> String {
    String(decoding: encodeBytes(bytes), as: UTF8.self)
  }

  /// Writes Base64URL without padding, as bytes.
  public static func encodeBytes(_ bytes: [UInt8]) -> [UInt8] {
    Base64Alphabet.url.encode(bytes, padded: false)
  }

  /// Reads Base64URL strictly (no padding, no white space, unused bits zero); nil for anything else.
  public static func decode(_ text: some StringProtocol) -> [UInt8]? {
    Base64Alphabet.url.decode(Array(text.utf8)[...])
  }

  /// Reads Base64URL strictly (no padding, no white space, unused bits zero); nil for anything else.
  public static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    Base64Alphabet.url.decode(text)
  }
}

/// One of the two alphabets, as a table for each direction.
struct Base64Alphabet: Sendable {
  static let standard = Base64Alphabet(last: [0x2B, 0x2F])
  static let url = Base64Alphabet(last: [0x2D, 0x5F])

  private let characters: [UInt8]
  private let values: [UInt8]

  private init(last: [UInt8]) {
    characters = Array(UInt8(0x41)...0x5A) + Array(UInt8(0x61)...0x7A) + Array(UInt8(0x30)...0x39) + last
    var values = [UInt8](repeating: 0xFF, count: 256)
    for (value, character) in characters.enumerated() { values[Int(character)] = UInt8(value) }
    self.values = values
  }

  func encode(_ bytes: [UInt8], padded: Bool) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let left = min(3, bytes.count - start)
      var bits = UInt32(bytes[start]) << 16
      if left > 1 { bits |= UInt32(bytes[start + 1]) << 8 }
      if left > 2 { bits |= UInt32(bytes[start + 2]) }
      for position in 0...left { text.append(characters[Int(bits >> (18 - 6 * UInt32(position))) & 63]) }
      if padded { for _ in left..<3 { text.append(0x3D) } }
    }
    return text
  }

  /// Text without padding; nil for a foreign character, an impossible length, or leftover bits that are not zero.
  func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    guard text.count % 4 != 1 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3 + 2)
    var bits: UInt32 = 0
    var count = 0
    for character in text {
      let value = values[Int(character)]
      guard value != 0xFF else { return nil }
      bits = bits << 6 | UInt32(value)
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
        bits &= (1 << UInt32(count)) - 1
      }
    }
    return bits == 0 ? bytes : nil
  }
}
