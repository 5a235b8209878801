package import PushRules
package import WireJSON

/// `explain`: what a provider's answer means.
package struct ExplainRequest: Sendable {
  /// The reason that was found or given.
  package let reason: String
  /// What it means, for each service that answers so.
  package let explanations: [Explanation]
  /// What else the answer says.
  package let details: [String]

  /// Explains a reason, an error code or a status.
  package init(reason: String) throws(CoreError) {
    try self.init(reason, Explanations.find(reason), [])
  }

  /// Explains the body of a provider's answer; `name` is what its readers call it.
  package init(body: [UInt8], name: String) throws(CoreError) {
    guard let answer = ExplainedAnswer(body: body), let reason = answer.reason else {
      throw CoreError(
        .unreadable, "\(name) is not the body of an answer of APNs, FCM or Push Kit", location: name,
        fix: "give {\"reason\": …} of APNs, {\"error\": {…}} of FCM or {\"code\": …} of Push Kit")
    }
    try self.init(reason, answer.explanations, answer.details)
  }

  private init(_ reason: String, _ found: [Explanation], _ details: [String]) throws(CoreError) {
    guard !found.isEmpty else {
      let near = Nearest.match(reason, among: Explanations.all.map { $0.reason }).map { "; did you mean \($0)?" } ?? ""
      #if !hasFeature(Embedded)
        // A rule's id is printed beside reasons, and is no answer.
        if let rule = Rules.rule(reason) {
          throw CoreError(
            .unknown, "“\(reason)” is a rule, and no answer of a provider: \(rule.statement)", location: "input",
            fix:
              "postrider check --explain \(reason) and docs/rules.md have all of it; otherwise give a reason, or an answer"
          )
        }
      #endif
      throw CoreError(
        .unknown, "no provider is known to answer “\(reason)”\(near)", location: "input",
        fix: "give a reason (BadDeviceToken), a status (410), or the body of an answer")
    }
    self.reason = reason
    explanations = found
    self.details = details
  }

  /// An array with one object for each explanation.
  package var json: JSONValue { .array(explanations.map { .object($0.json) }) }
}
