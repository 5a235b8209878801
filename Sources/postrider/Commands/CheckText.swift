import PushCore
import PushPayload
import PushRules

/// Findings for people and for editors: `file:line:column: severity rule: message`.
struct CheckText: Sendable {
  /// Whether severities are colored.
  let isColored: Bool

  /// The lines about one file.
  func lines(of file: CheckedFile) -> String {
    var text: [UInt8] = []
    write(file, into: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// Appends the lines about one file.
  func write(_ file: CheckedFile, into text: inout [UInt8]) {
    guard !file.findings.isEmpty else { return }
    let title = CheckText.printable(file.title)
    for located in file.findings {
      let finding = located.finding
      text += title.utf8
      text.append(UInt8(ascii: ":"))
      CheckText.append(located.location.line, to: &text)
      text.append(UInt8(ascii: ":"))
      CheckText.append(located.location.column, to: &text)
      text += ": ".utf8
      write(finding.severity, into: &text)
      text.append(UInt8(ascii: " "))
      text += finding.rule.utf8
      text += ": ".utf8
      text += CheckText.printable(finding.message).utf8
      text += "\n    at ".utf8
      if !finding.field.isEmpty {
        text += CheckText.printable(finding.pointer).utf8
        text += ", ".utf8
      }
      text += "byte ".utf8
      CheckText.append(located.location.offset, to: &text)
      text.append(UInt8(ascii: "\n"))
      guard let fix = located.fix else { continue }
      text += "    fix: ".utf8
      text += fix.utf8
      text.append(UInt8(ascii: "\n"))
    }
  }

  /// Appends a number that is not negative; an interpolation makes two strings of it first.
  private static func append(_ number: Int, to text: inout [UInt8]) {
    if number >= 10 { append(number / 10, to: &text) }
    text.append(UInt8(ascii: "0") + UInt8(number % 10))
  }

  private func write(_ severity: Severity, into text: inout [UInt8]) {
    guard isColored else { return text += severity.rawValue.utf8 }
    let code =
      switch severity {
      case .error: "1;31"
      case .warning: "1;33"
      case .note: "1;36"
      }
    text += "\u{1B}[\(code)m\(severity.rawValue)\u{1B}[0m".utf8
  }

  /// Text from a file, safe on a terminal and in XML: a control character or a mark that turns the direction of writing
  /// is shown as `\u{1B}`.
  static func printable(_ text: String) -> String {
    // Nearly every text is of ASCII's letters alone.
    let isPlain = unsafe text.utf8.withContiguousStorageIfAvailable {
      unsafe $0.allSatisfy { (0x20...0x7E).contains($0) }
    }
    guard isPlain != true, text.unicodeScalars.contains(where: isUnprintable) else { return text }
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
