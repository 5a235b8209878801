import APNs
import FCM
import GatewayPool
import PushStore
import StoreModel
import Testing
import WebPush

@testable import Delivery

@Suite struct PolicyTests {
  private static let start = Timestamp(seconds: 1_800_000_000)

  /// One row of the table of facts 1.5, 1.6, 2.5, 2.6: an outcome, and what becomes of the first try of a delivery.
  struct Row: Sendable, CustomTestStringConvertible {
    let name: String
    let outcome: SendOutcome
    var provider: Provider = .apns
    let change: DeliveryResult.Change
    var consequence: DeviceConsequence?
    var stopsLane = false
    var tellsOperator = false

    var testDescription: String { name }

    static func apns(_ status: Int, _ reason: String, timestamp: Int64? = nil, retryAfter: Int? = nil) -> SendOutcome {
      SendOutcome(
        APNsOutcome.rejected(
          APNsRejection(
            status: status, reason: APNsReason(rawValue: reason), timestamp: timestamp, retryAfter: retryAfter)))
    }

    static func fcm(
      _ status: Int, _ code: String, own: Bool = true, field: String? = nil, retryAfter: Int? = nil
    ) -> SendOutcome {
      let violations = field.map { [FCMRejection.Violation(field: $0, description: "")] } ?? []
      return SendOutcome(
        FCMOutcome.rejected(
          FCMRejection(
            status: status, code: FCMErrorCode(rawValue: code), hasFCMError: own, violations: violations,
            retryAfter: retryAfter)))
    }

    static func web(_ status: Int, retryAfter: Int? = nil) -> SendOutcome {
      SendOutcome(WebPushOutcome.rejected(WebPushRejection(status: status, retryAfter: retryAfter)))
    }

    static func failure(_ processing: SendFailure.Processing, _ cause: SendFailure.Cause) -> SendOutcome {
      SendOutcome(APNsOutcome.failed(SendFailure(processing, cause, "")))
    }
  }

  static func after(_ seconds: Int64) -> Timestamp { start.adding(seconds: seconds) }
  private static let sent = start

  static let rows: [Row] = [
    Row(name: "accepted", outcome: .accepted(name: "m"), change: .accepted(providerID: "m")),
    Row(name: "bad topic", outcome: Row.apns(400, "BadTopic"), change: .rejected),
    Row(
      name: "bad device token", outcome: Row.apns(400, "BadDeviceToken"), change: .rejected,
      consequence: .quarantine(since: sent)),
    Row(name: "token of another topic", outcome: Row.apns(400, "DeviceTokenNotForTopic"), change: .rejected),
    Row(name: "idle timeout", outcome: Row.apns(400, "IdleTimeout"), change: .retry(notBefore: after(1))),
    Row(
      name: "bad certificate", outcome: Row.apns(403, "BadCertificate"), change: .release(notBefore: after(5)),
      stopsLane: true),
    Row(
      name: "invalid provider token", outcome: Row.apns(403, "InvalidProviderToken"),
      change: .release(notBefore: after(5)), stopsLane: true),
    Row(
      name: "expired provider token", outcome: Row.apns(403, "ExpiredProviderToken"),
      change: .retry(notBefore: after(1))),
    Row(name: "forbidden", outcome: Row.apns(403, "Forbidden"), change: .rejected),
    Row(
      name: "unregistered with a moment", outcome: Row.apns(410, "Unregistered", timestamp: 5000), change: .rejected,
      consequence: .retire(since: Timestamp(milliseconds: 5000))),
    Row(
      name: "unregistered without a moment", outcome: Row.apns(410, "Unregistered"), change: .rejected,
      consequence: .retire(since: sent)),
    Row(name: "payload too large", outcome: Row.apns(413, "PayloadTooLarge"), change: .rejected),
    Row(name: "too many for a device", outcome: Row.apns(429, "TooManyRequests"), change: .retry(notBefore: after(60))),
    Row(
      name: "too many token updates", outcome: Row.apns(429, "TooManyProviderTokenUpdates"),
      change: .retry(notBefore: after(1))),
    Row(name: "APNs failed", outcome: Row.apns(500, "InternalServerError"), change: .retry(notBefore: after(900))),
    Row(
      name: "APNs unavailable for longer", outcome: Row.apns(503, "ServiceUnavailable", retryAfter: 1200),
      change: .retry(notBefore: after(1200))),
    Row(name: "an unknown 400", outcome: Row.apns(400, "SomethingNew"), change: .rejected),
    Row(name: "an unknown 500", outcome: Row.apns(502, ""), change: .retry(notBefore: after(900))),
    Row(name: "invalid argument", outcome: Row.fcm(400, "INVALID_ARGUMENT"), provider: .fcm, change: .rejected),
    Row(
      name: "invalid token", outcome: Row.fcm(400, "INVALID_ARGUMENT", field: "message.token"), provider: .fcm,
      change: .rejected, consequence: .retire(since: sent)),
    Row(
      name: "FCM unregistered", outcome: Row.fcm(404, "UNREGISTERED"), provider: .fcm, change: .rejected,
      consequence: .retire(since: sent)),
    Row(
      name: "404 of a wrong project", outcome: Row.fcm(404, "NOT_FOUND", own: false), provider: .fcm,
      change: .release(notBefore: after(5)), stopsLane: true),
    Row(name: "another sender", outcome: Row.fcm(403, "SENDER_ID_MISMATCH"), provider: .fcm, change: .rejected),
    Row(
      name: "Apple's key at Google", outcome: Row.fcm(401, "THIRD_PARTY_AUTH_ERROR"), provider: .fcm, change: .rejected,
      tellsOperator: true),
    Row(
      name: "topic of another team", outcome: Row.apns(400, "TopicDisallowed"), change: .rejected, tellsOperator: true),
    Row(
      name: "access token expired", outcome: Row.fcm(401, "UNAUTHENTICATED", own: false), provider: .fcm,
      change: .retry(notBefore: after(1))),
    Row(
      name: "quota", outcome: Row.fcm(429, "QUOTA_EXCEEDED"), provider: .fcm, change: .retry(notBefore: after(60))),
    Row(
      name: "quota with its own wait", outcome: Row.fcm(429, "QUOTA_EXCEEDED", retryAfter: 90), provider: .fcm,
      change: .retry(notBefore: after(90))),
    Row(
      name: "a 429 without a code", outcome: Row.fcm(429, "RESOURCE_EXHAUSTED", own: false), provider: .fcm,
      change: .retry(notBefore: after(60))),
    Row(
      name: "APNs shuts down for the second time", outcome: Row.apns(503, "Shutdown"),
      change: .retry(notBefore: after(900))),
    Row(name: "FCM failed", outcome: Row.fcm(500, "INTERNAL"), provider: .fcm, change: .retry(notBefore: after(10))),
    Row(
      name: "FCM unavailable for longer than it is worth", outcome: Row.fcm(503, "UNAVAILABLE", retryAfter: 6000),
      provider: .fcm, change: .abandoned),
    Row(
      name: "no connection", outcome: Row.failure(.notProcessed, .connect), change: .release(notBefore: after(1))),
    Row(
      name: "connection lost", outcome: Row.failure(.unknown, .connectionLost), change: .unknown(notBefore: after(1))),
    Row(name: "not legal in HTTP/2", outcome: Row.failure(.notProcessed, .invalidRequest), change: .rejected),
    Row(
      name: "no token to be had", outcome: Row.failure(.notProcessed, .tokenUnavailable),
      change: .release(notBefore: after(1))),
    Row(
      name: "no token is given", outcome: Row.failure(.notProcessed, .credential),
      change: .release(notBefore: after(5)), stopsLane: true),
    Row(
      name: "a 403 that is not Apple's", outcome: Row.apns(403, ""), change: .retry(notBefore: after(900))),
    Row(
      name: "a 403 that is not Google's", outcome: Row.fcm(403, "", own: false), provider: .fcm,
      change: .retry(notBefore: after(10))),
    Row(
      name: "web: accepted with 201", outcome: SendOutcome(.accepted(WebPushAcceptance(status: 201, location: "l"))),
      provider: .web, change: .accepted(providerID: "l")),
    Row(
      name: "web: accepted with 202", outcome: SendOutcome(.accepted(WebPushAcceptance(status: 202))), provider: .web,
      change: .accepted(providerID: nil)),
    Row(
      name: "web: an endpoint that leads to a private address",
      outcome: SendOutcome(WebPushOutcome.failed(SendFailure(.notProcessed, .addressRefused, ""))), provider: .web,
      change: .rejected),
    Row(name: "web: 400", outcome: Row.web(400), provider: .web, change: .rejected),
    Row(name: "web: 401", outcome: Row.web(401), provider: .web, change: .rejected, tellsOperator: true),
    Row(name: "web: 402", outcome: Row.web(402), provider: .web, change: .rejected),
    Row(name: "web: 403", outcome: Row.web(403), provider: .web, change: .rejected, tellsOperator: true),
    Row(
      name: "web: 404", outcome: Row.web(404), provider: .web, change: .rejected, consequence: .retire(since: sent)),
    Row(
      name: "web: 410", outcome: Row.web(410), provider: .web, change: .rejected, consequence: .retire(since: sent)),
    Row(name: "web: 413", outcome: Row.web(413), provider: .web, change: .rejected),
    Row(name: "web: 429", outcome: Row.web(429), provider: .web, change: .retry(notBefore: after(60))),
    Row(
      name: "web: 429 with its own wait", outcome: Row.web(429, retryAfter: 90), provider: .web,
      change: .retry(notBefore: after(90))),
    Row(name: "web: 500", outcome: Row.web(500), provider: .web, change: .retry(notBefore: after(10))),
    Row(
      name: "web: 503 with its own wait", outcome: Row.web(503, retryAfter: 20), provider: .web,
      change: .retry(notBefore: after(20))),
    Row(name: "expired on the way", outcome: Row.failure(.notProcessed, .expired), change: .expired),
  ]

  @Test(arguments: rows) func eachOutcomeHasItsConsequence(row: Row) {
    let send = JudgedSend(provider: row.provider, attempt: 1, sentAt: Self.sent, startAt: Self.start)
    // The largest draw for those that only bound the wait from above, the smallest for those with a floor.
    let isFloor = if case .retry(let instant) = row.change { instant >= Self.after(10) } else { false }
    let random: UInt64 = isFloor ? 0 : Self.half(row.change)
    var judgement = SendJudge().judge(row.outcome, of: send, now: Self.start) { random }
    #expect(judgement.change == row.change)
    #expect(judgement.consequence == row.consequence)
    #expect(judgement.stopsLane == row.stopsLane)
    #expect(judgement.tellsOperator == row.tellsOperator)
    guard row.name != "a 429 without a code" else { return }
    // Only that row hangs on what is open at Google.
    var choices = PolicyTable.Choices()
    choices.fcmPlain429 = .device
    judgement = SendJudge(choices: choices).judge(row.outcome, of: send, now: Self.start) { random }
    #expect(judgement.change == row.change)
  }

  /// Google leaves open what a 429 without a code is about: a setting says whether its waits grow as those of a quota, up to
  /// ten minutes, or as those of one busy device, up to fifteen.
  @Test(arguments: [(PolicyTable.Choices.Plain429.quota, Int64(600)), (.device, 900)])
  func a429WithoutACodeIsWhatTheSettingSays(setting: PolicyTable.Choices.Plain429, longest: Int64) {
    var choices = PolicyTable.Choices()
    choices.fcmPlain429 = setting
    var send = JudgedSend(provider: .fcm, attempt: 1, sentAt: Self.start, startAt: Self.start)
    func wait(_ outcome: SendOutcome) -> DeliveryResult.Change {
      SendJudge(choices: choices).judge(outcome, of: send, now: Self.start) { 0 }.change
    }
    for (attempt, seconds) in [(1, Int64(60)), (2, 120), (9, longest)] {
      send.attempt = attempt
      for code in ["RESOURCE_EXHAUSTED", "", "SOMETHING_NEW"] {
        #expect(wait(Row.fcm(429, code, own: false)) == .retry(notBefore: Self.after(seconds)), "\(code) \(attempt)")
      }
      // With its code it is a quota whatever the setting says, and Retry-After is obeyed all the same.
      #expect(wait(Row.fcm(429, "QUOTA_EXCEEDED")) == .retry(notBefore: Self.after(min(seconds, 600))))
      let asked = Row.fcm(429, "", own: false, retryAfter: 1000)
      #expect(wait(asked) == .retry(notBefore: Self.after(1000)))
    }
  }

  private static func half(_ change: DeliveryResult.Change) -> UInt64 {
    switch change {
    case .retry(let instant), .release(let instant): UInt64((instant.milliseconds - start.milliseconds) / 2)
    case .unknown(let instant): UInt64(((instant ?? start).milliseconds - start.milliseconds) / 2)
    default: 0
    }
  }

  @Test func triesComeToAnEnd() {
    let busy = SendOutcome.rejected(SendRejection(status: 503, reason: "UNAVAILABLE", meaning: .trouble(.fcm)))
    func change(attempt: Int, ageSeconds: Int64, expiresIn: Int64?) -> DeliveryResult.Change {
      let now = Self.after(ageSeconds)
      let send = JudgedSend(
        provider: .fcm, attempt: attempt, sentAt: now, startAt: Self.start,
        expiresAt: expiresIn.map { now.adding(seconds: $0) })
      return SendJudge().judge(busy, of: send, now: now) { 0 }.change
    }
    #expect(change(attempt: 1, ageSeconds: 0, expiresIn: 10) == .expired)
    #expect(change(attempt: 1, ageSeconds: 0, expiresIn: 11) == .retry(notBefore: Self.after(10)))
    #expect(change(attempt: 1, ageSeconds: 5390, expiresIn: nil) == .retry(notBefore: Self.after(5400)))
    #expect(change(attempt: 1, ageSeconds: 5391, expiresIn: nil) == .abandoned)
    #expect(change(attempt: 16, ageSeconds: 0, expiresIn: nil) == .abandoned)
    let lost = SendOutcome.unknown(reason: "timeout")
    let send = JudgedSend(provider: .apns, attempt: 16, sentAt: Self.start, startAt: Self.start)
    #expect(SendJudge().judge(lost, of: send, now: Self.start) { 0 }.change == .unknown(notBefore: nil))
  }

  /// A provider's last answer says why; without any, the rule that ended it is named, with what failed last.
  @Test func whatIsAbandonedNamesItsRule() {
    let late = Self.after(6 * 3_600)
    let send = JudgedSend(provider: .apns, attempt: 3, sentAt: late, startAt: Self.start)
    let unreachable = SendJudge().judge(.notProcessed(reason: "connect"), of: send, now: late) { 0 }
    #expect(unreachable.change == .abandoned && unreachable.reason == "retries-exhausted: connect")
    #expect(PipelineReason.cause(ofExhausted: unreachable.reason) == "connect")
    let busy = SendOutcome.rejected(SendRejection(status: 503, reason: "ServiceUnavailable", meaning: .trouble(.apns)))
    let refused = SendJudge().judge(busy, of: send, now: late) { 0 }
    #expect(refused.change == .abandoned && refused.status == 503 && refused.reason == "ServiceUnavailable")
    #expect(PipelineReason.cause(ofExhausted: refused.reason) == nil)
  }

  /// A browser's push service that is out of reach is tried at growing intervals although no try counts; a gateway that
  /// all devices share has its breaker for that.
  @Test(arguments: [Provider.web, .apns, .fcm, .hms]) func anUnreachableOriginIsTriedSeldomer(provider: Provider) {
    var (now, tries, waits) = (Self.start, 0, [Int64]())
    while tries < 200 {
      let send = JudgedSend(provider: provider, attempt: 1, sentAt: now, startAt: Self.start)
      let judgement = SendJudge().judge(.notProcessed(reason: "connect"), of: send, now: now) { UInt64(tries) }
      guard case .release(let instant) = judgement.change else {
        #expect(judgement.change == .abandoned)
        break
      }
      waits.append(instant.milliseconds - now.milliseconds)
      (now, tries) = (instant, tries + 1)
    }
    guard provider == .web else { return #expect(waits.allSatisfy { $0 <= 1_000 } && tries == 200) }
    #expect(tries < 100 && waits.allSatisfy { $0 <= 600_000 }, "\(tries) tries")
    #expect(waits.prefix(10).reduce(0, +) > 10_000 && (waits.last ?? 0) >= 300_000, "\(waits.prefix(10))")
  }

  @Test func waitsDoubleWithinTheirBounds() {
    let plain = Backoff(firstMs: 1000, maxMs: 60_000, isFloor: false)
    #expect((1...8).map { plain.waitMs(attempt: $0, random: 0) } == [500, 1000, 2000, 4000, 8000, 16000, 30000, 30000])
    #expect(plain.waitMs(attempt: 3, random: 2000) == 4000 && plain.waitMs(attempt: 100, random: 30_000) == 60_000)
    #expect(Backoff.apns.waitMs(attempt: 1, random: 0) == 900_000)
    #expect(Backoff.apns.waitMs(attempt: 1, random: 450_000) == 1_350_000)
  }

  @Test func theGuardTripsAndRecovers() {
    var spikes = SpikeGuard(settings: .init(shareMax: 0.5, answersMin: 10, windowMs: 20_000))
    let dead = DeviceConsequence.retire(since: Self.start)
    func allows(_ consequence: DeviceConsequence?, at now: Timestamp) -> Bool { spikes.allows(consequence, at: now) }
    for _ in 0..<9 { #expect(allows(dead, at: Self.start)) }
    #expect(!allows(dead, at: Self.start) && spikes.isTripped && spikes.kept == 1)
    for _ in 0..<40 { #expect(allows(nil, at: Self.after(1))) }
    #expect(!spikes.isTripped)
    for _ in 0..<60 { _ = allows(dead, at: Self.after(2)) }
    #expect(spikes.isTripped)
    // The window passes, and with it the reason.
    #expect(allows(dead, at: Self.after(30)) && !spikes.isTripped)
  }

  @Test func aRateHasARampAndNoBursts() {
    var limit = RateLimit(perSecond: 1000, rampMs: 10_000)
    func available(at now: Timestamp) -> Int { limit.available(at: now) }
    #expect(available(at: Self.start) == 5)
    limit.take(5, at: Self.start)
    #expect(available(at: Self.start) == 0)
    #expect(limit.nextDue(after: Self.start) == Self.start.adding(milliseconds: 20))
    #expect(available(at: Self.start.adding(milliseconds: 100)) == 5)
    limit.take(5, at: Self.start.adding(milliseconds: 100))
    #expect(available(at: Self.after(5)) == 50)
    #expect(available(at: Self.after(20)) == 100)
    // A clock that steps back neither fills nor breaks it.
    limit.take(100, at: Self.after(20))
    #expect(available(at: Self.after(10)) == 0)
    #expect(available(at: Self.after(11)) == 100)
  }

  @Test("Sends of a fast rate come in portions of ten milliseconds, of a slow one alone") func portions() {
    for (rate, wait, portion) in [(10_000.0, Int64(10), 100), (50, 20, 1), (1, 1_000, 1)] {
      var limit = RateLimit(perSecond: rate)
      let full = limit.available(at: Self.start)
      #expect(full == max(Int(rate / 10), 1))
      limit.take(full, at: Self.start)
      #expect(limit.nextDue(after: Self.start) == Self.start.adding(milliseconds: wait))
      #expect(limit.available(at: Self.start.adding(milliseconds: wait - 1)) == 0)
      #expect(limit.available(at: Self.start.adding(milliseconds: wait)) == portion)
    }
  }

  @Test func theBreakerOpensProbesAndCloses() {
    var breaker = Breaker()
    for _ in 0..<Breaker.failuresMax { breaker.failed(at: Self.start, random: 500) }
    #expect(
      breaker.isOpen && breaker.allowed(at: Self.start) == 0 && breaker.nextDue(after: Self.start) == Self.after(1))
    #expect(breaker.allowed(at: Self.after(1)) == Breaker.probeSends)
    breaker.sent(Breaker.probeSends)
    #expect(breaker.allowed(at: Self.after(1)) == 0)
    breaker.failed(at: Self.after(1), random: 1000)
    #expect(breaker.nextDue(after: Self.after(1)) == Self.after(3))
    breaker.answered()
    #expect(!breaker.isOpen && breaker.allowed(at: Self.after(1)) == .max)
  }

  /// Probes that end without a word of the gateway, because they expired or their credential was replaced, are sent anew:
  /// otherwise the lane would be closed for ever.
  @Test func aProbeThatSaysNothingIsSentAgain() {
    var breaker = Breaker(failuresMax: 1)
    breaker.failed(at: Self.start, random: 500)
    breaker.sent(Breaker.probeSends)
    #expect(breaker.allowed(at: Self.after(1)) == 0)
    for _ in 0..<Breaker.probeSends { breaker.ended() }
    #expect(breaker.allowed(at: Self.after(1)) == Breaker.probeSends)
    // What was on the wire when it opened is no probe.
    breaker.ended()
    #expect(breaker.allowed(at: Self.after(1)) == Breaker.probeSends)
  }
}
