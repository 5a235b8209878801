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
public struct JSONDocument {
  @usableFromInline var memory: TapeMemory
  // The addresses inside `memory`, kept here because reading a class's variables is checked and takes longer.
  @usableFromInline var source: UnsafePointer<UInt8>
  @usableFromInline var words: UnsafePointer<UInt64>
  /// The number of words on the tape.
  @usableFromInline var used = 0
  /// Whether there is white space between tokens, and whether a string has an escape; either may be true without.
  var hasSpace = false
  var hasEscape = false

  /// The document `null`.
  public init() {
    memory = TapeMemory()
    source = UnsafePointer(memory.source)
    words = UnsafePointer(memory.words)
    clear()
  }

  /// Reads a document of RFC 8259 from UTF-8 bytes, strictly; see `JSON.parse`.
  ///
  /// After an error the document is `null`.
  /// - Throws: `JSONError` with the offset and what was expected there.
  public mutating func parse(_ bytes: [UInt8], limits: JSONLimits = .default) throws(JSONError) {
    try parse(count: bytes.count, limits) { memory in bytes.withUnsafeBufferPointer { memory.load($0) } }
  }

  /// Reads a document from bytes that stay with the caller: they are copied.
  public mutating func parse(_ bytes: UnsafeBufferPointer<UInt8>, limits: JSONLimits = .default) throws(JSONError) {
    try parse(count: bytes.count, limits) { $0.load(bytes) }
  }

  /// Reads a document from bytes that stay with the caller: they are copied.
  public mutating func parse(_ bytes: Span<UInt8>, limits: JSONLimits = .default) throws(JSONError) {
    try parse(count: bytes.count, limits) { memory in bytes.withUnsafeBufferPointer { memory.load($0) } }
  }

  /// Reads a document from a string.
  public mutating func parse(_ text: String, limits: JSONLimits = .default) throws(JSONError) {
    var text = text
    try parse(count: text.utf8.count, limits) { memory in text.withUTF8 { memory.load($0) } }
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
      do throws(JSONError) { try parse(other.content(token), limits: limits) } catch { return false }
      return true
    }
    if !isKnownUniquelyReferenced(&memory) { memory = TapeMemory() }
    let count = memory.loadDecoded(other.source + token.offset, token.extent)
    do throws(JSONError) { try scan(count, limits) } catch { return false }
    return true
  }

  private mutating func parse(count: Int, _ limits: JSONLimits, load: (TapeMemory) -> Void) throws(JSONError) {
    if !isKnownUniquelyReferenced(&memory) { memory = TapeMemory() }
    if count <= limits.maxBytes { load(memory) }
    try scan(count, limits)
  }

  /// Reads what was loaded into the memory.
  private mutating func scan(_ count: Int, _ limits: JSONLimits) throws(JSONError) {
    guard count <= limits.maxBytes else {
      clear()
      throw JSONError.tooLong(count, limit: limits.maxBytes)
    }
    memory.wordLimit = limits.maxTokens
    let end = TapeScanner.run(memory, count: count, maxDepth: limits.maxDepth)
    // Checked first: a scan that was cut off for it ends with a fault.
    guard end.used <= limits.maxTokens else {
      clear()
      throw JSONError.tooMany(limit: limits.maxTokens)
    }
    if let fault = end.fault {
      let error = JSONError(fault, end, memory, count: count, maxDepth: limits.maxDepth)
      clear()
      throw error
    }
    adopt(used: end.used)
    (hasSpace, hasEscape) = (end.hasSpace, end.hasEscape)
  }

  /// Makes this the document `null`.
  private mutating func clear() {
    memory.words[0] = Token(.null, offset: 0, extent: 0).word
    adopt(used: 1)
    (hasSpace, hasEscape) = (false, false)
  }

  /// Takes the addresses of the memory as they are now.
  private mutating func adopt(used: Int) {
    source = UnsafePointer(memory.source)
    words = UnsafePointer(memory.words)
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
