/// The durable memory of Postrider: apps, credentials, keys, devices, pushes and the ledger.
///
/// The ledger law: for every push, at every instant and after any crash,
/// `targeted = waiting + in_flight + accepted + rejected + expired + cancelled + unknown`, and each device of the push is in exactly one
/// of these states.
///
/// Shaped for several nodes: work is leased, and no operation reads a clock; the caller passes `now`. Every operation may be called
/// from any thread. The ones that return a value block until it is known, and, when they change something, until the change
/// would survive a power loss. The ones with `completion` return at once and call it on the store's own thread after the
/// change is durable; it must be quick and must not call a blocking operation of the same store.
public protocol Store:
  EventStore, DeliveryStore, PeopleStore, SegmentStore, SuppressionStore, ScheduledPushStore, ScheduleStore,
  RecipientStore,
  TemplateStore, WebhookStore, RetentionStore, AuditStore, VariantStore, RefusalStore, ReadinessStore,
  HoldStore, IdentityStore, CompatStore, ChannelStore, ActivityStore,
  InboxStore, ShadowStore, NodeStore, AliasStore, AccountStore, PasskeyStore, ApprovalStore, FindingStore,
  SavedViewStore,
  SharedStore
{
  // MARK: Several operations as one change

  /// Runs operations of the store in one transaction, on the store's thread: `body` gets the store, reads what it has written
  /// itself, and must do nothing but ask it, because it may run twice. `completion` is called once all is durable, or nothing of
  /// it was kept. Returns at once.
  func change<Output: Sendable>(
    _ body: @escaping @Sendable (any Store) throws(StoreError) -> Output,
    completion: @escaping @Sendable (Result<Output, StoreError>) -> Void)

  // MARK: Apps, credentials, keys

  /// Creates an app. Throws `conflict` when the name is taken.
  func createApp(name: String, title: String, settings: [UInt8], now: Timestamp) throws(StoreError) -> App
  /// The app with a key, or nil.
  func app(_ id: AppID) throws(StoreError) -> App?
  /// The app with a name, or nil.
  func app(named name: String) throws(StoreError) -> App?
  /// All apps, by key.
  func apps() throws(StoreError) -> [App]
  /// Replaces title and settings. Throws `notFound`.
  func updateApp(
    _ id: AppID, title: String, settings: [UInt8], compat: [CompatChange], now: Timestamp
  ) throws(StoreError) -> App
  /// All lanes that are stopped, by app.
  func stops() throws(StoreError) -> [LaneStop]
  /// Records that a lane is stopped, replacing the previous entry, or with nil that it is not. Ignored when the lane's
  /// app does not exist.
  func setStop(
    of lane: LaneKey, _ stop: LaneStop?, completion: @escaping @Sendable (Result<Void, StoreError>) -> Void)
  /// Lets all lanes of an app send again.
  func clearStops(app: AppID) throws(StoreError)
  /// Removes an app with its credentials, keys and devices. Throws `conflict` while one of its pushes is unfinished, `notFound`.
  func deleteApp(_ id: AppID) throws(StoreError)

  /// Saves a new credential, or replaces one. Throws `notFound` when the app or the replaced one does not exist.
  func saveCredential(
    _ credential: NewCredential, replacing: CredentialID?, now: Timestamp
  ) throws(StoreError) -> Credential
  /// The credentials of an app, by key.
  func credentials(app: AppID) throws(StoreError) -> [Credential]
  /// Removes a credential. Throws `notFound`.
  func deleteCredential(_ id: CredentialID) throws(StoreError)

  /// Saves an API key's record. Throws `conflict` when the hash exists.
  func createKey(_ key: NewAPIKey, now: Timestamp) throws(StoreError) -> APIKey
  /// The key with a hash, also when expired or revoked, or nil.
  func key(hash: [UInt8]) throws(StoreError) -> APIKey?
  /// All keys, by key.
  func keys() throws(StoreError) -> [APIKey]
  /// Revokes a key; revoking it again keeps the first time. Throws `notFound`, and `conflict` for the last key that may
  /// still be used for every app and has `scope`, so that one always remains; nil for keys of which none need remain.
  func revokeKey(_ id: APIKeyID, unlessLastWith scope: String?, now: Timestamp) throws(StoreError)
  /// Makes a key like another one, which goes on until `end` or its own end, whichever is first; the new key has the end that the
  /// other had before any rotation. With a hash that exists, answers with that key and changes nothing. Throws `notFound`,
  /// `conflict` when the key works no more.
  func rotateKey(
    _ id: APIKeyID, prefix: String, hash: [UInt8], until end: Timestamp, now: Timestamp
  ) throws(StoreError) -> APIKey
  /// Notes that a key was used; call it at most once a minute per key.
  func touchKey(_ id: APIKeyID, now: Timestamp) throws(StoreError)

  // MARK: Devices

  /// Registers devices, all or none. By name first, then by token; see `DeviceRegistration`. Throws `invalid` (what, where).
  func registerDevices(_ devices: [DeviceRegistration], now: Timestamp) throws(StoreError) -> [RegisteredDevice]
  /// As above, for callers that cannot block.
  func registerDevices(
    _ devices: [DeviceRegistration], now: Timestamp,
    completion: @escaping @Sendable (Result<[RegisteredDevice], StoreError>) -> Void)
  /// The device with a key, or nil.
  func device(_ id: DeviceID) throws(StoreError) -> Device?
  /// The device with the caller's own id, or nil.
  func device(app: AppID, named name: String) throws(StoreError) -> Device?
  /// The device with a token, or nil.
  func device(app: AppID, token: String) throws(StoreError) -> Device?
  /// A page of devices, by key, after `after`.
  func devices(app: AppID, filter: DeviceFilter, after: DeviceID?, limit: Int) throws(StoreError) -> [Device]
  /// How many devices the filter names.
  func countDevices(app: AppID, filter: DeviceFilter) throws(StoreError) -> Int
  /// The kinds of which an app has devices, whatever their state, among those with `isOnlyWhereRegistered`.
  func registeredKinds(app: AppID) throws(StoreError) -> [DeviceKind]
  /// Changes whether a device is pushed to. Throws `notFound`.
  func setDeviceState(_ id: DeviceID, _ state: DeviceState, reason: String?, now: Timestamp) throws(StoreError)
  /// Forgets devices; returns how many there were. Ledger rows stay, without a device.
  func removeDevices(_ ids: [DeviceID]) throws(StoreError) -> Int

  // MARK: Pushes

  /// Creates pushes, all or none; durable when `completion` is called. Fails with `invalid` (what, where), `notFound` (app),
  /// `idempotencyMismatch`, `overloaded`.
  func createPushes(
    _ pushes: [NewPush], now: Timestamp, completion: @escaping @Sendable (Result<[CreatedPush], StoreError>) -> Void)
  /// The push with a key, or nil.
  func push(_ id: PushID) throws(StoreError) -> Push?
  /// The pushes with these keys; those that are not there are left out.
  func pushes(_ ids: [PushID]) throws(StoreError) -> [PushID: Push]
  /// The push of an app with a number (``Push/number``), or nil.
  func push(app: AppID, number: Int64) throws(StoreError) -> Push?
  /// The numbers (``Push/number``) of those pushes that exist.
  func numbers(of pushes: Set<PushID>) throws(StoreError) -> [PushID: Int64]
  /// What the push says and sends, or nil.
  func content(of id: PushID) throws(StoreError) -> PushContent?
  /// A page of an app's pushes, newest first, before `before`.
  func pushes(app: AppID, campaignsOnly: Bool, before: PushID?, limit: Int) throws(StoreError) -> [Push]
  /// Lets a draft go, now or at `startAt`. Throws `conflict` when it is no draft, `notFound`.
  func releasePush(_ id: PushID, startAt: Timestamp?, now: Timestamp) throws(StoreError)
  /// Pauses a push; sends on the wire still complete. Throws `conflict` when it is finished, `notFound`.
  func pausePush(_ id: PushID) throws(StoreError)
  /// Resumes a paused push; one whose start time is in the future is scheduled again. Throws `conflict` when it is not
  /// paused, `notFound`.
  func resumePush(_ id: PushID, now: Timestamp) throws(StoreError)
  /// Cancels a push: waiting deliveries that were certainly not sent become `cancelled`, those that may have been
  /// processed `unknown` (all of a push restored from a backup); sends on the wire still complete. Throws `conflict`
  /// when it is finished, `notFound`.
  @discardableResult
  func cancelPush(_ id: PushID, now: Timestamp) throws(StoreError) -> CancelSummary
  /// Changes the throttle; with a higher one, or none, what the old one has spread comes sooner. Throws `notFound`.
  func setThrottle(_ id: PushID, perMinute: Int?, now: Timestamp) throws(StoreError)

  // MARK: Idempotency of other requests

  /// What the request with this key did when it first came, or nil. Throws `idempotencyMismatch` when the request was another.
  func knownRequest(scope: Int64, key: IdempotencyKey) throws(StoreError) -> KnownRequest?
  /// Remembers what a request was answered; the first answer stays.
  func remember(
    answer: [UInt8], scope: Int64, key: IdempotencyKey, now: Timestamp,
    completion: @escaping @Sendable (Result<Void, StoreError>) -> Void)
  /// Deletes keys created before `instant`: examines up to `limit` keys, continuing where the last call ended; returns
  /// the number of deleted keys.
  func forgetIdempotencyKeys(before instant: Timestamp, limit: Int) throws(StoreError) -> Int

  // MARK: The ledger

  /// Work that could be leased: apps with transactional pushes, and campaigns.
  func openWork(limit: Int) throws(StoreError) -> OpenWork
  /// What sending needs to know of some pushes; those that are not there are left out.
  func sendable(_ ids: [PushID]) throws(StoreError) -> [SendablePush]
  /// Starts scheduled pushes that are due and returns them; ends pushes that expired with waiting deliveries.
  func startScheduled(
    now: Timestamp, limit: Int, completion: @escaping @Sendable (Result<[PushID], StoreError>) -> Void)
  /// Gathers up to `limit` further devices of a push's audience.
  func extendAudience(
    of push: PushID, limit: Int, now: Timestamp,
    completion: @escaping @Sendable (Result<AudienceProgress, StoreError>) -> Void)
  /// Leases deliveries: from the call of `completion` on they are `in_flight`, durably. An empty lease has the key 0.
  /// Deliveries that can no longer be sent (push expired, device gone) get their final state instead.
  func lease(
    _ request: LeaseRequest, now: Timestamp, completion: @escaping @Sendable (Result<Lease, StoreError>) -> Void)
  /// Records how tries ended. A result under a lease that was taken away, or of a try that has ended before, is ignored and counted.
  func record(
    _ results: [DeliveryResult],
    completion: @escaping @Sendable (Result<RecordSummary, StoreError>) -> Void)
  /// From now on calls `body` with what may no longer be sent as it was leased, when the change is durable and before it is
  /// answered, on the writer's thread; one at a time.
  func observeRecalls(_ body: @escaping @Sendable (LeaseRecall) -> Void)
  /// Extends all leases of a node.
  func renewLeases(
    node: String, until: Timestamp, completion: @escaping @Sendable (Result<Void, StoreError>) -> Void)
  /// Ends leases whose holder is dead: those that have run out and, when `node` is given, all of that node (it has just started,
  /// so it holds none). What was on the wire becomes `unknown`, or is queued again by policy.
  func recoverLeases(
    node: String?, now: Timestamp, completion: @escaping @Sendable (Result<RecoverySummary, StoreError>) -> Void)
  /// Records the current time. When an earlier clock was ahead, corrects what it wrote, page by page: deferred
  /// deliveries keep their delay, counted from now (except those scheduled for a local time), and no timestamp is later
  /// than now.
  func followClock(
    _ page: ClockPage, now: Timestamp, completion: @escaping @Sendable (Result<ClockStep, StoreError>) -> Void)
  /// The lanes in which deliveries wait, and when the first of each is due; when a push starts or expires next.
  func waitingWork() throws(StoreError) -> WaitingWork
  /// Reads every page and recounts the ledger, beside everything else; what it finds, `checkReadiness` says from then on.
  func examine(isCancelled: @escaping @Sendable () -> Bool) throws(StoreError) -> Examination
  /// Recounts the ledger, of one push or of all; what is returned breaks the law (nothing, unless the file is damaged).
  func verifyLedger(push: PushID?) throws(StoreError) -> [LedgerFault]

  // MARK: Upkeep

  /// Waits for queued operations, refuses new ones, and closes. Calling it twice is harmless.
  func close()
}

/// What cancelling a push did.
public struct CancelSummary: Sendable, Hashable {
  /// Deliveries that were certainly not sent and now never are.
  public let stopped: Int
  /// Deliveries that are leased to a sender: those that have not left yet are still stopped, the others end by their answer.
  public let inFlight: Int
  /// Deliveries that may have been processed in an earlier attempt; they are not sent again and became `unknown`.
  public let unknown: Int

  /// Creates a value from its parts.
  package init(stopped: Int, inFlight: Int, unknown: Int) {
    self.stopped = stopped
    self.inFlight = inFlight
    self.unknown = unknown
  }

  /// Deliveries that may reach their device although the push is cancelled.
  public var notStopped: Int { inFlight + unknown }
}

/// Work that could be leased.
public struct OpenWork: Sendable, Hashable {
  /// Apps that have transactional pushes with first tries waiting.
  public var transactionalApps: [AppID] = []
  /// Campaigns that are being sent and have first tries waiting or an incomplete audience, by app and age.
  public var campaigns: [OpenCampaign] = []

  /// Nothing.
  public init() {}
}

/// A campaign that could be leased from.
public struct OpenCampaign: Sendable, Hashable {
  /// The push.
  public let push: PushID
  /// Its app.
  public let app: AppID
  /// Whether the audience is complete.
  public let audienceComplete: Bool
  /// First tries waiting.
  public let fresh: Int
  /// At most this many sends a minute, or nil.
  public let throttlePerMinute: Int?
  /// Whether later tries wait that came due while it was paused.
  public let hasHeld: Bool

  /// Creates a value from its parts.
  package init(push: PushID, app: AppID, audienceComplete: Bool, fresh: Int, throttlePerMinute: Int?, hasHeld: Bool) {
    self.push = push
    self.app = app
    self.audienceComplete = audienceComplete
    self.fresh = fresh
    self.throttlePerMinute = throttlePerMinute
    self.hasHeld = hasHeld
  }
}

/// A violation of the ledger's invariants.
public struct LedgerFault: Sendable, Hashable, CustomStringConvertible {
  /// The push.
  public let push: PushID
  /// What the push's row says.
  public let recorded: LedgerCounts
  /// What its deliveries say.
  public let counted: LedgerCounts
  /// What is wrong, in one sentence.
  public let description: String
  /// Whether it concerns a schedule's count of runs, not deliveries.
  public var isOfSchedule = false

  /// Creates a value from its parts.
  package init(
    push: PushID, recorded: LedgerCounts, counted: LedgerCounts, description: String, isOfSchedule: Bool = false
  ) {
    self.push = push
    self.recorded = recorded
    self.counted = counted
    self.description = description
    self.isOfSchedule = isOfSchedule
  }
}
