internal import Basics

extension TapeScanner {
  /// Reads a string from its opening quote on.
  @inline(always)
  mutating func scanString(_ role: ScanFault.Expected) throws(ScanFault) {
    let start = at &+ 1
    var offset = start
    var flags: UInt64 = 0
    while true {
      // Sound: behind the source lie zeros enough for any word, and a zero is a mark, so the loop ends there.
      let marks = unsafe EightBytes.needingCare(EightBytes.load(source + offset))
      if marks == 0 {
        offset &+= 8
        #if !_pointerBitWidth(_32)
          // Behind the source there are zeros enough for these, too.
          while unsafe !SixteenBytes.needCare(SixteenBytes.load(source + offset)) { offset &+= 16 }
        #endif
        continue
      }
      offset &+= EightBytes.first(marks)
      let byte = unsafe source[offset]
      if byte == 0x22 { break }
      if byte >= 0x80 {
        flags |= Token.beyondASCII
        offset = try unsafe TapeScanner.endBeyondASCII(source, offset)
      } else if byte == 0x5C {
        flags |= Token.mark
        hasEscape = true
        let next = unsafe source[offset &+ 1]
        // Quotes of a text in the text.
        offset = unsafe next == 0x22 || next == 0x5C ? offset &+ 2 : try TapeScanner.escapeEnd(source, offset)
      } else {
        throw ScanFault(.stringEnd, offset)
      }
    }
    push(Token(.string, offset: start, extent: offset &- start, flags: flags))
    at = offset &+ 1
  }

  /// Reads characters of two, three and four bytes until the next ASCII byte (RFC 3629 section 4).
  @inline(__always)
  static func endBeyondASCII(_ source: UnsafeMutablePointer<UInt8>, _ start: Int) throws(ScanFault) -> Int {
    var offset = start
    repeat {
      let word = unsafe UInt32(littleEndian: UnsafeRawPointer(source + offset).loadUnaligned(as: UInt32.self))
      if word & 0xC0_C0F0 == 0x80_80E0 {
        // Three bytes: neither overlong (E0 80…9F) nor a surrogate (ED A0…BF).
        let lead = word & 0x00_200F
        guard lead != 0, lead != 0x00_200D else { throw ScanFault(.utf8, offset) }
        offset &+= 3
      } else if word & 0xC0E0 == 0x80C0 {
        // Two bytes: not overlong (C0, C1).
        guard word & 0x1E != 0 else { throw ScanFault(.utf8, offset) }
        offset &+= 2
      } else if word & 0xC0C0_C0F8 == 0x8080_80F0 {
        // Four bytes: not overlong (F0 80…8F), not above U+10FFFF (F4 90…, F5…F7).
        let lead = word & 0x3007
        guard lead != 0, lead & 4 == 0 || lead & 0x3003 == 0 else { throw ScanFault(.utf8, offset) }
        offset &+= 4
      } else {
        throw ScanFault(.utf8, offset)
      }
    } while unsafe source[offset] >= 0x80
    return offset
  }

  /// The offset after the escape whose backslash is at `offset`; the two halves of a surrogate pair are one escape.
  @inline(never)
  static func escapeEnd(_ source: UnsafeMutablePointer<UInt8>, _ offset: Int) throws(ScanFault) -> Int {
    switch unsafe source[offset &+ 1] {
    case 0x22, 0x5C, 0x2F, 0x62, 0x66, 0x6E, 0x72, 0x74: return offset &+ 2
    case 0x75: break
    default: throw ScanFault(.escape, offset &+ 1)
    }
    let unit = try unsafe codeUnit(source, offset &+ 2)
    guard unit & 0xF800 == 0xD800 else { return offset &+ 6 }
    guard unit & 0xFC00 == 0xD800, unsafe source[offset &+ 6] == 0x5C, unsafe source[offset &+ 7] == 0x75,
      try unsafe codeUnit(source, offset &+ 8) & 0xFC00 == 0xDC00
    else { throw ScanFault(.surrogate, offset) }
    return offset &+ 12
  }

  /// The value of the four hexadecimal digits at offset `offset`.
  private static func codeUnit(_ source: UnsafeMutablePointer<UInt8>, _ offset: Int) throws(ScanFault) -> UInt32 {
    var value: UInt32 = 0
    for index in offset..<offset &+ 4 {
      guard let digit = unsafe Hex.value(source[index]) else { throw ScanFault(.hex, index) }
      value = value << 4 | UInt32(digit)
    }
    return value
  }

  /// Reads a number.
  @inline(always)
  mutating func scanNumber() throws(ScanFault) {
    let start = at
    if byte == 0x2D { at &+= 1 }
    if byte == 0x30 {
      at &+= 1
      if isDigit(byte) { throw ScanFault(.afterZero, at) }
    } else {
      try scanDigits()
    }
    var flags: UInt64 = 0
    if byte == 0x2E {
      flags = Token.mark
      at &+= 1
      try scanDigits()
    }
    if byte | 0x20 == 0x65 {
      flags = Token.mark
      at &+= 1
      if byte == 0x2B || byte == 0x2D { at &+= 1 }
      try scanDigits()
    }
    push(Token(.number, offset: start, extent: at &- start, flags: flags))
  }

  /// Reads one digit or more.
  @inline(always)
  mutating func scanDigits() throws(ScanFault) {
    guard isDigit(byte) else { throw ScanFault(.digit, at) }
    repeat { at &+= 1 } while isDigit(byte)
  }

  @inline(__always)
  func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
}
