import GatewayPool
import Synchronization
import Testing

/// What was submitted and must not be sent.
@Suite struct SendRecallTests {
  private final class Clock: Sendable {
    let now = Atomic<Int64>(1_000)
  }

  @Test func singleSendsAreTakenBackUntilTheyHaveEnded() {
    let recall = SendRecall()
    #expect(!recall.contains(7))
    recall.insert([7, 8])
    #expect(recall.contains(7) && recall.contains(8) && !recall.contains(9))
    recall.remove(7)
    #expect(!recall.contains(7) && recall.contains(8))
  }

  /// By the clock alone, whoever submitted them being stopped, and no longer when the time is extended.
  @Test func everythingIsTakenBackWhenTheTimeIsOver() {
    let clock = Clock()
    let recall = SendRecall(clock: { clock.now.load(ordering: .relaxed) })
    #expect(!recall.isOver)
    recall.allow(until: 2_000)
    clock.now.store(1_999, ordering: .relaxed)
    #expect(!recall.contains(1) && !recall.isOver)
    clock.now.store(2_000, ordering: .relaxed)
    #expect(recall.contains(1) && recall.isOver)
    recall.allow(until: 3_000)
    #expect(!recall.contains(1))
  }
}
