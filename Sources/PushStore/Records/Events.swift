internal import Ledger
public import StoreModel

extension SQLStore {
  /// Records reports of devices.
  public func recordEvents(
    _ events: [NewEvent], app: AppID, principal: Principal, now: Timestamp,
    completion: @escaping @Sendable (Result<[EventOutcome], StoreError>) -> Void
  ) {
    let found: [FoundDelivery]
    do throws(StoreError) {
      guard events.count <= StoreLimits.eventBatchMax else {
        throw StoreError(
          .invalid, "events: \(events.count), at most \(StoreLimits.eventBatchMax) at once",
          advice: "send them in several requests")
      }
      for event in events { try event.check() }
      let finder = EventFinder(
        app: app, principal: principal, horizon: now.adding(milliseconds: -StoreLimits.eventWindowMs))
      found = try readers.read { (db) throws(StoreError) in
        var found: [FoundDelivery] = []
        for event in events { found.append(try finder.find(event.target, db)) }
        return found
      }
    } catch { return completion(.failure(error)) }
    // Bulk priority: a million opened notifications must not delay a single send.
    write(
      { (context) throws(StoreError) in
        var recording = EventRecording(app: app, now: now)
        for (event, found) in zip(events, found) { try recording.record(event, found, &context) }
        try recording.finish(&context)
        return recording.outcomes
      }, urgency: .bulk, completion: completion)
  }

  /// What devices reported about a push.
  public func events(of push: PushID) throws(StoreError) -> PushEvents {
    try readers.read { (db) throws(StoreError) in
      let select = try db.prepare(
        "SELECT kind, action, count FROM push_events WHERE push = ?1 ORDER BY count DESC, action")
      select.bind(1, push)
      var events = PushEvents()
      while try select.step() {
        let count = select.int(2)
        let action = select.text(1)
        switch EventKind(rawValue: UInt8(truncatingIfNeeded: select.int(0))) {
        case .received: events.counts.received = count
        case .opened: events.counts.opened = count
        case .action where action.isEmpty: events.counts.action = count
        case .action: events.actions.append(ActionCount(action: action, count: count))
        case nil: break
        }
      }
      return events
    }
  }
}

extension NewEvent {
  func check() throws(StoreError) {
    switch kind {
    case .received, .opened:
      if action != nil {
        throw StoreError(.invalid, "action: only with the type action", advice: "leave it out")
      }
    case .action: try Checks.text(action ?? "", "action", max: StoreLimits.actionBytesMax)
    }
  }
}

/// One batch of reports while it is written.
private struct EventRecording {
  private struct Counter: Hashable {
    let push: PushID
    let kind: EventKind
    let action: String
  }

  /// Buttons counted by name of one push; what comes from outside must not grow without end.
  private static let actionsPerPushMax = 100
  /// Buttons recorded of one delivery.
  private static let actionsPerDeliveryMax = 20
  /// The name under which further buttons are counted.
  private static let otherAction = "other"

  let app: AppID
  let now: Timestamp
  private(set) var outcomes: [EventOutcome] = []
  private var counts: [Counter: Int] = [:]
  private var variants = VariantDeltas()

  init(app: AppID, now: Timestamp) {
    self.app = app
    self.now = now
  }

  mutating func record(
    _ event: NewEvent, _ found: FoundDelivery, _ context: inout WriterContext
  ) throws(StoreError) {
    switch found {
    case .late: outcomes.append(.late)
    case .unknown: outcomes.append(.unknown)
    case .sent(let sent):
      let at = min(max(event.at ?? now, sent.at), now)
      var isNew = false
      for kind in event.kind.implied {
        if kind == .action {
          isNew = try act(event.action ?? "", sent, at, &context)
        } else {
          isNew = try insert(kind, "", sent, at, context.db)
          if isNew { try count(kind, sent, at, &context) }
        }
      }
      outcomes.append(isNew ? .recorded : .duplicate)
    }
  }

  /// Writes the counts of the pushes.
  func finish(_ context: inout WriterContext) throws(StoreError) {
    try variants.write(to: context.db)
    let upsert = try context.db.prepare(
      """
      INSERT INTO push_events(push, kind, action, count) VALUES (?1, ?2, ?3, ?4)
      ON CONFLICT(push, kind, action) DO UPDATE SET count = push_events.count + excluded.count
      """)
    for (counter, count) in counts {
      upsert.bindAll(counter.push, Int(counter.kind.rawValue), counter.action, count)
      try upsert.run()
    }
  }

  private mutating func count(
    _ kind: EventKind, _ sent: SentDelivery, _ at: Timestamp, _ context: inout WriterContext
  ) throws(StoreError) {
    counts[Counter(push: sent.push, kind: kind, action: ""), default: 0] += 1
    try variants.report(kind, sent.delivery, of: sent.push, context.db)
    context.series.add(
      1, SeriesMetric(kind), app: app, push: sent.push, isCampaign: sent.isCampaign, at: at)
    if kind != .action { try tell(SeriesMetric(kind), "", sent, at, &context) }
  }

  private func tell(
    _ metric: SeriesMetric, _ text: String, _ sent: SentDelivery, _ at: Timestamp, _ context: inout WriterContext
  ) throws(StoreError) {
    guard let kind = NoticeKind(rawValue: metric.rawValue) else { return }
    let notice = Notice(kind, delivery: DeliveryID(rawValue: sent.delivery), at: at, text: text)
    try context.outbox.add([notice], app: app, push: sent.push, context.db)
  }

  /// A delivery counts once as acted on, and once for each of its buttons.
  private mutating func act(
    _ name: String, _ sent: SentDelivery, _ at: Timestamp, _ context: inout WriterContext
  ) throws(StoreError) -> Bool {
    let before = try actions(of: sent.delivery, context.db)
    guard before < Self.actionsPerDeliveryMax else { return false }
    let name = try known(name, of: sent.push, context.db)
    guard try insert(.action, name, sent, at, context.db) else { return false }
    if before == 0 { try count(.action, sent, at, &context) }
    try tell(.action, name, sent, at, &context)
    counts[Counter(push: sent.push, kind: .action, action: name), default: 0] += 1
    return true
  }

  private func insert(
    _ kind: EventKind, _ action: String, _ sent: SentDelivery, _ at: Timestamp, _ db: borrowing Connection
  ) throws(StoreError) -> Bool {
    let insert = try db.prepare(
      "INSERT INTO events(delivery, kind, action, at) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING")
    insert.bindAll(sent.delivery, Int(kind.rawValue), action, at)
    try insert.run()
    return db.changes == 1
  }

  private func actions(of delivery: Int64, _ db: borrowing Connection) throws(StoreError) -> Int {
    let select = try db.prepare("SELECT count(*) FROM events WHERE delivery = ?1 AND kind = #event.action")
    select.bind(1, delivery)
    return try select.step() ? select.int(0) : 0
  }

  /// The name under which a button is counted: its own while the push has few, one for all others after that.
  private func known(_ name: String, of push: PushID, _ db: borrowing Connection) throws(StoreError) -> String {
    if counts[Counter(push: push, kind: .action, action: name)] != nil { return name }
    let select = try db.prepare(
      "SELECT count(*), count(*) FILTER (WHERE action = ?2) FROM push_events WHERE push = ?1 AND kind = #event.action")
    select.bindAll(push, name)
    guard try select.step(), select.int(1) == 0 else { return name }
    let pending = counts.keys.count { $0.push == push && $0.kind == .action }
    return select.int(0) + pending <= Self.actionsPerPushMax ? name : Self.otherAction
  }
}
