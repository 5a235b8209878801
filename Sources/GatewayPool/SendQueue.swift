/// The unfinished sends of one pool: batches in two lanes, requests on the wire, requests to be sent again.
///
/// Every send is in exactly one of three states: after the cursor of its batch, in a slot that is on the wire, or in a
/// slot that waits to be sent again. A slot's number is the request's id on the wire.
struct SendQueue {
  /// One batch.
  struct Record {
    let run: any PoolBatch
    let count: Int
    let deadline: Duration
    /// The next send that has not been taken yet.
    var next = 0
    /// Sends without an outcome.
    var open: Int
    var isTouched = false
  }

  /// One send under way, or about to be sent again.
  struct Slot {
    var record: Int32
    var entry: Int32
    var generation: Int32 = 0
    var wasResent = false
    var wasReauthorized = false
  }

  private(set) var records: [Record?] = []
  private var freeRecords: [Int32] = []
  private(set) var slots: [Slot] = []
  private var freeSlots: [Int32] = []
  /// The urgent lane, then the other one.
  private var lanes = [Lane(), Lane()]
  private var again = Lane()
  /// No send that waits in `again` runs out of time before this.
  private var againDeadline: Duration?
  private(set) var touched: [Int32] = []
  private var finishedCount = 0
  /// Sends that wait for a stream.
  private(set) var waiting = 0

  /// Takes a batch in.
  mutating func append(_ run: any PoolBatch, deadline: Duration) {
    let record = Record(run: run, count: run.count, deadline: deadline, open: run.count)
    guard record.count > 0 else { return }
    let index: Int32
    if let free = freeRecords.popLast() {
      index = free
      records[Int(free)] = record
    } else {
      index = Int32(records.count)
      records.append(record)
    }
    lanes[run.urgency == .urgent ? 0 : 1].append(index)
    waiting += record.count
  }

  /// The next send to go out: those to be sent again, then urgent ones, then the rest.
  mutating func take() -> Int32? {
    if let slot = again.popFirst() {
      waiting -= 1
      return slot
    }
    return takeFresh(0) ?? takeFresh(1)
  }

  /// The batch of which the next send is taken, if there is one.
  var next: (any PoolBatch)? {
    let record = again.first.map { slots[Int($0)].record } ?? lanes[0].first ?? lanes[1].first
    return record.flatMap { records[Int($0)]?.run }
  }

  private mutating func takeFresh(_ lane: Int) -> Int32? {
    guard let index = lanes[lane].first, let record = records[Int(index)] else { return nil }
    let slot = newSlot(Slot(record: index, entry: Int32(record.next)))
    records[Int(index)]?.next += 1
    if record.next + 1 == record.count { _ = lanes[lane].popFirst() }
    waiting -= 1
    return slot
  }

  private mutating func newSlot(_ slot: Slot) -> Int32 {
    if let free = freeSlots.popLast() {
      slots[Int(free)] = slot
      return free
    }
    slots.append(slot)
    return Int32(slots.count - 1)
  }

  /// The batch of a slot, and the index in it.
  func entry(of slot: Int32) -> (run: any PoolBatch, entry: Int)? {
    let location = slots[Int(slot)]
    guard let record = records[Int(location.record)] else { return nil }
    return (record.run, Int(location.entry))
  }

  /// Puts a slot back, to be sent before anything else.
  mutating func putBack(_ slot: Int32, _ reason: PutBackReason) {
    switch reason {
    case .neverSent: break
    case .notProcessed: slots[Int(slot)].wasResent = true
    case .tokenRefused: slots[Int(slot)].wasReauthorized = true
    }
    again.append(slot)
    waiting += 1
    if let deadline = records[Int(slots[Int(slot)].record)]?.deadline {
      againDeadline = min(againDeadline ?? deadline, deadline)
    }
  }

  /// Notes which authorization the request of a slot carries.
  mutating func mark(_ slot: Int32, generation: Int) {
    slots[Int(slot)].generation = Int32(truncatingIfNeeded: generation)
  }

  /// The send of this slot has its outcome.
  mutating func finish(_ slot: Int32) {
    let index = slots[Int(slot)].record
    freeSlots.append(slot)
    touch(index)
    records[Int(index)]?.open -= 1
    finishedCount += 1
  }

  private mutating func touch(_ index: Int32) {
    guard records[Int(index)]?.isTouched == false else { return }
    records[Int(index)]?.isTouched = true
    touched.append(index)
  }

  /// Delivers the outcomes of this turn to the callers and removes finished batches.
  ///
  /// - Parameter finished: called with the number of sends that got their outcome.
  mutating func flush(_ finished: (Int) -> Void) {
    guard !touched.isEmpty else { return }
    finished(finishedCount)
    finishedCount = 0
    let indices = touched
    touched.removeAll(keepingCapacity: true)
    for index in indices {
      guard let record = records[Int(index)] else { continue }
      records[Int(index)]?.isTouched = false
      if record.open == 0 {
        records[Int(index)] = nil
        freeRecords.append(index)
      }
      record.run.flush()
    }
  }

  /// The earliest deadline of a waiting send.
  var nextDeadline: Duration? {
    var next = again.first == nil ? nil : againDeadline
    for lane in lanes {
      if let index = lane.first, let deadline = records[Int(index)]?.deadline { next = min(next ?? deadline, deadline) }
    }
    return next
  }

  /// Takes out every waiting send whose time is up.
  ///
  /// The lanes are in the order of submission and every batch gets the same time, so only their heads are looked at.
  mutating func takeOverdue(now: Duration) -> [Int32] {
    var overdue: [Int32] = []
    if let againDeadline, againDeadline <= now { takeOverdueAgain(now, &overdue) }
    for lane in lanes.indices {
      while let index = lanes[lane].first, let record = records[Int(index)], record.deadline <= now {
        for _ in record.next..<record.count { if let slot = takeFresh(lane) { overdue.append(slot) } }
      }
    }
    return overdue
  }

  /// What was put back comes from batches of any age, so all of it is looked at.
  private mutating func takeOverdueAgain(_ now: Duration, _ overdue: inout [Int32]) {
    againDeadline = nil
    var kept = Lane()
    while let slot = again.popFirst() {
      guard let record = records[Int(slots[Int(slot)].record)] else { continue }
      if record.deadline <= now {
        waiting -= 1
        overdue.append(slot)
      } else {
        kept.append(slot)
        againDeadline = min(againDeadline ?? record.deadline, record.deadline)
      }
    }
    again = kept
  }

  /// Why a send goes back into the queue.
  enum PutBackReason {
    /// It had not left when its connection ended: this does not count as a try.
    case neverSent
    /// The peer says that it has not acted on it.
    case notProcessed
    /// The peer refused its token.
    case tokenRefused
  }

  /// A queue of numbers that gives its memory back rarely: popping moves a cursor.
  struct Lane {
    private var items: [Int32] = []
    private var start = 0

    var first: Int32? { start < items.count ? items[start] : nil }

    mutating func append(_ item: Int32) { items.append(item) }

    mutating func popFirst() -> Int32? {
      guard start < items.count else { return nil }
      let item = items[start]
      start += 1
      if start == items.count {
        items.removeAll(keepingCapacity: true)
        start = 0
      } else if start >= 1024 && start * 2 >= items.count {
        items.removeFirst(start)
        start = 0
      }
      return item
    }
  }
}
