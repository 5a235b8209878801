import Basics
import Testing

struct CSVTests {
  @Test(
    arguments: [
      ("a,b,c", ["a", "b", "c"]), ("", [""]), (",", ["", ""]), (#""a,b",c"#, ["a,b", "c"]),
      (#""say ""hi""",x"#, [#"say "hi""#, "x"]), (#"5" phone,x"#, [#"5" phone"#, "x"]), (#""","x"#, nil),
      (#""open,x"#, nil), (#""a"b,c"#, nil), ("\"two\nlines\",c", ["two\nlines", "c"]), (#""""""#, [#"""#]),
      ("a,\"\"", ["a", ""]),
    ] as [(String, [String]?)])
  func cells(record: String, expected: [String]?) {
    var cells = CSVCells()
    // A value is used for one record after the other.
    let isReadBefore = cells.read(Array("before,that".utf8)[...])
    #expect(isReadBefore)
    let isRead = cells.read(Array(record.utf8)[...])
    let found = isRead ? (0..<cells.count).map { String(decoding: cells[$0], as: UTF8.self) } : nil
    #expect(found == expected)
  }

  /// Wherever the input is cut, the records are the same.
  @Test(arguments: 1...9) func records(size: Int) {
    let text = "a,b\r\n\n\"x\ny\",2\nlast,\"open\n"
    var splitter = RecordSplitter(isCSV: true)
    var found: [String] = []
    func take(_ piece: ArraySlice<UInt8>, isLast: Bool) {
      splitter.take(Array(piece), isLast: isLast) { record in
        found.append("\(record.line) \(String(decoding: record.bytes ?? [], as: UTF8.self)) \(record.isUnclosed)")
      }
    }
    let bytes = Array(text.utf8)
    for start in stride(from: 0, to: bytes.count, by: size) {
      take(bytes[start..<min(start + size, bytes.count)], isLast: false)
    }
    take([], isLast: true)
    #expect(found == ["1 a,b false", "3 \"x\ny\",2 false", "5 last,\"open\n true"])
  }
}
