internal import HTTPServer
internal import PushPayload
internal import PushRules
internal import WireJSON

/// `/v1/explain`: the command of the same name, without state.
enum ExplainRoutes {
  static let routes: [Route] = [
    Route(
      .post("/v1/explain", .scopes([.send, .read])), name: "explain",
      about: "Explains an APNs reason, an FCM error code, or a provider's whole answer.",
      body: .object([
        .optional("reason", .string("A reason or error code.", max: 100, example: "BadDeviceToken")),
        .optional("answer", Schema(.map, "The body of the provider's answer; instead of reason.")),
      ]), answers: [Route.Answer(status: 200, about: "What it means.", schema: .named("Explained"))],
      traits: .init(isStateless: true), action: .now(explain))
  ]

  static let schema = Schema.object(
    [
      .optional(
        "reason",
        .string("The reason or error code that counts; absent when the answer names none.", min: 0, max: 1 << 20)),
      .required(
        "explanations",
        .array(
          of: .object(
            [
              .required("service", .choice(Explanation.Service.allCases.map { $0.rawValue }, "Who answers so.")),
              .required("reason", .string("The reason as its provider spells it.")),
              .optional("status", .integer(100...599, "The HTTP status it comes with.")),
              .required("meaning", .string("What it means.", max: 1_000)),
              .required("action", .string("What Postrider does about it.", max: 1_000)),
              .required("next", .string("What to look at next.", max: 1_000)),
            ], "One reason of one service."),
          max: 10, "Empty for a reason that no provider is known to answer.")),
      .required(
        "details",
        .array(of: .string("A sentence.", min: 0, max: 1 << 20), max: 100_000, "What else the answer says.")),
      .optional("report", .named("Report")),
    ], "A provider's answer, explained.")

  @Sendable private static func explain(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    guard (call["reason"] == nil) != (call["answer"] == nil) else {
      throw Problem(.invalid, "expected either \"reason\" or \"answer\"")
    }
    if let reason = call["reason"]?.string {
      return reply(reason: reason, Explanations.find(reason), details: [], report: call.report)
    }
    guard let answer = call["answer"]?.object.flatMap({ ExplainedAnswer($0) }) else {
      throw Problem(
        .invalid, "answer: expected {\"reason\": …} of APNs or {\"error\": {…}} of FCM or {\"code\": …} of Push Kit")
    }
    return reply(reason: answer.reason, answer.explanations, details: answer.details, report: call.report)
  }

  private static func reply(reason: String?, _ explanations: [Explanation], details: [String], report: Report) -> Reply
  {
    var object = JSONObject()
    if let reason { object["reason"] = .string(reason) }
    object["explanations"] = .array(explanations.map { .object($0.json) })
    object["details"] = .array(details.map { .string($0) })
    return Reply(200, object, report: report)
  }
}
