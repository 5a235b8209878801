internal import Glibc
internal import StoreModel
internal import Synchronization
internal import System

/// Reads the whole database once after each start, behind everything else, and says what it finds.
///
/// A fault is logged, and `/readyz` answers with it from then on.
final class FileCheck: Sendable {
  private final class Job: Sendable {
    let isCancelled = Atomic(false)
    let store: any Store
    let log: Log

    init(store: any Store, log: Log) {
      self.store = store
      self.log = log
    }

    func run() {
      // On Linux this sets the priority of the thread alone; the check uses only idle CPU time.
      setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 19)
      do throws(StoreError) {
        let found = try store.examine { [self] in isCancelled.load(ordering: .relaxed) }
        say(found)
      } catch {
        log(.error, "database not checked", ["detail": .text(error.description)])
      }
    }

    private func say(_ found: Examination) {
      guard !found.isSound else {
        guard found.isComplete else { return }
        return log(.info, "database checked", ["pushes": .int(found.pushes)])
      }
      for fault in found.faults {
        log(.error, "database damaged", ["detail": .text(fault)])
      }
    }
  }

  private let job: Job
  private let thread: SystemThread?

  /// Starts the check; without a thread to be had there is none, and the log says so.
  init(store: any Store, log: Log) {
    let job = Job(store: store, log: log)
    self.job = job
    do throws(SystemThread.Refusal) { thread = try SystemThread.start("database-check") { job.run() } } catch {
      thread = nil
      log(.error, "database not checked", ["detail": .text("no thread could be started: \(error)")])
    }
  }

  /// Ends the check and waits for it; call it once only.
  func stop() {
    guard !job.isCancelled.exchange(true, ordering: .relaxed), let thread else { return }
    thread.join()
  }
}

extension Examination {
  /// Everything that was found, in sentences.
  package var faults: [String] {
    pageFaults + ledgerFaults.map { $0.push.rawValue == 0 ? $0.description : "push \($0.push): \($0.description)" }
  }
}
