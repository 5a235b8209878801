/// Requests that wait for a stream, oldest first.
///
/// They stay in their batches; only their indexes are stored.
struct PendingRequests {
  private struct Row {
    let batch: BatchStorage
    let handedOver: Int64
    var next: Int
    let end: Int
    /// Requests that have failed while they waited; empty while none has.
    var skipped: [Bool] = []
  }

  private var rows: [Row] = []
  private var firstRow = 0
  private(set) var count = 0
  /// No request that waits has an earlier deadline.
  private(set) var earliestDeadline = MonotonicTime.never

  var isEmpty: Bool { count == 0 }

  /// Appends the requests of a batch up to `end`.
  mutating func append(_ batch: BatchStorage, end: Int, at now: Int64) {
    guard end > 0 else { return }
    rows.append(Row(batch: batch, handedOver: now, next: 0, end: end))
    count += end
    for entry in unsafe batch.entries[..<end] {
      earliestDeadline = min(earliestDeadline, MonotonicTime.time(now, plus: entry.timeout))
    }
  }

  /// Takes the oldest request.
  mutating func take() -> (batch: BatchStorage, index: Int, handedOver: Int64)? {
    while firstRow < rows.count {
      let row = rows[firstRow]
      if row.next == row.end {
        dropRow()
        continue
      }
      rows[firstRow].next += 1
      if !row.skipped.isEmpty, row.skipped[row.next] { continue }
      count -= 1
      return (row.batch, row.next, row.handedOver)
    }
    return nil
  }

  /// Takes out the requests whose deadline has passed.
  mutating func expire(at now: Int64, _ expired: (UInt64) -> Void) {
    guard now >= earliestDeadline else { return }
    earliestDeadline = MonotonicTime.never
    for rowIndex in firstRow..<rows.count {
      let row = rows[rowIndex]
      for index in row.next..<row.end where row.skipped.isEmpty || !row.skipped[index] {
        let entry = unsafe row.batch.entries[index]
        let deadline = MonotonicTime.time(row.handedOver, plus: entry.timeout)
        guard deadline <= now else {
          earliestDeadline = min(earliestDeadline, deadline)
          continue
        }
        if rows[rowIndex].skipped.isEmpty { rows[rowIndex].skipped = Array(repeating: false, count: row.end) }
        rows[rowIndex].skipped[index] = true
        count -= 1
        expired(entry.id)
      }
    }
  }

  private mutating func dropRow() {
    firstRow += 1
    if firstRow == rows.count {
      rows.removeAll(keepingCapacity: true)
      firstRow = 0
      earliestDeadline = MonotonicTime.never
    } else if firstRow > 64, firstRow > rows.count / 2 {
      rows.removeFirst(firstRow)
      firstRow = 0
    }
  }
}
