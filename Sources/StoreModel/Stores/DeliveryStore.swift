/// The outcomes of pushes by device.
public protocol DeliveryStore: Sendable {
  /// A page of a push's deliveries, in order of the audience, after `after`. Looks at 8,192 deliveries at most.
  func deliveries(
    of push: PushID, filter: DeliveryFilter, after: DeliveryID?, limit: Int
  ) throws(StoreError) -> DeliveryPage<DeliveryID>
  /// A page of the deliveries to one device or one user, whatever the push: the newest push first, before `before`. The
  /// filter names the device or the user; otherwise `invalid`. Looks at 2,000 pushes at most.
  func deliveries(
    app: AppID, filter: DeliveryFilter, before: PushID?, limit: Int
  ) throws(StoreError) -> DeliveryPage<PushID>
  /// A snapshot of all deliveries of a push that match the filter, read in chunks. Throws `overloaded` when too many
  /// are open, `notFound`.
  func exportDeliveries(
    of push: PushID, filter: DeliveryFilter, now: Timestamp
  ) throws(StoreError) -> any DeliveryExport
  /// When the push of the first delivery that waits in a lane began; nil when nothing waits there.
  func waitsSince(_ lane: LaneKey) throws(StoreError) -> Timestamp?
}

/// A snapshot of a long list of deliveries, read in chunks.
///
/// It keeps the database from tidying up behind it, so it ends with an error after `StoreLimits.exportMs`. Use it from one thread
/// at a time; it closes when it is deallocated.
public protocol DeliveryExport: AnyObject, Sendable {
  /// The next rows; empty at the end. Throws `overloaded` when it has taken too long.
  func next(now: Timestamp) throws(StoreError) -> [DeliveryRecord]
}

extension DeliveryStore {
  /// The deliveries of a push in one state or in any, after `after`, however many have to be looked at.
  public func deliveries(
    of push: PushID, state: DeliveryState?, after: DeliveryID?, limit: Int
  ) throws(StoreError) -> [DeliveryRecord] {
    var rows: [DeliveryRecord] = []
    var after = after
    while rows.count < limit {
      let page = try deliveries(
        of: push, filter: DeliveryFilter(state: state), after: after, limit: limit - rows.count)
      rows += page.rows
      guard let next = page.next else { break }
      after = next
    }
    return rows
  }
}
