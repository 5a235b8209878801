import GatewayPool
import WireJSON

/// The answer of FCM to one request, as it came off the wire.
package struct FCMAnswer {
  /// The longest body that is read; error answers with many violations are a few kilobytes.
  static let bodyBytesMax = 64 * 1024

  let status: Int
  var retryAfter: Int?
  var body: [UInt8] = []

  package init(status: Int, retryAfter: Int? = nil, body: [UInt8] = []) {
    self.status = status
    self.retryAfter = retryAfter
    self.body = body
  }

  private static let fcmErrorType = "type.googleapis.com/google.firebase.fcm.v1.FcmError"
  private static let badRequestType = "type.googleapis.com/google.rpc.BadRequest"

  /// Reads the answer.
  ///
  /// For a body that is not Google's JSON (the HTML page of a 502) only the status is known.
  package var outcome: FCMOutcome {
    if status == 200 { return accepted }
    guard let json = try? JSON.parse(body), case .object(let error)? = json.object?["error"] else {
      return .rejected(FCMRejection(status: status, code: .none, retryAfter: retryAfter))
    }
    return .rejected(rejection(error))
  }

  private var accepted: FCMOutcome {
    if let name = (try? JSON.parse(body))?.object?["name"]?.string { return .accepted(name: name) }
    // The status says that FCM took it; without a name the delivery cannot be looked up, but it is no failure.
    return .accepted(name: "")
  }

  private func rejection(_ error: JSONObject) -> FCMRejection {
    var code: String?
    var violations: [FCMRejection.Violation] = []
    for case .object(let detail) in error["details"]?.array ?? [] {
      switch detail["@type"]?.string {
      case Self.fcmErrorType: code = detail["errorCode"]?.string ?? code
      case Self.badRequestType: violations += Self.violations(detail)
      default: continue
      }
    }
    let rpcStatus = error["status"]?.string ?? ""
    return FCMRejection(
      status: status, code: FCMErrorCode(rawValue: code ?? rpcStatus), hasFCMError: code != nil, rpcStatus: rpcStatus,
      message: error["message"]?.string ?? "", violations: violations, retryAfter: retryAfter)
  }

  private static func violations(_ detail: JSONObject) -> [FCMRejection.Violation] {
    (detail["fieldViolations"]?.array ?? []).compactMap {
      guard case .object(let violation) = $0 else { return nil }
      return FCMRejection.Violation(
        field: violation["field"]?.string ?? "", description: violation["description"]?.string ?? "")
    }
  }

  /// The value of `name` in a body that holds nothing else, the form FCM sends; `nil` sends the reader to the parser.
  ///
  /// One such body comes with every message that FCM takes, so it is worth a scan of its own.
  package static func messageName(in body: UnsafeBufferPointer<UInt8>) -> String? {
    var offset = 0
    func skipSpace() {
      while offset < body.count, unsafe [0x20, 0x0A, 0x0D, 0x09].contains(body[offset]) { offset += 1 }
    }
    func take(_ text: StaticString) -> Bool {
      skipSpace()
      let end = offset + text.utf8CodeUnitCount
      guard end <= body.count else { return false }
      for index in 0..<text.utf8CodeUnitCount where unsafe body[offset + index] != text.utf8Start[index] {
        return false
      }
      offset = end
      return true
    }
    guard take("{"), take("\"name\""), take(":"), take("\"") else { return nil }
    let start = offset
    while offset < body.count, unsafe body[offset] != UInt8(ascii: "\"") {
      // Escapes and anything beyond ASCII go the long way.
      guard unsafe body[offset] != UInt8(ascii: "\\"), unsafe body[offset] > 0x1F, unsafe body[offset] < 0x7F else {
        return nil
      }
      offset += 1
    }
    let end = offset
    guard take("\""), take("}") else { return nil }
    skipSpace()
    return unsafe offset == body.count ? String(decoding: body[start..<end], as: UTF8.self) : nil
  }
}
