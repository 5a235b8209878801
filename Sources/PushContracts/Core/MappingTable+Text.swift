extension MappingTable {
  /// The cells of a row: field, type, required, APNs, FCM, web, rule and meaning.
  private func cells(_ row: MappingRow, code: (String) -> String) -> [String] {
    let apns = row.apns.isEmpty ? "–" : row.apns.map { code($0.text) }.joined(separator: "; ")
    let fcm = row.fcm.isEmpty ? "–" : row.fcm.map { code($0.text) }.joined(separator: "; ")
    let web = web(row).map(code).joined(separator: "; ")
    return [row.title, row.type.rawValue, row.required, apns, fcm, web.isEmpty ? "–" : web, row.rule, row.doc]
  }

  private func web(_ row: MappingRow) -> [String] {
    #if _pointerBitWidth(_32)
      []
    #else
      webCells(row)
    #endif
  }

  private static let header = ["field", "type", "required", "APNs", "FCM", "web", "rule", "meaning"]

  /// The table as aligned columns for a terminal, without the meaning of each row.
  public var text: String {
    let rows = [MappingTable.header] + rows.map { cells($0) { $0 } }
    let shown = rows.map { Array($0.dropLast()) }
    var widths = Array(repeating: 0, count: shown[0].count)
    for row in shown {
      for (column, cell) in row.enumerated() { widths[column] = max(widths[column], cell.unicodeScalars.count) }
    }
    var text = summary + "\n\n"
    for row in shown {
      var line = ""
      for (column, cell) in row.enumerated() {
        line += cell
        guard column < row.count - 1 else { continue }
        line += String(repeating: " ", count: widths[column] - cell.unicodeScalars.count + 2)
      }
      while line.utf8.last == UInt8(ascii: " ") { line.removeLast() }
      text += line + "\n"
    }
    if !policy.statements.isEmpty { text += "\n" }
    for statement in policy.statements { text += "- \(statement)\n" }
    for option in policy.options { text += "- option \(option.name): \(option.doc)\n" }
    return text
  }

  /// The table as Markdown: the generated part of `docs/contracts/NAME.md`.
  public var markdown: String {
    var text = "| " + MappingTable.header.joined(separator: " | ") + " |\n"
    text += String(repeating: "| --- ", count: MappingTable.header.count) + "|\n"
    for row in rows {
      var cells = cells(row) { "`\($0)`" }
      cells[0] = row.field.isEmpty ? cells[0] : "`\(row.field)`" + cells[0].dropFirst(row.field.count)
      text += "| " + cells.map(MappingTable.escaped).joined(separator: " | ") + " |\n"
    }
    text += "\n"
    for statement in policy.statements { text += "- \(statement)\n" }
    for option in policy.options { text += "- Option `\(option.name)`: \(option.doc)\n" }
    return text
  }

  /// A pipe would end the cell.
  private static func escaped(_ cell: String) -> String {
    var text = String.UnicodeScalarView()
    for scalar in cell.unicodeScalars {
      if scalar == "|" { text.append("\\") }
      text.append(scalar)
    }
    return String(text)
  }
}
