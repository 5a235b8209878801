/// A parsed document: a tape of tokens over its own text, used by all other readers of this module.
///
/// Reading into the same document again allocates nothing once its memory has grown. Strings are decoded only on
/// access; names are compared without being decoded. A document can be copied and shared: reading into one copy leaves
/// the others unchanged.
///
/// ```swift
/// var document = JSONDocument()
/// try document.parse(bytes)
/// if let aps = document.member(of: document.root, "aps"), let badge = document.member(of: aps, "badge") {
///   print(document.int(badge) as Any)
/// }
/// ```
///
/// `@safe`: nodes are checked to be of the tape, whose tokens lie within the source; both live as long as `memory`
/// or, in a lent document, as long as the loan.
@safe public struct JSONDocument {
  /// Nil in a document that is lent: whoever lends it keeps the memory, and copies count no references.
  @usableFromInline var memory: TapeMemory?
  // The addresses inside `memory`, kept here because reading a class's variables is checked and takes longer.
  @usableFromInline var source: UnsafePointer<UInt8>
  @usableFromInline var words: UnsafePointer<UInt64>
  /// The number of words on the tape.
  @usableFromInline var used = 0
  /// Whether there is white space between tokens, and whether a string has an escape; either may be true without.
  @usableFromInline var hasSpace = false
  @usableFromInline var hasEscape = false

  /// The document `null`.
  public init() {
    let memory = TapeMemory()
    self.memory = memory
    unsafe source = unsafe UnsafePointer(memory.source)
    unsafe words = unsafe UnsafePointer(memory.words)
    clear(memory)
  }

  /// The same document for reading, without a share in its memory: copies of it are free.
  ///
  /// It means something only as long as this document is there and reads nothing else.
  @inlinable package var lent: JSONDocument { JSONDocument(lending: self) }

  @inlinable
  init(lending other: borrowing JSONDocument) {
    memory = nil
    unsafe (source, words, used) = unsafe (other.source, other.words, other.used)
    (hasSpace, hasEscape) = (other.hasSpace, other.hasEscape)
  }

  /// Reads a document of RFC 8259 from UTF-8 bytes, strictly; see `JSON.parse`.
  ///
  /// After an error the document is `null`.
  /// - Throws: `JSONError` with the offset and what was expected there.
  public mutating func parse(_ bytes: [UInt8], limits: JSONLimits = .default) throws(JSONError) {
    try parse(count: bytes.count, limits) { memory in unsafe bytes.withUnsafeBufferPointer { unsafe memory.load($0) } }
  }

  /// Reads a document from bytes that stay with the caller: they are copied.
  public mutating func parse(_ bytes: UnsafeBufferPointer<UInt8>, limits: JSONLimits = .default) throws(JSONError) {
    try parse(count: bytes.count, limits) { unsafe $0.load(bytes) }
  }

  /// Reads a document from bytes that stay with the caller: they are copied.
  public mutating func parse(_ bytes: Span<UInt8>, limits: JSONLimits = .default) throws(JSONError) {
    try parse(count: bytes.count, limits) { memory in unsafe bytes.withUnsafeBufferPointer { unsafe memory.load($0) } }
  }

  /// Reads a document from a string.
  public mutating func parse(_ text: String, limits: JSONLimits = .default) throws(JSONError) {
    var text = text
    try parse(count: text.utf8.count, limits) { memory in text.withUTF8 { unsafe memory.load($0) } }
  }

  /// Reads the JSON text that a string of another document holds, as `parse(_:limits:)` reads its decoded text.
  ///
  /// After an error, and when the value is no string, the document is `null`.
  /// - Returns: false after an error, and when the value is no string.
  public mutating func parse(textOf node: JSONNode, in other: JSONDocument, limits: JSONLimits = .default) -> Bool {
    let token = other.token(node)
    guard token.kind == .string else {
      self = JSONDocument()
      return false
    }
    guard token.isMarked else {
      do throws(JSONError) { try unsafe parse(other.content(token), limits: limits) } catch { return false }
      return true
    }
    let memory = ownMemory()
    let count = unsafe memory.loadDecoded(other.source + token.offset, token.extent)
    do throws(JSONError) { try scan(memory, count, limits) } catch { return false }
    return true
  }

  private mutating func parse(count: Int, _ limits: JSONLimits, load: (TapeMemory) -> Void) throws(JSONError) {
    let memory = ownMemory()
    if count <= limits.maxBytes { load(memory) }
    try scan(memory, count, limits)
  }

  /// Memory that no other document has.
  @inline(__always)
  private mutating func ownMemory() -> TapeMemory {
    if isKnownUniquelyReferenced(&memory), let memory { return memory }
    let made = TapeMemory()
    memory = made
    return made
  }

  /// Reads what was loaded into the memory.
  private mutating func scan(_ memory: TapeMemory, _ count: Int, _ limits: JSONLimits) throws(JSONError) {
    guard count <= limits.maxBytes else {
      clear(memory)
      throw JSONError.tooLong(count, limit: limits.maxBytes)
    }
    memory.wordLimit = limits.maxTokens
    let end = TapeScanner.run(memory, count: count, maxDepth: limits.maxDepth)
    // Checked first: a scan that was cut off for it ends with a fault.
    guard end.used <= limits.maxTokens else {
      clear(memory)
      throw JSONError.tooMany(limit: limits.maxTokens)
    }
    if let fault = end.fault {
      let error = JSONError(fault, end, memory, count: count, maxDepth: limits.maxDepth)
      clear(memory)
      throw error
    }
    adopt(memory, used: end.used)
    (hasSpace, hasEscape) = (end.hasSpace, end.hasEscape)
  }

  /// Makes this the document `null`.
  private mutating func clear(_ memory: TapeMemory) {
    unsafe memory.words[0] = Token(.null, offset: 0, extent: 0).word
    adopt(memory, used: 1)
    (hasSpace, hasEscape) = (false, false)
  }

  /// Takes the addresses of the memory as they are now.
  private mutating func adopt(_ memory: TapeMemory, used: Int) {
    unsafe source = unsafe UnsafePointer(memory.source)
    unsafe words = unsafe UnsafePointer(memory.words)
    self.used = used
  }
}

// Safe: the addresses point into `memory`, which is only written to while one document alone holds it.
extension JSONDocument: @unchecked Sendable {}

/// A value in a document; it means something only together with the document that gave it, until that reads again.
public struct JSONNode: Sendable, Hashable {
  @usableFromInline let index: Int
  @inline(__always) @inlinable init(index: Int) { self.index = index }
}
