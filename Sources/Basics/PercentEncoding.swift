/// Percent-encoding of URIs (RFC 3986, section 2.1).
public enum PercentEncoding {
  /// Encodes every byte of the UTF-8 text that is neither unreserved nor in `allowed`.
  public static func encode(_ text: String, allowing allowed: StaticString = "") -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      if isUnreserved(byte) || allowed.withUTF8Buffer({ unsafe $0.contains(byte) }) {
        bytes.append(byte)
      } else {
        write(byte, to: &bytes)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The bytes that a text represents; nil where two hexadecimal digits do not follow a `%`.
  public static func decode(_ text: some StringProtocol) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = text.utf8.makeIterator()
    while let byte = rest.next() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.next().flatMap(Hex.value), let low = rest.next().flatMap(Hex.value) else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  /// Appends `%` and two upper-case digits.
  @inlinable
  public static func write(_ byte: UInt8, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "%"))
    bytes.append(Hex.upperDigit(byte >> 4))
    bytes.append(Hex.upperDigit(byte & 15))
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"):
      true
    default: false
    }
  }
}
