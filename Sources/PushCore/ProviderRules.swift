package import PushContracts
package import PushPayload
internal import PushRules

/// The providers' rules, applied to what a contract wrote.
package enum ProviderRules {
  /// The topic of messages that are looked at without an app.
  package static let topicExample = "com.example.app"

  /// What the providers would say of the requests.
  ///
  /// - Parameter hasTopic: false while a message is looked at without an app; the topic it lacks is then a warning.
  package static func check(_ rendering: Rendering, hasTopic: Bool) -> Report {
    var settings = RuleSettings()
    if !hasTopic { try? settings.apply("apns-topic-missing=warning") }
    var checker = PushChecker(settings: settings)
    var report = Report()
    if let apns = rendering.apns { report.append(checker.check(apns)) }
    if let fcm = rendering.fcm { report.append(checker.check(fcm)) }
    return rendering.tolerating(report)
  }
}
