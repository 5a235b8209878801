internal import PushPayload
internal import StoreModel
internal import WireJSON

/// Pushes to many devices wait until a second person approves them.
///
/// What decides is the count when a push would start: every way to start one comes here. Counting a push when it is written only lets the
/// second person decide before it is due.
enum Approvals {
  /// What a push needs before it starts now; nil when it may.
  ///
  /// A campaign that may is counted along with those of the next hour.
  static func neededToStart(
    _ push: NewPush, of scheduled: ScheduledPush? = nil, _ entry: AppEntry, _ service: Service, now: Timestamp
  ) async throws(Problem) -> ApprovalRequest? {
    guard let rule = entry.settings.approval else { return nil }
    let devices = try service.ask { store throws(StoreError) in try AudienceSize.count(push, store, now: now) }
    if let scheduled, let approved = scheduled.approval, approved.state == .approved,
      devices <= reach(of: approved.request),
      try !hasOtherSegments(scheduled, since: approved.askedAt, service)
    {
      return nil
    }
    if devices <= rule.aboveDevices {
      guard push.storedAsCampaign else { return nil }
      if try await service.approvals.add(devices, push.app, above: rule.aboveDevices, now: now) { return nil }
    }
    return try request(devices, rule, push, service, now)
  }

  /// What a push that is written for later will need, by the devices that there are now; nothing is counted along.
  static func neededLater(
    _ push: NewPush, _ entry: AppEntry, _ service: Service, now: Timestamp
  ) throws(Problem) -> ApprovalRequest? {
    guard let rule = entry.settings.approval else { return nil }
    let devices = try service.ask { store throws(StoreError) in try AudienceSize.count(push, store, now: now) }
    return devices > rule.aboveDevices ? try request(devices, rule, push, service, now) : nil
  }

  /// The same, for a thread that may wait.
  static func waitForNeeded(
    toStart push: NewPush, of scheduled: ScheduledPush? = nil, _ entry: AppEntry, _ service: Service, now: Timestamp
  ) throws(Problem) -> ApprovalRequest? {
    guard entry.settings.approval != nil else { return nil }
    return try Service.wait { () async throws(Problem) in
      try await neededToStart(push, of: scheduled, entry, service, now: now)
    }
  }

  /// The same two on the threads for long work, because an audience is counted.
  static func needed(
    _ push: NewPush, later: Bool, of scheduled: ScheduledPush? = nil, _ entry: AppEntry, _ service: Service,
    now: Timestamp
  ) async throws(Problem) -> ApprovalRequest? {
    guard entry.settings.approval != nil else { return nil }
    return try await service.longWork.run { () async throws(Problem) in
      guard !later else { return try neededLater(push, entry, service, now: now) }
      return try await neededToStart(push, of: scheduled, entry, service, now: now)
    }
  }

  /// Whether a segment that a push names is another than when somebody was asked to approve it.
  private static func hasOtherSegments(
    _ scheduled: ScheduledPush, since asked: Timestamp, _ service: Service
  ) throws(Problem) -> Bool {
    let to = (try? JSON.parse(scheduled.request))?["to"]
    let names = ([to?["segment"]] + (to?[AudienceFields.excluded]?.array ?? [])).compactMap { $0?.string }
    for name in names where !SystemSegments.all.contains(where: { $0.name == name }) {
      let segment = try service.ask { store throws(StoreError) in try store.segment(app: scheduled.app, named: name) }
      guard let segment, segment.updatedAt <= asked else { return true }
    }
    return false
  }

  /// Refuses pushes that cannot wait because they are made in a form that has no request to keep.
  static func refuse(
    _ pushes: [NewPush], _ entry: AppEntry, _ service: Service, now: Timestamp
  ) async throws(Problem) {
    for push in pushes {
      guard let needed = try await needed(push, later: false, entry, service, now: now) else { continue }
      throw Problem(
        .conflict,
        "the push is for \(needed.devices) devices, and the app wants an approval above \(needed.above); send it with POST"
          + " /v1/apps/\(entry.app.name)/pushes, where it waits for one")
    }
  }

  /// Keeps a push that would start now until it is approved, with the message that it has now.
  static func keep(
    _ push: NewPush, _ body: JSONValue, _ needed: ApprovalRequest, _ call: Call, _ service: Service
  ) async throws(Problem) -> CreatedPush {
    let scheduled = try waiting(push, body, needed, call.maker, service, now: call.now)
    return try await service.change { store throws(StoreError) in try store.addScheduledPush(scheduled, now: call.now) }
  }

  /// A push that waits for its approval and for nothing else.
  ///
  /// What is kept names no template: whoever approves it has seen its texts, which a change of the template must not change.
  static func waiting(
    _ push: NewPush, _ body: JSONValue, _ needed: ApprovalRequest, _ maker: Maker?, _ service: Service, now: Timestamp
  ) throws(Problem) -> NewScheduledPush {
    var scheduled = NewScheduledPush(
      app: push.app, pushClass: push.pushClass, name: push.name,
      request: ScheduledPushBuilder.request(try frozen(body, push.app, service)), dueAt: now,
      idempotency: push.idempotency)
    scheduled.maker = maker?.text
    scheduled.approval = needed
    return scheduled
  }

  /// A request with the texts of its template instead of the template's name.
  static func frozen(_ body: JSONValue, _ app: AppID, _ service: Service) throws(Problem) -> JSONValue {
    guard body["template"] != nil else { return body }
    return try MessageFields.resolve(body, app: app, store: service.store).without("template")
  }

  /// How many devices an approval is good for: those that it was given for and a tenth more, because people register meanwhile.
  static func reach(of request: ApprovalRequest) -> Int { request.devices + request.devices / 10 }

  private static func request(
    _ devices: Int, _ rule: ApprovalRule, _ push: NewPush, _ service: Service, _ now: Timestamp
  ) throws(Problem) -> ApprovalRequest {
    ApprovalRequest(
      devices: devices, recent: push.storedAsCampaign ? try service.approvals.recent(push.app, now: now) : 0,
      above: rule.aboveDevices, until: now.adding(seconds: Int64(rule.hours) * 3_600))
  }
}

/// How many devices a push is for.
enum AudienceSize {
  static func count(_ push: NewPush, _ store: any Store, now: Timestamp) throws(StoreError) -> Int {
    switch push.audience {
    case .all(let kinds): return try count(.everyone, kinds, push.app, store, now)
    case .segment(let filter, let kinds): return try count(filter, kinds, push.app, store, now)
    case .users(let users):
      var total = 0
      for user in Set(users) {
        total += try store.countDevices(app: push.app, filter: DeviceFilter(user: user, state: .active))
      }
      return total
    case .devices(let devices): return Set(devices).count
    case .addresses(let addresses): return Set(addresses).count
    }
  }

  private static func count(
    _ filter: SegmentFilter, _ kinds: [DeviceKind], _ app: AppID, _ store: any Store, _ now: Timestamp
  ) throws(StoreError) -> Int {
    let counts = try store.countByKind(filter, app: app, now: now)
    return kinds.reduce(0) { $0 + (counts[$1] ?? 0) }
  }
}

extension NewPush {
  /// Whether the store keeps it as a campaign.
  var storedAsCampaign: Bool {
    switch audience {
    case .all, .segment: true
    case .users, .devices, .addresses: pushClass == .campaign
    }
  }
}
