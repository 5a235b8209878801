/// One request as a gateway receives it, pseudo-headers included, in one block of bytes that is reused.
///
/// Made for the reading path of a load test: filling and reading one allocates nothing once it has grown.
public struct GatewayRequest: Sendable {
  struct Field {
    var nameStart: Int32
    var valueStart: Int32
    var valueEnd: Int32
  }

  private(set) var bytes: [UInt8] = []
  private(set) var fields: [Field] = []
  /// The field of each `GatewayHeader`, -1 when absent.
  private var known = InlineArray<12, Int16>(repeating: -1)
  /// Whether a header came twice.
  private(set) var hasDuplicates = false
  /// One bit for each name that no `GatewayHeader` has, by its length and ends: a bit that is set asks for a closer look.
  private var otherNames: UInt64 = 0
  /// Hashes of all names, once there are more than a scan should look through.
  private var nameHashes: Set<Int> = []
  private static let scannedFieldsMax = 64
  private var bodyStart = 0

  /// An empty request.
  public init() {}

  /// A request from texts, for tests and HTTP/1.1.
  public init(method: String, path: String, headers: [(String, String)], body: [UInt8]) {
    self.init()
    add(name: Array(":method".utf8), value: Array(method.utf8))
    add(name: Array(":path".utf8), value: Array(path.utf8))
    for (name, value) in headers { add(name: Array(name.lowercased().utf8), value: Array(value.utf8)) }
    setBody(body)
  }

  /// Forgets everything and keeps the memory.
  public mutating func reset() {
    bytes.removeAll(keepingCapacity: true)
    fields.removeAll(keepingCapacity: true)
    for index in known.indices { known[index] = -1 }
    hasDuplicates = false
    otherNames = 0
    nameHashes.removeAll(keepingCapacity: true)
    bodyStart = 0
  }

  /// Adds a header field, pseudo-headers among them; all fields come before the body.
  public mutating func add(name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>) {
    let start = bytes.count
    unsafe bytes.append(contentsOf: name)
    unsafe bytes.append(contentsOf: value)
    let field = Field(
      nameStart: Int32(start), valueStart: Int32(start + name.count), valueEnd: Int32(bytes.count))
    if let header = unsafe GatewayHeader.named(name) {
      // An index has 16 bits; a header beyond that is refused like a repeated one.
      let index = Int16(exactly: fields.count)
      if known[header.rawValue] < 0, let index { known[header.rawValue] = index } else { hasDuplicates = true }
    } else if unsafe isRepeated(name) {
      hasDuplicates = true
    }
    fields.append(field)
    bodyStart = bytes.count
  }

  /// Whether a name that no `GatewayHeader` has came before.
  private mutating func isRepeated(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    guard fields.count < Self.scannedFieldsMax else { return unsafe isHashRepeated(name) }
    guard let first = unsafe name.first, let last = unsafe name.last else { return false }
    let bit: UInt64 = 1 << UInt64((name.count &* 7 &+ Int(first) &* 3 &+ Int(last)) & 63)
    defer { otherNames |= bit }
    guard otherNames & bit != 0 else { return false }
    return fields.contains { field in
      unsafe Int(field.valueStart - field.nameStart) == name.count
        && bytes[Int(field.nameStart)..<Int(field.valueStart)].elementsEqual(name)
    }
  }

  /// The same for a request with very many fields, in time that grows with their number only.
  private mutating func isHashRepeated(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    if nameHashes.isEmpty {
      for field in fields { nameHashes.insert(bytes[Int(field.nameStart)..<Int(field.valueStart)].hashValue) }
    }
    return unsafe !nameHashes.insert(ArraySlice(name).hashValue).inserted
  }

  /// Adds a header field.
  public mutating func add(name: [UInt8], value: [UInt8]) {
    unsafe name.withUnsafeBufferPointer { name in
      unsafe value.withUnsafeBufferPointer { unsafe add(name: name, value: $0) }
    }
  }

  /// Sets the body, after the last header field.
  public mutating func setBody(_ body: UnsafeBufferPointer<UInt8>) {
    bytes.removeLast(bytes.count - bodyStart)
    unsafe bytes.append(contentsOf: body)
  }

  /// Sets the body, after the last header field.
  public mutating func setBody(_ body: [UInt8]) { unsafe body.withUnsafeBufferPointer { unsafe setBody($0) } }

  /// The body's range in `bytes`.
  var bodyRange: Range<Int> { bodyStart..<bytes.count }

  /// The body.
  var body: ArraySlice<UInt8> { bytes[bodyRange] }

  /// The range of a header's value in `bytes`; nil when the header is absent.
  func range(_ header: GatewayHeader) -> Range<Int>? {
    let index = known[header.rawValue]
    guard index >= 0 else { return nil }
    let field = fields[Int(index)]
    return Int(field.valueStart)..<Int(field.valueEnd)
  }

  /// A header's value as text; nil when the header is absent.
  func text(_ header: GatewayHeader) -> String? { range(header).map(text) }

  func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  /// Whether the bytes at `range` are this text.
  func matches(_ range: Range<Int>, _ text: StaticString) -> Bool {
    guard range.count == text.utf8CodeUnitCount else { return false }
    return hasPrefix(range, text)
  }

  /// Whether the bytes at `range` start with this text.
  func hasPrefix(_ range: Range<Int>, _ text: StaticString) -> Bool {
    guard range.count >= text.utf8CodeUnitCount else { return false }
    let bytes = self.bytes.span
    for index in 0..<text.utf8CodeUnitCount where unsafe bytes[range.lowerBound + index] != text.utf8Start[index] {
      return false
    }
    return true
  }

  /// Whether the bytes at `range` end with these.
  func hasSuffix(_ range: Range<Int>, _ suffix: [UInt8]) -> Bool {
    guard range.count >= suffix.count else { return false }
    let bytes = self.bytes.span
    let start = range.upperBound - suffix.count
    for index in 0..<suffix.count where bytes[start + index] != suffix[index] { return false }
    return true
  }

  /// Whether the bytes at `range` are these.
  func equals(_ range: Range<Int>, _ other: [UInt8]) -> Bool {
    range.count == other.count && hasSuffix(range, other)
  }

  /// The bytes at `range` as a non-negative decimal number without sign or space; nil for anything else.
  func decimal(_ range: Range<Int>) -> Int64? {
    guard !range.isEmpty, range.count <= 18 else { return nil }
    let bytes = self.bytes.span
    var value: Int64 = 0
    for index in range {
      guard bytes[index] >= 0x30, bytes[index] <= 0x39 else { return nil }
      value = value * 10 + Int64(bytes[index] - 0x30)
    }
    return value
  }

  /// All fields as text, in order, the `authorization` value shortened to its scheme so that no credential is kept.
  var fieldTexts: [(name: String, value: String)] {
    fields.map { field in
      let name = text(Int(field.nameStart)..<Int(field.valueStart))
      let value = text(Int(field.valueStart)..<Int(field.valueEnd))
      return (name, name == "authorization" ? String(value.prefix { $0 != " " }) + " …" : value)
    }
  }
}
