import PushPayload
import WireJSON

/// The answer of APNs to one request, as it came off the wire.
package struct APNsAnswer {
  /// The longest body that is read; Apple's are below 100 bytes.
  static let bodyBytesMax = 16 * 1024

  let status: Int
  var id: APNsID?
  var uniqueID: APNsID?
  var retryAfter: Int?
  /// The body, as far as it was kept.
  var body: [UInt8] = []

  package init(status: Int, body: [UInt8] = []) {
    self.status = status
    self.body = body
  }

  /// Reads the answer.
  ///
  /// For bodies that are not Apple's JSON (a proxy's HTML page, an empty body) the reason is empty, and only the status
  /// is known.
  package var outcome: APNsOutcome {
    if status == 200 { return .accepted(APNsAcceptance(id: id, uniqueID: uniqueID)) }
    let (reason, timestamp) = APNsAnswer.reason(in: body)
    return .rejected(
      APNsRejection(status: status, reason: reason, timestamp: timestamp, retryAfter: retryAfter, id: id))
  }

  /// The `reason` and `timestamp` of an error body or of the debug data of a GOAWAY.
  package static func reason(in body: [UInt8]) -> (APNsReason, timestamp: Int64?) {
    guard !body.isEmpty, body.count <= bodyBytesMax, let json = try? JSON.parse(body),
      case .object(let object) = json, case .string(let text)? = object["reason"]
    else { return (.none, nil) }
    guard case .number(let number)? = object["timestamp"] else { return (APNsReason(rawValue: text), nil) }
    return (APNsReason(rawValue: text), number.int.map(Int64.init))
  }
}
