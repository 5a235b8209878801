internal import PushStore

/// From a lease into the lanes.
extension Pipeline {
  private struct GroupKey: Hashable {
    let push: PushID
    let kind: DeviceKind
    let lane: Int
  }

  /// Sorts the deliveries of a lease into batches: one push, one kind of device, one lane each.
  func spread(_ lease: Lease) {
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
        LaneKey(app: entry.push.app, provider: delivery.kind.provider, environment: delivery.environment))
      let key = GroupKey(push: delivery.push, kind: delivery.kind, lane: lane)
      let send = SendBatch.Entry(
        tag: flights.add(flight), token: delivery.token, apnsID: entry.push.apnsIDs.bits(of: delivery.id))
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
    var result = DeliveryResult(
      lease: lease, delivery: delivery.id, push: delivery.push, attempt: delivery.attempt, change: change,
      provider: delivery.kind.provider, answer: (0, reason), at: now)
    result.environment = delivery.environment
    add(result, now)
  }
}

extension Flight {
  init(_ lease: Lease, _ delivery: LeasedDelivery, _ push: SendablePush, _ now: Timestamp) {
    self.init(
      lease: lease.id, delivery: delivery.id, push: delivery.push, app: push.app, device: delivery.device,
      attempt: delivery.attempt, provider: delivery.kind.provider, environment: delivery.environment, sentAt: now,
      startAt: push.startAt, expiresAt: push.expiresAt)
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
