internal import GatewayPool
internal import Liquid
internal import StoreModel

/// Pushes that differ from device to device: the way of a lease into the lanes with one look at the recipients.
extension Pipeline {
  /// Deliveries of one push that follow one another in a lease.
  ///
  /// An object, because it is looked at for each of them.
  private final class Run {
    let start: Int
    let push: SendablePush
    let personal: PersonalPush
    let query: RecipientQuery

    init(start: Int, push: SendablePush, personal: PersonalPush, query: RecipientQuery) {
      self.start = start
      self.push = push
      self.personal = personal
      self.query = query
    }
  }

  /// - Parameter ranges: where the deliveries of each personal push are in the lease.
  func spread(personal ranges: [Range<Int>], _ lease: Lease, _ now: Timestamp) {
    let runs = runs(ranges, lease)
    var spreading = PersonalSpreading()
    var current = 0
    // How many deliveries of the current run have come to an end or into a batch.
    var done = 0
    do throws(StoreError) {
      try store.recipients(runs.map(\.query)) { number, index, row in
        if number != current {
          queue(&spreading, runs[current].push)
          current = number
        }
        assign(lease.deliveries[runs[number].start + index], row, runs[number], &spreading, lease, now)
        done = index + 1
      }
    } catch {
      hold(error)
      let later = DeliveryResult.Change.release(notBefore: now.adding(milliseconds: 1_000))
      for (number, run) in runs.enumerated() where number >= current {
        for index in run.query.devices.indices where number > current || index >= done {
          end(lease.deliveries[run.start + index], lease.id, later, PipelineReason.stopped, now)
        }
      }
    }
    if !runs.isEmpty { queue(&spreading, runs[current].push) }
  }

  private func runs(_ ranges: [Range<Int>], _ lease: Lease) -> [Run] {
    ranges.compactMap { range in
      guard let entry = cache.entry(lease.deliveries[range.lowerBound].push), let personal = entry.personal else {
        return nil
      }
      let query = RecipientQuery(
        app: entry.push.app, devices: lease.deliveries[range].map(\.device), fields: personal.fields)
      return Run(start: range.lowerBound, push: entry.push, personal: personal, query: query)
    }
  }

  /// Puts a delivery into the batch of its payload and lane.
  private func assign(
    _ delivery: LeasedDelivery, _ row: borrowing RecipientRow, _ run: Run,
    _ spreading: inout PersonalSpreading, _ lease: Lease, _ now: Timestamp
  ) {
    let push = run.push
    var flight = Flight(lease, delivery, push, now)
    let variant = run.personal.variant(of: row, delivery.token)
    flight.variant = run.personal.number(of: variant)
    guard let choice = spreading.choice(row, delivery.kind, variant, run.personal) else {
      return finish(flight, .rejected, 0, reasonOfNoPayload(push.app, delivery), now)
    }
    let key = LaneKey(push.app, delivery.kind, delivery.environment)
    let batch = spreading.batch(choice, spreading.lane(key) ?? spreading.note(key, laneNumber(key)), run.personal)
    let line: Int
    switch spreading.write(row, delivery.token, run.personal, batch, now) {
    case .row(let number): line = number
    case .nothing(let reason): return finish(flight, .rejected, 0, reason, now)
    }
    spreading.batches[batch].flights.append(flight)
    spreading.batches[batch].entries.append(
      SendBatch.Entry(tag: 0, token: delivery.token, apnsID: push.apnsIDs.bits(of: delivery.id), row: line))
  }

  private func queue(_ spreading: inout PersonalSpreading, _ push: SendablePush) {
    for number in spreading.batches.indices { spreading.batches[number].take(&flights) }
    for batch in spreading.batches where !batch.entries.isEmpty {
      let waiting = Lane.Waiting(
        push: push.id, payload: batch.payload, expiresAt: push.expiresAt, entries: batch.entries[...],
        texts: batch.texts.perRow > 0 ? batch.texts : nil)
      lanes[batch.lane].add(waiting, urgent: push.pushClass == .transactional)
    }
    spreading.begin()
  }
}

/// The batches of one push while a lease is spread: one for each payload and lane, however many texts differ in it.
private struct PersonalSpreading: ~Copyable {
  struct Batch {
    let lane: Int
    let fill: PersonalFill?
    let payload: PreparedPayload
    /// Without their tags.
    var entries: [SendBatch.Entry] = []
    var flights: [Flight] = []
    var texts: SendTexts
    /// What renders its texts in Liquid.
    var renderers: [LiquidRenderer]

    /// Puts the flights into the table: together, so that they lie there in the order in which they are sent and
    /// answered, however the deliveries of several batches mingle.
    mutating func take(_ table: inout FlightTable) {
      for index in flights.indices { entries[index].tag = table.add(flights[index]) }
      flights = []
    }

    /// Writes the texts of a recipient; nil for a payload without placeholders.
    mutating func add(
      _ row: borrowing RecipientRow, _ token: String, _ personal: PersonalPush, _ now: Timestamp,
      _ escaper: inout TextEscaper
    ) -> PersonalFill.Outcome? {
      fill?.add(row, personal.own(row, token: token), now: now.seconds, &escaper, &renderers, to: &texts)
    }
  }

  /// A payload that was looked for: neighbors ask for few languages, which are compared as they were read.
  private struct Known {
    let kind: DeviceKind
    let variant: Int?
    /// Where its language is in `locales`; nil for none.
    let locale: Range<Int>?
    let choice: Int?
  }

  /// As many languages and variants as most pushes have; a device beyond them has its payload looked for anew.
  private static let knownMax = 64

  var batches: [Batch] = []
  /// What each batch is of: looked at beside the batches, which are full of references to count.
  private var batchKeys: [(choice: Int, lane: Int)] = []
  private var last = 0
  private var known: [Known] = []
  /// The languages of `known`, one behind the other, so that no reference is counted to look at them.
  private var locales: [UInt8] = []
  private var lane: (key: LaneKey, number: Int)?
  private var escaper = TextEscaper()

  /// Starts with another push.
  mutating func begin() {
    batches.removeAll()
    batchKeys.removeAll(keepingCapacity: true)
    last = 0
    known.removeAll(keepingCapacity: true)
    locales.removeAll(keepingCapacity: true)
  }

  /// The lane, when it is that of the delivery before.
  func lane(_ key: LaneKey) -> Int? {
    guard let lane, lane.key == key else { return nil }
    return lane.number
  }

  mutating func note(_ key: LaneKey, _ number: Int) -> Int {
    lane = (key, number)
    return number
  }

  /// The payload of a device, looked for once for each language.
  mutating func choice(
    _ row: borrowing RecipientRow, _ kind: DeviceKind, _ variant: Int?, _ personal: PersonalPush
  ) -> Int? {
    let range = row.range(of: RecipientFields.Slot.locale)
    for number in known.indices where known[number].kind == kind && known[number].variant == variant {
      if isLanguage(known[number].locale, at: range, of: row) { return known[number].choice }
    }
    let found = personal.choice(locale: row.text(RecipientFields.Slot.locale), kind: kind, variant: variant)
    guard known.count < Self.knownMax else { return found }
    let start = locales.count
    if let range { locales += row.bytes[range] }
    known.append(Known(kind: kind, variant: variant, locale: range.map { _ in start..<locales.count }, choice: found))
    return found
  }

  private func isLanguage(_ known: Range<Int>?, at range: Range<Int>?, of row: borrowing RecipientRow) -> Bool {
    guard let known, let range else { return known == nil && range == nil }
    guard known.count == range.count else { return false }
    for (mine, other) in zip(known, range) where locales[mine] != row.bytes[other] { return false }
    return true
  }

  mutating func batch(_ choice: Int, _ lane: Int, _ personal: PersonalPush) -> Int {
    // Neighbors mostly belong together.
    if last < batchKeys.count, batchKeys[last] == (choice, lane) { return last }
    for known in batchKeys.indices where batchKeys[known] == (choice, lane) {
      last = known
      return known
    }
    let found = personal.choices[choice]
    last = batches.count
    batchKeys.append((choice, lane))
    batches.append(
      Batch(
        lane: lane, fill: found.fill, payload: found.payload, texts: SendTexts(perRow: found.fill?.perRow ?? 0),
        renderers: found.fill?.renderers ?? []))
    return last
  }

  enum Written {
    /// The number of the row of its texts.
    case row(Int)
    /// The recipient gets nothing, and why.
    case nothing(String)
  }

  /// Writes the texts of a recipient.
  mutating func write(
    _ row: borrowing RecipientRow, _ token: String, _ personal: PersonalPush, _ batch: Int, _ now: Timestamp
  ) -> Written {
    switch batches[batch].add(row, token, personal, now, &escaper) {
    case nil: return .row(0)
    case .added: return .row(batches[batch].texts.count - 1)
    case .tooLarge: return .nothing(PipelineReason.tooLarge)
    case .skipped(let reason): return .nothing(reason)
    }
  }
}
