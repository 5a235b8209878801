internal import Delivery
internal import PushRules
internal import StoreModel
internal import WireJSON

/// What the reasons of deliveries mean: the providers' from the table of `PushRules`, our own from there, too.
enum ReasonTexts {
  struct Text: Sendable, Hashable {
    let meaning: String
    let action: String
    let next: String

    init(meaning: String, action: String, next: String) {
      self.meaning = meaning
      self.action = action
      self.next = next
    }

    init(_ row: Explanation) { self.init(meaning: row.meaning, action: row.action, next: row.next) }

    var json: JSONValue { ["meaning": .string(meaning), "action": .string(action), "next": .string(next)] }
  }

  /// The explanation of a delivery's last reason; nil when there is none, or it is unknown.
  static func text(provider: Provider?, reason: String) -> Text? {
    guard !reason.isEmpty else { return nil }
    let services = provider?.names.services ?? []
    for service in services { if let text = providers[service]?[reason] { return text } }
    // A status, or a code, that has no row of its own.
    if Int(reason) != nil, let row = Explanations.find(reason, from: services).first { return Text(row) }
    if let cause = PipelineReason.cause(ofExhausted: reason) {
      return exhausted(text(provider: provider, reason: cause))
    }
    return own[reason]
  }

  private static func exhausted(_ cause: Text?) -> Text {
    Text(
      meaning: "The gateway never answered, and the time for attempts is used up."
        + (cause.map { " The last attempt: \($0.meaning)" } ?? ""),
      action: "Records the rejection and does not send again.",
      next: cause?.next ?? own[PipelineReason.exhausted]?.next ?? "")
  }

  private static let providers: [Explanation.Service: [String: Text]] = {
    var table: [Explanation.Service: [String: Text]] = [:]
    for row in Explanations.all {
      table[row.service, default: [:]][row.reason] = Text(row)
    }
    return table
  }()

  /// Our own reasons.
  static let own: [String: Text] = Dictionary(
    Explanations.own.map { ($0.reason, Text($0)) },
    uniquingKeysWith: { first, _ in first })
}
