internal import CLinux
internal import CMicroHTTPD
import Glibc
import Synchronization

/// What the library's callbacks work on: the server, and the thread they run on.
final class ServingContext: Sendable {
  let core: ServerCore
  let waker: ThreadWaker

  init(core: ServerCore, waker: ThreadWaker) {
    self.core = core
    self.waker = waker
  }
}

/// A thread that serves the connections it accepts, through a daemon of the library's that has no thread of its own.
///
/// The library's own threads ask the kernel for 128 events at a time, and when they are given just as many they ask again
/// before they look at them, and sleep: a server with that many requests at once stood still until something else
/// happened. Here the sleep is ours, and the library is called when there is something to do, with no time to wait.
final class ServingThread: Sendable {
  private enum Stage: Int, AtomicRepresentable {
    case serving, refusing, ended
  }

  /// `@unchecked Sendable`: the daemon is touched by its thread alone, and by `stop` after that has ended.
  private final class Loop: @unchecked Sendable {
    let daemon: OpaquePointer
    let waker: ThreadWaker
    let stage = Atomic(Stage.serving)
    private let events: Int32

    init(daemon: OpaquePointer, waker: ThreadWaker) {
      self.daemon = daemon
      self.waker = waker
      events = postrider_http_events(daemon)
    }

    func run() {
      var refuses = false
      while true {
        switch stage.load(ordering: .acquiring) {
        case .serving: break
        case .refusing:
          if !refuses { close(MHD_quiesce_daemon(daemon)) }
          refuses = true
        case .ended: return
        }
        // Connections that were resumed are looked at first of all, so that what `sleep` was ended for is not overlooked.
        MHD_run(daemon)
        sleep()
      }
    }

    private func sleep() {
      var limit: UInt64 = 0
      let hasLimit = MHD_get_timeout(daemon, &limit) == .YES
      // No time at all: the library has bytes in memory that it has not looked at.
      if hasLimit && limit == 0 { return }
      let longest = ServingThread.longestSleepMs
      waker.sleep(untilReady: events, milliseconds: Int32(hasLimit ? min(limit, longest) : longest))
    }
  }

  /// Every wait has a bound.
  private static let longestSleepMs: UInt64 = 60_000

  private let loop: Loop
  private let thread: pthread_t
  private let context: ServingContext

  /// Starts serving; nil when the system is out of threads or descriptors.
  ///
  /// Owns the listening socket from here on.
  init?(_ options: postrider_http_options, _ core: ServerCore) {
    guard let waker = ThreadWaker() else {
      close(options.listen_socket)
      return nil
    }
    context = ServingContext(core: core, waker: waker)
    var options = options
    options.context = Unmanaged.passUnretained(context).toOpaque()
    guard let daemon = postrider_http_start(&options) else {
      close(options.listen_socket)
      return nil
    }
    loop = Loop(daemon: daemon, waker: waker)
    let argument = Unmanaged.passRetained(loop)
    var thread = pthread_t()
    let status = pthread_create(
      &thread, nil,
      { argument in
        postrider_name_thread("http")
        if let argument { Unmanaged<Loop>.fromOpaque(argument).takeRetainedValue().run() }
        return nil
      }, argument.toOpaque())
    self.thread = thread
    guard status == 0 else {
      argument.release()
      MHD_stop_daemon(daemon)
      return nil
    }
  }

  /// Accepts no new connections, soon.
  func refuse() { enter(.refusing) }

  /// Ends the thread, waits for it, and closes its connections; each request that slept has been woken.
  func stop() {
    enter(.ended)
    pthread_join(thread, nil)
    MHD_stop_daemon(loop.daemon)
  }

  private func enter(_ stage: Stage) {
    loop.stage.store(stage, ordering: .releasing)
    loop.waker.wake()
  }
}
