import System

/// The thread of a ``ServingLoop``.
final class ServingThread: Sendable {
  private let loop: ServingLoop
  private let thread: SystemThread

  /// Starts serving; nil when the system is out of threads.
  init?(_ loop: ServingLoop) {
    do throws(SystemThread.Refusal) {
      thread = try SystemThread.start("http") { loop.core.handler.onServingThread { loop.run() } }
    } catch {
      loop.discard()
      return nil
    }
    self.loop = loop
  }

  /// Accepts no new connections, soon.
  func refuse() { loop.enter(.refusing) }

  /// Ends the thread and waits for it; requests without an answer are refused.
  func stop() {
    loop.enter(.ended)
    thread.join()
  }
}
