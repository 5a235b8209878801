internal import Ledger
public import StoreModel

extension SQLStore {
  /// Records how tries ended.
  public func record(
    _ results: [DeliveryResult], completion: @escaping @Sendable (Result<RecordSummary, StoreError>) -> Void
  ) {
    write(
      { (context) throws(StoreError) in
        var recording = Recording()
        return try recording.run(results, &context)
      }, urgency: .bulk, completion: completion)
  }
}

extension DeliveryResult {
  /// Accepted in the first try, with nothing else to say.
  private var isPlain: Bool {
    guard case .accepted(nil) = change else { return false }
    return isPlainOnServer && status == 200
  }

  /// The same where one statement writes whatever status and name each provider has given.
  fileprivate var isPlainOnServer: Bool {
    guard case .accepted = change else { return false }
    return attempt == 1 && reason.isEmpty && consequence == nil
  }

  fileprivate func continuesRun(of other: DeliveryResult) -> Bool {
    delivery.rawValue == other.delivery.rawValue + 1 && push == other.push && lease == other.lease && at == other.at
      && provider == other.provider && variant == nil && other.variant == nil && isPlain && other.isPlain
  }

  /// Whether one walk over the table may write both: little lies between them.
  ///
  /// - Parameter inSets: also when they are of different pushes (see ``Connection/writesSets``).
  fileprivate func isNear(_ other: DeliveryResult, inSets: Bool) -> Bool {
    (1...(inSets ? Self.setGapMax : Self.gapMax)).contains(delivery.rawValue - other.delivery.rawValue)
      && (variant == nil) == (other.variant == nil)
      && (inSets
        ? isPlainOnServer && other.isPlainOnServer
        : push == other.push && lease == other.lease && isPlain && other.isPlain)
  }

  /// Passing over a row that is not meant costs a tenth of a statement.
  private static let gapMax: Int64 = 8
  /// The same where a statement is a message to a server.
  private static let setGapMax: Int64 = 64
}

/// One batch of results while it is written.
struct Recording {
  var summary = RecordSummary()
  private var deltas: [PushID: LedgerDelta] = [:]
  private var order: [PushID] = []
  /// Results recorded under each lease; below zero for a lease that is not held any more.
  private var leases: [LeaseID: Int] = [:]
  /// Webhook notices by push; collected only when a webhook subscribes.
  private var notices: [PushID: [Notice]] = [:]
  private var hasSubscribers = false
  /// The pushes of whose accepted deliveries a webhook is notified.
  private var notified: Set<PushID> = []
  var pushes: [PushID: PushFate] = [:]
  private var variants = VariantDeltas()
  /// What was read ahead of deliveries in a second or later try; a server's only.
  var earlier: [DeliveryID: EarlierTries] = [:]

  /// A run this long is written by a statement of its own: what is the same in all of it is not asked for row by row.
  private static let runMin = 32

  mutating func run(
    _ results: [DeliveryResult], _ context: inout WriterContext
  ) throws(StoreError) -> RecordSummary {
    // In row order: neighboring rows are on one page, and those with the same result are written by one statement.
    var order = results.indices.sorted { results[$0].delivery < results[$1].delivery }
    hasSubscribers = try context.outbox.hasSubscribers(context.db)
    notified = try notifiedPushes(results, &context)
    let inSets = context.db.writesSets
    if inSets {
      let asked = Set(results.map(\.lease))
      let held = try context.db.held(asked)
      for lease in asked { leases[lease] = held.contains(lease) ? 0 : -1 }
      let others = order.filter { !results[$0].isPlainOnServer }
      order.removeAll { !results[$0].isPlainOnServer }
      try write(others: others.map { results[$0] }, &context)
    }
    var index = 0
    while index < order.count {
      // A notice is of one delivery: of those that a webhook is notified of, a file's are not merged into runs.
      let isApart = !inSets && notified.contains(results[order[index]].push)
      var end = isApart ? index + 1 : Self.endOfRun(results, order, from: index)
      if isApart || end - index >= Self.runMin && !inSets {
        try write(results, order[index..<end], &context)
      } else {
        end = Self.endOfNear(results, order, from: end, inSets: inSets)
        try write(near: results, order[index..<end], &context)
      }
      index = end
    }
    return try settle(&context)
  }

  private mutating func notifiedPushes(
    _ results: [DeliveryResult], _ context: inout WriterContext
  ) throws(StoreError) -> Set<PushID> {
    let apps = try context.outbox.apps(notifiedOf: .accepted, context.db)
    guard !apps.isEmpty else { return [] }
    var notified = Set(results.map(\.push))
    if context.db.writesSets {
      let known = try context.db.settled(Array(notified))
      notified = notified.filter { push in known[push].map { apps.contains($0.app) } ?? false }
    } else {
      for push in notified where try !apps.contains(self.push(push, context.db).app) { notified.remove(push) }
    }
    return notified
  }

  private mutating func write(
    _ results: [DeliveryResult], _ run: ArraySlice<Int>, _ context: inout WriterContext
  ) throws(StoreError) {
    guard let first = run.first, try isHeld(results[first].lease, context.db) else {
      summary.late += run.count
      return
    }
    if run.count > 1 { return try write(acceptedRunFrom: results[first], count: run.count, context.db) }
    try write(results[first], &context)
  }

  /// Writes deliveries that lie near one another with one walk over the table.
  private mutating func write(
    near results: [DeliveryResult], _ indexes: ArraySlice<Int>, _ context: inout WriterContext
  ) throws(StoreError) {
    guard let first = indexes.first, let last = indexes.last, indexes.count > 1 else {
      return try write(results, indexes, &context)
    }
    let (push, lease) = (results[first].push, results[first].lease)
    // Numbers of pushes and of their deliveries are one sequence: what is of one push has no other between.
    let isOfOne = results[last].push == push && !notified.contains(push)
    if !isOfOne || context.db.writesSets && indexes.contains(where: { results[$0].lease != lease }) {
      return try write(set: results, indexes, &context)
    }
    guard try isHeld(lease, context.db) else {
      summary.late += indexes.count
      return
    }
    let written = try self.rows(results, indexes, &context)
    let rows = try context.db.accepted.write(written, to: context.db)
    var delta = deltas[push] ?? LedgerDelta()
    var count = 0
    for row in rows where row.isWritten {
      count += 1
      delta.at = max(delta.at, Timestamp(milliseconds: row.at))
    }
    summary.recorded += count
    summary.late += rows.count - count
    guard count > 0 else { return }
    delta.accepted += count
    if deltas.updateValue(delta, forKey: push) == nil { order.append(push) }
    leases[lease, default: 0] += count
    variants.end(rows, of: push)
  }

  /// The same for deliveries of several pushes or leases.
  private mutating func write(
    set results: [DeliveryResult], _ indexes: ArraySlice<Int>, _ context: inout WriterContext
  ) throws(StoreError) {
    var held: [Int] = []
    held.reserveCapacity(indexes.count)
    for index in indexes where try isHeld(results[index].lease, context.db) { held.append(index) }
    summary.late += indexes.count - held.count
    let written = try self.rows(results, held[...], &context)
    let rows = try context.db.accepted.write(written, to: context.db, isEachAsked: true)
    for (row, index) in zip(rows, held) {
      let result = results[index]
      guard row.isWritten else {
        summary.late += 1
        continue
      }
      summary.recorded += 1
      var delta = deltas[result.push] ?? LedgerDelta()
      delta.accepted += 1
      delta.at = max(delta.at, result.at)
      if deltas.updateValue(delta, forKey: result.push) == nil { order.append(result.push) }
      leases[result.lease, default: 0] += 1
      if let variant = result.variant { variants.end(result.delivery, of: result.push, .accepted, variant) }
      guard notified.contains(result.push) else { continue }
      notices[result.push, default: []].append(Notice(.accepted, delivery: result.delivery, at: result.at, text: ""))
    }
  }

  private mutating func rows(
    _ results: [DeliveryResult], _ indexes: ArraySlice<Int>, _ context: inout WriterContext
  ) throws(StoreError) -> [AcceptedRows.Row] {
    var rows: [AcceptedRows.Row] = []
    rows.reserveCapacity(indexes.count)
    for index in indexes {
      rows.append(AcceptedRows.Row(results[index], code: try code(of: results[index], &context)))
    }
    return rows
  }

  private mutating func settle(_ context: inout WriterContext) throws(StoreError) -> RecordSummary {
    let changes = order.map { push in
      PushChange(push: push, delta: deltas[push] ?? LedgerDelta(), notices: notices[push] ?? [])
    }
    summary.finished += try context.settle(changes)
    for (lease, count) in leases where count > 0 { try context.db.shorten(lease, by: count) }
    try variants.countReports(context.db)
    try variants.write(to: context.db)
    return summary
  }

  /// Where the run of neighbors ends that were accepted in their first try, by one answer: one statement writes them all.
  private static func endOfRun(_ results: [DeliveryResult], _ order: [Int], from start: Int) -> Int {
    var end = start + 1
    while end < order.count, results[order[end]].continuesRun(of: results[order[end - 1]]) { end += 1 }
    return end
  }

  /// Where what lies near one another ends that goes on at `start`: before a long run.
  private static func endOfNear(
    _ results: [DeliveryResult], _ order: [Int], from start: Int, inSets: Bool
  ) -> Int {
    var end = start
    while end < order.count, results[order[end]].isNear(results[order[end - 1]], inSets: inSets) {
      let next = endOfRun(results, order, from: end)
      if next - end >= runMin, !inSets { break }
      end = next
    }
    return end
  }

  private mutating func write(
    acceptedRunFrom first: DeliveryResult, count: Int, _ db: borrowing Connection
  ) throws(StoreError) {
    let update = try db.prepare(
      """
      UPDATE deliveries SET state = #delivery.accepted, code = ?3, at = ?4, attempts = 1
      WHERE id >= ?1 AND id < ?1 + ?2 AND attempts = 0 AND state IN #delivery.answerable
      """)
    update.bindAll(
      first.delivery, count, OutcomeCode.accepted(first.provider), first.at)
    try update.run()
    let changed = db.changes
    summary.recorded += changed
    summary.late += count - changed
    leases[first.lease, default: 0] += changed
    if deltas[first.push] == nil { order.append(first.push) }
    deltas[first.push, default: LedgerDelta()].accepted += changed
    deltas[first.push]?.at = first.at
  }

  /// Whether a lease is still held; a lease that was taken away has no row any more.
  mutating func isHeld(_ lease: LeaseID, _ db: borrowing Connection) throws(StoreError) -> Bool {
    if let known = leases[lease] { return known >= 0 }
    let held = try db.leaseExists(lease)
    leases[lease] = held ? 0 : -1
    return held
  }

  mutating func write(_ given: DeliveryResult, _ context: inout WriterContext) throws(StoreError) {
    let answer = try answer(given, &context)
    guard try context.db.leaveWire(answer) else {
      summary.late += 1
      return
    }
    count(answer, &context)
    try follow(answer.result, context.db)
  }

  /// What a result writes of its delivery.
  mutating func answer(
    _ given: DeliveryResult, _ context: inout WriterContext
  ) throws(StoreError) -> RecordedAnswer {
    let result = try context.db.redirected(
      given, earlier[given.delivery],
      isOver: { () throws(StoreError) in
        try push(given.push, context.db).state.isOver
      })
    return RecordedAnswer(result: result, end: try end(of: result, context.db), code: try code(of: result, &context))
  }

  /// Counts what a delivery became that has left the wire.
  mutating func count(_ answer: RecordedAnswer, _ context: inout WriterContext) {
    let (result, end) = (answer.result, answer.end)
    summary.recorded += 1
    leases[result.lease, default: 0] += 1
    if deltas[result.push] == nil { order.append(result.push) }
    deltas[result.push, default: LedgerDelta()].count(end, at: result.at)
    if end.state == .rejected { context.refusals.add(result.push, code: answer.code) }
    if hasSubscribers, let kind = NoticeKind(rawValue: end.state.rawValue) {
      let reason = ReasonText.cut(result.reason)
      notices[result.push, default: []].append(Notice(kind, delivery: result.delivery, at: result.at, text: reason))
    }
    if let variant = result.variant, let metric = end.metric {
      variants.end(result.delivery, of: result.push, metric, variant)
    }
  }

  /// The row that a delivery becomes.
  private mutating func end(of result: DeliveryResult, _ db: borrowing Connection) throws(StoreError) -> WireEnd {
    try WireEnd(
      result, fate: { () throws(StoreError) in try push(result.push, db) },
      // A first attempt has no past.
      isUncertain: { () throws(StoreError) in
        guard result.attempt > 1 else { return false }
        if let earlier = earlier[result.delivery] { return earlier.areUncertain }
        return try db.isUncertain(result.delivery)
      })
  }

  private mutating func push(
    _ id: PushID, _ db: borrowing Connection
  ) throws(StoreError) -> PushFate {
    if let known = pushes[id] { return known }
    let read = try db.fate(of: id)
    pushes[id] = read
    return read
  }

  private func code(of result: DeliveryResult, _ context: inout WriterContext) throws(StoreError) -> Int64 {
    if case .accepted = result.change, result.status == 200, result.reason.isEmpty {
      return OutcomeCode.accepted(result.provider)
    }
    return try context.outcomeCode(
      provider: result.provider.rawValue, status: result.status, reason: ReasonText.cut(result.reason))
  }

  private mutating func follow(_ result: DeliveryResult, _ db: borrowing Connection) throws(StoreError) {
    if let hold = DeviceHold(result), try db.hold(hold) { count(hold) }
  }

  mutating func count(_ hold: DeviceHold) {
    if hold.state == .retired { summary.retired += 1 } else { summary.quarantined += 1 }
  }
}

/// A result, and the row that its delivery becomes.
struct RecordedAnswer {
  let result: DeliveryResult
  let end: WireEnd
  /// The number of the provider's answer.
  let code: Int64
}

/// What an answer makes of its device.
struct DeviceHold {
  let device: DeviceID
  let state: DeviceState
  let reason: String
  /// A device that registered later stays as it is (facts 1.6).
  let since: Timestamp
  let at: Timestamp

  /// Nil when the answer says nothing of a device.
  init?(_ result: DeliveryResult) {
    guard let device = result.device, let consequence = result.consequence else { return nil }
    switch consequence {
    case .retire(let since): (state, self.since) = (.retired, since)
    case .quarantine(let since): (state, self.since) = (.quarantined, since)
    }
    (self.device, reason, at) = (device, ReasonText.cut(result.reason), result.at)
  }
}

enum ReasonText {
  /// At most `StoreLimits.reasonBytesMax` bytes, cut between characters.
  static func cut(_ reason: String) -> String {
    guard reason.utf8.count > StoreLimits.reasonBytesMax else { return reason }
    var bytes = 0
    return String(
      reason.prefix { character in
        bytes += character.utf8.count
        return bytes <= StoreLimits.reasonBytesMax
      })
  }
}
