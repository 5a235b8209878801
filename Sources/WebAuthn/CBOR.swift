/// A value of CBOR (RFC 8949), as far as authenticators write it: CTAP2's canonical form has no other.
///
/// Read by code of our own: what a registration has in CBOR is two maps of a few entries. libcbor builds a tree on the heap for
/// whatever is sent, takes lengths that are not the shortest, indefinite ones and keys that come twice, all of which would have to
/// be looked for afterwards, and would be one library more on every machine that the server runs on.
public indirect enum CBOR: Sendable, Hashable {
  /// An integer.
  case int(Int64)
  /// A byte string.
  case bytes([UInt8])
  /// A text string.
  case text(String)
  /// An array.
  case array([CBOR])
  /// A map, in the order in which it was written.
  case map([CBORPair])
  /// A truth value.
  case bool(Bool)
  /// Null.
  case null

  /// The value of a map under an integer.
  public subscript(key: Int64) -> CBOR? { self[.int(key)] }

  /// The value of a map under a text.
  public subscript(key: String) -> CBOR? { self[.text(key)] }

  private subscript(key: CBOR) -> CBOR? {
    guard case .map(let pairs) = self else { return nil }
    return pairs.first { $0.key == key }?.value
  }

  /// The bytes of a byte string, or nil.
  public var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
  /// The integer, or nil.
  public var int: Int64? { if case .int(let int) = self { int } else { nil } }
  /// The text, or nil.
  public var text: String? { if case .text(let text) = self { text } else { nil } }
}

/// An entry of a map of CBOR.
public struct CBORPair: Sendable, Hashable {
  /// The key.
  public let key: CBOR
  /// The value.
  public let value: CBOR
}

/// What is wrong with bytes that should be CBOR, and where.
public struct CBORError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong.
  public let message: String
  /// The offset of the byte at which it was found.
  public let offset: Int

  /// The message with the offset.
  public var description: String { "\(message) at byte \(offset)" }
}

/// Reads CBOR strictly and within bounds.
public struct CBORReader: Sendable {
  /// How deep arrays and maps may be nested; CTAP2 allows four.
  public static let depthMax = 4
  /// Values in one document, so that many small ones do not take more memory than their bytes suggest.
  public static let valuesMax = 256

  private let input: [UInt8]
  private var offset: Int
  private var values = 0

  private init(_ input: [UInt8], from offset: Int) {
    self.input = input
    self.offset = offset
  }

  /// The value that is all of the bytes.
  public static func read(_ input: [UInt8]) throws(CBORError) -> CBOR {
    let (value, end) = try first(of: input, from: 0)
    guard end == input.count else { throw CBORError(message: "more bytes than the value has", offset: end) }
    return value
  }

  /// The value that begins at an offset, and the offset behind it.
  public static func first(of input: [UInt8], from offset: Int) throws(CBORError) -> (value: CBOR, end: Int) {
    var reader = CBORReader(input, from: offset)
    let value = try reader.value(depth: 0)
    return (value, reader.offset)
  }

  private func failure(_ message: String) -> CBORError { CBORError(message: message, offset: offset) }

  private mutating func value(depth: Int) throws(CBORError) -> CBOR {
    values += 1
    guard values <= Self.valuesMax else { throw failure("more than \(Self.valuesMax) values") }
    guard offset < input.count else { throw failure("the value ends early") }
    let kind = input[offset] >> 5
    // Truth values and null have no argument that is a number; floats and what is reserved are not read.
    if kind == 7 { return try simple() }
    let start = offset
    let argument = try argument()
    switch kind {
    case 0, 1:
      guard let number = Int64(exactly: argument) else {
        throw CBORError(message: "an integer of more than 63 bits", offset: start)
      }
      return .int(kind == 0 ? number : -1 - number)
    case 2: return .bytes(try take(argument))
    case 3:
      let bytes = try take(argument)
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw CBORError(message: "a text that is not UTF-8", offset: start)
      }
      return .text(text)
    case 4:
      try enter(argument, depth, entryBytes: 1)
      var items: [CBOR] = []
      for _ in 0..<argument { items.append(try value(depth: depth + 1)) }
      return .array(items)
    case 5:
      try enter(argument, depth, entryBytes: 2)
      return .map(try pairs(argument, depth: depth))
    default: throw CBORError(message: "a tag, which authenticators do not write", offset: start)
    }
  }

  private mutating func pairs(_ count: UInt64, depth: Int) throws(CBORError) -> [CBORPair] {
    var pairs: [CBORPair] = []
    var seen = Set<CBOR>()
    for _ in 0..<count {
      let start = offset
      let key = try value(depth: depth + 1)
      switch key {
      case .int, .text: break
      default: throw CBORError(message: "a key of a map that is neither an integer nor a text", offset: start)
      }
      guard seen.insert(key).inserted else { throw CBORError(message: "a key that comes twice", offset: start) }
      pairs.append(CBORPair(key: key, value: try value(depth: depth + 1)))
    }
    return pairs
  }

  /// Refuses arrays and maps that are nested too deeply, or longer than the bytes that are left.
  private func enter(_ count: UInt64, _ depth: Int, entryBytes: UInt64) throws(CBORError) {
    guard depth < Self.depthMax else { throw failure("nested deeper than \(Self.depthMax)") }
    guard count <= UInt64(input.count - offset) / entryBytes else { throw failure("the value ends early") }
  }

  private mutating func simple() throws(CBORError) -> CBOR {
    let value: CBOR
    switch input[offset] {
    case 0xF4: value = .bool(false)
    case 0xF5: value = .bool(true)
    case 0xF6: value = .null
    default: throw failure("a float or a simple value, which authenticators do not write")
    }
    offset += 1
    return value
  }

  /// The number in or behind a value's first byte, which must be written in as few bytes as it needs.
  private mutating func argument() throws(CBORError) -> UInt64 {
    let low = input[offset] & 0x1F
    if low < 24 {
      offset += 1
      return UInt64(low)
    }
    guard low < 28 else { throw failure("a length that is not given, or a reserved one") }
    let count = 1 << Int(low - 24)
    guard input.count - offset > count else { throw failure("the value ends early") }
    var number: UInt64 = 0
    for byte in input[(offset + 1)...(offset + count)] { number = number << 8 | UInt64(byte) }
    let least: UInt64 = count == 1 ? 24 : 1 << UInt64(count * 4)
    guard number >= least else { throw failure("a number that could be shorter") }
    offset += 1 + count
    return number
  }

  private mutating func take(_ count: UInt64) throws(CBORError) -> [UInt8] {
    guard count <= UInt64(input.count - offset) else { throw failure("the value ends early") }
    let bytes = Array(input[offset..<(offset + Int(count))])
    offset += Int(count)
    return bytes
  }
}
