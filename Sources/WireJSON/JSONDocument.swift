/// A document that was read, as a tape of tokens over its own text: the one reader behind everything in this module.
///
/// Reading into the same document again allocates nothing once its memory has grown. Strings are decoded only when asked for;
/// names are compared without being decoded. A document can be copied and shared: reading into one copy leaves the
/// others as they are.
///
/// ```swift
/// var document = JSONDocument()
/// try document.parse(bytes)
/// if let aps = document.member(of: document.root, "aps"), let badge = document.member(of: aps, "badge") {
///   print(document.int(badge) as Any)
/// }
/// ```
public struct JSONDocument: Sendable {
  @usableFromInline var tape = Tape()

  /// The document `null`.
  public init() {}

  /// Reads a document of RFC 8259 from UTF-8 bytes, strictly; see `JSON.parse`.
  ///
  /// After an error the document is `null`.
  /// - Throws: `JSONError` with the place and what was expected there.
  public mutating func parse(_ bytes: [UInt8], limits: JSONLimits = .default) throws(JSONError) {
    try parse(count: bytes.count, limits) { tape in bytes.withUnsafeBufferPointer { tape.load($0) } }
  }

  /// Reads a document from bytes that stay with the caller: they are copied.
  public mutating func parse(_ bytes: UnsafeBufferPointer<UInt8>, limits: JSONLimits = .default) throws(JSONError) {
    try parse(count: bytes.count, limits) { $0.load(bytes) }
  }

  /// Reads a document from a string.
  public mutating func parse(_ text: String, limits: JSONLimits = .default) throws(JSONError) {
    var text = text
    try parse(count: text.utf8.count, limits) { tape in text.withUTF8 { tape.load($0) } }
  }

  private mutating func parse(count: Int, _ limits: JSONLimits, load: (Tape) -> Void) throws(JSONError) {
    if !isKnownUniquelyReferenced(&tape) { tape = Tape() }
    guard count <= limits.maxBytes else {
      clear()
      throw JSONError.tooLong(count, limit: limits.maxBytes)
    }
    load(tape)
    var scanner = TapeScanner(tape, maxDepth: limits.maxDepth)
    do throws(ScanFault) {
      try scanner.scan()
      tape.used = scanner.used
    } catch {
      let failure = JSONError(error, scanner)
      clear()
      throw failure
    }
  }

  /// Makes this the document `null`.
  private func clear() {
    tape.words[0] = Token(.null, offset: 0, extent: 0).word
    tape.used = 1
  }
}

/// A value in a document; it means something only together with the document that gave it, until that reads again.
public struct JSONNode: Sendable, Hashable {
  @usableFromInline let index: Int
  @inline(__always) @inlinable init(index: Int) { self.index = index }
}
