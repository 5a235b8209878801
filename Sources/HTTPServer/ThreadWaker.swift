internal import CLinux
import Glibc
import Synchronization

/// Lets a thread sleep until something is ready, and lets any other thread end that sleep.
///
/// A call of ``wake()`` that comes before the sleep is not lost: the sleep ends at once. Several of them cost one system
/// call, and none while the thread is awake.
final class ThreadWaker: Sendable {
  private let descriptor: Int32
  private let isWoken = Atomic(false)
  private let isAsleep = Atomic(false)

  /// Nil when the system is out of descriptors.
  init?() {
    descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard descriptor >= 0 else { return nil }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  func wake() {
    isWoken.store(true, ordering: .sequentiallyConsistent)
    guard isAsleep.exchange(false, ordering: .sequentiallyConsistent) else { return }
    var one: UInt64 = 1
    write(descriptor, &one, MemoryLayout<UInt64>.size)
  }

  /// Sleeps until there are events, somebody calls ``wake()``, or the time is over.
  ///
  /// On the thread itself only.
  func sleep(untilReady events: Int32, milliseconds: Int32) {
    isAsleep.store(true, ordering: .sequentiallyConsistent)
    if !isWoken.load(ordering: .sequentiallyConsistent) { wait(events, milliseconds) }
    isAsleep.store(false, ordering: .sequentiallyConsistent)
    isWoken.store(false, ordering: .sequentiallyConsistent)
  }

  private func wait(_ events: Int32, _ milliseconds: Int32) {
    withUnsafeTemporaryAllocation(of: pollfd.self, capacity: 2) { watched in
      watched[0] = pollfd(fd: events, events: Int16(POLLIN), revents: 0)
      watched[1] = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      // What somebody writes a little late ends the next sleep too early, which does no harm.
      guard poll(watched.baseAddress, 2, milliseconds) > 0, watched[1].revents != 0 else { return }
      var count: UInt64 = 0
      read(descriptor, &count, MemoryLayout<UInt64>.size)
    }
  }
}
