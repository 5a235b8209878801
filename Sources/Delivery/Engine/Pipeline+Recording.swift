internal import PushStore

/// From the answers to the ledger.
extension Pipeline {
  /// Writes under way at most: one that is being written, and one that waits behind it.
  private static let writesMax = 2

  /// Adds a result to those that wait to be written.
  func add(_ result: DeliveryResult, _ now: Timestamp) {
    if oldestResult == nil { oldestResult = now }
    results.append(result)
    unwritten += 1
  }

  /// Writes what has gathered, when it is enough, or has waited long enough, or nothing more is coming.
  func write(_ now: Timestamp) {
    guard writesUnderWay < Self.writesMax, !writesAreHeld(now) else { return }
    if let refused = refusedWrites.popLast() { return submit(refused) }
    guard let oldestResult else { return }
    let waited = now.milliseconds - oldestResult.milliseconds
    // A clock that stepped back must not keep results from the ledger.
    let due = waited >= options.recordDelayMs || waited < 0
    guard results.count >= options.recordBatch || due || onWire == 0 || stopDeadlineMs != nil else { return }
    let batch = results
    results = []
    results.reserveCapacity(batch.count)
    self.oldestResult = nil
    submit(batch)
  }

  private func writesAreHeld(_ now: Timestamp) -> Bool {
    guard let heldUntil else { return false }
    return now < heldUntil
  }

  private func submit(_ batch: [DeliveryResult]) {
    writesUnderWay += 1
    let mailbox = mailbox
    store.record(batch) { mailbox.post(.recorded(batch, $0)) }
  }

  func recorded(_ batch: [DeliveryResult], _ result: Result<RecordSummary, StoreError>) {
    writesUnderWay -= 1
    switch result {
    case .failure(let error):
      // Nothing of it was kept; it is written when the store works again.
      refusedWrites.append(batch)
      hold(error)
    case .success(let summary):
      options.onFaultPoint?(.write)
      unwritten -= batch.count
      storeWorks()
      count(batch, summary)
      for push in summary.finished {
        cache.remove(push)
        options.onEvent?(.pushFinished(push))
      }
    }
  }

  private func count(_ batch: [DeliveryResult], _ summary: RecordSummary) {
    statistics.recorded += summary.recorded
    statistics.devicesHeld += summary.retired + summary.quarantined
    for result in batch {
      switch result.change {
      case .accepted: statistics.accepted += 1
      // What goes back to waiting has a moment at which it is due.
      case .retry, .release, .unknown: workIsOld = true
      case .rejected, .expired: break
      }
    }
  }
}
