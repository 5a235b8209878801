public import PushPayload
public import WireJSON

/// A raw payload read by the contract it is written in.
public struct Parsed: Sendable, Hashable {
  /// The platform it was taken for by its members alone; nil when the caller named it.
  public var inferredPlatform: Platform?
  /// The contract it was read by.
  public var contract: ContractName
  /// Why this contract: what in the payload tells it, or that the caller asked for it.
  public var reason: String
  /// The members that every contract shares, then one member named after the contract with its own properties.
  public var notification: JSONObject
  /// What the contract's app does with the notification, when the caller said what the device shows.
  public var behavior: JSONObject?
  /// What there is to say.
  public var report: Report

  /// Makes a parsed payload.
  public init(contract: ContractName, reason: String, notification: JSONObject, report: Report) {
    self.contract = contract
    self.reason = reason
    self.notification = notification
    self.report = report
  }

  /// `{"platform": …, "contract": …, "reason": …, "notification": {…}, "behavior": {…}, "report": […]}`, `platform` when
  /// it was inferred and `behavior` when there is one.
  public var json: JSONValue {
    var object = JSONObject()
    if let inferredPlatform { object.append("platform", .string(inferredPlatform.rawValue)) }
    object.append("contract", .string(contract.rawValue))
    object.append("reason", .string(reason))
    object.append("notification", .object(notification))
    if let behavior { object.append("behavior", .object(behavior)) }
    object.append("report", report.json)
    return .object(object)
  }
}

/// Which contract a payload is written in, and what tells it.
public struct Recognition: Sendable, Hashable {
  /// The contract.
  public var contract: ContractName
  /// What in the payload tells it, in one sentence.
  public var reason: String

  /// Makes a recognition.
  public init(contract: ContractName, reason: String) {
    self.contract = contract
    self.reason = reason
  }
}
