internal import PushStore

/// Pushes that differ from device to device: the way of a lease into the lanes with one look at the recipients.
extension Pipeline {
  private struct PersonalGroup: Hashable {
    let push: PushID
    let lane: Int
    let payload: ObjectIdentifier
  }

  func spread(personal deliveries: [LeasedDelivery], _ lease: Lease, _ now: Timestamp) {
    let recipients: [DeliveryRecipient]
    let needsProperties = deliveries.contains { cache.entry($0.push)?.personal?.needsProperties ?? false }
    do throws(StoreError) {
      recipients = try store.recipients(deliveries.map(\.id), properties: needsProperties)
    } catch {
      hold(error)
      let later = DeliveryResult.Change.release(notBefore: now.adding(milliseconds: 1_000))
      for delivery in deliveries { end(delivery, lease.id, later, PipelineReason.stopped, now) }
      return
    }
    var known: [DeliveryID: DeliveryRecipient] = [:]
    known.reserveCapacity(recipients.count)
    for recipient in recipients { known[recipient.delivery] = recipient }
    // Devices with one text share a batch; each other one has its own.
    var groups: [PersonalGroup: Lane.Waiting] = [:]
    var order: [PersonalGroup] = []
    for delivery in deliveries {
      guard let entry = cache.entry(delivery.push), let personal = entry.personal, let recipient = known[delivery.id]
      else {
        end(delivery, lease.id, .rejected, PipelineReason.noPayload, now)
        continue
      }
      var flight = Flight(lease, delivery, entry.push, now)
      let variant = personal.variant(of: recipient, delivery.token)
      flight.variant = personal.place(of: variant)
      switch personal.payload(for: recipient, kind: delivery.kind, token: delivery.token, variant: variant) {
      case .failure(let refusal): finish(flight, .rejected, 0, refusal.reason, now)
      case .success(let payload):
        let lane = laneNumber(
          LaneKey(app: entry.push.app, provider: delivery.kind.provider, environment: delivery.environment))
        let key = PersonalGroup(push: delivery.push, lane: lane, payload: ObjectIdentifier(payload))
        let send = SendBatch.Entry(
          tag: flights.add(flight), token: delivery.token, apnsID: entry.push.apnsIDs.bits(of: delivery.id))
        if groups[key]?.entries.append(send) == nil {
          groups[key] = Lane.Waiting(
            push: delivery.push, payload: payload, expiresAt: entry.push.expiresAt, entries: [send])
          order.append(key)
        }
      }
    }
    for key in order {
      guard let waiting = groups[key], let entry = cache.entry(key.push) else { continue }
      lanes[key.lane].add(waiting, urgent: entry.push.pushClass == .transactional)
    }
  }
}
