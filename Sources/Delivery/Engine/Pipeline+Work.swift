internal import StoreModel

/// What there is to do, as the store says it.
extension Pipeline {
  /// Reads the pending work from the store, when signaled or at the poll interval.
  func scan(_ now: Timestamp) {
    let isPoll = now >= nextScan
    let isWaitingDue = waitingIsOld && now >= nextWaitingScan
    guard workIsOld || isPoll || isWaitingDue, !(leaseUnderWay && urgentLeaseUnderWay) else { return start(now) }
    if isPoll { nextScan = now.adding(milliseconds: options.pollMs) }
    waitingIsOld = waitingIsOld || workIsOld || isPoll
    workIsOld = false
    do throws(StoreError) {
      // A full disk can still be read, so reading alone does not end the trouble.
      if heldUntil != nil { try store.checkReadiness() }
      work = try store.openWork(limit: Self.campaignsMax)
      if now >= nextWaitingScan || isPoll { try readWaiting(now) }
      apply(try store.stops(), now)
      storeWorks()
    } catch {
      hold(error)
    }
    let open = Set(work.campaigns.map(\.push))
    throttles = throttles.filter { open.contains($0.key) }
    parkers.formIntersection(open)
    start(now)
  }

  /// Campaigns looked at in one scan.
  private static let campaignsMax = 1_000
  /// Scheduled pushes started at once.
  private static let startMax = 1_000

  /// Reads which lanes have something to do again; seldom enough that many lanes cost little.
  private func readWaiting(_ now: Timestamp) throws(StoreError) {
    let waiting = try store.waitingWork()
    for number in lanes.indices { lanes[number].due = nil }
    for due in waiting.lanes { lanes[laneNumber(due.lane)].due = due.at }
    nextChange = waiting.nextChange
    waitingIsOld = false
    nextWaitingScan = now.adding(milliseconds: Int64(waiting.lanes.count / 10))
  }

  /// Lets scheduled pushes start whose time has come, and ends what has expired while it waits.
  private func start(_ now: Timestamp) {
    guard let instant = nextChange, instant <= now, !startUnderWay else { return }
    startUnderWay = true
    nextChange = nil
    let mailbox = mailbox
    store.startScheduled(now: now, limit: Self.startMax) { mailbox.post(.started($0)) }
  }

  func started(_ result: Result<[PushID], StoreError>) {
    startUnderWay = false
    switch result {
    case .success(let pushes): if pushes.isEmpty { waitingIsOld = true } else { workIsOld = true }
    case .failure(let error): hold(error)
    }
  }

  /// Keeps the audience of each campaign ahead of the senders.
  func materialize(_ now: Timestamp) {
    let mailbox = mailbox
    for campaign in work.campaigns where !campaign.audienceComplete && campaign.fresh < options.audienceAhead {
      guard !materializing.contains(campaign.push) else { continue }
      materializing.insert(campaign.push)
      let push = campaign.push
      store.extendAudience(of: push, limit: options.audienceChunk, now: now) { mailbox.post(.materialized(push, $0)) }
    }
  }

  func materialized(_ push: PushID, _ result: Result<AudienceProgress, StoreError>) {
    materializing.remove(push)
    switch result {
    case .success(let progress): if progress.added > 0 || progress.complete { workIsOld = true }
    case .failure(let error): if error.code != .notFound { hold(error) }
    }
  }
}
