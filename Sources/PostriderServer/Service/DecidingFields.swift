internal import Basics
internal import PushContracts
internal import PushPayload
internal import WireJSON

/// Unknown members of a request that creates a push: those that by their names would decide who gets it, or when, refuse it.
///
/// All other unknown members are reported and left out. A push that ignored one of these would reach people it is not meant
/// for, or at the wrong time.
enum DecidingFields {
  /// Members that decide, and that a caller may have misspelt.
  private static let known = [
    "send_at", "send_at_local", SendTime.timeOfDay, SendTime.lastActive, "timezone", "expires_in_seconds",
    "throttle_per_minute", "category", "campaign", "urgent", "draft",
  ]
  /// Letters that may differ.
  private static let distanceMax = 2

  /// Turns the warnings about such members into errors.
  static func refuse(in report: inout Report) {
    for place in report.findings.indices where report.findings[place].rule == Schema.Rule.unknownField {
      guard let advice = advice(report.findings[place].field) else { continue }
      report.findings[place].severity = .error
      report.findings[place].message = "is not a member here; \(advice)"
    }
  }

  private static func advice(_ field: String) -> String? {
    let parts = field.split(separator: ".", maxSplits: 1).map(String.init)
    if parts[0] == "to" { return "an audience that ignored it would be another one; leave it out" }
    guard parts.count == 1 else { return nil }
    if let member = DeliveryField.member(for: field) { return "create the push with \(member)" }
    let letters = Array(field.lowercased().utf8.prefix(40))
    let near = known.first { name in
      name.utf8.count > 5 && EditDistance.between(letters, Array(name.utf8)) <= distanceMax
    }
    return near.map { "did you mean \($0)?" }
  }
}

extension Call {
  /// Refuses a call with an unknown member that would decide who gets a push, or when.
  func refuseDeciding() throws(Problem) {
    var report = self.report
    DecidingFields.refuse(in: &report)
    if report.hasErrors { throw Problem(.invalid, report: report) }
  }
}
