/// Cuts a stream of bytes into records: lines of text, or records of CSV, whose quoted cells may hold line breaks.
public struct RecordSplitter: Sendable {
  /// Bytes of one record, as many as the largest device needs; a longer one is skipped and reported.
  public static let recordBytesMax = 1_048_576

  /// One record, without its line break.
  public struct Record {
    /// The line it begins on, from 1.
    public let line: Int
    /// Nil when it was too long.
    public let bytes: ArraySlice<UInt8>?
    /// Whether the input ends inside a quoted cell of the record.
    public let isUnclosed: Bool
  }

  /// The position of the next byte in a CSV cell.
  ///
  /// Quotes are special only at the start of a cell, as in ``CSVCells``: one in the middle of a plain cell is
  /// text, and must not swallow the following lines.
  private enum Cell: Sendable {
    case start, plain, quoted, closed
  }

  private let isCSV: Bool
  private var buffer: [UInt8] = []
  private var cell = Cell.start
  private var isTooLong = false
  private var line = 1
  private var startLine = 1

  /// Starts at line 1.
  public init(isCSV: Bool) { self.isCSV = isCSV }

  /// Takes a piece and hands over the records that end in it; `isLast` ends the last one too.
  public mutating func take(_ piece: [UInt8], isLast: Bool = false, _ body: (Record) -> Void) {
    var start = 0
    for (index, byte) in piece.enumerated() {
      if isCSV { step(byte) }
      guard byte == UInt8(ascii: "\n") else { continue }
      line += 1
      if cell == .quoted { continue }
      keep(piece[start..<index])
      end(body)
      start = index + 1
    }
    keep(piece[start...])
    if isLast, !buffer.isEmpty || isTooLong { end(body) }
  }

  private mutating func step(_ byte: UInt8) {
    switch (cell, byte) {
    case (.quoted, UInt8(ascii: "\"")): cell = .closed
    case (.quoted, _): break
    case (.start, UInt8(ascii: "\"")), (.closed, UInt8(ascii: "\"")): cell = .quoted
    case (_, UInt8(ascii: ",")): cell = .start
    default: cell = .plain
    }
  }

  private mutating func keep(_ part: ArraySlice<UInt8>) {
    guard !isTooLong, buffer.count + part.count <= Self.recordBytesMax else {
      isTooLong = true
      buffer.removeAll(keepingCapacity: true)
      return
    }
    buffer.append(contentsOf: part)
  }

  private mutating func end(_ body: (Record) -> Void) {
    var bytes = buffer[...]
    if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
    if isTooLong || !bytes.isEmpty {
      body(Record(line: startLine, bytes: isTooLong ? nil : bytes, isUnclosed: cell == .quoted))
    }
    buffer.removeAll(keepingCapacity: true)
    isTooLong = false
    cell = .start
    startLine = line
  }
}
