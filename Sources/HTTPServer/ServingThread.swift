internal import CLinux
import Glibc

/// The thread of a ``ServingLoop``.
final class ServingThread: Sendable {
  private let loop: ServingLoop
  private let thread: pthread_t

  /// Starts serving; nil when the system is out of threads.
  init?(_ loop: ServingLoop) {
    let argument = Unmanaged.passRetained(loop)
    var thread = pthread_t()
    let status = pthread_create(
      &thread, nil,
      { argument in
        postrider_name_thread("http")
        if let argument { Unmanaged<ServingLoop>.fromOpaque(argument).takeRetainedValue().run() }
        return nil
      }, argument.toOpaque())
    guard status == 0 else {
      argument.release()
      loop.discard()
      return nil
    }
    self.loop = loop
    self.thread = thread
  }

  /// Accepts no new connections, soon.
  func refuse() { loop.enter(.refusing) }

  /// Ends the thread and waits for it; what still waits for an answer is refused.
  func stop() {
    loop.enter(.ended)
    pthread_join(thread, nil)
  }
}
