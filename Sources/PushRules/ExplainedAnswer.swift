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

  /// Reads the body of an answer of APNs, FCM, Push Kit or Huawei's token endpoint.
  ///
  /// For FCM the error code of an FcmError counts first, then the google.rpc status.
  /// - Returns: nil when the body is no JSON object of any of these shapes, as with the HTML of a proxy.
  public init?(body: [UInt8]) {
    guard let value = try? JSON.parse(body), case .object(let root) = value else { return nil }
    self.init(root)
  }

  /// Reads the body of an APNs, FCM or Push Kit answer that is parsed already.
  /// - Returns: nil when it has none of these shapes.
  public init?(_ root: JSONObject) {
    if let reason = root["reason"]?.string {
      self.init(apns: reason, root)
    } else if case .object(let error)? = root["error"] {
      self.init(fcm: error)
    } else if let code = root["code"]?.string, root["msg"] != nil {
      self.init(huawei: code, root)
    } else {
      #if _pointerBitWidth(_32)
        return nil
      #else
        guard let error = Self.number(root["error"]), root["sub_error"] != nil || root["error_description"] != nil
        else {
          return nil
        }
        self.init(huaweiToken: error, root)
      #endif
    }
  }

  #if !_pointerBitWidth(_32)
    /// Huawei's token endpoint names errors by number, which some versions write as text.
    private static func number(_ json: JSONValue?) -> String? {
      guard let text = json?.int.map({ "\($0)" }) ?? json?.string, WholeNumber(text) != nil else { return nil }
      return text
    }

    private init(huaweiToken error: String, _ root: JSONObject) {
      reason = error
      explanations = Explanations.find(error).filter { $0.service == .huawei }
      let detail = Self.number(root["sub_error"]).map { "sub_error \($0)" }
      details = [detail, root["error_description"]?.string].compactMap { $0 }
    }
  #endif

  private init(apns reason: String, _ root: JSONObject) {
    self.reason = reason
    explanations = Explanations.find(reason, from: [.apns, .broadcast])
    details = root["timestamp"]?.int.map { ["inactive since \($0) ms after 1970"] } ?? []
  }

  private init(huawei code: String, _ root: JSONObject) {
    reason = code
    explanations = Explanations.find(code).filter { $0.service == .huawei }
    details = root["msg"]?.string.map { [$0] } ?? []
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
