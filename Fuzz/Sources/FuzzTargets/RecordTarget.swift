import Basics

extension FuzzTarget {
  /// The first byte chooses CSV or lines and the size of the pieces, the rest is the file.
  static let records = FuzzTarget(
    name: "records",
    about: "records of a file and their CSV cells: pieces do not matter, cells that are written are read"
  ) { (bytes) throws(FuzzFailure) in
    guard let first = bytes.first else { return }
    let file = Array(bytes.dropFirst())
    let isCSV = first & 1 == 0
    let whole = split(file, isCSV: isCSV, piece: max(1, file.count))
    let pieces = split(file, isCSV: isCSV, piece: Int(first >> 1) % 7 + 1)
    try expect(whole == pieces, "the size of the pieces changes what is read")
    var line = 0
    for record in whole {
      try expect(record.line > line, "line \(record.line) after line \(line)")
      line = record.line + record.bytes.count { $0 == UInt8(ascii: "\n") }
      if isCSV { try checkCells(record) }
    }
    try expect(line <= file.count { $0 == UInt8(ascii: "\n") } + 1, "a line behind the end")
  }

  private struct Found: Equatable {
    let line: Int
    let bytes: [UInt8]
    let isUnclosed: Bool
  }

  private static func split(_ file: [UInt8], isCSV: Bool, piece: Int) -> [Found] {
    var splitter = RecordSplitter(isCSV: isCSV)
    var found: [Found] = []
    let visit = { (record: RecordSplitter.Record) in
      found.append(Found(line: record.line, bytes: Array(record.bytes ?? []), isUnclosed: record.isUnclosed))
    }
    for start in stride(from: 0, to: file.count, by: piece) {
      splitter.take(Array(file[start..<min(file.count, start + piece)]), visit)
    }
    splitter.take([], isLast: true, visit)
    return found
  }

  /// Cells that are written with quotes are read as they were; a record that is not closed has no cells.
  private static func checkCells(_ record: Found) throws(FuzzFailure) {
    var cells = CSVCells()
    guard cells.read(record.bytes[...]) else { return }
    try expect(!record.isUnclosed, "a cell that is not closed was read")
    var written: [UInt8] = []
    for index in 0..<cells.count {
      if index > 0 { written.append(UInt8(ascii: ",")) }
      written.append(UInt8(ascii: "\""))
      for byte in cells[index] { written += byte == UInt8(ascii: "\"") ? [byte, byte] : [byte] }
      written.append(UInt8(ascii: "\""))
    }
    var again = CSVCells()
    let isRead = again.read(written[...])
    let isSame = again.count == cells.count && (0..<cells.count).allSatisfy { cells[$0] == again[$0] }
    try expect(isRead && isSame, "cells that were written are read differently")
  }
}
