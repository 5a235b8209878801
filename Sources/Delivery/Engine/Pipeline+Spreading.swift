internal import StoreModel

/// From a lease into the lanes.
extension Pipeline {
  private struct GroupKey: Hashable {
    let push: PushID
    let kind: DeviceKind
    let lane: Int
  }

  /// The batches of a lease while it is sorted.
  private struct Groups {
    var groups: [(key: GroupKey, entries: [SendBatch.Entry])] = []
    private var indexes: [GroupKey: Int] = [:]
    private var last = 0

    mutating func add(_ entry: SendBatch.Entry, to key: GroupKey) {
      // Neighbors mostly belong together: no look-up then, and nothing is allocated for a delivery of its own.
      if groups.isEmpty || groups[last].key != key {
        last = indexes[key] ?? groups.count
        if last == groups.count {
          groups.append((key, []))
          indexes[key] = last
        }
      }
      groups[last].entries.append(entry)
    }
  }

  /// Sorts the deliveries of a lease into batches: one push, one kind of device, one lane each.
  func spread(_ lease: Lease) {
    let now = options.clock()
    guard load(lease) else { return giveBack(lease, now) }
    var groups = Groups()
    var personal: [Range<Int>] = []
    for run in Self.runs(lease.deliveries) {
      let push = lease.deliveries[run.lowerBound].push
      guard let entry = cache.entry(push) else {
        // The push was deleted meanwhile; a delivery that is leased must still end.
        for index in run { end(lease.deliveries[index], lease.id, .rejected, PipelineReason.noPayload, now) }
        continue
      }
      if let tracing = options.tracing, tracing.traces(push) {
        tracing.leased(push, count: run.count, attempt: lease.deliveries[run.lowerBound].attempt)
      }
      if var throttle = throttles[push] {
        throttle.take(run.count { lease.deliveries[$0].attempt == 1 }, at: now)
        throttles[push] = throttle
      }
      if entry.personal != nil { personal.append(run) } else { sort(run, of: entry, lease, into: &groups, now) }
    }
    for group in groups.groups { queue(group.key, group.entries) }
    if !personal.isEmpty { spread(personal: personal, lease, now) }
  }

  /// The deliveries of each push that follow one another.
  private static func runs(_ deliveries: [LeasedDelivery]) -> [Range<Int>] {
    var runs: [Range<Int>] = []
    var start = 0
    while start < deliveries.count {
      let push = deliveries[start].push
      var end = start + 1
      while end < deliveries.count, deliveries[end].push == push { end += 1 }
      runs.append(start..<end)
      start = end
    }
    return runs
  }

  private func sort(
    _ run: Range<Int>, of entry: PushCache.Entry, _ lease: Lease, into groups: inout Groups, _ now: Timestamp
  ) {
    var lane: (key: LaneKey, number: Int)?
    for index in run {
      let delivery = lease.deliveries[index]
      let flight = Flight(lease, delivery, entry.push, now)
      guard entry.payloads[Int(delivery.kind.rawValue)] != nil else {
        finish(flight, .rejected, 0, reasonOfNoPayload(entry.push.app, delivery), now)
        continue
      }
      let key = LaneKey(entry.push.app, delivery.kind, delivery.environment)
      let number = lane?.key == key ? lane?.number ?? laneNumber(key) : laneNumber(key)
      lane = (key, number)
      groups.add(
        SendBatch.Entry(
          tag: flights.add(flight), token: delivery.token, apnsID: entry.push.apnsIDs.bits(of: delivery.id)),
        to: GroupKey(push: delivery.push, kind: delivery.kind, lane: number))
    }
  }

  /// Why a push has nothing for a device: messages are written for what the app has credentials for.
  func reasonOfNoPayload(_ app: AppID, _ delivery: LeasedDelivery) -> String {
    let lane = LaneKey(app, delivery.kind, delivery.environment)
    let sender = senders.sender(app: app, provider: lane.provider, environment: lane.environment)
    return sender == nil && !senders.isUnusable(lane) ? PipelineReason.noCredential : PipelineReason.noPayload
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
    var result = DeliveryResult(
      lease: lease, delivery: delivery.id, push: delivery.push, attempt: delivery.attempt, change: change,
      provider: delivery.kind.provider, answer: (0, reason), at: now)
    result.environment = delivery.environment
    result.isForChannel = delivery.kind.isChannel
    add(result, now)
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
