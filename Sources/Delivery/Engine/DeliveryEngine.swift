public import StoreModel
internal import Synchronization
internal import System

/// The pipeline from audience to sender to ledger, on a thread of its own.
///
///     store ──lease──▶ lanes ──batches──▶ senders ──answers──▶ judge ──results──▶ store
///
/// Each hand-over is bounded: leases by the window, lanes by their queue, senders by their own refusal, results by the
/// window. A lease is durable before its deliveries are passed to a sender, and answers are written in batches;
/// deliveries without a recorded answer when the process dies become `unknown` at the next start.
public final class DeliveryEngine: Sendable {
  private let mailbox = Mailbox()
  private let statisticsBox = Mutex(DeliveryStatistics())
  private let ended = Mutex(false)
  private let thread = Mutex<SystemThread?>(nil)
  private let monotonicMs: @Sendable () -> Int64

  /// Starts the pipeline: first ends the leases of this node's previous run, then sends what is waiting.
  ///
  /// Throws `ioFailure` when no thread can be created.
  public init(store: any Store, senders: SenderDirectory, options: DeliveryOptions) throws(StoreError) {
    monotonicMs = options.monotonicMs
    do throws(SystemThread.Refusal) {
      let started = try SystemThread.start("delivery") { self.run(store, senders, options) }
      thread.withLock { $0 = started }
    } catch {
      throw StoreError(.ioFailure, "start the delivery thread: \(error)", advice: "raise the limit of threads")
    }
  }

  /// Signals that there may be work: a push was created, released or resumed, an app was released, or a sender was set.
  public func wake() { mailbox.post(.wake) }

  /// Resumes all stopped lanes of an app, because its credentials changed or an operator retries them.
  ///
  /// Call it after the senders were replaced: it also undoes a stop that the old credential caused and that is still
  /// being written, which ``Store/clearStops(app:)`` alone cannot do.
  public func resumeLanes(of app: AppID) { mailbox.post(.credentialsChanged(app)) }

  /// Signals that a push was paused or canceled: its leased deliveries that have not been sent are released.
  public func recheck(_ push: PushID) { mailbox.post(.recheck(push)) }

  /// What the pipeline is doing.
  public var statistics: DeliveryStatistics { statisticsBox.withLock { $0 } }

  /// Stops leasing, releases what is not on the wire, waits at most `milliseconds` for outstanding answers, records
  /// them, and ends.
  ///
  /// Deliveries without an answer by then become `unknown` at the next start. Calling it twice is harmless.
  public func stop(withinMs milliseconds: Int64) {
    mailbox.post(.stop(deadlineMs: monotonicMs() + milliseconds))
    if let running = thread.withLock({ $0.take() }) { running.join() }
  }

  private func run(_ store: any Store, _ senders: SenderDirectory, _ options: DeliveryOptions) {
    let pipeline = Pipeline(store: store, senders: senders, options: options, mailbox: mailbox)
    pipeline.run { statistics in statisticsBox.withLock { $0 = statistics } }
  }
}
