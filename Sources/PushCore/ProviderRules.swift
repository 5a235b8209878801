package import PushContracts
package import PushPayload
package import PushRules

/// The providers' rules, applied to what a contract wrote.
package enum ProviderRules {
  /// The topic of messages that are looked at without an app.
  package static let topicExample = "com.example.app"

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
    var checker = PushChecker()
    return check(rendering, hasTopic: hasTopic, with: &checker)
  }

  /// The same with a checker that is used again.
  package static func check(_ rendering: Rendering, hasTopic: Bool, with checker: inout PushChecker) -> Report {
    checker.settings = hasTopic ? RuleSettings() : withoutApp
    var report = Report()
    if let apns = rendering.apns { report.append(checker.check(apns)) }
    if let fcm = rendering.fcm { report.append(checker.check(fcm)) }
    return rendering.tolerating(report)
  }
}
