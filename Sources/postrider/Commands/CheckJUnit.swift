import PushCore
import PushPayload

/// Findings as JUnit XML, which every build server shows: a file is a test case, and errors fail it.
enum CheckJUnit {
  /// The document.
  static func document(_ files: [CheckedFile], _ totals: CheckTotals) -> String {
    var cases = ""
    var failed = 0
    for file in files {
      cases += testCase(file)
      if !file.isUnreadable, file.findings.contains(where: { $0.finding.severity == .error }) { failed += 1 }
    }
    let counts = #"tests="\#(totals.files)" failures="\#(failed)" errors="\#(totals.unreadable)""#
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites name="postrider check" \(counts)>
        <testsuite name="postrider check" \(counts) skipped="0">
      \(cases)  </testsuite>
      </testsuites>

      """
  }

  private static func testCase(_ file: CheckedFile) -> String {
    let head = #"    <testcase classname="postrider.check" name="\#(escaped(file.title))""#
    let errors = file.findings.filter { $0.finding.severity == .error }
    let others = file.findings.filter { $0.finding.severity != .error }
    var body = ""
    if let failure = file.failure {
      body += #"      <error message="\#(escaped(failure))" type="unreadable"/>"# + "\n"
    } else if let first = errors.first {
      let element = file.isJSON ? "failure" : "error"
      let more = errors.count > 1 ? " (and \(errors.count - 1) more)" : ""
      body += #"      <\#(element) message="\#(escaped(first.finding.message))\#(more)" type="\#(first.finding.rule)">"#
      body += "\(lines(errors, of: file))</\(element)>\n"
    }
    if !others.isEmpty { body += "      <system-out>\(lines(others, of: file))</system-out>\n" }
    return body.isEmpty ? "\(head)/>\n" : "\(head)>\n\(body)    </testcase>\n"
  }

  private static func lines(_ findings: [LocatedFinding], of file: CheckedFile) -> String {
    let text = CheckText(isColored: false).lines(of: CheckedFile(name: file.name, findings: findings))
    // The lines are made of printable text, so the only control characters are the line ends between them.
    return text.split(separator: "\n").map { escaped(String($0)) }.joined(separator: "\n") + "\n"
  }

  /// Text for XML 1.0, in content and in attributes; characters that XML does not have are shown by number.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in CheckText.printable(text).unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
