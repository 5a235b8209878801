internal import Basics

/// Decoding strings that the scanner has checked.
@usableFromInline
enum StringText {
  /// The text of a string token.
  @usableFromInline
  static func decode(_ token: Token, _ source: UnsafePointer<UInt8>) -> String {
    guard token.isMarked else { return unsafe plain(token, source) }
    return unsafe String(unsafeUninitializedCapacity: token.extent) {
      unsafe unescape(source + token.offset, token.extent, into: $0)
    }
  }

  /// The source of a scalar as it is.
  @usableFromInline
  static func plain(_ token: Token, _ source: UnsafePointer<UInt8>) -> String {
    let bytes = unsafe UnsafeBufferPointer(start: source + token.offset, count: token.extent)
    // Sound: the scanner has checked that this is UTF-8, and saw whether it is ASCII.
    return unsafe String(copying: UTF8Span(unchecked: Span(_unsafeElements: bytes), isKnownASCII: !token.isBeyondASCII))
  }

  /// Writes the text without escapes and returns its length, which is never more than the length with escapes.
  static func unescape(
    _ source: UnsafePointer<UInt8>, _ count: Int, into target: UnsafeMutableBufferPointer<UInt8>
  ) -> Int {
    var offset = 0
    var written = 0
    guard let start = target.baseAddress else { return 0 }
    let raw = UnsafeMutableRawPointer(start)
    // Eight bytes at a time; no more is written than was read, so that they fit.
    while offset &+ 8 <= count {
      let word = unsafe EightBytes.load(source + offset)
      unsafe raw.storeBytes(of: word.littleEndian, toByteOffset: written, as: UInt64.self)
      let marks = EightBytes.needingEscape(word)
      let clean = marks == 0 ? 8 : EightBytes.first(marks)
      offset &+= clean
      written &+= clean
      if marks != 0 { unsafe written &+= unescapeOne(source + offset, to: start + written, &offset) }
    }
    while offset < count {
      let byte = unsafe source[offset]
      if byte != 0x5C {
        unsafe start[written] = byte
        written &+= 1
        offset &+= 1
      } else {
        unsafe written &+= unescapeOne(source + offset, to: start + written, &offset)
      }
    }
    return written
  }

  @inline(__always)
  private static func unescapeOne(
    _ escape: UnsafePointer<UInt8>, to target: UnsafeMutablePointer<UInt8>, _ offset: inout Int
  ) -> Int {
    let letter = unsafe escape[1]
    guard letter == 0x22 || letter == 0x5C else { return unsafe unescapeOther(escape, to: target, &offset) }
    unsafe target[0] = letter
    offset &+= 2
    return 1
  }

  @inline(never)
  private static func unescapeOther(
    _ escape: UnsafePointer<UInt8>, to target: UnsafeMutablePointer<UInt8>, _ offset: inout Int
  ) -> Int {
    guard unsafe escape[1] == 0x75 else {
      unsafe target[0] = unsafe short(escape[1])
      offset += 2
      return 1
    }
    var code = unsafe hex(escape + 2)
    offset += 6
    if code & 0xFC00 == 0xD800 {
      code = unsafe 0x10000 + ((code & 0x3FF) << 10 | hex(escape + 8) & 0x3FF)
      offset += 6
    }
    // The scanner let no lone surrogate pass, so `code` is a scalar value.
    guard let scalar = Unicode.Scalar(code) else { return 0 }
    var length = 0
    for unit in UTF8.encode(scalar) ?? .encodedReplacementCharacter {
      unsafe target[length] = unit
      length += 1
    }
    return length
  }

  private static func short(_ letter: UInt8) -> UInt8 {
    switch letter {
    case 0x62: 0x08
    case 0x66: 0x0C
    case 0x6E: 0x0A
    case 0x72: 0x0D
    case 0x74: 0x09
    default: letter
    }
  }

  private static func hex(_ digits: UnsafePointer<UInt8>) -> UInt32 {
    (0..<4).reduce(0) { unsafe $0 << 4 | UInt32(Hex.value(digits[$1]) ?? 0) }
  }
}
