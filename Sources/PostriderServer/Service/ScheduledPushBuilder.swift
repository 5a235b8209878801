internal import PushPayload
internal import StoreModel
internal import WireJSON

/// Creates drafts and scheduled pushes, and starts them.
///
/// The request is stored. It is composed when it is received, so that its report is known immediately, and again at the
/// start, with the audience, credentials and templates of that time.
struct ScheduledPushBuilder {
  let entry: AppEntry
  let rules: RuleChecks
  let store: any Store
  let now: Timestamp

  init(_ entry: AppEntry, _ service: Service, now: Timestamp) {
    self.entry = entry
    rules = service.rules
    store = service.store
    self.now = now
  }

  /// Composes a request for its report and class; throws what refuses it.
  ///
  /// - Parameter countsListed: whether somebody reads the report and no push is created now, so that the devices of listed
  ///   users that no credential reaches are counted.
  func check(
    _ body: JSONValue, _ report: inout Report, countsListed: Bool = true
  ) throws(Problem) -> NewPush {
    let body = try MessageFields.resolve(body, app: entry.app.id, store: store)
    var composer = PushComposer(entry: entry, body: body, now: now, store: store, rules: rules, report: report)
    composer.countsListed = countsListed
    let push = try composer.compose(idempotency: nil)
    report = composer.report
    return push
  }

  /// Refuses a push that starts later to devices that the app does not have, as one that starts now is refused.
  func requireDevices(of push: NewPush) throws(Problem) {
    guard case .devices(let devices) = push.audience else { return }
    do throws(StoreError) { try store.requireDevices(devices, app: entry.app.id) } catch { throw Problem(error) }
  }

  /// The plan of a request that is a draft or waits.
  func scheduled(
    _ body: JSONValue, _ time: SendTime, userPushName: UserPushName?, idempotency: IdempotencyKey?,
    _ report: inout Report
  ) throws(Problem) -> NewScheduledPush {
    let push = try check(body, &report)
    return try scheduled(push, body, time, userPushName: userPushName, idempotency: idempotency, &report)
  }

  /// The same of a request that is composed already.
  func scheduled(
    _ push: NewPush, _ body: JSONValue, _ time: SendTime, userPushName: UserPushName?, idempotency: IdempotencyKey?,
    _ report: inout Report
  ) throws(Problem) -> NewScheduledPush {
    try ScheduledPushBuilder.check(throttle: push.throttlePerMinute, time, &report)
    var scheduled = NewScheduledPush(
      app: entry.app.id, pushClass: push.pushClass, name: push.name, request: ScheduledPushBuilder.request(body),
      dueAt: time.dueAt(now: now), local: time.local, userPushName: userPushName, idempotency: idempotency)
    scheduled.isUndoable = time.isUndoable
    return scheduled
  }

  /// A push at local times is spread over the day by the clocks themselves; a throttle of its own is refused rather
  /// than ignored.
  static func check(throttle: Int?, _ time: SendTime, _ report: inout Report) throws(Problem) {
    guard throttle != nil, time.local != nil else { return }
    report.add(
      rule: SendTime.rule, severity: .error, field: "throttle_per_minute",
      message:
        "cannot be combined with \"send_at_local\", \"\(SendTime.timeOfDay)\" and \"\(SendTime.lastActive)\"; leave one of them out"
    )
    throw Problem(.invalid, report: report)
  }

  /// What is kept of a request: everything but when.
  static func request(_ body: JSONValue) -> [UInt8] {
    var object = body.object ?? [:]
    for name in SendTime.names { object[name] = nil }
    return JSON.minified(.object(object))
  }

  /// The push that a plan becomes when it starts.
  func push(_ scheduled: ScheduledPush) throws(Problem) -> NewPush {
    guard let body = try? JSON.parse(scheduled.request) else {
      throw Problem(.internalError, "the request of push \(scheduled.push) cannot be read")
    }
    var report = Report()
    var push = try check(body, &report, countsListed: false)
    // The time to live counts from when the last clock shows the local time.
    if let local = scheduled.local, let seconds = body["expires_in_seconds"]?.int {
      push.expiresAt = max(local.last, now).adding(seconds: Int64(seconds))
    }
    return push
  }
}
