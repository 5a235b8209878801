import APNs
import Delivery
import Glibc
import Synchronization

/// When pushes to single devices reach a sender.
final class PushWatch: Sendable {
  /// When each was due, by its token, until it reaches a sender.
  private let due = Mutex<[String: Double]>([:])
  private let waits = Mutex<[Double]>([])
  private let answers = Mutex<[Double]>([])

  /// A push to this token is due.
  func expect(_ token: String, dueAt time: Double) { due.withLock { $0[token] = time } }

  /// A request was acknowledged.
  func noteAnswer(after wait: Double) { answers.withLock { $0.append(wait) } }

  /// A sender has taken a batch.
  func note(_ batch: SendBatch) {
    guard batch.urgent else { return }
    let time = now()
    for entry in batch.entries {
      guard let start = due.withLock({ $0.removeValue(forKey: entry.token) }) else { continue }
      waits.withLock { $0.append(time - start) }
    }
  }

  /// Waits until all have reached a sender.
  func settle() throws {
    for _ in 0..<500 {
      if due.withLock({ $0.isEmpty }) { return }
      usleep(10_000)
    }
    throw Options.Failure(description: "a push was acknowledged and has not reached a sender within 5 seconds")
  }

  /// From when each was due to the sender, shortest first.
  func sortedWaits() -> [Double] { waits.withLock { $0.sorted() } }

  /// From when each was due to its acknowledgement, shortest first.
  func sortedAnswers() -> [Double] { answers.withLock { $0.sorted() } }
}

/// Passes batches on, and has it noted when they are handed over.
final class TimedSender: Sender {
  private let inner: APNsSender
  private let watch: PushWatch

  init(_ inner: APNsSender, _ watch: PushWatch) {
    self.inner = inner
    self.watch = watch
  }

  func submit(_ batch: SendBatch, to sink: any SendSink) -> Bool {
    guard inner.submit(batch, to: sink) else { return false }
    watch.note(batch)
    return true
  }

  func close(within limit: Duration) { inner.close(within: limit) }
}
