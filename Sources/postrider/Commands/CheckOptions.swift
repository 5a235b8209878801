import PushCore
import PushRules

extension CheckOptions {
  /// What is known of the surroundings, and not of any one file.
  static let surroundings = [
    Option(
      name: "--apns-auth", value: "KIND", help: "How APNs is authenticated with; judged only when it is given.",
      choices: RuleSettings.Authentication.allCases.map(\.rawValue)),
    Option(
      name: "--channel-storage", value: "POLICY",
      help: "What a broadcast's channel keeps: 0 nothing, 1 the latest; judged only when it is given.",
      choices: ["0", "1"]),
    Option(
      name: "--fcm-topic-bytes", value: "N",
      help: "What a message to a topic may have: 2048 by some of Google's pages (default), 4096 by others."),
    Option(name: "--as-sent", help: "Counts sizes as they are sent, minified, and not as the files are written."),
  ]
}
