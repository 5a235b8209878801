import TestSupport
import Testing

@testable import HTTP2

@Suite struct TimerQueueTests {
  @Test func actionsComeInOrderOfTime() {
    var queue = TimerQueue()
    var seen: [Int64] = []
    for time: Int64 in [5, 3, 9, 1, 3, 7] { _ = queue.add(at: time) { seen.append(time) } }
    while let action = queue.takeDue(at: 8) { action() }
    #expect(seen == [1, 3, 3, 5, 7])
    #expect(queue.next == 9)
  }

  @Test func aCancelledActionDoesNotCome() {
    var queue = TimerQueue()
    let ids = (0..<5000).map { time in queue.add(at: Int64(time)) {} }
    for id in ids.dropLast() { queue.cancel(id) }
    var count = 0
    while queue.takeDue(at: 10_000) != nil { count += 1 }
    #expect(count == 1)
  }

  /// A few delays that are always the same, and some that are not, against a sorted list.
  @Test(arguments: 1...20) func manyDelaysComeInOrder(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var queue = TimerQueue()
    var expected: [(time: Int64, number: Int)] = []
    var ids: [Int: TimerQueue.ID] = [:]
    var seen: [Int] = []
    var now: Int64 = 0
    func take() {
      while let action = queue.takeDue(at: now) { action() }
      expected.sort { ($0.time, $0.number) < ($1.time, $1.number) }
      let due = expected.prefix { $0.time <= now }.map(\.number)
      #expect(seen == due, "seed \(seed), at \(now)")
      expected.removeFirst(due.count)
      seen.removeAll()
      if let first = expected.first { #expect(queue.next.map { $0 <= first.time } == true) }
    }
    for number in 0..<4_000 {
      let delays: [Int64] = [50, 50, 50, 3_000, 700, 10, Int64.random(in: 0...2_000, using: &random)]
      let time = now + delays[Int.random(in: 0..<delays.count, using: &random)]
      ids[number] = queue.add(at: time) { seen.append(number) }
      expected.append((time, number))
      if Int.random(in: 0..<3, using: &random) == 0, let one = expected.randomElement(using: &random) {
        ids[one.number].map { queue.cancel($0) }
        expected.removeAll { $0.number == one.number }
      }
      if Int.random(in: 0..<20, using: &random) == 0 {
        now += Int64.random(in: 0...40, using: &random)
        take()
      }
    }
    now = .max
    take()
    #expect(queue.next == nil)
  }
}
