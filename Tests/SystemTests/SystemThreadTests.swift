import Glibc
import Synchronization
import System
import Testing

@Suite struct SystemThreadTests {
  /// What a thread leaves behind.
  private final class Trace: Sendable {
    let text = Mutex("")
    let thread = Mutex<UInt>(0)
  }

  @Test func joiningWaitsForTheBodyAndTheThreadHasItsName() throws {
    let trace = Trace()
    let thread = try SystemThread.start("postrider-test-of-names") {
      usleep(20_000)
      var name = [CChar](repeating: 0, count: 32)
      pthread_getname_np(pthread_self(), &name, name.count)
      trace.thread.withLock { $0 = SystemThread.current }
      trace.text.withLock { $0 = name.withUnsafeBufferPointer { String(cString: $0.baseAddress!) } }
    }
    thread.join()
    #expect(trace.text.withLock { $0 } == "postrider-test-")
    #expect(trace.thread.withLock { $0 } != SystemThread.current)
  }

  @Test func refusalsSayWhy() {
    #expect("\(SystemThread.Refusal(code: EAGAIN))" == "error 11, Resource temporarily unavailable")
  }

  @Test func noMoreThreadsThanTheLimit() {
    let (threads, release, ended) = (BoundedThreads("test", limit: 3), Semaphore(), Semaphore())
    let body: @Sendable () -> Void = {
      release.wait()
      ended.signal()
    }
    #expect((0..<5).map { _ in threads.run(body) } == [true, true, true, false, false])
    for _ in 0..<3 { release.signal() }
    for _ in 0..<3 { ended.wait() }
    // A thread leaves just after its body, so that room comes soon.
    var isFree = false
    for _ in 0..<1_000 where !isFree {
      isFree = threads.run {}
      usleep(1_000)
    }
    #expect(isFree)
  }
}

@Suite struct SystemClockTests {
  @Test func clocksOfOneKindAgree() {
    let (ns, ms) = (SystemClock.monotonicNs(), SystemClock.monotonicMs())
    #expect(ms - ns / 1_000_000 >= 0 && ms - ns / 1_000_000 < 60_000)
    let (seconds, wall) = (SystemClock.wallSeconds(), SystemClock.wallMs())
    #expect(wall / 1_000 - seconds >= 0 && wall / 1_000 - seconds < 60)
    #expect(SystemClock.monotonicNs() >= ns)
  }
}
