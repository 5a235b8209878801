internal import Basics
public import WireJSON

/// A whole answer of a provider, explained.
public struct ExplainedAnswer: Sendable, Hashable {
  /// The reason or error code that counts; nil when the answer names none.
  public let reason: String?
  /// The explanations; empty for a reason that is not known.
  public let explanations: [Explanation]
  /// What else the answer says: the provider's own message, field violations, the time of a 410.
  public let details: [String]

  /// Reads the body of an answer of a provider, or of its token endpoint.
  ///
  /// For FCM the error code of an FcmError counts first, then the google.rpc status.
  /// - Returns: nil when the body is no JSON object of any of these shapes, as with the HTML of a proxy.
  public init?(body: [UInt8]) {
    guard let value = try? JSON.parse(body), case .object(let root) = value else { return nil }
    self.init(root)
  }

  /// Reads the body of such an answer that is parsed already.
  /// - Returns: nil when it has none of these shapes.
  public init?(_ root: JSONObject) {
    if let reason = root["reason"]?.string {
      self.init(apns: reason, root)
    } else if case .object(let error)? = root["error"] {
      self.init(fcm: error)
    } else {
      self.init(coded: root)
    }
  }

  init(reason: String?, explanations: [Explanation], details: [String]) {
    self.reason = reason
    self.explanations = explanations
    self.details = details
  }

  private init(apns reason: String, _ root: JSONObject) {
    self.reason = reason
    explanations = Explanations.find(reason, from: [.apns, .broadcast])
    details = root["timestamp"]?.int.map { ["inactive since \($0) ms after 1970"] } ?? []
  }

  private init(fcm error: JSONObject) {
    var code: String?
    var details: [String] = []
    if let message = error["message"]?.string { details.append(message) }
    for detail in error["details"]?.array ?? [] {
      if code == nil, let text = detail["errorCode"]?.string { code = text }
      for violation in detail["fieldViolations"]?.array ?? [] {
        let field = violation["field"]?.string ?? "(no field)"
        details.append("\(field): \(violation["description"]?.string ?? "")")
      }
    }
    let reason = code ?? error["status"]?.string
    self.reason = reason
    self.details = details
    explanations = reason.map { Explanations.find($0, from: [.fcm]) } ?? []
  }
}
