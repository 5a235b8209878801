/// Work to be done at points in time, earliest first.
///
/// Most timers are set in the order in which they are due, because few delays are in use: they are in lines, where adding
/// and taking one costs the same however many there are. What fits behind no line is in a heap.
struct TimerQueue {
  struct ID: Hashable {
    fileprivate let number: UInt64
  }

  private struct Row {
    let time: Int64
    let id: ID
    /// Nil once it is cancelled, and in the heap.
    var action: (() -> Void)?

    func isBefore(_ other: Row) -> Bool { time != other.time ? time < other.time : id.number < other.id.number }
  }

  /// Rows in the order of their times and of their numbers.
  private struct Line {
    private(set) var rows: [Row] = []
    /// The first row that is still there; it is never a cancelled one.
    private(set) var head = 0
    private var cancelled = 0

    var first: Row? { head < rows.count ? rows[head] : nil }
    var lastTime: Int64? { head < rows.count ? rows[rows.count - 1].time : nil }

    mutating func append(_ row: Row) { rows.append(row) }

    mutating func takeFirst() -> (() -> Void)? {
      let action = rows[head].action
      rows[head].action = nil
      head += 1
      dropCancelled()
      return action
    }

    /// False when the row is not in this line.
    mutating func cancel(_ id: ID) -> Bool {
      var (low, high) = (head, rows.count)
      while low < high {
        let middle = (low + high) / 2
        if rows[middle].id.number < id.number { low = middle + 1 } else { high = middle }
      }
      guard low < rows.count, rows[low].id == id, rows[low].action != nil else { return false }
      rows[low].action = nil
      cancelled += 1
      dropCancelled()
      if cancelled > (rows.count - head) / 2 + TimerQueue.deadRowsAllowed {
        rows = rows[head...].filter { $0.action != nil }
        (head, cancelled) = (0, 0)
      }
      return true
    }

    private mutating func dropCancelled() {
      while head < rows.count, rows[head].action == nil {
        head += 1
        cancelled -= 1
      }
      if head == rows.count {
        rows.removeAll(keepingCapacity: rows.capacity <= 2 * TimerQueue.deadRowsAllowed)
        (head, cancelled) = (0, 0)
      } else if head > rows.count / 2 + TimerQueue.deadRowsAllowed {
        rows.removeFirst(head)
        head = 0
      }
    }
  }

  /// As many delays as are commonly in use at once.
  private static let linesMax = 4
  private static let deadRowsAllowed = 1024

  private var lines: [Line] = []
  /// A binary heap of the others; cancelled rows stay until they are due or outnumber the living.
  private var heap: [Row] = []
  private var work: [ID: () -> Void] = [:]
  private var lastNumber: UInt64 = 0

  /// The time of the earliest row.
  var next: Int64? {
    var earliest = heap.first?.time
    for line in lines { if let time = line.first?.time { earliest = min(earliest ?? time, time) } }
    return earliest
  }

  mutating func add(at time: Int64, _ action: @escaping () -> Void) -> ID {
    lastNumber += 1
    let id = ID(number: lastNumber)
    if let line = line(for: time) {
      lines[line].append(Row(time: time, id: id, action: action))
    } else {
      work[id] = action
      heap.append(Row(time: time, id: id, action: nil))
      siftUp(heap.count - 1)
    }
    return id
  }

  /// The line whose last row is due latest before this time; an empty one when there is none.
  private mutating func line(for time: Int64) -> Int? {
    var (best, empty): (Int?, Int?) = (nil, nil)
    for (number, line) in lines.enumerated() {
      guard let last = line.lastTime else {
        empty = number
        continue
      }
      if last <= time, best.flatMap({ lines[$0].lastTime }) ?? .min <= last { best = number }
    }
    if let best { return best }
    if empty == nil, lines.count < TimerQueue.linesMax {
      lines.append(Line())
      return lines.count - 1
    }
    return empty
  }

  mutating func cancel(_ id: ID) {
    for number in lines.indices where lines[number].cancel(id) { return }
    guard work.removeValue(forKey: id) != nil, heap.count > 2 * work.count + TimerQueue.deadRowsAllowed else { return }
    let rows = heap.filter { work[$0.id] != nil }
    heap.removeAll(keepingCapacity: true)
    for row in rows {
      heap.append(row)
      siftUp(heap.count - 1)
    }
  }

  /// Takes the earliest action that is due, or `nil`.
  mutating func takeDue(at now: Int64) -> (() -> Void)? {
    while true {
      var (earliest, line) = (heap.first, -1)
      for number in lines.indices {
        guard let first = lines[number].first else { continue }
        if let row = earliest, !first.isBefore(row) { continue }
        (earliest, line) = (first, number)
      }
      guard let earliest, earliest.time <= now else { return nil }
      if line >= 0 { return lines[line].takeFirst() }
      removeFirst()
      if let action = work.removeValue(forKey: earliest.id) { return action }
    }
  }

  private mutating func removeFirst() {
    let last = heap.removeLast()
    guard !heap.isEmpty else { return }
    heap[0] = last
    siftDown()
  }

  private mutating func siftUp(_ start: Int) {
    var child = start
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].isBefore(heap[parent]) else { return }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  private mutating func siftDown() {
    var parent = 0
    while true {
      var smallest = parent
      for child in (2 * parent + 1)...(2 * parent + 2) where child < heap.count {
        if heap[child].isBefore(heap[smallest]) { smallest = child }
      }
      guard smallest != parent else { return }
      heap.swapAt(parent, smallest)
      parent = smallest
    }
  }
}
