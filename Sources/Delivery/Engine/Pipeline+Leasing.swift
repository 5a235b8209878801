internal import StoreModel

/// From the store to the lanes: who gets how much in one turn.
extension Pipeline {
  /// What one lease asks for while it is put together.
  private struct LeaseSelection {
    var picks: [LeaseRequest.Pick] = []
    var closed: Set<LaneKey> = []
    /// What may still be picked.
    var left: Int
    /// What may still be picked of each app; nil for nothing.
    var apps: [AppID: AppRoom?] = [:]

    mutating func add(_ pick: LeaseRequest.Pick, _ count: Int, of app: AppID) {
      picks.append(pick)
      left -= count
      guard case .some(.some(var room)) = apps[app] else { return }
      room.room -= count
      closed.formUnion(room.closed)
      apps.updateValue(room, forKey: app)
    }
  }

  private func room(for app: AppID, urgent: Bool, _ selection: inout LeaseSelection) -> Int {
    if let known = selection.apps[app] { return known?.room ?? 0 }
    let room = room(for: app, urgent: urgent)
    selection.apps.updateValue(room, forKey: app)
    return room?.room ?? 0
  }

  /// Leases transactional deliveries.
  func leaseUrgent(_ now: Timestamp) {
    guard !urgentLeaseUnderWay, free > 0 else { return }
    var selection = LeaseSelection(left: free)
    for app in work.transactionalApps where selection.left > 0 {
      let share = min(selection.left, Self.transactionalTurn, room(for: app, urgent: true, &selection))
      if share > 0 { selection.add(.transactional(app: app, max: share), share, of: app) }
    }
    guard !selection.picks.isEmpty else { return }
    urgentLeaseUnderWay = true
    ask(selection, now, urgent: true)
  }

  /// Leases what is due again, lane by lane, then from the campaigns in turn.
  func lease(_ now: Timestamp) {
    guard !leaseUnderWay else { return }
    var selection = LeaseSelection(left: free)
    appendDue(&selection, now)
    appendCampaigns(&selection, now)
    guard !selection.picks.isEmpty else { return }
    leaseUnderWay = true
    ask(selection, now, urgent: false)
  }

  private func ask(_ selection: LeaseSelection, _ now: Timestamp, urgent: Bool) {
    let count = free - selection.left
    if urgent {
      (urgentPicks, asked.urgent) = (selection.picks, count)
    } else {
      (picks, asked.bulk) = (selection.picks, count)
    }
    let term = leaseTime(now).milliseconds - now.milliseconds + options.leaseMs
    let request = LeaseRequest(node: options.node, durationMs: term, picks: selection.picks, closed: selection.closed)
    let mailbox = mailbox
    store.lease(request, now: now) { mailbox.post(.leased($0, urgent: urgent)) }
  }

  /// Transactional deliveries leased from one app in one turn.
  private static let transactionalTurn = 1_000

  /// Goes round the lanes, beginning where the last turn ended.
  ///
  /// A lane that has campaigns too gives them half of its room.
  private func appendDue(_ selection: inout LeaseSelection, _ now: Timestamp) {
    guard !lanes.isEmpty else { return }
    let busy = Set(work.campaigns.lazy.filter { $0.fresh > 0 }.map(\.app))
    dueTurn = (dueTurn + 1) % lanes.count
    for step in lanes.indices where selection.left > 0 {
      let lane = lanes[(dueTurn + step) % lanes.count]
      guard let due = lane.due, due <= now else { continue }
      let half = busy.contains(lane.key.app) ? (lane.dueRoom + 1) / 2 : lane.dueRoom
      let share = min(selection.left, options.campaignTurn, half)
      if share > 0 {
        selection.picks.append(.due(lane.key, max: share, byTime: lane.isProbing))
        selection.left -= share
      } else if let pick = overdue(lane, due, now) {
        selection.picks.append(pick)
      }
    }
  }

  /// Deliveries whose lane has accepted nothing for longer than deliveries are retried are abandoned; a stopped lane
  /// keeps them until an operator acts.
  private func overdue(_ lane: Lane, _ due: Timestamp, _ now: Timestamp) -> LeaseRequest.Pick? {
    let age = options.givingUp.ageMs(lane.key.provider)
    let before = now.adding(milliseconds: -age)
    // A lane that is only briefly full abandons nothing, nor does one whose credential cannot be decrypted.
    let isAway = lane.lacksSender ? !lane.isUnusable : lane.breaker.isOpen
    guard lane.state == .closed, isAway, lane.stop == nil, due <= before, hasPassed(age) else { return nil }
    let cause = lane.lastFailure.isEmpty ? PipelineReason.gatewayUnreachable : lane.lastFailure
    let reason = lane.lacksSender ? PipelineReason.noCredential : PipelineReason.exhausted(after: cause)
    return .overdue(lane.key, before: before, reason: reason, max: options.campaignTurn)
  }

  /// Goes round the campaigns, beginning where the last turn ended, so that each gets the same share.
  private func appendCampaigns(_ selection: inout LeaseSelection, _ now: Timestamp) {
    let campaigns = work.campaigns
    guard !campaigns.isEmpty, selection.left > 0 else { return }
    let share = max(min(options.campaignTurn, selection.left / campaigns.count), 1)
    var mayPark = now >= parkRestUntil
    for step in campaigns.indices where selection.left > 0 {
      let campaign = campaigns[(campaignTurn + step) % campaigns.count]
      guard campaign.fresh > 0 || campaign.hasHeld, mayPark || !parkers.contains(campaign.push) else { continue }
      let room = room(for: campaign.app, urgent: false, &selection)
      let found = campaign.fresh > 0 ? campaign.fresh : Int.max
      let count = min(share, selection.left, room, found, throttle(campaign, now))
      guard count > 0 else { continue }
      selection.add(.push(campaign.push, max: count), count, of: campaign.app)
      if parkers.contains(campaign.push) { mayPark = false }
    }
    campaignTurn = (campaignTurn + 1) % campaigns.count
  }

  /// How many sends the campaign's own throttle allows now.
  private func throttle(_ campaign: OpenCampaign, _ now: Timestamp) -> Int {
    guard let perMinute = campaign.throttlePerMinute else {
      throttles[campaign.push] = nil
      return .max
    }
    // Each of the nodes that live sends its share.
    let perSecond = Double(perMinute) / 60 / Double(nodeStatus.liveNodes)
    throttles[campaign.push, default: RateLimit(perSecond: perSecond)].change(perSecond: perSecond)
    return throttles[campaign.push]?.available(at: now) ?? 0
  }

  func leased(_ result: Result<Lease, StoreError>, urgent: Bool) {
    if urgent { (urgentLeaseUnderWay, asked.urgent) = (false, 0) } else { (leaseUnderWay, asked.bulk) = (false, 0) }
    switch result {
    case .failure(let error):
      hold(error, .lease)
      workIsOld = true
    case .success(let lease):
      if failing.contains(.lease) { storeWorks(.lease) }
      // An empty lease means that no work is left: nothing is leased again until the next event.
      let isEmpty = lease.deliveries.isEmpty && lease.settled == 0
      workIsOld = workIsOld || !isEmpty
      if isEmpty { forget(urgent ? urgentPicks : picks) } else { noteClock(options.clock()) }
      if !lease.parked.isEmpty { note(parked: lease, options.clock()) }
      guard !lease.deliveries.isEmpty else { return }
      options.onFaultPoint?(.send)
      spread(lease)
    }
  }

  /// Forgets the work of a lease that found nothing; what it did not ask for may be there.
  private func forget(_ picks: [LeaseRequest.Pick]) {
    for pick in picks {
      switch pick {
      case .transactional(let app, _): work.transactionalApps.removeAll { $0 == app }
      case .push(let push, _): work.campaigns.removeAll { $0.push == push }
      case .due(let lane, _, _), .overdue(let lane, _, _, _): lanes[laneNumber(lane)].due = nil
      }
    }
  }

  /// The pause after a delivery was deferred, in microseconds: deferring it costs the store a tenth of that.
  private static let parkRestUs: Int64 = 20

  /// First tries were put aside: they count against their campaign's throttle, and a campaign that gives nothing else is
  /// not hurried through at the cost of all others.
  private func note(parked lease: Lease, _ now: Timestamp) {
    let sent = Set(lease.deliveries.map(\.push))
    for (push, count) in lease.parked {
      throttles[push]?.take(count, at: now)
      if sent.contains(push) { parkers.remove(push) } else { parkers.insert(push) }
    }
    let count = lease.parked.values.reduce(0, +)
    parkRestUntil = now.adding(milliseconds: Int64(count) * Self.parkRestUs / 1_000)
  }
}
