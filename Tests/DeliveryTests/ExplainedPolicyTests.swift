import APNs
import FCM
import Huawei
import PushRules
import PushStore
import StoreModel
import Testing
import WebPush

@testable import Delivery

/// What `postrider explain` says Postrider does is what the policy does.
@Suite struct ExplainedPolicyTests {
  private static let start = Timestamp(seconds: 1_800_000_000)

  /// Those of answers to sends; 1101 is one to a request for an access token.
  static let rows = Explanations.all.filter { ![.broadcast, .own].contains($0.service) && $0.reason != "1101" }

  /// The answer that the row is about; where no status is documented, the one it has been seen with.
  static func outcome(_ row: Explanation) -> SendOutcome {
    // A row for a hundred of them: one that has no row of its own.
    let status = row.status ?? (row.reason.hasSuffix("xx") ? Int(row.reason.prefix(1)).map { $0 * 100 + 51 } : nil)
    if row.service == .webPush {
      return SendOutcome(WebPushOutcome.rejected(WebPushRejection(status: status ?? 0)))
    }
    if row.service == .huawei {
      if let status { return outcome(hms: status) }
      // A code comes with any status, and has eight digits; a status comes alone.
      let code = Int(row.reason) == nil ? "80999999" : row.reason
      return SendOutcome(
        HuaweiOutcome.rejected(
          HuaweiRejection(
            status: 200, code: HuaweiCode(rawValue: code), isTokenInvalid: ["80100000", "80300007"].contains(code))))
    }
    if row.service == .apns {
      let status = row.status ?? (row.reason == "BadDate" ? 400 : 403)
      return SendOutcome(
        APNsOutcome.rejected(
          APNsRejection(status: status, reason: APNsReason(rawValue: row.reason), timestamp: nil, retryAfter: nil)))
    }
    let isPlain = ["UNAUTHENTICATED", "PERMISSION_DENIED", "NOT_FOUND", "RESOURCE_EXHAUSTED"].contains(row.reason)
    return SendOutcome(
      FCMOutcome.rejected(
        FCMRejection(
          status: row.status ?? 400, code: FCMErrorCode(rawValue: row.reason), hasFCMError: !isPlain, violations: [])))
  }

  private static func outcome(hms status: Int) -> SendOutcome {
    SendOutcome(HuaweiOutcome.rejected(HuaweiRejection(status: status, code: .none)))
  }

  @Test(arguments: rows) func theActionIsWhatThePolicyDoes(row: Explanation) {
    check(row, Self.outcome(row))
  }

  @Test("Each status that a push service or Push Kit may answer is explained, as the policy treats it")
  func everyStatus() throws {
    for status in 300...599 {
      let answers: [(Explanation.Service, SendOutcome)] = [
        (.webPush, SendOutcome(WebPushOutcome.rejected(WebPushRejection(status: status)))),
        (.huawei, Self.outcome(hms: status)),
      ]
      for (service, outcome) in answers {
        let rows = Explanations.find("\(status)", from: [service])
        #expect(rows.count == 1, "\(service) \(status)")
        guard case .rejected(let rejection) = outcome, let row = rows.first else { continue }
        #expect(rejection.reason == "\(status)")
        check(row, outcome)
      }
    }
    #expect(Explanations.find("80999999").map(\.service) == [.huawei])
    #expect(Explanations.find("99").isEmpty && Explanations.find("0418").isEmpty)
  }

  private func check(_ row: Explanation, _ outcome: SendOutcome) {
    let send = JudgedSend(
      provider: [.fcm: .fcm, .webPush: .web, .huawei: .hms][row.service] ?? .apns, attempt: 1, sentAt: Self.start,
      startAt: Self.start)
    let judgement = SendJudge().judge(outcome, of: send, now: Self.start) { 0 }
    #expect(row.action.contains("Stops sending with this credential") == judgement.stopsLane, "\(row.reason)")
    #expect(row.action.contains("notifies the operator") == (judgement.stopsLane || judgement.tellsOperator))
    let device = judgement.consequence
    let retires = if case .retire = device { true } else { false }
    #expect(row.action.retiresAlways == retires)
    let quarantines = if case .quarantine = device { true } else { false }
    #expect(row.action.contains("puts the device aside") == quarantines)
    let never = ["does not send again", "Does not send again", "never sends"].contains { row.action.contains($0) }
    switch judgement.change {
    case .rejected: #expect(never, "\(row.reason)")
    case .retry(let instant):
      #expect(!never, "\(row.reason)")
      let wait = instant.milliseconds - Self.start.milliseconds
      #expect(row.action.contains("15 minutes") == (wait >= 900_000))
      #expect(row.action.contains("not before a minute") == (60_000..<900_000).contains(wait))
      #expect(row.action.contains("not before 10 seconds") == (10_000..<60_000).contains(wait))
    case .release: #expect(row.action.contains("what waits is sent"), "\(row.reason)")
    default: Issue.record("\(row.reason): \(judgement.change)")
    }
  }
}

extension String {
  /// Whether an action retires devices whenever it is taken; the one of `INVALID_ARGUMENT` does so for a field.
  fileprivate var retiresAlways: Bool {
    (contains("Retires the device") || contains("retires the device")) && !contains("only when")
  }
}
