internal import CLinux
import Glibc
import Synchronization

/// What other threads hand to a serving thread: sockets it accepts responsibility for, connections to look at again, and tasks
/// that can go on.
///
/// Posting never waits, and costs a system call only while the thread sleeps.
final class ThreadMailbox: TaskExecutor {
  struct Mail: Sendable {
    var connections: [UInt64] = []
    var sockets: [ConnectionEntry] = []
    var jobs: [UnownedJob] = []
    /// The thread has ended.
    var isClosed = false
  }

  /// Becomes readable when the thread must wake up.
  let descriptor: Int32
  private let mail = Mutex(Mail())
  private let isWoken = Atomic(false)
  private let isAsleep = Atomic(false)

  /// Nil when the system is out of descriptors.
  init?() {
    descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard descriptor >= 0 else { return nil }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  func post(_ connection: UInt64) {
    mail.withLock { $0.connections.append(connection) }
    wake()
  }

  func post(_ entry: ConnectionEntry) {
    mail.withLock { $0.sockets.append(entry) }
    wake()
  }

  /// Has the thread run the next part of a task; when it has ended, the tasks end elsewhere.
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let isTaken = mail.withLock { mail in
      if !mail.isClosed { mail.jobs.append(job) }
      return !mail.isClosed
    }
    if isTaken { wake() } else { globalConcurrentExecutor.enqueue(ExecutorJob(job)) }
  }

  func wake() {
    isWoken.store(true, ordering: .sequentiallyConsistent)
    guard isAsleep.exchange(false, ordering: .sequentiallyConsistent) else { return }
    var one: UInt64 = 1
    unsafe write(descriptor, &one, MemoryLayout<UInt64>.size)
  }

  /// Runs `wait` with the time it may sleep: none when somebody has called ``wake()`` since the last time.
  func sleep(_ wait: (_ isWoken: Bool) -> Void) {
    isAsleep.store(true, ordering: .sequentiallyConsistent)
    wait(isWoken.load(ordering: .sequentiallyConsistent))
    isAsleep.store(false, ordering: .sequentiallyConsistent)
    isWoken.store(false, ordering: .sequentiallyConsistent)
  }

  /// After `descriptor` became readable.
  func swallowWakeup() {
    var count: UInt64 = 0
    unsafe read(descriptor, &count, MemoryLayout<UInt64>.size)
  }

  func empty(into taken: inout Mail) {
    mail.withLock { mail in
      taken.isClosed = mail.isClosed
      swap(&mail, &taken)
    }
  }

  /// Nobody will run tasks here any more.
  func endTasks() { mail.withLock { $0.isClosed = true } }
}

/// A connection as seen from other threads.
struct ConnectionHandle: Sendable {
  let mailbox: ThreadMailbox
  let connection: UInt64

  /// Has its thread look at it again.
  func wake() { mailbox.post(connection) }
}
