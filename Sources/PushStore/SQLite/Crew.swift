internal import CLinux
internal import Glibc
internal import Synchronization

/// Several threads that share the pieces of one task, the caller's own among them.
enum Crew {
  /// Threads at most, the caller's included: more would take the machine from what it sends.
  static let threadsMax = 4

  /// Runs every piece once, each on one of as many threads as there are processors; returns when all are done.
  ///
  /// A thread that cannot be had is missed by nobody: the others take its pieces.
  static func run(_ pieces: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let work = CrewWork(pieces: pieces, body)
    let processors = max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1)
    var helpers = 0
    for _ in 1..<max(min(pieces, processors, threadsMax), 1) where work.startHelper() { helpers += 1 }
    work.run()
    for _ in 0..<helpers { work.ended.wait() }
  }
}

/// What the threads of a crew share.
private final class CrewWork: Sendable {
  let ended = Semaphore()
  private let pieces: Int
  private let body: @Sendable (Int) -> Void
  private let next = Atomic(0)

  init(pieces: Int, _ body: @escaping @Sendable (Int) -> Void) {
    self.pieces = pieces
    self.body = body
  }

  /// Takes pieces until there are none.
  func run() {
    while true {
      let piece = next.wrappingAdd(1, ordering: .relaxed).oldValue
      guard piece < pieces else { return }
      body(piece)
    }
  }

  /// Whether there is a further thread now.
  func startHelper() -> Bool {
    let box = Unmanaged.passRetained(self)
    var thread = pthread_t()
    let code = pthread_create(
      &thread, nil,
      { pointer in
        guard let pointer else { return nil }
        let work = Unmanaged<CrewWork>.fromOpaque(pointer).takeRetainedValue()
        postrider_name_thread("store-reader")
        work.run()
        work.ended.signal()
        return nil
      }, box.toOpaque())
    guard code == 0 else {
      box.release()
      return false
    }
    pthread_detach(thread)
    return true
  }
}
