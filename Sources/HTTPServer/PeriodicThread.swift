internal import CLinux
import Glibc
import Synchronization
import System

/// A thread that runs a closure periodically until it is stopped.
package final class PeriodicThread: Sendable {
  private final class Work: Sendable {
    let wakeup: Int32
    let periodMs: Int32
    let body: @Sendable () -> Void
    /// A wake-up is on its way, so that another one is not needed.
    let isWoken = Atomic(false)

    init(wakeup: Int32, periodMs: Int32, body: @escaping @Sendable () -> Void) {
      self.wakeup = wakeup
      self.periodMs = periodMs
      self.body = body
    }

    func run() {
      var watched = pollfd(fd: wakeup, events: Int16(POLLIN), revents: 0)
      while true {
        let ready = unsafe poll(&watched, 1, periodMs)
        if ready > 0 {
          var byte: UInt8 = PeriodicThread.stopByte
          guard unsafe read(wakeup, &byte, 1) == 1, byte == PeriodicThread.wakeByte else { return }
          isWoken.store(false, ordering: .sequentiallyConsistent)
        }
        if ready >= 0 { body() }
      }
    }
  }

  private static let stopByte: UInt8 = 1
  private static let wakeByte: UInt8 = 2

  private struct Handles: Sendable {
    var thread: SystemThread?
    var readEnd: Int32
    var writeEnd: Int32
  }

  private let handles: Mutex<Handles>
  private let work: Work

  /// Starts calling `body` every `periodMs` milliseconds.
  package init(periodMs: Int32, body: @escaping @Sendable () -> Void) throws(HTTPServerError) {
    var ends: [Int32] = [0, 0]
    guard unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw HTTPServerError(
        code: .system, description: unsafe "cannot create a socket pair: \(String(cString: strerror(errno)))")
    }
    work = Work(wakeup: ends[0], periodMs: periodMs, body: body)
    do throws(SystemThread.Refusal) {
      let thread = try SystemThread.start("periodic") { [work] in work.run() }
      handles = Mutex(Handles(thread: thread, readEnd: ends[0], writeEnd: ends[1]))
    } catch {
      for end in ends { close(end) }
      throw HTTPServerError(code: .system, description: "cannot start a thread: \(error)")
    }
  }

  /// Lets `body` be called once more, soon; never waits, and does nothing while the thread is being ended.
  package func wake() {
    _ = handles.withLockIfAvailable { handles in
      guard handles.thread != nil, !work.isWoken.exchange(true, ordering: .sequentiallyConsistent) else { return }
      var byte = Self.wakeByte
      unsafe write(handles.writeEnd, &byte, 1)
    }
  }

  /// Ends the thread and waits for it.
  package func stop() {
    handles.withLock { handles in
      guard let thread = handles.thread.take() else { return }
      var byte = Self.stopByte
      unsafe write(handles.writeEnd, &byte, 1)
      thread.join()
      close(handles.readEnd)
      close(handles.writeEnd)
    }
  }
}
