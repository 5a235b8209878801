import APNs
import FCM
import GatewayPool
import Huawei
import PushPayload
import PushRules
import WebPush
import WireJSON

/// How a direct send ended, in the words of the command line.
struct SendAnswer: Sendable {
  private enum Outcome {
    case apns(APNsOutcome)
    case fcm(FCMOutcome)
    case web(WebPushOutcome)
    case hms(HuaweiOutcome)
  }

  private let outcome: Outcome

  init(_ outcome: APNsOutcome) { self.outcome = .apns(outcome) }
  init(_ outcome: FCMOutcome) { self.outcome = .fcm(outcome) }
  init(_ outcome: WebPushOutcome) { self.outcome = .web(outcome) }
  init(_ outcome: HuaweiOutcome) { self.outcome = .hms(outcome) }

  /// What it ended in.
  var ending: SendTally.Ending {
    switch outcome {
    case .apns(.accepted), .fcm(.accepted), .web(.accepted), .hms(.accepted): .accepted
    case .apns(.rejected), .fcm(.rejected), .web(.rejected), .hms(.rejected): .rejected
    case .apns(.failed), .fcm(.failed), .web(.failed), .hms(.failed): .failed
    }
  }

  /// The provider's reason, or the kind of failure; the summary names answers without a reason.
  var reason: String {
    switch outcome {
    case .apns(.accepted), .fcm(.accepted), .web(.accepted), .hms(.accepted): ""
    case .apns(.rejected(let rejection)): named(rejection.reason.rawValue)
    case .fcm(.rejected(let rejection)): named(rejection.code.rawValue)
    // Push services for browsers name no reasons; the status says what a refusal means.
    case .web(.rejected(let rejection)): "\(rejection.status)"
    case .hms(.rejected(let rejection)): rejection.reason
    case .apns(.failed(let failure)), .fcm(.failed(let failure)), .web(.failed(let failure)),
      .hms(.failed(let failure)):
      "\(failure.cause.rawValue): \(failure.detail)"
    }
  }

  private func named(_ reason: String) -> String { reason.isEmpty ? "no reason given" : reason }

  /// The HTTP status.
  var status: Int? {
    switch outcome {
    case .apns(.accepted), .fcm(.accepted), .hms(.accepted): 200
    case .hms(.rejected(let rejection)): rejection.status
    case .apns(.rejected(let rejection)): rejection.status
    case .fcm(.rejected(let rejection)): rejection.status
    case .web(.accepted(let acceptance)): acceptance.status
    case .web(.rejected(let rejection)): rejection.status
    case .apns(.failed), .fcm(.failed), .web(.failed), .hms(.failed): nil
    }
  }

  /// The members behind `outcome`; what a refusal means and what to do only when it is to be explained.
  func json(explained: Bool) -> JSONObject {
    switch outcome {
    case .apns(.accepted(let acceptance)):
      var json: JSONObject = ["status": 200]
      if let id = acceptance.id { json["apns_id"] = .string(id.description) }
      if let id = acceptance.uniqueID { json["apns_unique_id"] = .string(id.description) }
      return json
    case .fcm(.accepted(let name)): return ["status": 200, "message_name": .string(name)]
    case .apns(.rejected(let rejection)): return SendAnswer.json(rejection, explained)
    case .fcm(.rejected(let rejection)): return SendAnswer.json(rejection, explained)
    case .web(.accepted(let acceptance)):
      var json: JSONObject = ["status": .number(JSONNumber(acceptance.status))]
      if let location = acceptance.location { json["location"] = .string(location) }
      return json
    case .web(.rejected(let rejection)): return SendAnswer.json(rejection, explained)
    case .hms(.accepted(let id)): return ["status": 200, "request_id": .string(id)]
    case .hms(.rejected(let rejection)): return SendAnswer.json(rejection, explained)
    case .apns(.failed(let failure)), .fcm(.failed(let failure)), .web(.failed(let failure)),
      .hms(.failed(let failure)):
      return [
        "processing": .string(failure.processing.rawValue), "reason": .string(failure.cause.rawValue),
        "detail": .string(failure.detail),
      ]
    }
  }

  private static func json(_ rejection: APNsRejection, _ explained: Bool) -> JSONObject {
    var json: JSONObject = [
      "status": .number(JSONNumber(rejection.status)), "reason": .string(rejection.reason.rawValue),
    ]
    if let timestamp = rejection.timestamp { json["timestamp_ms"] = .number(JSONNumber(timestamp)) }
    if explained { explain(rejection.reason.rawValue, .apns, into: &json) }
    return json
  }

  private static func json(_ rejection: FCMRejection, _ explained: Bool) -> JSONObject {
    var json: JSONObject = [
      "status": .number(JSONNumber(rejection.status)), "reason": .string(rejection.code.rawValue),
      "detail": .string(rejection.message),
    ]
    if !rejection.violations.isEmpty {
      json["violations"] = .array(
        rejection.violations.map { ["field": .string($0.field), "description": .string($0.description)] })
    }
    if explained { explain(rejection.code.rawValue, .fcm, into: &json) }
    return json
  }

  private static func json(_ rejection: WebPushRejection, _ explained: Bool) -> JSONObject {
    var json: JSONObject = ["status": .number(JSONNumber(rejection.status))]
    if !rejection.detail.isEmpty { json["detail"] = .string(rejection.detail) }
    if let seconds = rejection.retryAfter { json["retry_after"] = .number(JSONNumber(seconds)) }
    if explained { explain("\(rejection.status)", .webPush, into: &json) }
    return json
  }

  private static func json(_ rejection: HuaweiRejection, _ explained: Bool) -> JSONObject {
    var json: JSONObject = [
      "status": .number(JSONNumber(rejection.status)), "reason": .string(rejection.reason),
    ]
    if !rejection.message.isEmpty { json["detail"] = .string(rejection.message) }
    if let seconds = rejection.retryAfter { json["retry_after"] = .number(JSONNumber(seconds)) }
    if explained { explain(rejection.reason, .huawei, into: &json) }
    return json
  }

  private static func explain(_ reason: String, _ service: Explanation.Service, into json: inout JSONObject) {
    guard let explanation = Explanations.find(reason, from: [service]).first else { return }
    json["meaning"] = .string(explanation.meaning)
    json["next"] = .string(explanation.next)
  }
}
