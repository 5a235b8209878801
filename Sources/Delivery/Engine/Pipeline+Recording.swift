internal import StoreModel

/// From the answers to the ledger.
extension Pipeline {
  /// Concurrent writes at most; the store commits several of them together while nothing urgent waits.
  private static let writesMax = 8

  /// Adds a result to those that wait to be written.
  func add(_ result: DeliveryResult, _ now: Timestamp) {
    if oldestResult == nil { oldestResult = now }
    results.append(result)
    unwritten += 1
  }

  /// Writes the collected results when there are enough, when the oldest has waited long enough, or when no more are
  /// expected.
  func write(_ now: Timestamp) {
    guard writesUnderWay < Self.writesMax, !writesAreHeld(now) else { return }
    while writesUnderWay < Self.writesMax, let refused = refusedWrites.popLast() { submit(refused) }
    guard let oldestResult else { return }
    let waited = now.milliseconds - oldestResult.milliseconds
    // A clock that stepped back must not keep results from the ledger.
    let due = waited >= options.recordDelayMs || waited < 0
    guard results.count >= options.recordBatch || due || onWire == 0 || stopDeadlineMs != nil else { return }
    var rest = results[...]
    while !rest.isEmpty && writesUnderWay < Self.writesMax {
      submit(Array(rest.prefix(options.recordBatch)))
      rest = rest.dropFirst(options.recordBatch)
    }
    results = Array(rest)
    if results.isEmpty { self.oldestResult = nil }
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
      // The write was rolled back; it is repeated when the store works again.
      refusedWrites.append(batch)
      hold(error, .record)
    case .success(let summary):
      options.onFaultPoint?(.write)
      unwritten -= batch.count
      storeWorks(.record)
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
      // A delivery that waits again has a due time, which must be read from the store.
      case .retry, .release, .unknown: workIsOld = true
      case .rejected where result.triesOtherEnvironment: workIsOld = true
      case .rejected, .abandoned, .expired: break
      }
    }
  }
}
