import WireJSON

/// Rows under a header: aligned and cut to the width of a terminal, or with tabs and whole for other programs.
struct Table {
  private let header: [String]
  private let rows: [[String]]

  /// - Parameter columns: the members shown, as paths such as `counts.accepted`; the last name is the title.
  init(_ columns: [String], of values: [JSONValue]) {
    header = columns.map { $0.split(separator: ".").last.map(String.init) ?? $0 }
    rows = values.map { value in columns.map { Cell.inert(Cell.text(Cell.member($0, of: value))) } }
  }

  init(header: [String], rows: [[String]]) {
    self.header = header
    self.rows = rows.map { $0.map(Cell.inert) }
  }

  /// Columns narrower than this are not cut further.
  private static let columnMin = 6

  /// The text for a terminal of `width` columns; with tabs when there is none.
  func text(width: Int?) -> String {
    guard let width else { return ([header] + rows).map { $0.joined(separator: "\t") + "\n" }.joined() }
    // On a terminal there is room for what there is only.
    let columns = header.indices.filter { column in self.rows.contains { !$0[column].isEmpty } }
    let rows = self.rows.map { row in columns.map { Cell.brief(row[$0]) } }
    let lines = [columns.map { header[$0] }] + rows
    let widths = Table.fitting(lines, width)
    let isNumeric = columns.indices.map { column in
      rows.allSatisfy { $0[column].utf8.allSatisfy { (0x30...0x39).contains($0) } }
    }
    var text = ""
    for row in lines {
      var line = ""
      for (column, cell) in row.enumerated() {
        let cell = Cell.cut(cell, to: widths[column])
        let blank = String(repeating: " ", count: max(0, widths[column] - Cell.width(cell)))
        line += (isNumeric[column] ? blank + cell : cell + blank) + "  "
      }
      while line.last == " " { line.removeLast() }
      text += line + "\n"
    }
    return text
  }

  /// The widths of the columns: the widest ones give until all fit.
  private static func fitting(_ lines: [[String]], _ width: Int) -> [Int] {
    var widths = lines[0].indices.map { column in lines.map { Cell.width($0[column]) }.max() ?? 0 }
    while widths.reduce(0, +) + 2 * (widths.count - 1) > width {
      guard let widest = widths.indices.max(by: { widths[$0] < widths[$1] }), widths[widest] > columnMin else {
        break
      }
      widths[widest] -= 1
    }
    return widths
  }
}
