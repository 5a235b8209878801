import PushCore
import PushPayload
import PushRules

/// Findings for people and for editors: `file:line:column: severity rule: message`.
struct CheckText: Sendable {
  /// Whether severities are coloured.
  let isColoured: Bool

  /// The lines about one file.
  func lines(of file: CheckedFile) -> String {
    var text = ""
    for placed in file.findings {
      let finding = placed.finding
      text += CheckText.printable(file.title)
      text += ":" + String(placed.place.line) + ":" + String(placed.place.column) + ": "
      text += coloured(finding.severity.rawValue, finding.severity)
      text += " " + finding.rule + ": "
      text += CheckText.printable(finding.message)
      text += "\n    at "
      if !finding.field.isEmpty { text += CheckText.printable(finding.pointer) + ", " }
      text += "byte " + String(placed.place.offset) + "\n"
      if let fix = placed.fix { text += "    fix: " + fix + "\n" }
    }
    return text
  }

  private func coloured(_ text: String, _ severity: Severity) -> String {
    guard isColoured else { return text }
    let code =
      switch severity {
      case .error: "1;31"
      case .warning: "1;33"
      case .note: "1;36"
      }
    return "\u{1B}[\(code)m\(text)\u{1B}[0m"
  }

  /// Text from a file, safe on a terminal and in XML: a control character or a mark that turns the direction of writing
  /// is shown as `\u{1B}`.
  static func printable(_ text: String) -> String {
    // Nearly every text is of ASCII's letters alone.
    guard text.utf8.contains(where: { $0 < 0x20 || $0 > 0x7E }), text.unicodeScalars.contains(where: isUnprintable)
    else { return text }
    var safe = ""
    for scalar in text.unicodeScalars {
      if isUnprintable(scalar) {
        safe += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      } else {
        safe.unicodeScalars.append(scalar)
      }
    }
    return safe
  }

  private static func isUnprintable(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x00...0x1F, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069, 0xFFFE, 0xFFFF: true
    default: false
    }
  }
}
