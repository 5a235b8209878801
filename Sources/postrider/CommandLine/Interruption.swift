import Glibc

/// Waits for a person or a supervisor to end the program.
///
/// Made before any thread is started, so that every thread inherits the blocked signals and none is interrupted.
struct Interruption {
  private var signals = sigset_t()

  /// Takes SIGINT and SIGTERM out of normal delivery.
  init() {
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGINT)
    unsafe sigaddset(&signals, SIGTERM)
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  /// Returns when SIGINT or SIGTERM arrives.
  ///
  /// A second one then ends the program at once, as long as this thread lives: all others keep it out.
  func wait() {
    var awaited = signals
    var received: Int32 = 0
    while unsafe sigwait(&awaited, &received) == EINTR {}
    unsafe pthread_sigmask(SIG_UNBLOCK, &awaited, nil)
  }

  /// Keeps the thread that ``wait()`` came back on, so that one is left for a second signal to end the program on.
  func leaveOpen() -> Never { while true { pause() } }
}
