import APNs
import FCM
import PushRules
import WireJSON

extension FuzzTarget {
  /// The first byte is the status, the rest is the body.
  static let answers = FuzzTarget(
    name: "answers", about: "the readers of APNs' and FCM's answers and of debug data: any status, any body"
  ) { (bytes) throws(FuzzFailure) in
    guard let first = bytes.first else { return }
    let status = statuses[Int(first) % statuses.count]
    let body = Array(bytes.dropFirst())
    let apns = APNsAnswer(status: status, body: body).outcome
    try expect(
      apns == APNsAnswer(status: status, body: body).outcome, "the same APNs answer is read in two ways")
    let (reason, _) = APNsAnswer.reason(in: body)
    try expect(reason == .none || read(body) != nil, "a reason in a body that is no JSON")
    let fcm = FCMAnswer(status: status, body: body).outcome
    if status == 200, case .rejected = fcm { throw FuzzFailure("FCM's 200 is read as a rejection") }
    if status != 200, case .accepted = fcm { throw FuzzFailure("FCM's \(status) is read as accepted") }
    try checkName(body)
    if let explained = ExplainedAnswer(body: body) {
      try expect(
        explained.reason != nil || explained.explanations.isEmpty, "an answer without a reason is explained")
    }
  }

  private static let statuses = [200, 400, 403, 404, 410, 413, 429, 500, 502, 503, 0, 999]

  /// The fast way to a name agrees with the parser.
  private static func checkName(_ body: [UInt8]) throws(FuzzFailure) {
    guard let name = body.withUnsafeBufferPointer({ FCMAnswer.messageName(in: $0) }) else { return }
    try expect(read(body) == ["name": .string(name)], "the fast reader of a name takes what the parser does not")
  }
}
