internal import WireJSON

/// What a vendor answered to a request that was passed on, or why it did not.
struct VendorAnswer: Sendable {
  /// Nil when there is no answer.
  var status: Int?
  var body: [UInt8] = []
  var contentType = "application/json"
  var headers: [(name: String, value: String)] = []
  /// Why there is none.
  var failure: String?
  /// Whether the vendor certainly did not have the request.
  var isUnsent = false

  /// Fields of the answer that the caller gets.
  static let fields = ["Content-Type", "Retry-After", "Idempotent-Replayed"]

  /// The type under which the caller gets the body: never one that a browser would run on this server's own pages.
  static func shown(_ type: String?) -> String {
    guard let type, type.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) else { return "text/plain; charset=utf-8" }
    let isData = ["application/json", "text/plain", "text/csv"].contains { type.lowercased().hasPrefix($0) }
    return isData ? type : "text/plain; charset=utf-8"
  }

  /// Whether the vendor has accepted the request.
  var isAccepted: Bool { status.map { (200..<300).contains($0) } ?? false }

  /// The answer for the caller; a refusal in the vendor's form is made of what is thrown.
  func reply() throws(Problem) -> Reply {
    guard let status else {
      let why = failure ?? "no reason is known"
      throw isUnsent
        ? Problem(.vendorUnreachable, "the vendor was not reached, and has not had the request: \(why)")
        : Problem(.vendorSilent, "the vendor did not answer, and may have had the request: \(why)")
    }
    var reply = Reply(status, json: body)
    reply.contentType = contentType
    reply.headers = headers + [("X-Content-Type-Options", "nosniff")]
    return reply
  }

  private var json: JSONValue? { body.isEmpty ? nil : try? JSON.parse(body) }

  /// Whether OneSignal has accepted the request and found nobody to send it to.
  var hasNoRecipients: Bool { json?["id"]?.string == "" }

  /// The recipients that the answer names, in whichever form it does.
  var recipients: Int? {
    guard let json, isAccepted else { return nil }
    if let count = (json["recipients"] ?? json["count"])?.int { return count }
    let object = json["responseObject"]?["result"] ?? json["responseObject"]
    let totals = ["apns", "fcm", "hms", "ios", "android", "huawei"].compactMap { object?[$0]?["total"]?.int }
    return totals.isEmpty ? nil : totals.reduce(0, +)
  }

  /// What the answer says went wrong, in whichever form it does.
  var error: String? {
    if let failure { return failure }
    guard let json else { return isAccepted ? nil : "a body that is not JSON" }
    let value = json["errors"] ?? json["responseObject"]?["message"] ?? json["error"]?["message"]
    switch value {
    case .string(let text)?: return text
    case .array(let elements)?:
      return elements.map { $0.string ?? $0["title"]?.string ?? "an object" }.joined(separator: "; ")
    case .object(let members)?: return members.map { ShadowShape.name($0.key) }.joined(separator: ", ")
    default: return isAccepted ? nil : "no sentence"
    }
  }
}
