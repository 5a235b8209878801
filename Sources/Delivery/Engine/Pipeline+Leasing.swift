internal import PushStore

/// From the store to the lanes.
extension Pipeline {
  /// Room in the window.
  var room: Int { options.window - flights.count - unwritten }
  var hasRoom: Bool { room > 0 }
  /// What campaigns leave free; never so much that nothing is left for them.
  var reserve: Int { min(options.transactionalReserve, options.window / 2) }

  /// Asks the store what there is to do, when something was told, or now and then.
  func scan(_ now: Timestamp) {
    let isDue = nextDue.map { $0 <= now } ?? false
    guard workIsOld || isDue || now >= nextScan, !(leaseUnderWay && urgentLeaseUnderWay) else { return }
    workIsOld = false
    nextScan = now.adding(milliseconds: options.pollMs)
    do throws(StoreError) {
      work = try store.openWork(limit: Self.campaignsMax)
      nextDue = try store.nextMoment()
      stoppedApps = Set(try store.apps().filter { $0.stopReason != nil }.map(\.id)).union(stopping)
      storeWorks()
    } catch {
      hold(error)
    }
    let open = Set(work.campaigns.map(\.push))
    throttles = throttles.filter { open.contains($0.key) }
    start(now)
  }

  /// Campaigns looked at in one scan.
  private static let campaignsMax = 1_000
  /// Scheduled pushes started at once.
  private static let startMax = 1_000

  private func start(_ now: Timestamp) {
    guard let nextDue, nextDue <= now, !startUnderWay else { return }
    startUnderWay = true
    let mailbox = mailbox
    store.startScheduled(now: now, limit: Self.startMax) { mailbox.post(.started($0)) }
  }

  func started(_ result: Result<[PushID], StoreError>) {
    startUnderWay = false
    switch result {
    case .success(let pushes): if !pushes.isEmpty { workIsOld = true }
    case .failure(let error): hold(error)
    }
  }

  /// Leases what a person waits for.
  func leaseUrgent(_ now: Timestamp) {
    guard !urgentLeaseUnderWay, hasRoom else { return }
    var picks: [LeaseRequest.Pick] = []
    var left = room
    for app in work.transactionalApps where left > 0 && !stoppedApps.contains(app) {
      guard queued(for: app) < options.laneQueue * 2 else { continue }
      let share = min(left, Self.transactionalTurn)
      picks.append(.transactional(app: app, max: share))
      left -= share
    }
    guard !picks.isEmpty else { return }
    urgentLeaseUnderWay = true
    ask(picks, now, urgent: true)
  }

  /// Leases what is due again, then from the campaigns in turn.
  func lease(_ now: Timestamp) {
    guard !leaseUnderWay else { return }
    var picks: [LeaseRequest.Pick] = []
    var left = room - reserve
    if let nextDue, nextDue <= now, left > 0 {
      let share = min(left, options.campaignTurn)
      picks.append(.due(max: share))
      left -= share
    }
    appendCampaigns(&picks, left, now)
    guard !picks.isEmpty else { return }
    leaseUnderWay = true
    ask(picks, now, urgent: false)
  }

  private func ask(_ picks: [LeaseRequest.Pick], _ now: Timestamp, urgent: Bool) {
    let request = LeaseRequest(
      node: options.node, durationMs: options.leaseMs, picks: picks, stoppedApps: stoppedApps)
    let mailbox = mailbox
    store.lease(request, now: now) { mailbox.post(.leased($0, urgent: urgent)) }
  }

  /// Transactional deliveries leased from one app in one turn.
  private static let transactionalTurn = 1_000

  /// Goes round the campaigns, beginning where the last turn ended, so that each gets the same share.
  private func appendCampaigns(_ picks: inout [LeaseRequest.Pick], _ room: Int, _ now: Timestamp) {
    var left = room
    let campaigns = work.campaigns
    guard !campaigns.isEmpty, left > 0 else { return }
    let share = max(min(options.campaignTurn, left / campaigns.count), 1)
    for step in campaigns.indices where left > 0 {
      let campaign = campaigns[(campaignTurn + step) % campaigns.count]
      guard campaign.fresh > 0, !stoppedApps.contains(campaign.app),
        queued(for: campaign.app) < options.laneQueue
      else { continue }
      let count = min(share, left, campaign.fresh, throttle(campaign, now))
      guard count > 0 else { continue }
      picks.append(.push(campaign.push, max: count))
      left -= count
    }
    campaignTurn = (campaignTurn + 1) % campaigns.count
  }

  /// How many sends the campaign's own throttle allows now.
  private func throttle(_ campaign: OpenCampaign, _ now: Timestamp) -> Int {
    guard let perMinute = campaign.throttlePerMinute else {
      throttles[campaign.push] = nil
      return .max
    }
    let perSecond = Double(perMinute) / 60
    throttles[campaign.push, default: RateLimit(perSecond: perSecond)].change(perSecond: perSecond)
    return throttles[campaign.push]?.available(at: now) ?? 0
  }

  func queued(for app: AppID) -> Int {
    lanes.reduce(0) { $0 + ($1.key.app == app ? $1.queued : 0) }
  }

  func leased(_ result: Result<Lease, StoreError>, urgent: Bool) {
    if urgent { urgentLeaseUnderWay = false } else { leaseUnderWay = false }
    switch result {
    case .failure(let error):
      hold(error)
      workIsOld = true
    case .success(let lease):
      storeWorks()
      // A lease that found nothing at all means that the work is gone: nothing is asked again until something happens.
      let isEmpty = lease.deliveries.isEmpty && lease.settled == 0
      workIsOld = workIsOld || !isEmpty
      if isEmpty { forgetWork(urgent: urgent) }
      guard !lease.deliveries.isEmpty else { return }
      options.onFaultPoint?(.send)
      spread(lease)
    }
  }

  private func forgetWork(urgent: Bool) {
    if urgent { work.transactionalApps = [] } else { work.campaigns = [] }
  }

  // MARK: Audiences

  /// Keeps the audience of each campaign ahead of the senders.
  func gather(_ now: Timestamp) {
    let mailbox = mailbox
    for campaign in work.campaigns where !campaign.audienceComplete && campaign.fresh < options.audienceAhead {
      guard !gathering.contains(campaign.push) else { continue }
      gathering.insert(campaign.push)
      let push = campaign.push
      store.extendAudience(of: push, limit: options.audienceChunk, now: now) { mailbox.post(.gathered(push, $0)) }
    }
  }

  func gathered(_ push: PushID, _ result: Result<AudienceProgress, StoreError>) {
    gathering.remove(push)
    switch result {
    case .success(let progress): if progress.added > 0 || progress.complete { workIsOld = true }
    case .failure(let error): if error.code != .notFound { hold(error) }
    }
  }

  // MARK: Into the lanes

  private struct GroupKey: Hashable {
    let push: PushID
    let kind: DeviceKind
    let lane: Int
  }

  /// Sorts the deliveries of a lease into batches: one push, one kind of device, one lane each.
  private func spread(_ lease: Lease) {
    let now = options.clock()
    guard load(lease) else { return giveBack(lease, now) }
    var groups: [(key: GroupKey, entries: [SendBatch.Entry])] = []
    var places: [GroupKey: Int] = [:]
    var last = 0
    var personal: [LeasedDelivery] = []
    for delivery in lease.deliveries {
      guard let entry = cache.entry(delivery.push) else {
        // The push was deleted meanwhile; a delivery that is leased must still end.
        end(delivery, lease.id, .rejected, PipelineReason.noPayload, now)
        continue
      }
      if let throttle = throttles[delivery.push], delivery.attempt == 1 {
        var throttle = throttle
        throttle.take(1, at: now)
        throttles[delivery.push] = throttle
      }
      if entry.personal != nil {
        personal.append(delivery)
        continue
      }
      let flight = Flight(lease, delivery, entry.push, now)
      guard entry.payloads[Int(delivery.kind.rawValue)] != nil else {
        finish(flight, .rejected, 0, PipelineReason.noPayload, now)
        continue
      }
      let lane = laneNumber(
        Lane.Key(app: entry.push.app, provider: delivery.kind.provider, environment: delivery.environment))
      let key = GroupKey(push: delivery.push, kind: delivery.kind, lane: lane)
      let send = SendBatch.Entry(
        tag: flights.add(flight), token: delivery.token, apnsID: delivery.id.apnsIDBits(salt: entry.push.salt))
      // Neighbours mostly belong together: no look-up then, and nothing is allocated for a delivery of its own.
      if groups.isEmpty || groups[last].key != key {
        last = places[key] ?? groups.count
        if last == groups.count {
          groups.append((key, []))
          places[key] = last
        }
      }
      groups[last].entries.append(send)
    }
    for group in groups { queue(group.key, group.entries) }
    if !personal.isEmpty { spread(personal: personal, lease, now) }
  }

  private func queue(_ key: GroupKey, _ entries: [SendBatch.Entry]) {
    guard let entry = cache.entry(key.push), let payload = entry.payloads[Int(key.kind.rawValue)] else { return }
    let waiting = Lane.Waiting(
      push: key.push, payload: payload, expiresAt: entry.push.expiresAt, entries: entries[...])
    lanes[key.lane].add(waiting, urgent: entry.push.pushClass == .transactional)
  }

  /// Reads what is not known yet of the lease's pushes; false when the store refuses.
  private func load(_ lease: Lease) -> Bool {
    cache.trim()
    var missing: [PushID] = []
    var last: PushID?
    for delivery in lease.deliveries where delivery.push != last {
      last = delivery.push
      if !cache.contains(delivery.push) { missing.append(delivery.push) }
    }
    guard !missing.isEmpty else { return true }
    do throws(StoreError) {
      for push in try store.sendable(missing) { cache.add(push) }
      return true
    } catch {
      hold(error)
      return false
    }
  }

  /// Returns a whole lease that could not be read further.
  private func giveBack(_ lease: Lease, _ now: Timestamp) {
    let later = DeliveryResult.Change.release(notBefore: now.adding(milliseconds: 1_000))
    for delivery in lease.deliveries { end(delivery, lease.id, later, PipelineReason.stopped, now) }
  }

  /// Ends a leased delivery that never became a flight.
  func end(
    _ delivery: LeasedDelivery, _ lease: LeaseID, _ change: DeliveryResult.Change, _ reason: String, _ now: Timestamp
  ) {
    add(
      DeliveryResult(
        lease: lease, delivery: delivery.id, push: delivery.push, attempt: delivery.attempt, change: change,
        provider: delivery.kind.provider, status: 0, reason: reason, at: now), now)
  }

  func laneNumber(_ key: Lane.Key) -> Int {
    if let number = laneNumbers[key] { return number }
    lanes.append(Lane(key: key, rate: options.rates[key.provider]))
    sinks.append(LaneSink(lane: lanes.count - 1, mailbox: mailbox))
    laneNumbers[key] = lanes.count - 1
    return lanes.count - 1
  }
}

extension Flight {
  init(_ lease: Lease, _ delivery: LeasedDelivery, _ push: SendablePush, _ now: Timestamp) {
    self.init(
      lease: lease.id, delivery: delivery.id, push: delivery.push, app: push.app, device: delivery.device,
      attempt: delivery.attempt, provider: delivery.kind.provider, sentAt: now, startAt: push.startAt,
      expiresAt: push.expiresAt)
  }
}

/// Brings the answers of one lane to the pipeline.
final class LaneSink: SendSink {
  private let lane: Int
  private let mailbox: Mailbox

  init(lane: Int, mailbox: Mailbox) {
    self.lane = lane
    self.mailbox = mailbox
  }

  func receive(_ answers: [SendAnswer]) { mailbox.post(.answers(lane: lane, answers)) }
}
