import Glibc
import Synchronization

/// A thread that does something at a steady pace until it is told to stop.
package final class PeriodicThread: Sendable {
  private final class Work: Sendable {
    let wakeup: Int32
    let periodMs: Int32
    let body: @Sendable () -> Void

    init(wakeup: Int32, periodMs: Int32, body: @escaping @Sendable () -> Void) {
      self.wakeup = wakeup
      self.periodMs = periodMs
      self.body = body
    }

    func run() {
      var watched = pollfd(fd: wakeup, events: Int16(POLLIN), revents: 0)
      while true {
        let ready = poll(&watched, 1, periodMs)
        if ready > 0 { return }
        if ready == 0 { body() }
      }
    }
  }

  private struct Handles: Sendable {
    var thread: pthread_t?
    var readEnd: Int32
    var writeEnd: Int32
  }

  private let handles: Mutex<Handles>

  /// Starts calling `body` every `periodMs` milliseconds.
  package init(periodMs: Int32, body: @escaping @Sendable () -> Void) throws(HTTPServerError) {
    var ends: [Int32] = [0, 0]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw HTTPServerError(
        code: .system, description: "cannot create a socket pair: \(String(cString: strerror(errno)))")
    }
    let work = Unmanaged.passRetained(Work(wakeup: ends[0], periodMs: periodMs, body: body))
    var thread = pthread_t()
    let status = pthread_create(
      &thread, nil,
      { context in
        if let context { Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run() }
        return nil
      }, work.toOpaque())
    guard status == 0 else {
      work.release()
      for end in ends { close(end) }
      throw HTTPServerError(code: .system, description: "cannot start a thread: \(String(cString: strerror(status)))")
    }
    handles = Mutex(Handles(thread: thread, readEnd: ends[0], writeEnd: ends[1]))
  }

  /// Ends the thread and waits for it.
  package func stop() {
    handles.withLock { handles in
      guard let thread = handles.thread.take() else { return }
      var byte: UInt8 = 1
      write(handles.writeEnd, &byte, 1)
      pthread_join(thread, nil)
      close(handles.readEnd)
      close(handles.writeEnd)
    }
  }
}
