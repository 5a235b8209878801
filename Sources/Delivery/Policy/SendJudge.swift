public import StoreModel

/// What the judge knows of a send.
public struct JudgedSend: Sendable, Hashable {
  /// Who carried it.
  public var provider: Provider
  /// Which try it was, from 1.
  public var attempt: Int
  /// When it was handed to the sender.
  public var sentAt: Timestamp
  /// When its push could first be sent, or later, while it is not certain how long ago that is: its age is counted from here.
  public var startAt: Timestamp
  /// Since when it has been tried, as far as that is known: pauses between tries that do not count grow from here.
  public var triedSince: Timestamp
  /// When its push expires.
  public var expiresAt: Timestamp?

  /// Creates a value from its parts.
  public init(
    provider: Provider, attempt: Int, sentAt: Timestamp, startAt: Timestamp, triedSince: Timestamp? = nil,
    expiresAt: Timestamp? = nil
  ) {
    self.provider = provider
    self.attempt = attempt
    self.sentAt = sentAt
    self.startAt = startAt
    self.triedSince = triedSince ?? startAt
    self.expiresAt = expiresAt
  }
}

/// A judgement: the result for the ledger, and its other consequences.
public struct Judgement: Sendable, Hashable {
  /// What becomes of the delivery.
  public var change: DeliveryResult.Change
  /// The HTTP status of the answer, or 0.
  public var status: Int
  /// The reason, empty when accepted.
  public var reason: String
  /// The consequence for the device, before the spike guard is applied.
  public var consequence: DeviceConsequence?
  /// Whether its lane stops.
  public var stopsLane: Bool
  /// Whether operators are notified while sending continues.
  public var tellsOperator = false
}

/// Reasons that are the pipeline's own, next to the providers' and `LocalReason`.
public enum PipelineReason {
  /// The push has no payload for this kind of device.
  public static let noPayload = "no-payload"
  /// The app has no credential for this provider and environment.
  public static let noCredential = "no-credential"
  /// The pipeline was stopped before the send was handed over.
  public static let stopped = "stopped"
  /// The lane was stopped because its credential was refused.
  public static let providerStopped = "provider-stopped"
  /// The gateway could not be reached, so it was not tried.
  public static let gatewayUnreachable = "gateway-unreachable"
  /// The push was paused or cancelled, or its device changed hands or opted out, before it was sent.
  public static let recalled = "recalled"
  /// The push expired before it could be sent.
  public static let expired = "expired"
  /// The time or the attempts that a delivery has are used up, and the provider never answered; what failed last follows.
  public static let exhausted = "retries-exhausted"

  /// The reason of a delivery whose last attempt failed with `cause`.
  public static func exhausted(after cause: String) -> String { "\(exhausted): \(cause)" }

  /// What failed last, of a reason that `exhausted(after:)` made.
  public static func cause(ofExhausted reason: String) -> String? {
    let prefix = exhausted + ": "
    return reason.hasPrefix(prefix) ? String(reason.dropFirst(prefix.count)) : nil
  }
  /// The message is larger than the provider takes, with the values of this recipient.
  public static let tooLarge = "payload-too-large"
  /// A text of the message skips this recipient, with `{% abort %}`.
  public static let aborted = "template-aborted"
  /// A text of the message needs a value that this recipient does not have, and the push skips such recipients.
  public static let undefined = "template-undefined"
  /// A text of the message fails on the values of this recipient.
  public static let templateFailed = "template-failed"
  /// With the values of this recipient texts are empty without which a device shows nothing.
  public static let templateEmpty = "template-empty"
}

/// Turns outcomes into judgements by ``PolicyTable``; no clock, no store, no sender.
public struct SendJudge: Sendable {
  /// When a delivery is abandoned.
  public var givingUp: GivingUp
  /// What is decided where the providers' pages leave it open.
  public var choices: PolicyTable.Choices

  /// Takes the limits and the choices.
  public init(givingUp: GivingUp = GivingUp(), choices: PolicyTable.Choices = PolicyTable.Choices()) {
    self.givingUp = givingUp
    self.choices = choices
  }

  /// Judges one outcome; `random` gives 64 random bits, when a back-off needs them.
  public func judge(_ outcome: SendOutcome, of send: JudgedSend, now: Timestamp, random: () -> UInt64) -> Judgement {
    switch outcome {
    case .accepted(let name):
      return Judgement(change: .accepted(providerID: name), status: 200, reason: "", stopsLane: false)
    case .expired: return end(.expired, 0, PipelineReason.expired)
    case .recalled: return end(.release(notBefore: now), 0, PipelineReason.recalled)
    case .unknown(let reason):
      let again = again(.transport, counts: true, nil, send, now, random)
      guard case .retry(let instant) = again else {
        // Another attempt would be after its expiry, so the outcome stays unknown.
        return Judgement(change: .unknown(notBefore: nil), status: 0, reason: reason, stopsLane: false)
      }
      return Judgement(change: .unknown(notBefore: instant), status: 0, reason: reason, stopsLane: false)
    case .notProcessed(let reason):
      return apply(PolicyTable.notProcessed, status: 0, reason: reason, retryAfter: nil, send, now, random)
    case .rejected(let rejection):
      let row = PolicyTable.row(rejection.meaning, choices)
      var judgement = apply(
        row, status: rejection.status, reason: rejection.reason, retryAfter: rejection.retryAfterSeconds, send, now,
        random)
      judgement.consequence = consequence(row.device, rejection, send)
      return judgement
    }
  }

  private func apply(
    _ row: PolicyTable.Row, status: Int, reason: String, retryAfter: Int?, _ send: JudgedSend, _ now: Timestamp,
    _ random: () -> UInt64
  ) -> Judgement {
    var judgement = end(.rejected, status, reason)
    judgement.stopsLane = row.stopsLane
    judgement.tellsOperator = row.tellsOperator
    switch row.delivery {
    case .end: break
    case .retry(let backoff):
      judgement.change = again(backoff, counts: true, retryAfter, send, now, random)
    case .again(let backoff):
      judgement.change = again(backoff, counts: false, retryAfter, send, now, random)
    }
    // A provider's last answer says by itself why it ended; what never got one is ended by a rule of ours, which is named.
    if judgement.change == .abandoned && status == 0 { judgement.reason = PipelineReason.exhausted(after: reason) }
    return judgement
  }

  private func again(
    _ backoff: Backoff, counts: Bool, _ retryAfter: Int?, _ send: JudgedSend, _ now: Timestamp, _ random: () -> UInt64
  ) -> DeliveryResult.Change {
    if counts && send.attempt >= givingUp.attemptsMax { return .abandoned }
    let asked = Int64(min(max(retryAfter ?? 0, 0), Self.retryAfterSecondsMax)) * 1000
    let drawn = random()
    var wait = backoff.waitMs(attempt: send.attempt, random: drawn)
    if !counts, !send.provider.hasOneGateway {
      // No breaker spares a gateway that is one of many, and a try that does not count makes no pause longer: it grows with
      // the time that was tried without success.
      wait = max(wait, Backoff.origin.waitMs(after: now.milliseconds - send.triedSince.milliseconds, random: drawn))
    }
    let instant = now.adding(milliseconds: max(asked, wait))
    if let expiresAt = send.expiresAt, instant >= expiresAt { return .expired }
    let age = givingUp.ageMs(send.provider)
    if instant > send.startAt.adding(milliseconds: age) { return .abandoned }
    return counts ? .retry(notBefore: instant) : .release(notBefore: instant)
  }

  private func consequence(
    _ rule: PolicyTable.DeviceRule, _ rejection: SendRejection, _ send: JudgedSend
  ) -> DeviceConsequence? {
    switch rule {
    case .keep: nil
    // Without a timestamp from the provider, the time of the send applies: devices that registered later are valid.
    case .quarantine: .quarantine(since: send.sentAt)
    case .retire: .retire(since: rejection.deadSince ?? send.sentAt)
    }
  }

  private func end(_ change: DeliveryResult.Change, _ status: Int, _ reason: String) -> Judgement {
    Judgement(change: change, status: status, reason: reason, stopsLane: false)
  }

  /// Longest `Retry-After` that is obeyed: a day.
  public static let retryAfterSecondsMax = 86_400
}
