/// One pass over a source that writes its tape, without recursion: the chain of open containers is stored in the tape.
///
/// All hot code is inlined into `run`, where the scanner is a local variable whose address is never taken, so that its
/// state stays in registers.
///
/// `@safe`: the zero behind the source ends every scan, reads of whole words stay within the padding behind it, and
/// the tape grows before it is full.
@safe struct TapeScanner: ~Copyable {
  /// Kept by whoever runs a scan.
  unowned(unsafe) let memory: TapeMemory
  let source: UnsafeMutablePointer<UInt8>
  let maxDepth: Int
  /// The offset of the next byte.
  var at = 0
  var words: UnsafeMutablePointer<UInt64>
  var used = 0
  var capacity: Int
  /// The tape index of the innermost open container, `TapeScanner.none` outside of all.
  var container = TapeScanner.none
  var depth = 0
  /// Whether the innermost open container is an object.
  var inObject = false
  /// Whether there is white space between tokens, and whether a string has an escape.
  var hasSpace = false
  var hasEscape = false

  /// A tape index that no container has.
  static var none: Int { @inline(__always) get { Int(Token.mask) } }

  @inline(__always)
  init(_ memory: TapeMemory, maxDepth: Int) {
    unsafe self.memory = memory
    self.maxDepth = maxDepth
    unsafe source = unsafe memory.source
    unsafe words = unsafe memory.words
    capacity = memory.wordCapacity
  }

  /// How a scan ended.
  struct End {
    /// The number of words on the tape.
    let used: Int
    /// What went wrong, if anything.
    let fault: ScanFault?
    /// The innermost container open at the fault.
    let container: Int
    /// Whether there is white space between tokens, and whether a string has an escape.
    let hasSpace, hasEscape: Bool
  }

  /// Reads the document of `count` bytes that was loaded into `memory`.
  @inline(never)
  static func run(_ memory: TapeMemory, count: Int, maxDepth: Int) -> End {
    var scanner = TapeScanner(memory, maxDepth: maxDepth)
    do throws(ScanFault) {
      try scanner.scan(count)
      return End(
        used: scanner.used, fault: nil, container: none, hasSpace: scanner.hasSpace, hasEscape: scanner.hasEscape)
    } catch {
      return End(used: scanner.used, fault: error, container: scanner.container, hasSpace: true, hasEscape: true)
    }
  }

  /// Reads the whole document.
  @inline(always)
  mutating func scan(_ count: Int) throws(ScanFault) {
    skipSpace()
    repeat {
      while try scanValue() {}
    } while try scanWhatFollows()
    skipSpace()
    if at != count { throw ScanFault(.end, at) }
  }

  /// The current byte; zero at the end of the source.
  @inline(__always) var byte: UInt8 { unsafe source[at] }

  /// Reads one value, or opens a container; true when another value must follow inside of it.
  @inline(always)
  mutating func scanValue() throws(ScanFault) -> Bool {
    switch byte {
    case 0x22: try scanString(.value)
    case 0x7B: return try openObject()
    case 0x5B: return try openArray()
    case 0x2D, 0x30...0x39: try scanNumber()
    case 0x74: try scanWord(0x6575_7274, 4, .yes)
    case 0x66: try scanWord(0x736C_6166, 5, .no)
    case 0x6E: try scanWord(0x6C6C_756E, 4, .null)
    default: throw ScanFault(.value, at)
    }
    return false
  }

  /// Reads what follows a value: closing brackets, then a comma; false at the end of the outermost value.
  @inline(always)
  mutating func scanWhatFollows() throws(ScanFault) -> Bool {
    while container != TapeScanner.none {
      #if !_pointerBitWidth(_32)
        if inObject, try scanTexts() { return true }
      #endif
      skipSpace()
      if byte == 0x2C {
        at &+= 1
        unsafe words[container &+ 1] &+= 1
        skipSpace()
        if inObject { try scanName() }
        return true
      }
      guard byte == (inObject ? 0x7D : 0x5D) else { throw ScanFault(inObject ? .memberEnd : .elementEnd, at) }
      at &+= 1
      closeContainer()
    }
    return false
  }

  @inline(always)
  mutating func openObject() throws(ScanFault) -> Bool {
    try openContainer(.object)
    skipSpace()
    if byte == 0x7D {
      at &+= 1
      unsafe words[container &+ 1] = 0
      closeContainer()
      return false
    }
    inObject = true
    try scanName(.firstName)
    return true
  }

  @inline(always)
  mutating func openArray() throws(ScanFault) -> Bool {
    try openContainer(.array)
    skipSpace()
    if byte == 0x5D {
      at &+= 1
      unsafe words[container &+ 1] = 0
      closeContainer()
      return false
    }
    inObject = false
    return true
  }

  @inline(always)
  mutating func openContainer(_ kind: Token.Kind) throws(ScanFault) {
    guard depth < maxDepth else { throw ScanFault(.depth, at) }
    depth &+= 1
    let index = used
    push(Token(kind, offset: at, extent: container))
    push(Token(word: 1))
    container = index
    at &+= 1
  }

  /// Completes the innermost container, whose closing bracket was just read, and goes back to the one around it.
  @inline(always)
  mutating func closeContainer() {
    let token = unsafe Token(word: words[container])
    let outer = token.extent
    unsafe words[container] = Token(token.kind, offset: token.offset, extent: used).word
    unsafe words[container &+ 1] |= UInt64(truncatingIfNeeded: at) << 28
    container = outer
    depth &-= 1
    inObject = unsafe outer != TapeScanner.none && Token(word: words[outer]).kind == .object
  }

  /// Reads a member's name and the colon behind it.
  @inline(always)
  mutating func scanName(_ expected: ScanFault.Expected = .name) throws(ScanFault) {
    guard byte == 0x22 else { throw ScanFault(expected, at) }
    try scanString(expected)
    skipSpace()
    guard byte == 0x3A else { throw ScanFault(.colon, at) }
    at &+= 1
    skipSpace()
  }

  #if !_pointerBitWidth(_32)
    /// Reads the members that are texts without white space between them; true when a value must follow that is none.
    @inline(always)
    mutating func scanTexts() throws(ScanFault) -> Bool {
      // `,"` and `:"`
      while pair == 0x222C {
        unsafe words[container &+ 1] &+= 1
        at &+= 1
        try scanString(.name)
        guard pair == 0x223A else {
          skipSpace()
          guard byte == 0x3A else { throw ScanFault(.colon, at) }
          at &+= 1
          skipSpace()
          return true
        }
        at &+= 1
        try scanString(.value)
      }
      return false
    }

    /// The current byte and the next, the current one lowest.
    @inline(__always)
    var pair: UInt16 { unsafe UInt16(littleEndian: UnsafeRawPointer(source + at).loadUnaligned(as: UInt16.self)) }
  #endif

  /// Reads a literal whose first four bytes are `head`, the lowest first.
  @inline(always)
  mutating func scanWord(_ head: UInt32, _ length: Int, _ kind: Token.Kind) throws(ScanFault) {
    let word = unsafe UInt32(littleEndian: UnsafeRawPointer(source + at).loadUnaligned(as: UInt32.self))
    guard word == head, unsafe length == 4 || source[at &+ 4] == 0x65 else { throw ScanFault(.value, at) }
    push(Token(kind, offset: at, extent: length))
    at &+= length
  }

  @inline(always)
  mutating func skipSpace() {
    // In the form of our own writer there is nothing to skip.
    if byte > 0x20 { return }
    while byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
      at &+= 1
      hasSpace = true
    }
  }

  @inline(always)
  mutating func push(_ token: Token) {
    if used == capacity {
      unsafe (words, capacity) = unsafe TapeScanner.grow(memory, used, at)
    }
    unsafe words[used] = token.word
    used &+= 1
  }

  /// Makes room; a document with more tokens than allowed ends where the scan is, so that it takes no memory for the others.
  @inline(never)
  static func grow(_ memory: TapeMemory, _ used: Int, _ at: Int) -> (UnsafeMutablePointer<UInt64>, Int) {
    if used > memory.wordLimit { memory.endText(at: at) }
    memory.growWords(to: memory.nextCapacity, keeping: used)
    return unsafe (memory.words, memory.wordCapacity)
  }
}
