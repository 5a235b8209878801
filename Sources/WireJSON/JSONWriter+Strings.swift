internal import Basics

extension JSONWriter {
  /// Writes a string with the escapes RFC 8259 section 7 requires and no others.
  @_disfavoredOverload
  @inlinable public mutating func string(_ value: String) { unsafe withUTF8(of: value) { unsafe $0.string(utf8: $1) } }

  /// Writes a string with the escapes RFC 8259 section 7 requires and no others.
  @inlinable public mutating func string(_ value: StaticString) {
    precondition(value.hasPointerRepresentation, "needs a string literal")
    unsafe string(utf8: UnsafeBufferPointer(start: value.utf8Start, count: value.utf8CodeUnitCount))
  }

  /// Writes a name that needs no escapes as a string value.
  @_disfavoredOverload
  @inlinable public mutating func string(_ value: JSONKey) { clean(value, ending: 0x2C) }

  /// Writes a string from UTF-8 bytes, which must be valid: they are not checked.
  @inlinable public mutating func string(utf8: UnsafeBufferPointer<UInt8>) { unsafe quoted(utf8, ending: 0x2C) }

  /// Writes the name of a member; its value must follow.
  @_disfavoredOverload
  @inlinable public mutating func key(_ name: JSONKey) { clean(name, ending: 0x3A) }

  /// Writes the name of a member; its value must follow.
  @_disfavoredOverload
  @inlinable public mutating func key(_ name: String) { unsafe withUTF8(of: name) { unsafe $0.key(utf8: $1) } }

  /// Writes the name of a member; its value must follow.
  @inlinable public mutating func key(_ name: StaticString) {
    precondition(name.hasPointerRepresentation, "needs a string literal")
    unsafe key(utf8: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
  }

  /// Writes the name of a member from UTF-8 bytes, which must be valid: they are not checked.
  @inlinable public mutating func key(utf8: UnsafeBufferPointer<UInt8>) { unsafe quoted(utf8, ending: 0x3A) }

  /// Calls `body` with the UTF-8 bytes of a string, without a copy for strings that are stored contiguously.
  @inline(__always) @inlinable
  mutating func withUTF8(of text: String, _ body: (inout JSONWriter, UnsafeBufferPointer<UInt8>) -> Void) {
    let done: Void? = unsafe text.utf8.withContiguousStorageIfAvailable { unsafe body(&self, $0) }
    if done == nil {
      var copy = text
      copy.withUTF8 { unsafe body(&self, $0) }
    }
  }

  /// A name that needs no look, in quotes, and the byte behind it.
  @inline(__always) @inlinable
  mutating func clean(_ name: JSONKey, ending: UInt8) {
    reserve(name.count &+ 3)
    let target = unsafe base + used
    unsafe target[0] = 0x22
    unsafe copy(name.start, name.count, to: target + 1)
    unsafe target[name.count &+ 1] = 0x22
    unsafe target[name.count &+ 2] = ending
    used &+= name.count &+ 3
  }

  /// Text in quotes and the byte behind it.
  @inline(__always) @inlinable
  mutating func quoted(_ text: UnsafeBufferPointer<UInt8>, ending: UInt8) {
    let count = text.count
    reserve(count &+ 3)
    let target = unsafe base + used
    unsafe target[0] = 0x22
    if let start = text.baseAddress {
      let clean = unsafe copyClean(start, count, to: target + 1)
      if clean != count { return unsafe escaped(text, clean, ending: ending) }
    }
    unsafe target[count &+ 1] = 0x22
    unsafe target[count &+ 2] = ending
    used &+= count &+ 3
  }

  /// Copies bytes up to the first that needs an escape and returns how many were clean; what lies behind them in
  /// `target` is undefined.
  @inline(__always) @inlinable
  func copyClean(_ source: UnsafePointer<UInt8>, _ count: Int, to target: UnsafeMutablePointer<UInt8>) -> Int {
    let raw = UnsafeMutableRawPointer(target)
    guard count >= 8 else { return unsafe copyFewClean(source, count, to: target) }
    var index = 0
    #if !_pointerBitWidth(_32)
      while index &+ 16 <= count {
        let bytes = unsafe SixteenBytes.load(source + index)
        unsafe raw.storeBytes(of: bytes, toByteOffset: index, as: SIMD2<UInt64>.self)
        // Eight of these find the position.
        if SixteenBytes.needEscape(bytes) { break }
        index &+= 16
      }
    #endif
    let last = count &- 8
    while index < last {
      let word = unsafe EightBytes.load(source + index)
      unsafe raw.storeBytes(of: word.littleEndian, toByteOffset: index, as: UInt64.self)
      let marks = EightBytes.needingEscape(word)
      if marks != 0 { return index &+ EightBytes.first(marks) }
      index &+= 8
    }
    // The last eight bytes overlap with what was copied, which is known to be clean.
    let word = unsafe EightBytes.load(source + last)
    unsafe raw.storeBytes(of: word.littleEndian, toByteOffset: last, as: UInt64.self)
    let marks = EightBytes.needingEscape(word)
    return marks == 0 ? count : last &+ EightBytes.first(marks)
  }

  /// The same for fewer than eight bytes.
  @inline(__always) @inlinable
  func copyFewClean(_ source: UnsafePointer<UInt8>, _ count: Int, to target: UnsafeMutablePointer<UInt8>) -> Int {
    var index = 0
    while index < count {
      let byte = unsafe source[index]
      if byte < 0x20 || byte == 0x22 || byte == 0x5C { return index }
      unsafe target[index] = byte
      index &+= 1
    }
    return count
  }

  /// Copies bytes as they are; small ones without a call.
  @inline(__always) @inlinable
  func copy(_ source: UnsafePointer<UInt8>, _ count: Int, to target: UnsafeMutablePointer<UInt8>) {
    let raw = UnsafeMutableRawPointer(target)
    if count >= 8 && count <= 32 {
      var index = 0
      let last = count &- 8
      while index < last {
        unsafe raw.storeBytes(of: EightBytes.load(source + index).littleEndian, toByteOffset: index, as: UInt64.self)
        index &+= 8
      }
      unsafe raw.storeBytes(of: EightBytes.load(source + last).littleEndian, toByteOffset: last, as: UInt64.self)
    } else if count >= 4 && count < 8 {
      let head = unsafe UnsafeRawPointer(source).loadUnaligned(as: UInt32.self)
      let tail = unsafe UnsafeRawPointer(source).loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self)
      unsafe raw.storeBytes(of: head, as: UInt32.self)
      unsafe raw.storeBytes(of: tail, toByteOffset: count &- 4, as: UInt32.self)
    } else if count < 4 {
      var index = 0
      while index < count {
        unsafe target[index] = unsafe source[index]
        index &+= 1
      }
    } else {
      unsafe target.update(from: source, count: count)
    }
  }

  /// The slow path for a text with characters to escape; its first `clean` bytes and the opening quote are written
  /// already.
  @inline(never) @usableFromInline
  mutating func escaped(_ text: UnsafeBufferPointer<UInt8>, _ clean: Int, ending: UInt8) {
    guard let source = text.baseAddress else { return }
    used &+= clean &+ 1
    var index = clean
    while index < text.count {
      // Six bytes for the escape, the rest of the text, the quote and the byte behind it.
      reserve(6 &+ text.count &- index &+ 2)
      unsafe used &+= JSONWriter.escape(source[index], to: base + used)
      index &+= 1
      let copied = unsafe copyClean(source + index, text.count &- index, to: base + used)
      used &+= copied
      index &+= copied
    }
    reserve(2)
    unsafe base[used] = 0x22
    unsafe base[used &+ 1] = ending
    used &+= 2
  }

  /// Writes one escape and returns its length.
  @usableFromInline
  static func escape(_ byte: UInt8, to target: UnsafeMutablePointer<UInt8>) -> Int {
    unsafe target[0] = 0x5C
    switch byte {
    case 0x22, 0x5C: unsafe target[1] = byte
    case 0x08: unsafe target[1] = 0x62
    case 0x09: unsafe target[1] = 0x74
    case 0x0A: unsafe target[1] = 0x6E
    case 0x0C: unsafe target[1] = 0x66
    case 0x0D: unsafe target[1] = 0x72
    default:
      unsafe target[1] = 0x75
      unsafe target[2] = 0x30
      unsafe target[3] = 0x30
      unsafe target[4] = 0x30 &+ (byte >> 4)
      unsafe target[5] = Hex.digit(byte & 0xF)
      return 6
    }
    return 2
  }
}
