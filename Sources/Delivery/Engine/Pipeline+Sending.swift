internal import GatewayPool
internal import StoreModel

/// From the lanes to the senders, and back.
extension Pipeline {
  /// The pause before a sender without room is tried again, unless an answer comes first, in milliseconds.
  private static let busyMs: Int64 = 20
  /// How long deliveries without a credential wait at least, in milliseconds; nothing is leased from their lane before it has
  /// one, so that it is short: what is saved is used at once.
  private static let noCredentialMs: Int64 = 250

  /// Hands over as much of a lane as may go now.
  func pump(_ number: Int, _ now: Timestamp) {
    guard lanes[number].queued > 0 else { return }
    let key = lanes[number].key
    // Read before the sender: one that is replaced in between is taken for the older one, whose refusals stop nothing.
    let generation = senders.generation(of: key)
    if lanes[number].isStopped(at: now) { return giveBack(lane: number, PipelineReason.providerStopped, now) }
    if lanes[number].isCutOff(at: now) { return giveBack(lane: number, PipelineReason.gatewayUnreachable, now) }
    guard let sender = senders.sender(app: key.app, provider: key.provider, environment: key.environment) else {
      lanes[number].lacksSender = true
      lanes[number].isUnusable = senders.isUnusable(key)
      return holdWithoutSender(number, now)
    }
    while let (waiting, urgent) = lanes[number].next(max: lanes[number].allowed(at: now)) {
      if let expiresAt = waiting.expiresAt, expiresAt <= now {
        for entry in waiting.entries { finish(entry.tag, .expired, PipelineReason.expired, now) }
        continue
      }
      guard hand(waiting, urgent, to: sender, generation, number, now) else {
        lanes[number].putBack(waiting, urgent: urgent)
        lanes[number].refused(waiting.entries.count)
        lanes[number].busyUntil = now.adding(milliseconds: Self.busyMs)
        return
      }
      lanes[number].accepted()
    }
  }

  private func hand(
    _ waiting: Lane.Waiting, _ urgent: Bool, to sender: any Sender, _ generation: UInt32, _ number: Int,
    _ now: Timestamp
  ) -> Bool {
    let batch = SendBatch(
      payload: waiting.payload, urgent: urgent, notAfter: waiting.expiresAt, entries: Array(waiting.entries),
      recall: recall, texts: waiting.texts, push: waiting.push)
    guard sender.submit(batch, to: sinks[number]) else { return false }
    for entry in batch.entries { flights.sent(entry.tag, at: now, generation: generation) }
    if let tracing = options.tracing, tracing.traces(waiting.push) {
      tracing.handed(waiting.push, tags: batch.entries.map(\.tag))
    }
    onWire += batch.entries.count
    lanes[number].onWire += batch.entries.count
    statistics.sent += batch.entries.count
    lanes[number].rate?.take(batch.entries.count, at: now)
    lanes[number].breaker.sent(batch.entries.count)
    options.onFaultPoint?(.sent)
    return true
  }

  /// An app without a credential loses nothing for a while: an operator may be about to add it.
  private func holdWithoutSender(_ number: Int, _ now: Timestamp) {
    let backoff = now.adding(milliseconds: Self.noCredentialMs)
    for waiting in lanes[number].removeAll(where: { _ in true }) {
      for entry in waiting.entries {
        guard let flight = flights.remove(entry.tag) else { continue }
        let age = options.givingUp.ageMs(flight.provider)
        let isLate = !lanes[number].isUnusable && backoff > flight.startAt.adding(milliseconds: age) && hasPassed(age)
        finish(flight, isLate ? .rejected : .release(notBefore: backoff), 0, PipelineReason.noCredential, now)
      }
    }
  }

  // MARK: Answers

  func answered(_ number: Int, _ answers: [SendAnswer]) {
    options.onFaultPoint?(.answer)
    let now = options.clock()
    lanes[number].busyUntil = nil
    let tracing = options.tracing.flatMap { $0.awaitsAnswers ? $0 : nil }
    for answer in answers {
      guard let flight = flights.remove(answer.tag) else { continue }
      tracing?.answered(answer.tag, TracedSend(flight, answer.outcome))
      recall.remove(answer.tag)
      onWire -= 1
      lanes[number].onWire -= 1
      // How a sender that was replaced ends says nothing of the gateway.
      if flight.generation == senders.generation(of: lanes[number].key) {
        watch(number, answer.outcome, now)
      } else {
        lanes[number].breaker.ended()
      }
      settle(flight, answer.outcome, number, now)
    }
  }

  private func settle(_ flight: Flight, _ outcome: SendOutcome, _ number: Int, _ now: Timestamp) {
    let send = JudgedSend(
      provider: flight.provider, attempt: flight.attempt, sentAt: flight.sentAt,
      startAt: hasPassed(options.givingUp.ageMs(flight.provider)) ? flight.startAt : max(flight.startAt, now),
      triedSince: max(flight.startAt, evenSince), expiresAt: flight.expiresAt)
    var judgement = judge.judge(outcome, of: send, now: now, random: options.random)
    // What the provider says of a credential that was replaced meanwhile says nothing of the one that is there now.
    let isCurrent = { self.senders.generation(of: self.lanes[number].key) == flight.generation }
    // The provider's own words: the delivery's reason may be that its attempts are used up.
    if judgement.stopsLane, case .rejected(let rejection) = outcome, isCurrent() { stop(number, rejection.reason, now) }
    if judgement.tellsOperator && isCurrent() { tellOfDoubt(lanes[number].key, judgement.reason, now) }
    let triesOther = triesOtherEnvironment(flight, outcome, number)
    // The first refusal of two says nothing of the device yet.
    let counted = triesOther && flight.attempt == 1 ? nil : judgement.consequence
    if !guardAllows(flight.app, counted, now) { judgement.consequence = nil }
    var result = DeliveryResult(flight, judgement.change, (judgement.status, judgement.reason), now)
    result.device = flight.device
    result.consequence = judgement.consequence
    result.triesOtherEnvironment = triesOther
    add(result, now)
  }

  /// Whether a refusal may be of the environment and not of the device.
  private func triesOtherEnvironment(_ flight: Flight, _ outcome: SendOutcome, _ number: Int) -> Bool {
    guard case .rejected(let rejection) = outcome, rejection.meaning == .suspectToken, flight.device != nil else {
      return false
    }
    return senders.triesOtherEnvironment(lanes[number].key)
  }

  /// Minimum interval between reports of a doubtful credential to operators.
  private static let doubtTellMs: Int64 = 600_000

  private func tellOfDoubt(_ lane: LaneKey, _ reason: String, _ now: Timestamp) {
    if let reportedAt = doubts[lane], (0..<Self.doubtTellMs).contains(now.milliseconds - reportedAt.milliseconds) {
      return
    }
    doubts[lane] = now
    options.onEvent?(.credentialDoubted(lane, reason: reason))
  }

  private func guardAllows(_ app: AppID, _ consequence: DeviceConsequence?, _ now: Timestamp) -> Bool {
    let known = guards[app]
    let box = known ?? GuardBox(SpikeGuard(settings: options.spikeGuard))
    if known == nil { guards[app] = box }
    let wasTripped = box.spikes.isTripped
    let allowed = box.spikes.allows(consequence, at: now)
    if box.spikes.isTripped != wasTripped {
      let event: DeliveryEvent =
        box.spikes.isTripped
        ? .retirementHalted(app, share: box.spikes.share) : .retirementResumed(app, kept: box.spikes.kept)
      options.onEvent?(event)
    }
    return allowed
  }

  /// Feeds the breaker: an answer of any kind closes it, a send that did not arrive counts against it.
  private func watch(_ number: Int, _ outcome: SendOutcome, _ now: Timestamp) {
    let key = lanes[number].key
    let wasOpen = lanes[number].breaker.isOpen
    switch outcome {
    case .accepted, .rejected:
      let gotOut = lanes[number].wayOut.answered()
      if wasOpen || gotOut { options.onEvent?(.gatewayReachable(key)) }
      lanes[number].breaker.answered()
      lanes[number].window.answered(1)
      if lanes[number].stop != nil, outcome.provesCredential { resume(number, now) }
    case .notProcessed(let reason) where !key.provider.hasOneGateway,
      .unknown(let reason) where !key.provider.hasOneGateway:
      // One push service of many that is out of reach says nothing of the others; its connections have a back-off.
      lanes[number].breaker.ended()
      if lanes[number].wayOut.failed(reason) { options.onEvent?(.gatewayUnreachable(key, reason: reason)) }
    case .notProcessed(let reason), .unknown(let reason):
      lanes[number].breaker.failed(at: now, random: options.random())
      if lanes[number].breaker.isOpen { lanes[number].window.failed() }
      lanes[number].lastFailure = reason
      let isKnown = wasOpen || lanes[number].wayOut.isReported
      if lanes[number].wayOut.failed(reason) || lanes[number].breaker.isOpen, !isKnown {
        options.onEvent?(.gatewayUnreachable(key, reason: reason))
      }
    case .expired, .recalled: lanes[number].breaker.ended()
    }
  }

  // MARK: Giving back

  /// Takes back what has not left of a push that was paused or cancelled.
  func takeBack(_ push: PushID) {
    cache.remove(push)
    takeBack(options.clock()) { $0.push == push }
  }

  /// Releases unsent deliveries to devices that changed owners, opted out or were removed; the next lease checks them
  /// again.
  func takeBackRecalled(_ now: Timestamp) {
    guard !recalls.isEmpty else { return }
    takeBack(now) { [recalls] flight in
      flight.device.map(recalls.devices.contains) ?? false || recalls.deliveries.contains(flight.delivery)
    }
    recalls = LeaseRecall()
  }

  func takeBack(_ now: Timestamp, where matches: (Flight) -> Bool) {
    var tags = Set(flights.tags(where: matches))
    guard !tags.isEmpty else { return }
    for number in lanes.indices {
      for tag in lanes[number].remove(tags) {
        tags.remove(tag)
        finish(tag, .release(notBefore: now), PipelineReason.recalled, now)
      }
    }
    // The others are with their senders.
    recall.insert(tags)
  }

  func giveBackAll(_ now: Timestamp) {
    for number in lanes.indices { giveBack(lane: number, PipelineReason.stopped, now) }
  }

  func giveBack(lane number: Int, _ reason: String, _ now: Timestamp) {
    for waiting in lanes[number].removeAll(where: { _ in true }) { release(waiting, reason, now) }
  }

  private func release(_ waiting: Lane.Waiting, _ reason: String, _ now: Timestamp) {
    for entry in waiting.entries { finish(entry.tag, .release(notBefore: now), reason, now) }
  }

  private func finish(_ tag: UInt64, _ change: DeliveryResult.Change, _ reason: String, _ now: Timestamp) {
    if let flight = flights.remove(tag) { finish(flight, change, 0, reason, now) }
  }

  /// Ends a delivery that was not handed to a sender.
  func finish(
    _ flight: Flight, _ change: DeliveryResult.Change, _ status: Int, _ reason: String, _ now: Timestamp
  ) {
    add(DeliveryResult(flight, change, (status, reason), now), now)
  }
}

extension DeliveryResult {
  fileprivate init(_ flight: Flight, _ change: Change, _ answer: (status: Int, reason: String), _ now: Timestamp) {
    self.init(
      lease: flight.lease, delivery: flight.delivery, push: flight.push, attempt: flight.attempt, change: change,
      provider: flight.provider, answer: answer, at: now)
    variant = flight.variant
    environment = flight.environment
    isForChannel = flight.isForChannel
  }
}
