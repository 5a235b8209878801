internal import Basics

/// Writing values of a document without making them: what needs no change is copied as it is.
extension JSONWriter {
  /// Writes a value of a document, minified: what `value(_:)` writes of `JSONDocument.value(_:)`.
  ///
  /// Repeated names are all written; ask `JSONDocument.hasDuplicates` where that matters.
  public mutating func value(_ node: JSONNode, of document: JSONDocument) {
    let token = document.token(node)
    switch token.kind {
    case .null: null()
    case .yes: bool(true)
    case .no: bool(false)
    case .number: source(node, of: document)
    case .string: string(token, of: document, ending: 0x2C)
    case .array, .object:
      if document.isMinified(node) { return source(node, of: document) }
      if token.kind == .array { elements(node, of: document) } else { members(node, of: document) }
    }
  }

  private mutating func elements(_ node: JSONNode, of document: JSONDocument) {
    beginArray()
    var cursor = document.cursor(node)
    while let element = document.nextElement(&cursor) { value(element, of: document) }
    endArray()
  }

  private mutating func members(_ node: JSONNode, of document: JSONDocument) {
    beginObject()
    var cursor = document.cursor(node)
    while let (name, value) = document.nextMember(&cursor) { member(name, value, of: document) }
    endObject()
  }

  /// Writes a member of an object of a document.
  public mutating func member(_ name: JSONNode, _ value: JSONNode, of document: JSONDocument) {
    string(document.token(name), of: document, ending: 0x3A)
    self.value(value, of: document)
  }

  /// Writes a member whose name is always the same.
  package mutating func member(_ name: JSONFragment, _ value: JSONNode, of document: JSONDocument) {
    let token = document.token(value)
    guard token.kind == .string, !token.isMarked else {
      fragment(name)
      return self.value(value, of: document)
    }
    let count = token.extent &+ 2
    reserve(name.count &+ count &+ 1)
    let target = unsafe base + used
    unsafe copyRead(name.start, name.count, to: target)
    unsafe copyRead(document.source + (token.offset &- 1), count, to: target + name.count)
    unsafe target[name.count &+ count] = 0x2C
    used &+= name.count &+ count &+ 1
  }

  /// Writes a value as it was read.
  @inline(__always)
  private mutating func source(_ node: JSONNode, of document: JSONDocument) {
    let range = document.sourceRange(of: node)
    reserve(range.count &+ 1)
    unsafe copyRead(document.source + range.lowerBound, range.count, to: base + used)
    unsafe base[used &+ range.count] = 0x2C
    used &+= range.count &+ 1
  }

  /// Copies bytes of a document, whole registers at a time.
  @inline(__always)
  func copyRead(_ source: UnsafePointer<UInt8>, _ count: Int, to target: UnsafeMutablePointer<UInt8>) {
    // Sound: at least 32 bytes can be read behind every text of a document, and be written behind what was reserved.
    let (from, to) = unsafe (UnsafeRawPointer(source), UnsafeMutableRawPointer(target))
    var index = 0
    repeat {
      let first = unsafe from.loadUnaligned(fromByteOffset: index, as: SIMD2<UInt64>.self)
      let second = unsafe from.loadUnaligned(fromByteOffset: index &+ 16, as: SIMD2<UInt64>.self)
      unsafe to.storeBytes(of: first, toByteOffset: index, as: SIMD2<UInt64>.self)
      unsafe to.storeBytes(of: second, toByteOffset: index &+ 16, as: SIMD2<UInt64>.self)
      index &+= 32
    } while index < count
  }

  @inline(__always)
  private mutating func string(_ token: Token, of document: JSONDocument, ending: UInt8) {
    guard token.isMarked else {
      // Without an escape it is written as it was read, quotes and all.
      let count = token.extent &+ 2
      reserve(count &+ 1)
      unsafe copyRead(document.source + (token.offset &- 1), count, to: base + used)
      unsafe base[used &+ count] = ending
      used &+= count &+ 1
      return
    }
    beginString()
    piece(token, of: document)
    endString()
    unsafe base[used &- 1] = ending
  }
}

// MARK: A string of several pieces

extension JSONWriter {
  /// Opens a string that is written in pieces.
  public mutating func beginString() {
    reserve(1)
    unsafe base[used] = 0x22
    used &+= 1
  }

  /// Closes a string that was written in pieces.
  public mutating func endString() {
    reserve(2)
    unsafe base[used] = 0x22
    unsafe base[used &+ 1] = 0x2C
    used &+= 2
  }

  /// Writes a piece of a string that needs no escape.
  public mutating func piece(utf8 text: UnsafeBufferPointer<UInt8>) {
    guard let start = text.baseAddress else { return }
    reserve(text.count)
    unsafe copy(start, text.count, to: base + used)
    used &+= text.count
  }

  /// Writes the text of a string of a document as a piece of another; nothing for other kinds.
  public mutating func piece(_ node: JSONNode, of document: JSONDocument) {
    let token = document.token(node)
    if token.kind == .string { piece(token, of: document) }
  }

  private mutating func piece(_ token: Token, of document: JSONDocument) {
    // The scanner has checked every escape, and no text is longer than its escaped form, but for the six bytes of a control character,
    // which are six in the source, too.
    reserve(token.extent)
    let source = unsafe document.source + token.offset
    guard token.isMarked else {
      unsafe copyRead(source, token.extent, to: base + used)
      used &+= token.extent
      return
    }
    var index = 0
    while index < token.extent {
      // Eight bytes at a time: as many can be read behind the text, and be written behind what was reserved.
      let word = unsafe EightBytes.load(source + index)
      unsafe UnsafeMutableRawPointer(base + used).storeBytes(of: word.littleEndian, as: UInt64.self)
      let marks = EightBytes.needingEscape(word)
      let clean = Swift.min(marks == 0 ? 8 : EightBytes.first(marks), token.extent &- index)
      index &+= clean
      used &+= clean
      if clean < 8, index < token.extent { unsafe index &+= escape(source + index) }
    }
  }

  /// Writes a string of a document, quotes and all, as a piece of a string that holds JSON text; nothing for other kinds.
  package mutating func quotedPiece(_ node: JSONNode, of document: JSONDocument) {
    let token = document.token(node)
    guard token.kind == .string else { return }
    // Twice as long at most, and quotes with their backslashes.
    reserve(token.extent &* 2 &+ 4)
    escapedQuote()
    if token.isMarked {
      unsafe quotedText(document.source + token.offset, token.extent)
    } else {
      unsafe copyRead(document.source + token.offset, token.extent, to: base + used)
      used &+= token.extent
    }
    escapedQuote()
  }

  /// Writes a quote or backslash with the backslash before it.
  @inline(__always)
  private mutating func escapedQuote() {
    unsafe base[used] = 0x5C
    unsafe base[used &+ 1] = 0x22
    used &+= 2
  }

  /// Writes what `piece` does of a text with escapes, and a backslash before each quote and backslash of it.
  private mutating func quotedText(_ source: UnsafePointer<UInt8>, _ count: Int) {
    var index = 0
    while index < count {
      let word = unsafe EightBytes.load(source + index)
      unsafe UnsafeMutableRawPointer(base + used).storeBytes(of: word.littleEndian, as: UInt64.self)
      let marks = EightBytes.needingEscape(word)
      let clean = Swift.min(marks == 0 ? 8 : EightBytes.first(marks), count &- index)
      index &+= clean
      used &+= clean
      guard clean < 8, index < count else { continue }
      let start = used
      unsafe index &+= escape(source + index)
      guard unsafe base[start] == 0x5C else { continue }
      let letter = unsafe base[start &+ 1]
      if letter == 0x22 || letter == 0x5C {
        unsafe base[start &+ 1] = 0x5C
        unsafe base[start &+ 2] = 0x5C
        unsafe base[start &+ 3] = letter
        used = start &+ 4
      } else {
        var index = used
        while index > start {
          unsafe base[index] = unsafe base[index &- 1]
          index &-= 1
        }
        used &+= 1
      }
    }
  }

  /// Writes an escape in its shortest form and returns its length in the source.
  @inline(__always)
  private mutating func escape(_ source: UnsafePointer<UInt8>) -> Int {
    guard unsafe source[1] == 0x22 || source[1] == 0x5C else { return unsafe otherEscape(source) }
    unsafe base[used] = 0x5C
    unsafe base[used &+ 1] = unsafe source[1]
    used &+= 2
    return 2
  }

  @inline(never)
  private mutating func otherEscape(_ source: UnsafePointer<UInt8>) -> Int {
    switch unsafe source[1] {
    case 0x2F:
      unsafe base[used] = 0x2F
      used &+= 1
      return 2
    case 0x75: return unsafe unicode(source)
    default:
      unsafe base[used] = 0x5C
      unsafe base[used &+ 1] = unsafe source[1]
      used &+= 2
      return 2
    }
  }

  private mutating func unicode(_ source: UnsafePointer<UInt8>) -> Int {
    let code = unsafe JSONWriter.unit(source)
    if code < 0x20 || code == 0x22 || code == 0x5C {
      unsafe used &+= JSONWriter.escape(UInt8(truncatingIfNeeded: code), to: base + used)
      return 6
    }
    let isPair = code & 0xFC00 == 0xD800
    let full = unsafe isPair ? 0x10000 + ((code & 0x3FF) << 10 | JSONWriter.unit(source + 6) & 0x3FF) : code
    // The scanner let no lone surrogate pass, so this is a scalar value.
    let scalar = Unicode.Scalar(full) ?? "\u{FFFD}"
    for byte in UTF8.encode(scalar) ?? .encodedReplacementCharacter {
      unsafe base[used] = byte
      used &+= 1
    }
    return isPair ? 12 : 6
  }

  /// The code unit of `\uXXXX`.
  private static func unit(_ source: UnsafePointer<UInt8>) -> UInt32 {
    (2..<6).reduce(0) { unsafe $0 << 4 | UInt32(Hex.value(source[$1]) ?? 0) }
  }
}

extension JSONDocument {
  /// Whether a value is written as `JSONWriter` writes it: without white space, and without escapes.
  ///
  /// Most documents are, which the scan saw. Otherwise the bytes that its tokens need are counted; where the source has as many, nothing else is in it.
  func isMinified(_ node: JSONNode) -> Bool {
    if !hasSpace && !hasEscape { return true }
    let range = sourceRange(of: node)
    let end = next(node.index)
    var needed = 0
    var index = node.index
    while index < end {
      let token = unsafe Token(word: words[index])
      switch token.kind {
      case .array:
        needed &+= Swift.max(count(JSONNode(index: index)) &+ 1, 2)
        index &+= 2
      case .object:
        // Brackets and commas, and a colon for each member.
        needed &+= Swift.max(count(JSONNode(index: index)) &* 2 &+ 1, 2)
        index &+= 2
      case .string:
        if token.isMarked { return false }
        needed &+= token.extent &+ 2
        index &+= 1
      case .null, .no, .yes, .number:
        needed &+= token.extent
        index &+= 1
      }
    }
    return needed == range.count
  }
}
