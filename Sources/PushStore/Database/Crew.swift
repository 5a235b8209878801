internal import Glibc
internal import Synchronization
internal import System

/// Several threads that share the pieces of one task, the caller's own among them.
enum Crew {
  /// Threads at most, the caller's included: more would take the machine from what it sends.
  static let threadsMax = 4

  /// Runs every task once, distributed over as many threads as there are processors; returns when all are done.
  ///
  /// Failure to start a thread is tolerated: the others take its tasks.
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
    do throws(SystemThread.Refusal) {
      try SystemThread.detach("store-reader") { [self] in
        run()
        ended.signal()
      }
      return true
    } catch { return false }
  }
}
