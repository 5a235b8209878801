/// Reads the binary form of property lists (`bplist00`), which is what a built app holds.
struct BinaryPropertyList {
  /// Why a file is no binary property list, and at which byte.
  struct Fault: Error, Sendable, Hashable {
    let message: String
    let offset: Int
  }

  private let bytes: [UInt8]
  private let limits: TextLimits
  private var offsetsStart = 0
  private var offsetSize = 0
  private var referenceSize = 0
  private var objectsCount = 0
  private var valuesCount = 0
  private var textBytesCount = 0

  /// How such a file starts.
  static let mark = Array("bplist00".utf8)

  init(_ bytes: [UInt8], limits: TextLimits) {
    self.bytes = bytes
    self.limits = limits
  }

  /// Reads the whole list.
  mutating func read() throws(Fault) -> PropertyList {
    guard bytes.count >= 8 + 32 else { throw Fault(message: "the file is too short for its trailer", offset: 0) }
    let trailer = bytes.count - 32
    offsetSize = Int(bytes[trailer + 6])
    referenceSize = Int(bytes[trailer + 7])
    let count = number(trailer + 8, 8)
    let top = number(trailer + 16, 8)
    let start = number(trailer + 24, 8)
    guard (1...8).contains(offsetSize), (1...8).contains(referenceSize), let count, let top, let start,
      count <= bytes.count, top < count, start <= trailer, start + count * offsetSize <= trailer
    else { throw Fault(message: "the trailer does not fit the file", offset: trailer) }
    objectsCount = count
    offsetsStart = start
    return try object(top, depth: 0)
  }

  private mutating func object(_ index: Int, depth: Int) throws(Fault) -> PropertyList {
    guard index < objectsCount, let offset = number(offsetsStart + index * offsetSize, offsetSize),
      offset < offsetsStart
    else { throw Fault(message: "object \(index) does not exist", offset: offsetsStart) }
    // An object that contains itself ends here, too.
    guard depth < limits.depthMax else {
      throw Fault(message: "values lie deeper than \(limits.depthMax) in each other, or in a circle", offset: offset)
    }
    valuesCount += 1
    guard valuesCount <= limits.entriesMax * 16 else {
      throw Fault(message: "more than \(limits.entriesMax * 16) values in one file", offset: offset)
    }
    return PropertyList(value: try value(offset, depth: depth), offset: offset)
  }

  private mutating func value(_ offset: Int, depth: Int) throws(Fault) -> PropertyList.Value {
    let low = Int(bytes[offset] & 0x0F)
    switch bytes[offset] >> 4 {
    case 0x1:
      guard low <= 3, let value = number(offset + 1, 1 << low) else { return .other }
      return .integer(value)
    case 0x5:
      let (start, count) = try extent(offset, unit: 1)
      try take(count, at: offset)
      return .text(String(decoding: bytes[start..<(start + count)], as: UTF8.self))
    case 0x6:
      let (start, count) = try extent(offset, unit: 2)
      try take(count * 2, at: offset)
      let units = (0..<count).map { UInt16(bytes[start + $0 * 2]) << 8 | UInt16(bytes[start + $0 * 2 + 1]) }
      return .text(String(decoding: units, as: UTF16.self))
    case 0xA:
      let (start, count) = try extent(offset, unit: referenceSize)
      return .array(try objects(start, count, depth))
    case 0xD:
      let (start, count) = try extent(offset, unit: 2 * referenceSize)
      return .dictionary(try members(start, count, depth))
    default: return .other
    }
  }

  /// Counts the bytes of texts: one that is referred to a million times must not become a million copies.
  private mutating func take(_ count: Int, at offset: Int) throws(Fault) {
    textBytesCount += count
    guard textBytesCount <= limits.fileBytesMax else {
      throw Fault(message: "the texts have more than \(limits.fileBytesMax) bytes altogether", offset: offset)
    }
  }

  private mutating func members(
    _ start: Int, _ count: Int, _ depth: Int
  ) throws(Fault) -> [(key: String, value: PropertyList)] {
    let keys = try objects(start, count, depth)
    let values = try objects(start + count * referenceSize, count, depth)
    var members: [(key: String, value: PropertyList)] = []
    for (key, value) in zip(keys, values) {
      guard let text = key.text else { throw Fault(message: "a key is no text", offset: key.offset) }
      members.append((key: text, value: value))
    }
    return members
  }

  private mutating func objects(_ start: Int, _ count: Int, _ depth: Int) throws(Fault) -> [PropertyList] {
    var objects: [PropertyList] = []
    for element in 0..<count {
      guard let index = number(start + element * referenceSize, referenceSize) else {
        throw Fault(message: "a reference is too large", offset: start)
      }
      objects.append(try object(index, depth: depth + 1))
    }
    return objects
  }

  /// Where the content of an object starts and how many units it has.
  private func extent(_ offset: Int, unit: Int) throws(Fault) -> (start: Int, count: Int) {
    var start = offset + 1
    var count = Int(bytes[offset] & 0x0F)
    if count == 0x0F {
      guard start < bytes.count, bytes[start] >> 4 == 1, bytes[start] & 0x0F <= 3,
        let long = number(start + 1, 1 << Int(bytes[start] & 0x0F))
      else { throw Fault(message: "a length is missing", offset: offset) }
      start += 1 + 1 << Int(bytes[offset + 1] & 0x0F)
      count = long
    }
    guard count <= bytes.count, start + count * unit <= offsetsStart else {
      throw Fault(message: "a value is longer than the file", offset: offset)
    }
    return (start, count)
  }

  /// A number in big-endian order; nil outside of the file, and above what any file has.
  private func number(_ offset: Int, _ size: Int) -> Int? {
    guard offset >= 0, offset + size <= bytes.count else { return nil }
    var value: UInt64 = 0
    for byte in bytes[offset..<(offset + size)] { value = value << 8 | UInt64(byte) }
    return value < 1 << 48 ? Int(exactly: value) : nil
  }
}
