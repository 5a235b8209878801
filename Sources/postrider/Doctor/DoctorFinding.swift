import WireJSON

/// What one check of `postrider doctor` found.
struct DoctorFinding: Sendable, Hashable {
  /// How a check ended.
  enum Verdict: String, Sendable {
    case ok
    /// The server runs, with less than it should have.
    case warning
    /// The server does not start, cannot send, or has lost something.
    case error
    /// Not checked; the text says why.
    case skipped
  }

  /// What was checked, in one or two words.
  let subject: String
  let verdict: Verdict
  /// What was seen, in one sentence.
  let text: String
  /// What to do; empty when there is nothing to do.
  let remedy: String

  static func ok(_ subject: String, _ text: String) -> DoctorFinding {
    DoctorFinding(subject: subject, verdict: .ok, text: text, remedy: "")
  }

  static func warning(_ subject: String, _ text: String, remedy: String) -> DoctorFinding {
    DoctorFinding(subject: subject, verdict: .warning, text: text, remedy: remedy)
  }

  static func error(_ subject: String, _ text: String, remedy: String) -> DoctorFinding {
    DoctorFinding(subject: subject, verdict: .error, text: text, remedy: remedy)
  }

  static func skipped(_ subject: String, _ text: String) -> DoctorFinding {
    DoctorFinding(subject: subject, verdict: .skipped, text: text, remedy: "")
  }

  /// For programs.
  var json: JSONValue {
    var object: JSONObject = ["check": .string(subject), "result": .string(verdict.rawValue), "detail": .string(text)]
    if !remedy.isEmpty { object["remedy"] = .string(remedy) }
    return .object(object)
  }

  /// For people: a line, and the remedy below it.
  func lines(subjectWidth: Int) -> String {
    let pad = { (text: String, width: Int) in text + String(repeating: " ", count: max(0, width - text.count)) }
    let head = "\(pad(verdict.rawValue, 9))\(pad(subject, subjectWidth + 2))"
    let advice = remedy.isEmpty ? "" : String(repeating: " ", count: head.count) + remedy + "\n"
    return "\(head)\(text)\n\(advice)"
  }
}
