import PushContracts
import PushPayload
import PushRules
import WireJSON

/// The providers' rules, applied to what a contract wrote.
enum ProviderRules {
  /// The topic of messages that are looked at without an app.
  static let topicExample = "com.example.app"

  /// What the providers would say of the requests.
  ///
  /// - Parameter hasTopic: false while a message is looked at without an app; the topic it lacks is then a warning.
  static func check(_ rendering: Rendering, hasTopic: Bool) -> Report {
    var settings = RuleSettings()
    if !hasTopic { try? settings.apply("apns-topic-missing=warning") }
    var checker = PushChecker(settings: settings)
    var report = Report()
    if let apns = rendering.apns { report.append(checker.check(apns)) }
    if let fcm = rendering.fcm { report.append(checker.check(fcm)) }
    return rendering.tolerating(report)
  }
}

/// What was rendered or read, for a person.
enum RenderedText {
  /// The requests as headers and indented JSON, then the report.
  static func text(of rendering: Rendering) -> String {
    var parts: [String] = []
    if let apns = rendering.apns {
      var lines = ["APNs"]
      apns.headers.forEach { name, value in lines.append("  \(name): \(value)") }
      parts.append(lines.joined(separator: "\n") + "\n" + pretty(apns.payload))
    }
    if let fcm = rendering.fcm { parts.append("FCM\n" + pretty(fcm.body)) }
    parts.append(text(of: rendering.report))
    return parts.joined(separator: "\n\n") + "\n"
  }

  /// What was read, as indented JSON, then the report.
  static func text(of parsed: Parsed) -> String {
    (parsed.inferredPlatform.map { "\($0.rawValue), by the members of the payload\n" } ?? "")
      + "\(parsed.contract): \(parsed.reason)\n\n" + JSON.pretty(.object(parsed.notification)) + "\n\n"
      + text(of: parsed.report) + "\n"
  }

  /// One line per finding.
  static func text(of report: Report) -> String {
    guard !report.isEmpty else { return "nothing to report" }
    return report.findings.map { "\($0.severity.rawValue) \($0.rule) at \($0.field): \($0.message)" }
      .joined(separator: "\n")
  }

  private static func pretty(_ bytes: [UInt8]) -> String {
    (try? JSON.parse(bytes)).map { JSON.pretty($0) } ?? String(decoding: bytes, as: UTF8.self)
  }
}
