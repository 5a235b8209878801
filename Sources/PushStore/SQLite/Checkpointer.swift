internal import SQLiteEngine
internal import StoreModel
internal import Synchronization
internal import System

/// Copies the write-ahead log into the database on a thread of its own, so that commits do not wait for it.
///
/// SQLite lets a checkpoint run concurrently with the writer, but resets the log only when all of it has been copied
/// while nobody writes. So the thread copies most of it, and the writer copies the few pages added since, when its
/// queue is empty, or at the latest when the log has grown to `hardPages`.
final class Checkpointer: Sendable {
  /// Pages that the writer copies itself to reset the log: few enough that the delay is negligible (1 MiB).
  static let lastPages = 256
  /// Pages in the log at which it is copied whether or not something is queued (256 MiB).
  static let hardPages = 65_536

  private let closing = Atomic(false)
  private let wake = Semaphore()
  private let ended = Semaphore()
  private let softPages: Int
  /// Frames of the log that the thread has copied since the log began anew.
  private let copied = Atomic(0)
  private let running = Atomic(false)

  init(path: String, softPages: Int) throws(StoreError) {
    self.softPages = softPages
    let db = try Connection(path: path, access: .readWrite)
    // A connection finds the log with its first read; before that, a checkpoint does nothing and reports no error.
    _ = try db.integer("SELECT count(*) FROM sqlite_schema")
    let start = CheckpointerStart(self, db)
    do throws(SystemThread.Refusal) { try SystemThread.detach("store-log") { start.run() } } catch {
      throw StoreError(.ioFailure, "start the store's second thread: \(error)", advice: "raise the limit of threads")
    }
  }

  /// Called by the writer after each group, on its own connection.
  func afterGroup(_ db: borrowing Connection, isIdle: Bool) {
    let frames = db.logFrames
    guard frames >= softPages, !running.load(ordering: .acquiring) else { return }
    let left = frames - copied.load(ordering: .acquiring)
    if left < Self.lastPages && isIdle || frames >= Self.hardPages {
      // A failing checkpoint loses nothing: the log keeps every commit, and a later one tries again.
      guard let result = try? db.checkpoint(), result.done == result.frames else { return }
      db.logFrames = 0
      self.copied.store(0, ordering: .releasing)
    } else if left >= Self.lastPages {
      running.store(true, ordering: .releasing)
      wake.signal()
    }
  }

  func close() {
    guard !closing.exchange(true, ordering: .acquiringAndReleasing) else { return }
    wake.signal()
    ended.wait()
  }

  fileprivate func loop(_ db: borrowing Connection) {
    while true {
      wake.wait()
      if closing.load(ordering: .acquiring) { break }
      if let result = try? db.checkpoint(), result.done > 0 { copied.store(result.done, ordering: .releasing) }
      running.store(false, ordering: .releasing)
    }
  }

  fileprivate func end() { ended.signal() }
}

/// Carries the connection to the thread; the one reference is consumed there.
private final class CheckpointerStart {
  private let checkpointer: Checkpointer
  private var db: Connection?

  init(_ checkpointer: Checkpointer, _ db: consuming Connection) {
    self.checkpointer = checkpointer
    self.db = consume db
  }

  func run() {
    if let db = db.take() { checkpointer.loop(db) }
    checkpointer.end()
  }
}
