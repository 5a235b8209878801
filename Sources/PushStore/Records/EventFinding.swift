internal import Ledger
internal import StoreModel

/// The result of looking up the delivery of a report.
enum FoundDelivery {
  case sent(SentDelivery)
  /// It was sent too long ago, or its row is gone.
  case late
  /// There is none, or it was never on the wire.
  case unknown
}

/// A delivery that was on the wire at least once.
struct SentDelivery {
  let delivery: Int64
  let push: PushID
  let isCampaign: Bool
  /// When its state last changed.
  let at: Timestamp
}

/// The search for the delivery of one report, on a connection for reading.
struct EventFinder {
  let app: AppID
  let principal: Principal
  /// Deliveries whose state changed before it are late.
  let horizon: Timestamp
  /// How many pushes of one campaign are looked at, the newest first: re-sending a campaign is rare.
  private static let campaignPushesMax = 5

  func find(_ target: EventTarget, _ db: borrowing Connection) throws(StoreError) -> FoundDelivery {
    switch target {
    case .delivery(let id):
      // No device learns the number of its delivery.
      guard principal == .trusted else { return .unknown }
      return try delivery(id.rawValue, db)
    case .apnsID(let high, let low):
      let id = DeliveryID(rawValue: Int64(low & 0x3fff_ffff_ffff_ffff))
      guard let owner = try owner(of: id.rawValue, db), owner.apnsIDs.bits(of: id) == (high, low) else {
        return .unknown
      }
      return try delivery(id.rawValue, owner, db)
    case .messageName(let name):
      let select = try db.prepare("SELECT id FROM deliveries INDEXED BY deliveries_by_name WHERE provider_id = ?1")
      select.bind(1, name)
      return try select.step() ? try delivery(select.int64(0), db) : .unknown
    case .device(let device, let push):
      guard let device = try self.device(device, db) else { return .unknown }
      return try delivery(to: device, of: push, db)
    }
  }

  // MARK: By number

  private func delivery(_ id: Int64, _ db: borrowing Connection) throws(StoreError) -> FoundDelivery {
    guard let owner = try owner(of: id, db) else { return .unknown }
    return try delivery(id, owner, db)
  }

  /// The push of this app whose range of numbers holds a delivery.
  private func owner(of delivery: Int64, _ db: borrowing Connection) throws(StoreError) -> PushExtent? {
    guard let owner = try db.extent(around: delivery), owner.app == app else { return nil }
    return owner
  }

  private func delivery(
    _ id: Int64, _ owner: PushExtent, _ db: borrowing Connection
  ) throws(StoreError) -> FoundDelivery {
    let select = try db.prepare("SELECT state, attempts, at FROM deliveries WHERE id = ?1")
    select.bind(1, id)
    guard try select.step() else { return .late }
    let wasSent =
      switch select.int(0) {
      case RowState.fresh: owner.deliveries.hasLeased(id)
      case RowState.inFlight: true
      default: select.int(1) > 0
      }
    guard wasSent else { return .unknown }
    let at = select.timestamp(2)
    // A fresh row has the time of the audience expansion; its delivery is on the wire now.
    if at < horizon, select.int(0) != RowState.fresh { return .late }
    return .sent(SentDelivery(delivery: id, push: owner.id, isCampaign: owner.isCampaign, at: at))
  }

  // MARK: By device

  private func device(_ device: EventDevice, _ db: borrowing Connection) throws(StoreError) -> DeviceID? {
    let select: Statement
    switch device {
    case .id(let id):
      select = try db.prepare("SELECT id, user FROM devices WHERE app = ?1 AND id = ?2")
      select.bind(2, id)
    case .token(let token):
      let (first, last) = TokenRange.bounds(token)
      select = try db.prepare("SELECT id, NULL FROM devices WHERE app = ?1 AND token >= ?2 AND token <= ?3")
      select.bind(2, first)
      select.bind(3, last)
    }
    select.bind(1, app)
    guard try select.step(), principal.speaks(for: select.optionalText(1)) else { return nil }
    return select.id(0)
  }

  private func delivery(
    to device: DeviceID, of push: EventPush, _ db: borrowing Connection
  ) throws(StoreError) -> FoundDelivery {
    var best = FoundDelivery.unknown
    let owners = try owners(push, db)
    let together = db.writesSets ? try db.deliveries(to: [device], in: owners) : [:]
    for owner in owners {
      let places = db.writesSets ? together : try db.deliveries(to: [device], in: [owner])
      guard let id = places[owner.id]?.first else { continue }
      let found = try delivery(id, owner, db)
      switch found {
      case .sent: return found
      case .late: best = .late
      case .unknown: continue
      }
    }
    return best
  }

  private func owners(_ push: EventPush, _ db: borrowing Connection) throws(StoreError) -> [PushExtent] {
    let select: Statement
    switch push {
    case .id(let id):
      select = try db.prepare(
        "SELECT id, app, class, targeted, cursor, salt, audience_kinds, start_at, apns_ids FROM pushes WHERE app = ?1 AND id = ?2 LIMIT ?3"
      )
      select.bind(2, id)
    case .campaign(let name):
      select = try db.prepare(
        """
        SELECT id, app, class, targeted, cursor, salt, audience_kinds, start_at, apns_ids FROM pushes INDEXED BY pushes_by_name
        WHERE app = ?1 AND name = ?2 ORDER BY id DESC LIMIT ?3
        """)
      select.bind(2, name)
    }
    select.bind(1, app)
    select.bind(3, Self.campaignPushesMax)
    var owners: [PushExtent] = []
    while try select.step() { owners.append(PushExtent(select)) }
    return owners
  }
}
