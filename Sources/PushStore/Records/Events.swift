public import StoreModel

extension SQLStore {
  /// Records reports of devices.
  public func recordEvents(
    _ events: [NewEvent], app: AppID, principal: Principal, now: Timestamp,
    completion: @escaping @Sendable (Result<[EventOutcome], StoreError>) -> Void
  ) {
    let reports = events.map { DeviceReport(event: $0, app: app, principal: principal, now: now) }
    do throws(StoreError) {
      guard events.count <= StoreLimits.eventBatchMax else {
        throw StoreError(
          .invalid, "events: \(events.count), at most \(StoreLimits.eventBatchMax) at once",
          advice: "send them in several requests")
      }
      for event in events { try event.check() }
      // What belongs to a transaction is written in that.
      let isAlone =
        OpenChange.of(self) == nil && KeyedChange.current == nil && ConditionalChange.current == nil
      if isAlone, events.count < ReportDesk.manyReports, let reportDesk {
        return reportDesk.take(reports, completion: completion)
      }
      let found = try readers.read { (db) throws(StoreError) in try EventFinder(reports: reports).find(db) }
      write(EventRecording.change(reports, found), urgency: .bulk, completion: completion)
    } catch { completion(.failure(error)) }
  }

  /// What devices reported about a push.
  public func events(of push: PushID) throws(StoreError) -> PushEvents {
    try readers.read { (db) throws(StoreError) in
      let select = try db.prepare(
        "SELECT kind, action, count FROM push_events WHERE push = ?1 ORDER BY count DESC, action")
      select.bind(1, push)
      var events = PushEvents()
      while try select.step() {
        let count = select.int(2)
        let action = select.text(1)
        switch EventKind(rawValue: UInt8(truncatingIfNeeded: select.int(0))) {
        case .received: events.counts.received = count
        case .opened: events.counts.opened = count
        case .action where action.isEmpty: events.counts.action = count
        case .action: events.actions.append(ActionCount(action: action, count: count))
        case nil: break
        }
      }
      return events
    }
  }
}

extension NewEvent {
  func check() throws(StoreError) {
    switch kind {
    case .received, .opened:
      if action != nil {
        throw StoreError(.invalid, "action: only with the type action", advice: "leave it out")
      }
    case .action: try Checks.text(action ?? "", "action", max: StoreLimits.actionBytesMax)
    }
  }
}
