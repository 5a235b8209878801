/// Work to be done at points in time, earliest first.
struct TimerQueue {
  struct ID: Hashable {
    fileprivate let number: UInt64
  }

  private struct Row {
    let time: Int64
    let id: ID
  }

  /// A binary heap by time, then by id.
  ///
  /// Cancelled rows stay until they are due or outnumber the living.
  private var heap: [Row] = []
  private var work: [ID: () -> Void] = [:]
  private var lastNumber: UInt64 = 0

  private static let deadRowsAllowed = 1024

  /// The time of the earliest row.
  var next: Int64? { heap.first?.time }

  mutating func add(at time: Int64, _ action: @escaping () -> Void) -> ID {
    lastNumber += 1
    let id = ID(number: lastNumber)
    work[id] = action
    heap.append(Row(time: time, id: id))
    siftUp(heap.count - 1)
    return id
  }

  mutating func cancel(_ id: ID) {
    work[id] = nil
    guard heap.count > 2 * work.count + TimerQueue.deadRowsAllowed else { return }
    let living = heap.filter { work[$0.id] != nil }
    heap.removeAll(keepingCapacity: true)
    for row in living {
      heap.append(row)
      siftUp(heap.count - 1)
    }
  }

  /// Takes the earliest action that is due, or `nil`.
  mutating func takeDue(at now: Int64) -> (() -> Void)? {
    while let first = heap.first, first.time <= now {
      removeFirst()
      if let action = work.removeValue(forKey: first.id) { return action }
    }
    return nil
  }

  private mutating func removeFirst() {
    let last = heap.removeLast()
    guard !heap.isEmpty else { return }
    heap[0] = last
    siftDown()
  }

  private static func before(_ a: Row, _ b: Row) -> Bool {
    a.time != b.time ? a.time < b.time : a.id.number < b.id.number
  }

  private mutating func siftUp(_ start: Int) {
    var child = start
    while child > 0 {
      let parent = (child - 1) / 2
      guard TimerQueue.before(heap[child], heap[parent]) else { return }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  private mutating func siftDown() {
    var parent = 0
    while true {
      var smallest = parent
      for child in (2 * parent + 1)...(2 * parent + 2) where child < heap.count {
        if TimerQueue.before(heap[child], heap[smallest]) { smallest = child }
      }
      guard smallest != parent else { return }
      heap.swapAt(parent, smallest)
      parent = smallest
    }
  }
}
