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
}
