internal import Ledger
internal import StoreModel

/// Answers other than a first acceptance, on a server: a statement for all of them, and one for what they say of their devices.
///
/// One device in ten or more of an old audience is gone, and while a provider has no capacity every try ends as a retry: a round
/// trip for each of these would be what a campaign waits for.
extension Recording {
  /// - Parameter results: in the order of their deliveries.
  mutating func write(others results: [DeliveryResult], _ context: inout WriterContext) throws(StoreError) {
    guard !results.isEmpty else { return }
    pushes = try context.db.fates(of: Set(results.map(\.push)))
    earlier = try context.db.earlierTries(of: results.filter { $0.attempt > 1 }.map(\.delivery.rawValue))
    var answers: [RecordedAnswer] = []
    answers.reserveCapacity(results.count)
    for given in results {
      guard try isHeld(given.lease, context.db) else {
        summary.late += 1
        continue
      }
      let isAgain = answers.last?.result.delivery == given.delivery
      if given.triesOtherEnvironment || isAgain {
        // It depends on rows that those before it change.
        try write(answers, &context)
        answers.removeAll(keepingCapacity: true)
      }
      if isAgain { earlier[given.delivery] = nil }
      if given.triesOtherEnvironment {
        try write(given, &context)
      } else {
        answers.append(try answer(given, &context))
      }
    }
    try write(answers, &context)
  }

  private mutating func write(
    _ answers: [RecordedAnswer], _ context: inout WriterContext
  ) throws(StoreError) {
    let gone = try context.db.leaveWire(answers)
    var holds: [DeviceHold] = []
    for answer in answers {
      guard gone.contains(answer.result.delivery) else {
        summary.late += 1
        continue
      }
      count(answer, &context)
      if let hold = DeviceHold(answer.result) { holds.append(hold) }
    }
    // Each statement changes a device once; what a further answer says of it is for the next.
    while !holds.isEmpty {
      var seen: Set<DeviceID> = []
      let turn = holds.filter { seen.insert($0.device).inserted }
      let held = try context.db.hold(turn)
      for hold in turn where held.contains(hold.device) { count(hold) }
      seen.removeAll()
      holds.removeAll { seen.insert($0.device).inserted }
    }
  }
}

/// What the row of a delivery says of its earlier tries.
struct EarlierTries {
  /// Whether the provider may have processed one whose outcome is not known.
  let areUncertain: Bool
  /// Whether the last answer refused its token.
  let refusedToken: Bool

  fileprivate static let ofMany = """
    SELECT d.id, d.unknowns > 0, coalesce(\(refusesToken), false)
    FROM deliveries d LEFT JOIN outcomes o ON o.code = d.code WHERE d.id = ANY(CAST(?1 AS bigint[]))
    """
}

extension RecordedAnswer {
  /// What the row says of how often it was tried.
  var attempts: Int { end.counts ? result.attempt : result.attempt - 1 }

  /// The variant that the row is given; that of a delivery that waits again is noted when it ends.
  var variant: Int64? { end.metric == nil ? nil : result.variant.map(Int64.init) }
}

extension Connection {
  /// What rows say of earlier tries.
  fileprivate func earlierTries(of ids: [Int64]) throws(StoreError) -> [DeliveryID: EarlierTries] {
    guard !ids.isEmpty else { return [:] }
    let select = try prepare(parts: EarlierTries.ofMany)
    select.bind(1, set: ids)
    var found: [DeliveryID: EarlierTries] = [:]
    found.reserveCapacity(ids.count)
    while try select.step() {
      found[select.id(0)] = EarlierTries(areUncertain: select.bool(1), refusedToken: select.bool(2))
    }
    return found
  }

  /// The rows of several deliveries, each once, as `leaveWire` of one changes them; returns those that were on the wire.
  fileprivate func leaveWire(_ answers: [RecordedAnswer]) throws(StoreError) -> Set<DeliveryID> {
    guard answers.count > 1 else {
      guard let only = answers.first, try leaveWire(only) else { return [] }
      return [only.result.delivery]
    }
    let update = try prepare(
      """
      UPDATE deliveries SET state = a.becomes, code = a.answer, at = a.answered_at, attempts = a.tries,
        not_before = nullif(a.due, -1), unknowns = unknowns + a.doubt, lane = coalesce(nullif(a.queue, -1), lane),
        variant = coalesce(nullif(a.part, -1), variant),
        provider_id = CASE WHEN device IS NULL AND target IS NULL THEN NULL ELSE nullif(a.name, '') END#refused(a.becomes)
      FROM unnest(CAST(?1 AS bigint[]), CAST(?2 AS bigint[]), CAST(?3 AS bigint[]), CAST(?4 AS bigint[]),
        CAST(?5 AS bigint[]), CAST(?6 AS bigint[]), CAST(?7 AS bigint[]), CAST(?8 AS bigint[]), CAST(?9 AS bigint[]),
        CAST(?10 AS bigint[]), CAST(?11 AS text[]))
        AS a(delivery, try, becomes, answer, answered_at, tries, due, doubt, queue, part, name)
      WHERE id = ANY(CAST(?1 AS bigint[])) AND id = a.delivery AND attempts = a.try - 1
        AND state IN #delivery.answerable
      RETURNING id
      """)
    update.bind(1, set: answers.map(\.result.delivery.rawValue))
    update.bind(2, set: answers.map { Int64($0.result.attempt) })
    update.bind(3, set: answers.map { Int64($0.end.state.rawValue) })
    update.bind(4, set: answers.map(\.code))
    update.bind(5, set: answers.map(\.result.at.milliseconds))
    update.bind(6, set: answers.map { Int64($0.attempts) })
    update.bind(7, set: answers.map { $0.end.notBefore?.milliseconds ?? -1 })
    update.bind(8, set: answers.map { $0.end.isUnknown ? 1 : 0 })
    update.bind(9, set: answers.map { $0.end.queue ?? -1 })
    update.bind(10, set: answers.map { $0.variant ?? -1 })
    update.bind(11, set: answers.map { $0.end.providerID ?? "" })
    var gone: Set<DeliveryID> = []
    gone.reserveCapacity(answers.count)
    while try update.step() { gone.insert(update.id(0)) }
    return gone
  }

  /// Retires or quarantines several devices, each once, as `hold` of one does; returns those that it did.
  fileprivate func hold(_ holds: [DeviceHold]) throws(StoreError) -> Set<DeviceID> {
    guard holds.count > 1 else {
      guard let only = holds.first, try hold(only) else { return [] }
      return [only.device]
    }
    let update = try prepare(
      """
      UPDATE devices SET state = h.becomes, state_reason = h.reason, state_at = h.answered_at
      FROM unnest(CAST(?1 AS bigint[]), CAST(?2 AS bigint[]), CAST(?3 AS text[]), CAST(?4 AS bigint[]), CAST(?5 AS bigint[]))
        AS h(device, becomes, reason, answered_at, since)
      WHERE id = ANY(CAST(?1 AS bigint[])) AND id = h.device AND state = #device.active
        AND (registered_at < h.since OR registered_at - 60000 > h.answered_at)
      RETURNING id
      """)
    update.bind(1, set: holds.map(\.device.rawValue))
    update.bind(2, set: holds.map { Int64($0.state.rawValue) })
    update.bind(3, set: holds.map(\.reason))
    update.bind(4, set: holds.map(\.at.milliseconds))
    update.bind(5, set: holds.map(\.since.milliseconds))
    var held: Set<DeviceID> = []
    while try update.step() { held.insert(update.id(0)) }
    return held
  }
}
