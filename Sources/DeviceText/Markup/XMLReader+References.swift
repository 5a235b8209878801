internal import Basics

extension XMLReader {
  /// The longest reference that is read, in bytes: `&#x10FFFF;` has ten.
  private static let referenceBytesMax = 64

  /// Reads `&…;` at the reader's position.
  mutating func reference() throws(XMLFault) -> [UInt8] {
    let start = index
    index += 1
    let nameStart = index
    while let byte, byte != UInt8(ascii: ";"), index - start < Self.referenceBytesMax, !Self.isSpace(byte),
      byte != UInt8(ascii: "<"), byte != UInt8(ascii: "&")
    {
      index += 1
    }
    guard byte == UInt8(ascii: ";"), index > nameStart else {
      throw XMLFault("& must be written &amp; unless it starts a reference such as &lt;", at: start, rule: .entity)
    }
    let name = source.text(nameStart..<index)
    index += 1
    switch name {
    case "lt": return [UInt8(ascii: "<")]
    case "gt": return [UInt8(ascii: ">")]
    case "amp": return [UInt8(ascii: "&")]
    case "quot": return [UInt8(ascii: "\"")]
    case "apos": return [UInt8(ascii: "'")]
    default: return try numbered(name, at: start)
    }
  }

  private func numbered(_ name: String, at start: Int) throws(XMLFault) -> [UInt8] {
    guard name.hasPrefix("#") else {
      throw XMLFault(
        "the entity &\(ShownText.short(name)); is not one of XML, and entities of a DTD are not expanded; "
          + "write the text itself",
        at: start, rule: .entity)
    }
    let digits = name.dropFirst()
    let value = digits.hasPrefix("x") ? Self.number(digits.dropFirst(), 16) : Self.number(digits, 10)
    guard let value, let scalar = Unicode.Scalar(value), Self.isCharacter(scalar) else {
      throw XMLFault("&\(ShownText.short(name)); is no character of XML", at: start, rule: .entity)
    }
    return Array(String(Character(scalar)).utf8)
  }

  private static func number(_ digits: Substring, _ radix: UInt32) -> UInt32? {
    guard !digits.isEmpty else { return nil }
    var value: UInt32 = 0
    for byte in digits.utf8 {
      guard let digit = Hex.value(byte), digit < radix, value <= 0x10FFFF else { return nil }
      value = value * radix + UInt32(digit)
    }
    return value
  }

  private static func isCharacter(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A, 0x0D, 0x20...0xFFFD, 0x10000...0x10FFFF: true
    default: false
    }
  }
}
