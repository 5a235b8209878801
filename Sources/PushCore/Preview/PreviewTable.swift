package import DevicePreview
internal import DeviceText
package import PushPayload

/// Previews of several languages as a table for a terminal.
package enum PreviewTable {
  /// What each language shows, one line each.
  package static func text(of previews: [Preview]) -> String {
    var rows = [["locale", "title", "body", "notes"]]
    for preview in previews {
      let notification = preview.notification
      let notes = preview.report.findings.filter { $0.severity != .note }.map { $0.rule }
      rows.append([
        preview.locale, notification.title?.text ?? "", notification.silence ?? notification.body?.text ?? "",
        unique(notes).joined(separator: " "),
      ])
    }
    return (previews.first?.notification.platform.rawValue ?? "") + "\n" + aligned(rows)
  }

  /// What is wrong in each language, one line each, and a last one that sums up.
  package static func text(of checks: [LocaleCheck], on platform: Platform) -> String {
    var rows = [["locale", "", "text", "what is wrong"]]
    for check in checks {
      let notification = check.preview.notification
      var wrong = check.lacking.map { "no text for \($0)" } + check.broken + check.doubtful
      wrong += check.overflowing.map { "\($0) does not fit" }
      let texts = [notification.title?.text, notification.body?.text].compactMap { $0 }
      rows.append([
        check.locale.description, state(of: check),
        notification.silence ?? texts.joined(separator: " — "), wrong.joined(separator: ", "),
      ])
    }
    let wrong = checks.count { $0.isWrong }
    let doubtful = checks.count { !$0.isWrong && !$0.doubtful.isEmpty }
    let tight = checks.count { !$0.isWrong && !$0.isFine } - doubtful
    let doubts = doubtful == 0 ? "" : "\(doubtful) in doubt, "
    return "\(platform.rawValue)\n" + aligned(rows)
      + "\(checks.count) languages: \(checks.count - wrong - tight - doubtful) ok, \(tight) tight, \(doubts)\(wrong) wrong\n"
  }

  private static func state(of check: LocaleCheck) -> String {
    if check.isWrong { return "wrong" }
    if !check.doubtful.isEmpty { return "doubt" }
    return check.isFine ? "ok" : "tight"
  }

  private static func unique(_ names: [String]) -> [String] {
    var seen: [String] = []
    for name in names where !seen.contains(name) { seen.append(name) }
    return seen
  }

  /// Columns as wide as their widest cell, at most 60 characters each but the last.
  private static func aligned(_ rows: [[String]]) -> String {
    let columns = rows.first?.count ?? 0
    let cells = rows.map { row in row.enumerated().map { short($1, $0 < columns - 1 ? 60 : Int.max) } }
    let widths = (0..<columns).map { column in cells.map { $0[column].count }.max() ?? 0 }
    var text = ""
    for row in cells {
      var line = ""
      for (column, cell) in row.enumerated() {
        line += cell + String(repeating: " ", count: widths[column] - cell.count + 2)
      }
      while line.last == " " { line.removeLast() }
      text += line + "\n"
    }
    return text
  }

  private static func short(_ text: String, _ count: Int) -> String {
    let line = InertText(text).text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: " ")
    return line.count > count ? String(line.prefix(count - 1)) + "…" : line
  }
}
