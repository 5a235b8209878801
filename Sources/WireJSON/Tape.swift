/// A token of a document: one 64-bit word each, containers two.
///
///     scalar     kind 4 | flags 4 | length 28 | offset 28
///     container  kind 4 | flags 4 | next 28   | offset 28      then      end 28 | count 28
///
/// `offset` and `end` are offsets in the source: of the first content byte of a string (after its quote), the first
/// byte of everything else, and the byte after the closing bracket. `next` is the tape index after the container; while
/// the container is open it is the tape index of the enclosing container. `count` is the number of elements or members.
/// An object's children are name, value, name, value, …
@usableFromInline
struct Token {
  @usableFromInline var word: UInt64

  @inline(__always) @inlinable init(word: UInt64) { self.word = word }

  @inline(__always) @inlinable
  init(_ kind: Kind, offset: Int, extent: Int, flags: UInt64 = 0) {
    word =
      UInt64(kind.rawValue) << 60 | flags | UInt64(truncatingIfNeeded: extent) << 28
      | UInt64(truncatingIfNeeded: offset)
  }

  /// The flag of a string with escapes, or of a number with fraction or exponent.
  @usableFromInline static var mark: UInt64 { @inline(__always) @inlinable get { 1 << 56 } }

  /// The flag of a string with raw characters that are not ASCII.
  @usableFromInline static var beyondASCII: UInt64 { @inline(__always) @inlinable get { 1 << 57 } }

  @usableFromInline
  enum Kind: UInt8 {
    case null, no, yes, number, string, array, object
  }

  /// All bits of a 28-bit field.
  @usableFromInline static var mask: UInt64 { @inline(__always) @inlinable get { 0xFFF_FFFF } }

  /// Always one of the seven cases: only `init(_:offset:extent:…)` sets these bits.
  @usableFromInline var kind: Kind {
    @inline(__always) @inlinable get { Kind(rawValue: UInt8(truncatingIfNeeded: word >> 60)) ?? .null }
  }

  @usableFromInline var offset: Int { @inline(__always) @inlinable get { Int(word & Token.mask) } }

  /// The length of a scalar, `next` of a container.
  @usableFromInline var extent: Int { @inline(__always) @inlinable get { Int(word >> 28 & Token.mask) } }

  @usableFromInline var isMarked: Bool { @inline(__always) @inlinable get { word & Token.mark != 0 } }

  @usableFromInline var isBeyondASCII: Bool { @inline(__always) @inlinable get { word & Token.beyondASCII != 0 } }

  /// Kind, mark and length, for comparing them at once.
  @usableFromInline var shape: UInt64 { @inline(__always) @inlinable get { (word & ~Token.beyondASCII) >> 28 } }

  @usableFromInline var isContainer: Bool { @inline(__always) @inlinable get { word >> 60 >= 5 } }
}

/// The memory of a document: a copy of the source followed by zeros, and the tape.
///
/// The copy is cheap and allows whole words to be read anywhere in the text; the zero after the end stops every scan,
/// because no JSON token may contain it.
///
/// It only owns the memory: `JSONDocument` and `TapeScanner` access it through its two addresses.
///
/// `@safe`: both blocks live as long as the object, and it alone frees them.
@usableFromInline
@safe final class TapeMemory {
  private(set) var source: UnsafeMutablePointer<UInt8>
  private(set) var words: UnsafeMutablePointer<UInt64>
  private var sourceCapacity = 1024
  private(set) var wordCapacity = 256
  private var sourceCount = 0
  /// The words that a scan may use.
  var wordLimit = Int.max

  /// Zeros behind the source: more than the widest read.
  static let padding = 64
  /// Payloads have about one token for ten bytes; with fewer bytes for each, the tape grows on the way.
  static let bytesPerToken = 8

  init() {
    unsafe source = .allocate(capacity: sourceCapacity + TapeMemory.padding)
    unsafe words = .allocate(capacity: wordCapacity)
  }

  deinit {
    unsafe source.deallocate()
    unsafe words.deallocate()
  }

  /// Takes over a text and makes room for its likely number of tokens.
  func load(_ text: UnsafeBufferPointer<UInt8>) {
    makeRoom(text.count)
    if let start = text.baseAddress { unsafe source.update(from: start, count: text.count) }
    end(at: text.count)
  }

  /// Takes over the text of a string that has escapes, without them, and returns its length.
  ///
  /// Behind the string, as many zeros can be read as behind a source.
  func loadDecoded(_ text: UnsafePointer<UInt8>, _ count: Int) -> Int {
    makeRoom(count)
    let decoded = unsafe StringText.unescape(
      text, count, into: UnsafeMutableBufferPointer(start: source, count: count + TapeMemory.padding))
    end(at: decoded)
    return decoded
  }

  private func makeRoom(_ count: Int) {
    guard count > sourceCapacity else { return }
    unsafe source.deallocate()
    sourceCapacity = max(count, min(sourceCapacity * 2, JSONLimits.maxBytesCeiling))
    unsafe source = .allocate(capacity: sourceCapacity + TapeMemory.padding)
  }

  private func end(at count: Int) {
    unsafe (source + count).update(repeating: 0, count: TapeMemory.padding)
    sourceCount = count
    let likely = count / TapeMemory.bytesPerToken
    if likely > wordCapacity { growWords(to: likely, keeping: 0) }
  }

  /// Forgets the text from there on: no token goes on beyond it.
  func endText(at offset: Int) {
    guard offset < sourceCount else { return }
    unsafe (source + offset).update(repeating: 0, count: sourceCount - offset)
  }

  /// Room for twice as many words, or for a few beyond the limit.
  var nextCapacity: Int {
    let twice = wordCapacity * 2
    return wordLimit < twice ? max(wordLimit, wordCapacity) + TapeMemory.padding : twice
  }

  /// Makes room for more tokens and keeps the first `used`.
  @inline(never)
  func growWords(to capacity: Int, keeping used: Int) {
    let grown = UnsafeMutablePointer<UInt64>.allocate(capacity: capacity)
    unsafe grown.update(from: words, count: used)
    unsafe words.deallocate()
    unsafe words = unsafe grown
    wordCapacity = capacity
  }
}

// Safe: `JSONDocument` writes to a memory only while it is the only one to hold it, and shares it only for reading.
extension TapeMemory: @unchecked Sendable {}
