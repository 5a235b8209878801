internal import CLinux
internal import Glibc

/// A thread of the operating system.
package struct SystemThread: Sendable {
  /// The system has no thread to give: the code that `pthread_create` returned.
  package struct Refusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// The error number.
    package let code: Int32

    package init(code: Int32) { self.code = code }

    /// The error number and its text.
    package var description: String { unsafe "error \(code), \(String(cString: strerror(code)))" }
  }

  /// What runs on the thread; the thread consumes the one reference.
  private final class Work {
    let name: String
    let body: () -> Void

    init(_ name: String, _ body: @escaping () -> Void) {
      self.name = name
      self.body = body
    }
  }

  private let id: pthread_t

  /// Starts a thread, which must be joined or detached once.
  ///
  /// - Parameter name: shown by debuggers and `top`; the kernel keeps 15 bytes.
  package static func start(
    _ name: String, _ body: sending @escaping () -> Void
  ) throws(Refusal) -> SystemThread {
    let work = unsafe Unmanaged.passRetained(Work(name, body))
    var id = pthread_t()
    let code = unsafe pthread_create(
      &id, nil,
      { argument in
        guard let argument = unsafe argument else { return nil }
        let work = unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue()
        unsafe postrider_name_thread(work.name)
        work.body()
        return nil
      }, unsafe work.toOpaque())
    guard code == 0 else {
      unsafe work.release()
      throw Refusal(code: code)
    }
    return SystemThread(id: id)
  }

  /// Starts a thread that is never joined.
  package static func detach(_ name: String, _ body: sending @escaping () -> Void) throws(Refusal) {
    try start(name, body).detach()
  }

  /// Waits until the thread has ended.
  package func join() { pthread_join(id, nil) }

  /// Lets the thread end by itself, without a join.
  package func detach() { pthread_detach(id) }

  /// A number for the calling thread, never 0.
  package static var current: UInt { UInt(pthread_self()) }
}
