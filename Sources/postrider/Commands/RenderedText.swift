import PushContracts
import PushPayload
import WireJSON

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
    for carrier in FCMCarrier.allCases {
      if let request = rendering.carried[carrier] { parts.append("FCM, \(carrier.title)\n" + pretty(request.body)) }
    }
    for other in rendering.others { parts.append(other.title + "\n" + pretty(other.body)) }
    if let web = rendering.web?.json {
      let headers = (web["headers"]?.object ?? [:]).map { "  \($0.key): \($0.value.string ?? "")" }
      parts.append((["Web Push"] + headers).joined(separator: "\n") + "\n" + JSON.pretty(web["payload"] ?? .null))
    }
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
