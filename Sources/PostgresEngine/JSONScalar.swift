/// The values of attributes in a PostgreSQL database: a column of `jsonb`, in which each row has a text or a number.
///
/// It is the one column of the store with values of several kinds. `jsonb` orders and compares numbers by their value, whole or
/// not, and texts by their bytes, as SQLite does; a fraction keeps its digits, also `.0`, which tells it from a whole number.
/// The first byte of the binary form is its version, and the rest is JSON.
package enum JSONScalar {
  private static let version: UInt8 = 1

  package static func encoded(_ value: Int64) -> [UInt8] { [version] + String(value).utf8 }

  package static func encoded(_ value: Double) -> [UInt8] {
    // Without an exponent where there is a whole number: the server drops it, and with it what shows a fraction.
    let words = Int64(exactly: value).map { "\($0).0" } ?? "\(value)"
    return [version] + words.utf8
  }

  package static func encoded(_ value: String) -> [UInt8] {
    var bytes: [UInt8] = [version, UInt8(ascii: "\"")]
    for byte in value.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case 0..<0x20: bytes += Array("\\u00".utf8) + [hex(byte >> 4), hex(byte & 15)]
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
    return bytes
  }

  private static func hex(_ digit: UInt8) -> UInt8 { digit + (digit < 10 ? 48 : 87) }

  /// A whole number; what is none is 0.
  package static func int64(_ bytes: UnsafeRawBufferPointer) -> Int64 {
    unsafe Int64(body(bytes)) ?? Int64(exactly: double(bytes).rounded(.towardZero)) ?? 0
  }

  package static func double(_ bytes: UnsafeRawBufferPointer) -> Double { unsafe Double(body(bytes)) ?? 0 }

  package static func isReal(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let body = unsafe body(bytes)
    return body.first != "\"" && Int64(body) == nil
  }

  package static func text(_ bytes: UnsafeRawBufferPointer) -> String {
    let body = unsafe body(bytes)
    guard body.first == "\"" else { return body }
    var text: [UInt8] = []
    var rest = body.utf8.dropFirst().dropLast()
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\"), let escape = rest.popFirst() else {
        text.append(byte)
        continue
      }
      switch escape {
      case UInt8(ascii: "n"): text.append(10)
      case UInt8(ascii: "t"): text.append(9)
      case UInt8(ascii: "r"): text.append(13)
      case UInt8(ascii: "b"): text.append(8)
      case UInt8(ascii: "f"): text.append(12)
      case UInt8(ascii: "u"):
        // The server writes this of control characters only.
        text.append(UInt8(truncatingIfNeeded: Int(String(decoding: rest.prefix(4), as: UTF8.self), radix: 16) ?? 0x3f))
        rest = rest.dropFirst(4)
      default: text.append(escape)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  private static func body(_ bytes: UnsafeRawBufferPointer) -> String {
    unsafe String(decoding: bytes.dropFirst(), as: UTF8.self)
  }
}
