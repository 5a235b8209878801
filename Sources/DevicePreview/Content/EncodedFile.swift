import WireJSON

/// A file in JSON: its text, or `{"base64": "…"}` for one that is not UTF-8 (UTF-16, binary property lists).
enum EncodedFile {
  /// The bytes of the file; nil for anything else, and for Base64 that is not whole.
  static func bytes(of value: JSONValue) -> [UInt8]? {
    if let text = value.string { return Array(text.utf8) }
    guard let object = value.object, object.count == 1, let text = object["base64"]?.string else { return nil }
    return decoded(text)
  }

  /// RFC 4648, section 4, with padding.
  private static func decoded(_ text: String) -> [UInt8]? {
    guard text.utf8.count.isMultiple(of: 4) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count / 4 * 3)
    var group: UInt32 = 0
    var count = 0
    var padding = 0
    for byte in text.utf8 {
      if byte == UInt8(ascii: "=") {
        padding += 1
        group <<= 6
      } else {
        guard padding == 0, let value = value(byte) else { return nil }
        group = group << 6 | value
      }
      count += 1
      guard count.isMultiple(of: 4) else { continue }
      for shift in [16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: group >> UInt32(shift))) }
      group = 0
    }
    guard padding <= 2 else { return nil }
    bytes.removeLast(padding)
    return bytes
  }

  private static func value(_ byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - 0x41)
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - 0x61) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - 0x30) + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
