internal import Basics
internal import Ledger
internal import StoreModel

/// A report of a device, and who hands it over.
struct DeviceReport: Sendable {
  let event: NewEvent
  let app: AppID
  let principal: Principal
  let now: Timestamp

  /// Deliveries whose state changed before it are late.
  fileprivate var horizon: Timestamp { now.adding(milliseconds: -StoreLimits.eventWindowMs) }
}

/// The result of looking up the delivery of a report.
enum FoundDelivery: Sendable {
  case sent(SentDelivery)
  /// It was sent too long ago, or its row is gone.
  case late
  /// There is none, or it was never on the wire.
  case unknown

  var wasSent: Bool { if case .sent = self { true } else { false } }

  /// Takes over what a further search has found, where that says more.
  mutating func take(_ other: FoundDelivery) {
    switch (self, other) {
    case (.sent, _), (.late, .unknown): break
    default: self = other
    }
  }
}

/// A delivery that was on the wire at least once.
struct SentDelivery: Sendable {
  let delivery: Int64
  let push: PushID
  let isCampaign: Bool
  /// When its state last changed.
  let at: Timestamp
}

/// The search for the deliveries that reports are about, on a connection for reading.
struct EventFinder {
  let reports: [DeviceReport]
  /// How many pushes of one campaign are looked at, the newest first: re-sending a campaign is rare.
  private static let campaignPushesMax = 5

  /// What may be the delivery that a report is about.
  private struct Candidate {
    /// The report's index.
    let position: Int
    let delivery: Int64
    let push: PushExtent
  }

  /// What was found for each report, in order.
  func find(_ db: borrowing Connection) throws(StoreError) -> [FoundDelivery] {
    var found = [FoundDelivery](repeating: .unknown, count: reports.count)
    try look(at: named(db), &found, db)
    try findOfDevices(&found, db)
    return found
  }

  /// Looks whether deliveries were sent.
  private func look(
    at candidates: [Candidate], _ found: inout [FoundDelivery], _ db: borrowing Connection
  ) throws(StoreError) {
    // One that has no row any more is late.
    var judged = [FoundDelivery](repeating: .late, count: candidates.count)
    try db.ask(Self.row, .numbers(candidates.map(\.delivery))) { index, row in
      judged[index] = judge(candidates[index], row)
    }
    for (candidate, judgement) in zip(candidates, judged) { found[candidate.position].take(judgement) }
  }

  private static let row = KeyedQuestion("SELECT state, attempts, at FROM deliveries WHERE id = ?1 LIMIT 1", .number)

  private func judge(_ candidate: Candidate, _ row: borrowing Statement) -> FoundDelivery {
    let wasSent =
      switch row.int(0) {
      case RowState.fresh: candidate.push.deliveries.hasLeased(candidate.delivery)
      case RowState.inFlight: true
      default: row.int(1) > 0
      }
    guard wasSent else { return .unknown }
    let at = row.timestamp(2)
    // A fresh row has the time of the audience expansion; its delivery is on the wire now.
    if at < reports[candidate.position].horizon, row.int(0) != RowState.fresh { return .late }
    return .sent(
      SentDelivery(
        delivery: candidate.delivery, push: candidate.push.id, isCampaign: candidate.push.isCampaign, at: at))
  }

  // MARK: By number

  /// The deliveries that are named by a number or a name of their own.
  private func named(_ db: borrowing Connection) throws(StoreError) -> [Candidate] {
    var numbers: [(position: Int, delivery: Int64)] = []
    var names: [(position: Int, name: String)] = []
    for (position, report) in reports.enumerated() {
      switch report.event.target {
      // No device learns the number of its delivery.
      case .delivery(let id): if report.principal == .trusted { numbers.append((position, id.rawValue)) }
      case .apnsID(_, let low): numbers.append((position, Int64(low & 0x3fff_ffff_ffff_ffff)))
      case .messageName(let name): names.append((position, name))
      case .device: break
      }
    }
    try db.ask(Self.name, .texts(names.map(\.name))) { index, row in
      numbers.append((names[index].position, row.int64(0)))
    }
    let owners = try db.extents(around: numbers.map(\.delivery))
    return zip(numbers, owners).compactMap { number, owner in
      let report = reports[number.position]
      guard let owner, owner.app == report.app else { return nil }
      if case .apnsID(let high, let low) = report.event.target,
        owner.apnsIDs.bits(of: DeliveryID(rawValue: number.delivery)) != (high, low)
      {
        return nil
      }
      return Candidate(position: number.position, delivery: number.delivery, push: owner)
    }
  }

  private static let name = KeyedQuestion(
    "SELECT id FROM deliveries INDEXED BY deliveries_by_name WHERE provider_id = ?1 LIMIT 1", .text)

  // MARK: By device

  /// Finds the newest push that was sent to the device, of those that a report may mean.
  private func findOfDevices(
    _ found: inout [FoundDelivery], _ db: borrowing Connection
  ) throws(StoreError) {
    let devices = try devices(db)
    guard !devices.isEmpty else { return }
    let pushes = try pushes(db)
    for turn in 0..<Self.campaignPushesMax {
      var searches: [(position: Int, search: SoughtDelivery)] = []
      for (position, device) in devices where !found[position].wasSent {
        guard let some = pushes[position], turn < some.count else { continue }
        searches.append((position, SoughtDelivery(push: some[turn], device: device)))
      }
      guard !searches.isEmpty else { return }
      let deliveries = try db.deliveries(searches.map(\.search))
      let candidates = zip(searches, deliveries).compactMap { search, delivery in
        delivery.map { Candidate(position: search.position, delivery: $0, push: search.search.push) }
      }
      try look(at: candidates, &found, db)
    }
  }

  /// The devices that are named and may be, by the indexes of their reports.
  private func devices(_ db: borrowing Connection) throws(StoreError) -> [(position: Int, device: DeviceID)] {
    var ids: [(position: Int, id: Int64)] = []
    var tokens: [(position: Int, first: String, last: String)] = []
    for (position, report) in reports.enumerated() {
      guard case .device(let device, _) = report.event.target else { continue }
      switch device {
      case .id(let id): ids.append((position, id.rawValue))
      case .token(let token):
        let (first, last) = TokenRange.bounds(token)
        tokens.append((position, first, last))
      }
    }
    var found: [(position: Int, device: DeviceID)] = []
    func take(_ position: Int, _ row: borrowing Statement) {
      if reports[position].principal.speaks(for: row.optionalText(1)) { found.append((position, row.id(0))) }
    }
    try db.ask(Self.id, apps(ids.map(\.position)), .numbers(ids.map(\.id))) { index, row in
      take(ids[index].position, row)
    }
    try db.ask(
      Self.token, apps(tokens.map(\.position)), .texts(tokens.map(\.first)), .texts(tokens.map(\.last))
    ) { index, row in take(tokens[index].position, row) }
    return found
  }

  private static let id = KeyedQuestion(
    "SELECT id, user FROM devices WHERE app = ?1 AND id = ?2 LIMIT 1", .number, .number)
  private static let token = KeyedQuestion(
    "SELECT id, CAST(NULL AS text) FROM devices WHERE app = ?1 AND token >= ?2 AND token <= ?3 LIMIT 1",
    .number, .text, .text)

  /// The pushes that reports of devices may mean, the newest first, by the indexes of the reports.
  private func pushes(_ db: borrowing Connection) throws(StoreError) -> [Int: [PushExtent]] {
    // Many report on the same push, which is asked for once.
    var ids: [PushKey<PushID>: [Int]] = [:]
    var campaigns: [PushKey<ByteKey>: [Int]] = [:]
    for (position, report) in reports.enumerated() {
      switch report.event.target {
      case .device(_, .id(let id)): ids[PushKey(app: report.app, name: id), default: []].append(position)
      case .device(_, .campaign(let name)):
        campaigns[PushKey(app: report.app, name: ByteKey(name)), default: []].append(position)
      default: break
      }
    }
    var found: [Int: [PushExtent]] = [:]
    let (byNumber, byName) = (Array(ids), Array(campaigns))
    try db.ask(
      Self.push, .numbers(byNumber.map(\.key.app.rawValue)), .numbers(byNumber.map(\.key.name.rawValue))
    ) { index, row in for position in byNumber[index].value { found[position] = [PushExtent(row)] } }
    try db.ask(
      Self.campaign, .numbers(byName.map(\.key.app.rawValue)), .texts(byName.map(\.key.name.text))
    ) { index, row in for position in byName[index].value { found[position, default: []].append(PushExtent(row)) } }
    return found
  }

  private struct PushKey<Name: Hashable>: Hashable {
    let app: AppID
    let name: Name
  }

  /// The apps of reports.
  private func apps(_ positions: [Int]) -> KeyedQuestion.Values { .numbers(positions.map { reports[$0].app.rawValue }) }

  private static let push = KeyedQuestion(
    "SELECT \(PushExtent.columns) FROM pushes WHERE app = ?1 AND id = ?2 LIMIT 1", .number, .number)
  private static let campaign = KeyedQuestion(
    """
    SELECT \(PushExtent.columns) FROM pushes INDEXED BY pushes_by_name WHERE app = ?1 AND name = ?2
    ORDER BY id DESC LIMIT \(campaignPushesMax)
    """, .number, .text)
}
