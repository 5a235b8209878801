internal import Basics
internal import Ledger
internal import StoreModel

/// One batch of reports while it is written.
struct EventRecording {
  private struct Counter: Hashable {
    let push: PushID
    let kind: EventKind
    let action: ByteKey
  }

  /// A delivery's row, as far as its reports need it.
  private struct Row {
    let variant: Int?
  }

  private let reports: [(report: DeviceReport, found: FoundDelivery)]
  /// What is known of the deliveries; empty for one whose row has gone meanwhile.
  private var rows: [DeliveryID: Row] = [:]
  private var known = DeviceReports()
  private var counts: [Counter: Int] = [:]
  private var variants = VariantDeltas()

  /// The change that records what was found.
  static func change(
    _ reports: [DeviceReport], _ found: [FoundDelivery]
  ) -> @Sendable (inout WriterContext) throws(StoreError) -> [EventOutcome] {
    { (context) throws(StoreError) in try EventRecording(Array(zip(reports, found)), context.db).record(&context) }
  }

  /// Reads what was reported before.
  private init(
    _ reports: [(report: DeviceReport, found: FoundDelivery)], _ db: borrowing Connection
  ) throws(StoreError) {
    self.reports = reports
    var (deliveries, pushes): (Set<Int64>, Set<Int64>) = ([], [])
    for case (let report, .sent(let sent)) in reports {
      deliveries.insert(sent.delivery)
      if report.event.kind == .action { pushes.insert(sent.push.rawValue) }
    }
    let (asked, counted) = (Array(deliveries), Array(pushes))
    try db.ask(Self.kept, .numbers(asked)) { index, row in
      let delivery = DeliveryID(rawValue: asked[index])
      rows[delivery] = Row(variant: row.isNull(0) ? nil : row.int(0))
      guard !row.isNull(1), let kind = EventKind(rawValue: UInt8(truncatingIfNeeded: row.int(1))) else { return }
      known.note(kind, row.text(2), of: delivery)
    }
    try db.ask(Self.actions, .numbers(counted)) { index, row in
      known.note(action: row.text(0), of: PushID(rawValue: counted[index]))
    }
  }

  // One for each kind besides the buttons; those of a push are counted by name, and once without.
  private static let kept = KeyedQuestion(
    """
    SELECT d.variant, e.kind, e.action FROM deliveries d LEFT JOIN events e ON e.delivery = d.id WHERE d.id = ?1
    LIMIT \(DeviceReports.actionsPerDeliveryMax + EventKind.allCases.count)
    """, .number)
  private static let actions = KeyedQuestion(
    """
    SELECT action FROM push_events WHERE push = ?1 AND kind = #event.action AND action <> ''
    LIMIT \(DeviceReports.actionsPerPushMax + 1)
    """, .number)

  /// Writes what is new; the outcome of each report.
  private consuming func record(_ context: inout WriterContext) throws(StoreError) -> [EventOutcome] {
    var outcomes: [EventOutcome] = []
    outcomes.reserveCapacity(reports.count)
    for (report, found) in reports { outcomes.append(try record(report, found, &context)) }
    try variants.write(to: context.db)
    let upsert = try context.db.prepare(
      """
      INSERT INTO push_events(push, kind, action, count) VALUES (?1, ?2, ?3, ?4)
      ON CONFLICT(push, kind, action) DO UPDATE SET count = push_events.count + excluded.count
      """)
    for (counter, count) in counts {
      upsert.bindAll(counter.push, Int(counter.kind.rawValue), counter.action.text, count)
      try upsert.run()
    }
    return outcomes
  }

  private mutating func record(
    _ report: DeviceReport, _ found: FoundDelivery, _ context: inout WriterContext
  ) throws(StoreError) -> EventOutcome {
    switch found {
    case .late: return .late
    case .unknown: return .unknown
    case .sent(let sent):
      let delivery = DeliveryID(rawValue: sent.delivery)
      guard let row = rows[delivery] else { return .late }
      let event = report.event
      let at = min(max(event.at ?? report.now, sent.at), report.now)
      let additions = known.add(event.kind, event.action ?? "", of: delivery, in: sent.push)
      for addition in additions { try write(addition, sent, row, at, report.app, &context) }
      return additions.last?.kind == event.kind ? .recorded : .duplicate
    }
  }

  private mutating func write(
    _ addition: DeviceReports.Addition, _ sent: SentDelivery, _ row: Row, _ at: Timestamp, _ app: AppID,
    _ context: inout WriterContext
  ) throws(StoreError) {
    let (kind, metric) = (addition.kind, SeriesMetric(addition.kind))
    let insert = try context.db.prepare("INSERT INTO events(delivery, kind, action, at) VALUES (?1, ?2, ?3, ?4)")
    insert.bindAll(sent.delivery, Int(kind.rawValue), addition.action, at)
    try insert.runLater()
    if addition.isFirst {
      counts[Counter(push: sent.push, kind: kind, action: ByteKey("")), default: 0] += 1
      if let variant = row.variant { variants.report(kind, of: sent.push, variant: variant) }
      context.series.add(1, metric, app: app, push: sent.push, isCampaign: sent.isCampaign, at: at)
    }
    if kind == .action {
      counts[Counter(push: sent.push, kind: kind, action: ByteKey(addition.action)), default: 0] += 1
    }
    guard let noticeKind = NoticeKind(rawValue: metric.rawValue) else { return }
    let notice = Notice(noticeKind, delivery: DeliveryID(rawValue: sent.delivery), at: at, text: addition.action)
    try context.outbox.add([notice], app: app, push: sent.push, context.db)
  }
}
