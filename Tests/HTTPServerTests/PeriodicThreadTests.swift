import Glibc
import HTTPServer
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct PeriodicThreadTests {
  @Test func canBeWokenBeforeItsTimeAndEnded() throws {
    let seen = Shared()
    let thread = try PeriodicThread(periodMs: .max) { seen.calls.add(1, ordering: .sequentiallyConsistent) }
    for wanted in 1...3 {
      thread.wake()
      for _ in 0..<20_000 where seen.calls.load(ordering: .sequentiallyConsistent) < wanted { usleep(1_000) }
      #expect(seen.calls.load(ordering: .sequentiallyConsistent) >= wanted)
    }
    thread.stop()
    let last = seen.calls.load(ordering: .sequentiallyConsistent)
    thread.wake()
    thread.stop()
    #expect(seen.calls.load(ordering: .sequentiallyConsistent) == last)
  }

  /// A number that the thread and the test share.
  private final class Shared: Sendable {
    let calls = Atomic(0)
  }
}
