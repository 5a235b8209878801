import GatewayPool
import PushRules
import WireJSON

/// How a direct send ended, in the words of the command line.
struct SendAnswer {
  /// What it ended in.
  let ending: SendTally.Ending
  /// The provider's reason, or the kind of failure; the summary names answers without a reason.
  var reason = ""
  /// The HTTP status.
  var status: Int?
  /// The members behind `outcome`; what a refusal means and what to do only when it is to be explained.
  let json: JSONObject

  /// A reason as the summary names it.
  static func named(_ reason: String) -> String { reason.isEmpty ? "no reason given" : reason }

  static func explain(_ reason: String, _ service: Explanation.Service, into json: inout JSONObject) {
    guard let explanation = Explanations.find(reason, from: [service]).first else { return }
    json["meaning"] = .string(explanation.meaning)
    json["next"] = .string(explanation.next)
  }
}

extension SendAnswer {
  /// A send that has no answer.
  ///
  /// - Parameter remedies: the options that help, by the cause.
  init(_ failure: SendFailure, remedies: [SendFailure.Cause: String] = [:]) {
    let detail = failure.detail + (remedies[failure.cause].map { " (\($0))" } ?? "")
    self.init(
      ending: .failed, reason: "\(failure.cause.rawValue): \(detail)",
      json: [
        "processing": .string(failure.processing.rawValue), "reason": .string(failure.cause.rawValue),
        "detail": .string(detail),
      ])
  }
}

/// A result of one provider's client.
protocol DirectResult: Sendable {
  var tag: UInt64 { get }
  /// What the command line says of it; made by who reads it, not on the thread of the network.
  func answer(explained: Bool) -> SendAnswer
}

/// Results that came together: of which provider is asked once for all of them.
protocol DirectResults: Sendable {
  func forEach(explained: Bool, _ body: (_ tag: UInt64, _ answer: SendAnswer) -> Void)
}

extension Array: DirectResults where Element: DirectResult {
  func forEach(explained: Bool, _ body: (_ tag: UInt64, _ answer: SendAnswer) -> Void) {
    for result in self { body(result.tag, result.answer(explained: explained)) }
  }
}
