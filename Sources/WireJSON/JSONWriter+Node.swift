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
    case .number: raw(document.content(token))
    case .string: string(token, of: document, ending: 0x2C)
    case .array, .object:
      if document.isMinified(node) { return document.withSource(of: node) { raw($0) } }
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

  @inline(__always)
  private mutating func string(_ token: Token, of document: JSONDocument, ending: UInt8) {
    guard token.isMarked else {
      // Without an escape it is written as it was read, quotes and all.
      let count = token.extent &+ 2
      reserve(count &+ 1)
      copy(document.source + (token.offset &- 1), count, to: base + used)
      base[used &+ count] = ending
      used &+= count &+ 1
      return
    }
    beginString()
    piece(token, of: document)
    endString()
    base[used &- 1] = ending
  }
}

// MARK: A string of several pieces

extension JSONWriter {
  /// Opens a string that is written in pieces.
  public mutating func beginString() {
    reserve(1)
    base[used] = 0x22
    used &+= 1
  }

  /// Closes a string that was written in pieces.
  public mutating func endString() {
    reserve(2)
    base[used] = 0x22
    base[used &+ 1] = 0x2C
    used &+= 2
  }

  /// Writes a piece of a string that needs no escape.
  public mutating func piece(_ text: [UInt8]) {
    text.withUnsafeBufferPointer { text in
      guard let start = text.baseAddress else { return }
      reserve(text.count)
      copy(start, text.count, to: base + used)
      used &+= text.count
    }
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
    let source = document.source + token.offset
    guard token.isMarked else {
      copy(source, token.extent, to: base + used)
      used &+= token.extent
      return
    }
    var index = 0
    while index < token.extent {
      if source[index] == 0x5C {
        index &+= escape(source + index)
      } else {
        base[used] = source[index]
        used &+= 1
        index &+= 1
      }
    }
  }

  /// Writes an escape in its shortest form and returns its length in the source.
  private mutating func escape(_ source: UnsafePointer<UInt8>) -> Int {
    switch source[1] {
    case 0x2F:
      base[used] = 0x2F
      used &+= 1
      return 2
    case 0x75: return unicode(source)
    default:
      base[used] = 0x5C
      base[used &+ 1] = source[1]
      used &+= 2
      return 2
    }
  }

  private mutating func unicode(_ source: UnsafePointer<UInt8>) -> Int {
    let code = JSONWriter.unit(source)
    if code < 0x20 || code == 0x22 || code == 0x5C {
      used &+= JSONWriter.escape(UInt8(truncatingIfNeeded: code), to: base + used)
      return 6
    }
    let isPair = code & 0xFC00 == 0xD800
    let full = isPair ? 0x10000 + ((code & 0x3FF) << 10 | JSONWriter.unit(source + 6) & 0x3FF) : code
    // The scanner let no lone surrogate pass, so this is a scalar value.
    let scalar = Unicode.Scalar(full) ?? "\u{FFFD}"
    for byte in UTF8.encode(scalar) ?? .encodedReplacementCharacter {
      base[used] = byte
      used &+= 1
    }
    return isPair ? 12 : 6
  }

  /// The code unit of `\uXXXX`.
  private static func unit(_ source: UnsafePointer<UInt8>) -> UInt32 {
    (2..<6).reduce(0) { $0 << 4 | UInt32(Hex.value(source[$1]) ?? 0) }
  }
}

extension JSONDocument {
  /// Whether a value is written as `JSONWriter` writes it: without white space, and without escapes.
  ///
  /// The bytes that its tokens need are counted; where the source has as many, nothing else is in it.
  func isMinified(_ node: JSONNode) -> Bool {
    let range = sourceRange(of: node)
    let end = next(node.index)
    var needed = 0
    var index = node.index
    while index < end {
      let token = Token(word: words[index])
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
