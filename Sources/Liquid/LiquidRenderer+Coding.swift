/// The filters that write a text in another form: HTML, URLs, base64.
extension LiquidRenderer {
  mutating func escaped(_ text: Range<Int>, keepsEntities: Bool) -> Value {
    let start = bytes.count
    for index in text {
      switch bytes[index] {
      case UInt8(ascii: "&") where !(keepsEntities && isEntity(index, text.upperBound)):
        bytes.append(contentsOf: "&amp;".utf8)
      case UInt8(ascii: "<"): bytes.append(contentsOf: "&lt;".utf8)
      case UInt8(ascii: ">"): bytes.append(contentsOf: "&gt;".utf8)
      case UInt8(ascii: "\""): bytes.append(contentsOf: "&quot;".utf8)
      case UInt8(ascii: "'"): bytes.append(contentsOf: "&#39;".utf8)
      default: bytes.append(bytes[index])
      }
    }
    return held(from: start)
  }

  /// Whether an entity begins at an ampersand: `&amp;`, `&#39;`, `&#x27;`.
  private func isEntity(_ index: Int, _ end: Int) -> Bool {
    var at = index + 1
    if at < end, bytes[at] == UInt8(ascii: "#") { at += 1 }
    let first = at
    while at < end, at - first < 32, ExpressionLexer.isWord(bytes[at]), bytes[at] < 0x80 { at += 1 }
    return at > first && at < end && bytes[at] == UInt8(ascii: ";")
  }

  mutating func lines(_ text: Range<Int>, separator: StaticString) -> Value {
    let start = bytes.count
    for index in text {
      let byte = bytes[index]
      if byte == 0x0D, index + 1 < text.upperBound, bytes[index + 1] == 0x0A { continue }
      if byte == 0x0A {
        separator.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
      } else {
        bytes.append(byte)
      }
    }
    return held(from: start)
  }

  /// Without tags, comments, scripts and style sheets.
  mutating func withoutMarkup(_ text: Range<Int>) -> Value {
    let start = bytes.count
    var at = text.lowerBound
    while at < text.upperBound {
      if bytes[at] == UInt8(ascii: "<"), let end = markupEnd(at, text.upperBound) {
        at = end
      } else {
        bytes.append(bytes[at])
        at += 1
      }
    }
    return held(from: start)
  }

  private func markupEnd(_ index: Int, _ end: Int) -> Int? {
    if hasPrefix("<!--", index, end) { return position(of: "-->", from: index + 4, end) }
    for (opening, closing) in [("<script", "</script>"), ("<style", "</style>")] as [(StaticString, StaticString)]
    where hasPrefix(opening, index, end) {
      if let found = position(of: closing, from: index, end) { return found }
    }
    return position(of: ">", from: index, end)
  }

  private func hasPrefix(_ text: StaticString, _ index: Int, _ end: Int) -> Bool {
    guard index + text.utf8CodeUnitCount <= end else { return false }
    return text.withUTF8Buffer { text in text.indices.allSatisfy { unsafe bytes[index + $0] | 0x20 == text[$0] | 0x20 }
    }
  }

  /// The index behind the next occurrence.
  private func position(of text: StaticString, from index: Int, _ end: Int) -> Int? {
    var at = index
    while at < end {
      if hasPrefix(text, at, end) { return at + text.utf8CodeUnitCount }
      at += 1
    }
    return nil
  }

  mutating func percentEncoded(_ text: Range<Int>) -> Value {
    let start = bytes.count
    for index in text {
      let byte = bytes[index]
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"),
        UInt8(ascii: "~"):
        bytes.append(byte)
      case 0x20: bytes.append(UInt8(ascii: "+"))
      default:
        bytes.append(UInt8(ascii: "%"))
        for digit in [byte >> 4, byte & 15] { bytes.append(digit < 10 ? 0x30 + digit : 0x37 + digit) }
      }
    }
    return held(from: start)
  }

  mutating func percentDecoded(_ text: Range<Int>) -> Value {
    let start = bytes.count
    var at = text.lowerBound
    while at < text.upperBound {
      let byte = bytes[at]
      if byte == UInt8(ascii: "%"), at + 2 < text.upperBound, let high = hex(bytes[at + 1]),
        let low = hex(bytes[at + 2])
      {
        bytes.append(high << 4 | low)
        at += 3
      } else {
        bytes.append(byte == UInt8(ascii: "+") ? 0x20 : byte)
        at += 1
      }
    }
    return repaired(from: start)
  }

  private func hex(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x37
    case 0x61...0x66: byte - 0x57
    default: nil
    }
  }

  /// What was decoded, with replacement characters for what is not UTF-8.
  private mutating func repaired(from start: Int) -> Value {
    let text = String(decoding: bytes[start...], as: UTF8.self)
    bytes.removeSubrange(start...)
    bytes.append(contentsOf: text.utf8)
    return held(from: start)
  }

  mutating func base64(_ text: Range<Int>, isURLSafe: Bool) -> Value {
    let start = bytes.count
    var at = text.lowerBound
    while at < text.upperBound {
      let count = min(3, text.upperBound - at)
      var group: UInt32 = 0
      for offset in 0..<3 { group = group << 8 | (offset < count ? UInt32(bytes[at + offset]) : 0) }
      for digit in 0..<4 {
        let sextet = UInt8(truncatingIfNeeded: (group >> UInt32(18 - digit * 6)) & 63)
        bytes.append(digit > count ? UInt8(ascii: "=") : Self.digit(sextet, isURLSafe))
      }
      at += count
    }
    return held(from: start)
  }

  private static func digit(_ sextet: UInt8, _ isURLSafe: Bool) -> UInt8 {
    switch sextet {
    case 0..<26: 0x41 + sextet
    case 26..<52: 0x61 + sextet - 26
    case 52..<62: 0x30 + sextet - 52
    case 62: isURLSafe ? UInt8(ascii: "-") : UInt8(ascii: "+")
    default: isURLSafe ? UInt8(ascii: "_") : UInt8(ascii: "/")
    }
  }

  mutating func unbase64(_ text: Range<Int>, isURLSafe: Bool) -> Value {
    let start = bytes.count
    var group: UInt32 = 0
    var bits: UInt32 = 0
    var end = text.upperBound
    while end > text.lowerBound, bytes[end - 1] == UInt8(ascii: "=") { end -= 1 }
    let isWhole = text.count % 4 == 0 && text.upperBound - end <= 2
    for index in text.lowerBound..<end {
      guard isWhole, let sextet = Self.sextet(bytes[index], isURLSafe) else {
        bytes.removeSubrange(start...)
        fail(.encoding)
        return .text(start..<start)
      }
      (group, bits) = (group << 6 | UInt32(sextet), bits + 6)
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: group >> bits))
      }
    }
    return repaired(from: start)
  }

  private static func sextet(_ byte: UInt8, _ isURLSafe: Bool) -> UInt8? {
    switch byte {
    case 0x41...0x5A: byte - 0x41
    case 0x61...0x7A: byte - 0x61 + 26
    case 0x30...0x39: byte - 0x30 + 52
    case isURLSafe ? UInt8(ascii: "-") : UInt8(ascii: "+"): 62
    case isURLSafe ? UInt8(ascii: "_") : UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
