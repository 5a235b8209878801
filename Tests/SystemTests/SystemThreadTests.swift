import Glibc
import Synchronization
import System
import TestSupport
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
      let name = try? Files.read("/proc/thread-self/comm")
      trace.thread.withLock { $0 = SystemThread.current }
      trace.text.withLock { $0 = String(decoding: name ?? [], as: UTF8.self) }
    }
    thread.join()
    #expect(trace.text.withLock { $0 } == "postrider-test-\n")
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

@Suite struct QueuedThreadsTests {
  @Test func whatComesWhileAllAreBusyWaitsItsTurn() {
    let (threads, begun, release, ended) = (
      QueuedThreads("test", threads: 2, queued: 3), Semaphore(), Semaphore(), Semaphore()
    )
    let order = Mutex<[Int]>([])
    func run(_ number: Int) -> Bool {
      threads.run {
        begun.signal()
        release.wait()
        order.withLock { $0.append(number) }
        ended.signal()
      }
    }
    #expect(run(0) && run(1))
    for _ in 0..<2 { begun.wait() }
    #expect((2..<7).map(run) == [true, true, true, false, false])
    #expect(order.withLock { $0 }.isEmpty)
    for _ in 0..<5 { release.signal() }
    for _ in 0..<5 { ended.wait() }
    #expect(order.withLock { $0 }.sorted() == [0, 1, 2, 3, 4])
  }

  @Test func allOfManyIsRunOnce() {
    let (threads, ended) = (QueuedThreads("test", threads: 3, queued: 100_000), Semaphore())
    let count = Mutex(0)
    let work = 5_000
    for _ in 0..<work {
      let isTaken = threads.run {
        let number = count.withLock { count in
          count += 1
          return count
        }
        if number == work { ended.signal() }
      }
      #expect(isTaken)
    }
    ended.wait()
    usleep(20_000)
    #expect(count.withLock { $0 } == work)
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
