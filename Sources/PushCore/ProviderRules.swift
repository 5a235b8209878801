package import PushContracts
package import PushPayload
package import PushRules
internal import WireJSON

/// The providers' rules, applied to what a contract wrote.
package enum ProviderRules {
  /// The topic of messages that are looked at without an app.
  package static let topicExample = "com.example.app"

  private static let own = RuleSettings()

  /// Without an app a message lacks the topic, which is then a warning.
  private static let withoutApp = {
    var settings = RuleSettings()
    settings[.apnsTopicMissing] = .warning
    return settings
  }()

  /// What the providers would say of the requests.
  ///
  /// - Parameter hasTopic: false while a message is looked at without an app; the topic it lacks is then a warning.
  package static func check(_ rendering: Rendering, hasTopic: Bool) -> Report {
    var checker = PushChecker(settings: hasTopic ? own : withoutApp)
    var report = Report()
    if let apns = rendering.apns { report.append(checker.check(apns)) }
    if let fcm = rendering.fcm { report.append(checker.check(fcm)) }
    #if !_pointerBitWidth(_32)
      for other in rendering.others { report.append(other.check(&checker)) }
    #endif
    return rendering.tolerating(report)
  }

  /// The same of what was written at a desk, with a checker that is used again.
  package static func check(
    _ desk: borrowing WritingDesk, _ contract: ContractName, hasTopic: Bool, with checker: inout PushChecker
  ) -> Report {
    checker.settings = hasTopic ? own : withoutApp
    var report = Report()
    #if _pointerBitWidth(_32)
      if let headers = desk.headers { report = checker.check(apnsPayload: desk.payload.bytes, headers: headers) }
      if desk.target != nil { report.append(checker.check(fcmBody: desk.body.bytes)) }
    #else
      if let headers = desk.headers { report = checker.check(headers, desk.payload, written: desk.payloadFacts) }
      if let target = desk.target { report.append(checker.check(desk.body, to: target, written: desk.bodyFacts)) }
    #endif
    return report.hasErrors ? Rendering(contract: contract).tolerating(report) : report
  }
}
