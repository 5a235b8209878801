internal import Glibc
package import PushStore

/// What happens to the pipeline.
package enum PipelineEvent: Sendable {
  case wake
  case leased(Result<Lease, StoreError>, urgent: Bool)
  case gathered(PushID, Result<AudienceProgress, StoreError>)
  case started(Result<[PushID], StoreError>)
  case answers(lane: Int, [SendAnswer])
  case recorded([DeliveryResult], Result<RecordSummary, StoreError>)
  /// `isFirst`: of this node's own leases, when it starts.
  case recovered(Result<RecoverySummary, StoreError>, isFirst: Bool)
  case clockFollowed(Result<ClockStep, StoreError>)
  case credentialsChanged(AppID)
  case stopWritten(LaneKey)
  case recheck(PushID)
  case recalled(LeaseRecall)
  case stop(deadlineMs: Int64)
}

/// The pipeline's inbox: events come from any thread, one thread takes them.
///
/// `@unchecked Sendable` is sound: `events` is only touched between `lock` and `unlock`, and mutex and condition live exactly as long
/// as this object, at addresses that do not move.
package final class Mailbox: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  private var events: [PipelineEvent] = []
  private var asleep = false

  package init() {
    mutex = .allocate(capacity: 1)
    condition = .allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    // Waiting must not depend on the time of day, which may step.
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  package func post(_ event: PipelineEvent) {
    pthread_mutex_lock(mutex)
    events.append(event)
    let wake = asleep
    asleep = false
    pthread_mutex_unlock(mutex)
    if wake { pthread_cond_signal(condition) }
  }

  /// Whether something has come.
  package var hasEvents: Bool {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return !events.isEmpty
  }

  /// Swaps in everything that has come, waiting for it at most `milliseconds`.
  package func take(into taken: inout [PipelineEvent], waitingMs milliseconds: Int64) {
    var deadline = timespec()
    clock_gettime(CLOCK_MONOTONIC, &deadline)
    let nanoseconds = Int64(deadline.tv_nsec) + milliseconds % 1000 * 1_000_000
    deadline.tv_sec += Int(milliseconds / 1000 + nanoseconds / 1_000_000_000)
    deadline.tv_nsec = Int(nanoseconds % 1_000_000_000)
    pthread_mutex_lock(mutex)
    asleep = milliseconds > 0 && events.isEmpty
    while asleep && pthread_cond_timedwait(condition, mutex, &deadline) == 0 {}
    asleep = false
    swap(&events, &taken)
    pthread_mutex_unlock(mutex)
  }
}
