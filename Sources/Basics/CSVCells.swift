/// The cells of one CSV record (RFC 4180), without their quotes.
///
/// A value can read one record after the other; the cells share one block of memory that is reused.
public struct CSVCells: Sendable {
  private var bytes: [UInt8] = []
  /// Where each cell ends in ``bytes``.
  private var ends: [Int] = []

  /// No cells.
  public init() {}

  /// How many cells the record has.
  public var count: Int { ends.count }

  /// The bytes of a cell.
  public subscript(index: Int) -> ArraySlice<UInt8> { bytes[(index == 0 ? 0 : ends[index - 1])..<ends[index]] }

  /// Reads a record; false when a quoted cell does not end, or when text follows its end.
  ///
  /// Quotes are special only at the start of a cell; one in the middle of a plain cell is text.
  public mutating func read(_ record: ArraySlice<UInt8>) -> Bool {
    bytes.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    var index = record.startIndex
    while true {
      if index < record.endIndex, record[index] == UInt8(ascii: "\"") {
        guard let end = quoted(record, from: index + 1) else { return false }
        index = end
      } else {
        let start = index
        while index < record.endIndex, record[index] != UInt8(ascii: ",") { index += 1 }
        bytes.append(contentsOf: record[start..<index])
      }
      ends.append(bytes.count)
      guard index < record.endIndex else { return true }
      index += 1
    }
  }

  /// Reads a quoted cell behind its first quote, and returns the index behind its last.
  private mutating func quoted(_ record: ArraySlice<UInt8>, from start: Int) -> Int? {
    let quote = UInt8(ascii: "\"")
    var index = start
    while index < record.endIndex {
      if record[index] == quote {
        index += 1
        guard index < record.endIndex, record[index] == quote else {
          return index == record.endIndex || record[index] == UInt8(ascii: ",") ? index : nil
        }
      }
      bytes.append(record[index])
      index += 1
    }
    return nil
  }
}
