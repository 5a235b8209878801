internal import GatewayPool
internal import Liquid
internal import PushStore

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

  func spread(personal deliveries: [LeasedDelivery], _ lease: Lease, _ now: Timestamp) {
    let runs = runs(deliveries, lease, now)
    var spreading = PersonalSpreading()
    var current = 0
    // How many deliveries have come to an end or into a batch.
    var done = 0
    do throws(StoreError) {
      try store.recipients(runs.map(\.query)) { number, index, row in
        if number != current {
          queue(&spreading, runs[current].push)
          current = number
        }
        place(deliveries[runs[number].start + index], row, runs[number], &spreading, lease, now)
        done = runs[number].start + index + 1
      }
    } catch {
      hold(error)
      let later = DeliveryResult.Change.release(notBefore: now.adding(milliseconds: 1_000))
      for run in runs {
        for index in run.query.deliveries.indices where run.start + index >= done {
          end(deliveries[run.start + index], lease.id, later, PipelineReason.stopped, now)
        }
      }
    }
    if !runs.isEmpty { queue(&spreading, runs[current].push) }
  }

  private func runs(_ deliveries: [LeasedDelivery], _ lease: Lease, _ now: Timestamp) -> [Run] {
    var runs: [Run] = []
    var start = 0
    while start < deliveries.count {
      let push = deliveries[start].push
      let end = deliveries[start...].firstIndex { $0.push != push } ?? deliveries.count
      defer { start = end }
      guard let entry = cache.entry(push), let personal = entry.personal else {
        for delivery in deliveries[start..<end] {
          self.end(delivery, lease.id, .rejected, PipelineReason.noPayload, now)
        }
        continue
      }
      let query = RecipientQuery(
        app: entry.push.app, deliveries: deliveries[start..<end].map(\.id), fields: personal.fields)
      runs.append(Run(start: start, push: entry.push, personal: personal, query: query))
    }
    return runs
  }

  /// Puts a delivery into the batch of its payload and lane.
  private func place(
    _ delivery: LeasedDelivery, _ row: borrowing RecipientRow, _ run: Run,
    _ spreading: inout PersonalSpreading, _ lease: Lease, _ now: Timestamp
  ) {
    guard row.isThere else { return end(delivery, lease.id, .rejected, PipelineReason.noPayload, now) }
    let push = run.push
    var flight = Flight(lease, delivery, push, now)
    let variant = run.personal.variant(of: row, delivery.token)
    flight.variant = run.personal.place(of: variant)
    guard let choice = spreading.choice(row, delivery.kind, variant, run.personal) else {
      return finish(flight, .rejected, 0, PipelineReason.noPayload, now)
    }
    let key = LaneKey(app: push.app, provider: delivery.kind.provider, environment: delivery.environment)
    let batch = spreading.batch(choice, spreading.lane(key) ?? spreading.note(key, laneNumber(key)), run.personal)
    let line: Int
    switch spreading.write(row, delivery.token, run.personal, batch, now) {
    case .row(let number): line = number
    case .nothing(let reason): return finish(flight, .rejected, 0, reason, now)
    }
    spreading.batches[batch].entries.append(
      SendBatch.Entry(
        tag: flights.add(flight), token: delivery.token, apnsID: push.apnsIDs.bits(of: delivery.id), row: line))
  }

  private func queue(_ spreading: inout PersonalSpreading, _ push: SendablePush) {
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
    let choice: Int
    let lane: Int
    let payload: PreparedPayload
    var entries: [SendBatch.Entry] = []
    var texts: SendTexts
    /// What renders its texts in Liquid.
    var renderers: [LiquidRenderer]

    mutating func add(
      _ fill: PersonalFill, _ row: borrowing RecipientRow, _ own: PersonalFill.Own, _ now: Timestamp,
      _ escaper: inout TextEscaper
    ) -> PersonalFill.Outcome {
      fill.add(row, own, now: now.seconds, &escaper, &renderers, to: &texts)
    }
  }

  /// A payload that was looked for: neighbors ask for few languages, which are compared as they were read.
  private struct Known {
    let kind: DeviceKind
    let variant: Int?
    let locale: [UInt8]?
    let choice: Int?
  }

  /// As many languages and variants as most pushes have; a device beyond them has its payload looked for anew.
  private static let knownMax = 64

  var batches: [Batch] = []
  private var last = 0
  private var known: [Known] = []
  private var lane: (key: LaneKey, number: Int)?
  private var escaper = TextEscaper()

  /// Starts with another push.
  mutating func begin() {
    batches.removeAll()
    last = 0
    known.removeAll(keepingCapacity: true)
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
    let place = row.range(of: RecipientFields.Slot.locale)
    for one in known where one.kind == kind && one.variant == variant {
      if let place, let locale = one.locale {
        if row.bytes[place].elementsEqual(locale) { return one.choice }
      } else if place == nil && one.locale == nil {
        return one.choice
      }
    }
    let found = personal.choice(locale: row.text(RecipientFields.Slot.locale), kind: kind, variant: variant)
    if known.count < Self.knownMax {
      known.append(Known(kind: kind, variant: variant, locale: place.map { Array(row.bytes[$0]) }, choice: found))
    }
    return found
  }

  mutating func batch(_ choice: Int, _ lane: Int, _ personal: PersonalPush) -> Int {
    // Neighbours mostly belong together.
    if last < batches.count, batches[last].choice == choice, batches[last].lane == lane { return last }
    if let known = batches.firstIndex(where: { $0.choice == choice && $0.lane == lane }) {
      last = known
      return known
    }
    let found = personal.choices[choice]
    last = batches.count
    batches.append(
      Batch(
        choice: choice, lane: lane, payload: found.payload, texts: SendTexts(perRow: found.fill?.perRow ?? 0),
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
    guard let fill = personal.choices[batches[batch].choice].fill else { return .row(0) }
    let own = personal.own(row, token: token)
    switch batches[batch].add(fill, row, own, now, &escaper) {
    case .added: return .row(batches[batch].texts.count - 1)
    case .tooLarge: return .nothing(PipelineReason.tooLarge)
    case .skipped(let reason): return .nothing(reason)
    }
  }
}
