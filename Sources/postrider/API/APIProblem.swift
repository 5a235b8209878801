import WireJSON

/// Why the server refused a request: its problem document (RFC 9457) in words, and the exit status.
struct APIProblem {
  private let status: Int
  private let problem: JSONValue?
  /// What a server that writes no problem documents says, in one line.
  private let text: String
  private let words: CommandWords

  init(_ answer: APIClient.Answer, in words: CommandWords) {
    self.words = words
    status = answer.status
    problem = try? JSON.parse(answer.body)
    let line = answer.body.prefix(Self.textBytesMax).prefix { $0 != UInt8(ascii: "\n") }
    text = problem == nil && line.first != UInt8(ascii: "<") ? String(decoding: line, as: UTF8.self) : ""
  }

  private static let textBytesMax = 200

  /// The stable name of the kind, such as `invalid`.
  private var kind: String {
    let type = problem?["type"]?.string ?? ""
    let leading = "urn:postrider:problem:"
    return type.hasPrefix(leading) ? String(type.dropFirst(leading.count)) : ""
  }

  /// What happened, where, and what to do; then the names under which the server's log knows it.
  func exit(keyFrom source: String, url: String) -> Exit {
    guard let problem, let title = problem["title"]?.string, !kind.isEmpty else {
      let explanation = text.isEmpty ? "and no explanation; is it a Postrider server?" : "and: \(Cell.inert(text))"
      return .failure("\(url) answered with status \(status) \(explanation)")
    }
    var lines = [title]
    let findings = ReportLines.all(problem["report"], in: words)
    lines += findings.isEmpty ? [words.said(problem["detail"]?.string ?? "")] : findings
    if let advice = advice(keyFrom: source) { lines.append(advice) }
    lines.append("(HTTP \(status) \(kind), request \(problem["request_id"]?.string ?? "unknown"))")
    return Exit(status: exitStatus, message: lines.map(Cell.inert).joined(separator: "\n  "))
  }

  /// Refusals of a request are the caller's to mend (1); what a later try may not meet is a failure (4).
  private var exitStatus: ExitStatus {
    switch (kind, status) {
    case ("internal", _): .bug
    case (_, 429), (_, 500...): .failure
    default: .invalid
    }
  }

  private func advice(keyFrom source: String) -> String? {
    switch kind {
    case "unauthenticated": "The key that was sent comes from \(source)."
    case "forbidden": "The key comes from \(source); “postrider keys list” with an admin key shows what each may do."
    case "too-many", "busy", "store-failed": "Nothing was changed; try again in a moment."
    default: nil
    }
  }
}

/// A report's findings as lines for people.
enum ReportLines {
  static func all(_ report: JSONValue?, in words: CommandWords) -> [String] {
    (report?.array ?? []).map { finding in
      let field = words.field(finding["field"]?.string ?? "")
      return "\(finding["severity"]?.string ?? "error"): \(field.isEmpty ? "" : "\(field): ")"
        + "\(words.said(finding["message"]?.string ?? "")) [\(finding["rule"]?.string ?? "")]"
    }
  }
}
