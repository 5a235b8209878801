/// What devices report about notifications, and the numbers that follow from it.
public protocol EventStore: Sendable {
  /// Records reports, durably when `completion` is called; one outcome for each, in order. A report counts once, however
  /// often it comes. At most `StoreLimits.eventBatchMax`. Fails with `invalid` (what, where), `overloaded`.
  ///
  /// On behalf of a client, a report that names a delivery, or another user's device by its key, is `unknown`: keys are
  /// numbers that anyone can count through. A push token or a provider's id is known to the device alone.
  func recordEvents(
    _ events: [NewEvent], app: AppID, principal: Principal, now: Timestamp,
    completion: @escaping @Sendable (Result<[EventOutcome], StoreError>) -> Void)
  /// What devices reported about a push.
  func events(of push: PushID) throws(StoreError) -> PushEvents
  /// Counts by time, from `from` to before `until`, in stretches of `stepMs` (whole minutes) that begin at multiples of it;
  /// stretches without numbers are left out; at most `limit`, the earliest.
  func series(
    of scope: SeriesScope, from: Timestamp, until: Timestamp, stepMs: Int64, limit: Int
  ) throws(StoreError) -> [SeriesPoint]
}
