internal import StoreModel

/// One value of a copied row.
enum RowValue {
  case null
  case integer(Int64)
  case real(Double)
  case text(ArraySlice<UInt8>)
  case bytes(ArraySlice<UInt8>)

  /// Binds it to a statement.
  func bind(to statement: borrowing Statement, at index: Int32) {
    switch self {
    case .null: statement.bind(index, Int64?.none)
    case .integer(let number): statement.bind(index, Optional(number))
    case .real(let number): statement.bind(index, number)
    case .text(let bytes): statement.bind(index, String(decoding: bytes, as: UTF8.self))
    case .bytes(let bytes): statement.bind(index, Array(bytes))
    }
  }
}

/// Rows of one table in bytes that are the same whichever engine they were read from: what is digested is what is written.
///
/// A value is a byte for its kind and, unless it is null, eight bytes of a number or four of a length and the bytes themselves.
struct RowBuffer {
  private enum Tag {
    static let null: UInt8 = 0
    static let integer: UInt8 = 1
    static let real: UInt8 = 2
    static let text: UInt8 = 3
    static let bytes: UInt8 = 4
  }

  private(set) var bytes: [UInt8] = []
  /// Where each row ends.
  private var ends: [Int] = []

  var count: Int { ends.count }
  var isEmpty: Bool { ends.isEmpty }

  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
  }

  /// Where the bytes of a row are.
  func range(of row: Int) -> Range<Int> { (row == 0 ? 0 : ends[row - 1])..<ends[row] }

  /// Adds the row that a statement is at; behind the columns are the kinds of those that hold several.
  mutating func append(_ row: borrowing Statement, of table: CopiedTable) {
    var kinds = Int32(table.columns.count)
    for (index, column) in table.columns.enumerated() {
      let number = Int32(index)
      defer { if column.kind == .scalar { kinds += 1 } }
      guard !row.isNull(number) else {
        bytes.append(Tag.null)
        continue
      }
      switch column.kind {
      case .integer: append(Tag.integer, UInt64(bitPattern: row.int64(number)))
      case .text: appendText(row, number)
      case .bytes:
        let value = row.blob(number)
        append(Tag.bytes, length: value.count)
        bytes += value
      case .scalar:
        if row.isReal(number) {
          // Two zeros are equal and have other bits.
          let value = row.double(number)
          append(Tag.real, (value == 0 ? 0 : value).bitPattern)
        } else if ["text", "string"].contains(row.text(kinds)) {
          appendText(row, number)
        } else {
          append(Tag.integer, UInt64(bitPattern: row.int64(number)))
        }
      }
    }
    ends.append(bytes.count)
  }

  private mutating func append(_ tag: UInt8, _ number: UInt64) {
    bytes.append(tag)
    unsafe withUnsafeBytes(of: number.bigEndian) { unsafe bytes.append(contentsOf: $0) }
  }

  private mutating func append(_ tag: UInt8, length: Int) {
    bytes.append(tag)
    unsafe withUnsafeBytes(of: UInt32(truncatingIfNeeded: length).bigEndian) { unsafe bytes.append(contentsOf: $0) }
  }

  private mutating func appendText(_ row: borrowing Statement, _ number: Int32) {
    append(Tag.text, length: 0)
    let start = bytes.count
    _ = row.append(number, to: &bytes)
    let length = UInt32(truncatingIfNeeded: bytes.count - start)
    unsafe withUnsafeBytes(of: length.bigEndian) { unsafe bytes.replaceSubrange((start - 4)..<start, with: $0) }
  }

  /// Calls `body` with each value of a row, and the index of its column.
  func forEachValue(
    of row: Int, _ body: (_ column: Int, RowValue) throws(StoreError) -> Void
  ) throws(StoreError) {
    var range = range(of: row)
    var column = 0
    while let start = range.first {
      let tag = bytes[start]
      var end = start + 1
      let value: RowValue
      switch tag {
      case Tag.integer:
        value = .integer(Int64(bitPattern: number(at: end)))
        end += 8
      case Tag.real:
        value = .real(Double(bitPattern: number(at: end)))
        end += 8
      case Tag.text, Tag.bytes:
        let length = Int(number(at: end) >> 32)
        end += 4
        value = tag == Tag.text ? .text(bytes[end..<(end + length)]) : .bytes(bytes[end..<(end + length)])
        end += length
      default: value = .null
      }
      try body(column, value)
      range = end..<range.upperBound
      column += 1
    }
  }

  /// Up to eight bytes as a number; what is behind the end counts as zeros.
  private func number(at start: Int) -> UInt64 {
    unsafe bytes.withUnsafeBytes { all in
      guard start + 8 > all.count else {
        return unsafe UInt64(bigEndian: all.loadUnaligned(fromByteOffset: start, as: UInt64.self))
      }
      return (start..<(start + 8)).reduce(0) { unsafe $0 << 8 | UInt64($1 < all.count ? all[$1] : 0) }
    }
  }

  /// The key of a row, for whatever comes behind it.
  func key(of row: Int, _ table: CopiedTable) throws(StoreError) -> [RowValue] {
    var values: [RowValue] = []
    try forEachValue(of: row) { (_, value) throws(StoreError) in values.append(value) }
    return table.key.map { values[$0] }
  }

  /// The key of a row in words; no other value is shown.
  func keyWords(of row: Int, _ table: CopiedTable) throws(StoreError) -> String {
    let values = try key(of: row, table)
    let words = zip(table.key, values).map { (index, value) -> String in
      let name = table.columns[index].name
      return if case .integer(let number) = value { "\(name) \(number)" } else { "\(name) …" }
    }
    return words.isEmpty ? table.name : "\(table.name) (\(words.joined(separator: ", ")))"
  }
}
