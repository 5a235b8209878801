internal import Glibc
package import StoreModel

/// What happens to the pipeline.
package enum PipelineEvent: Sendable {
  case wake
  case leased(Result<Lease, StoreError>, urgent: Bool)
  case materialized(PushID, Result<AudienceProgress, StoreError>)
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
  /// Another node has changed something.
  case changed(SharedChange)
  /// The leases were extended; `asked`: when that was asked for, by ``DeliveryOptions/elapsedMs``, and whether the store was away
  /// until then.
  case renewed(asked: Int64, wasAway: Bool, Result<Void, StoreError>)
  case stop(deadlineMs: Int64)
}

/// The pipeline's inbox: events come from any thread, one thread takes them.
///
/// `@unchecked Sendable` is sound: `events` is only touched between `lock` and `unlock`, and mutex and condition live exactly as long
/// as this object, at addresses that do not move.
///
/// `@safe`: both live exactly as long as the object, as above.
@safe package final class Mailbox: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  private var events: [PipelineEvent] = []
  private var asleep = false

  package init() {
    unsafe mutex = .allocate(capacity: 1)
    unsafe condition = .allocate(capacity: 1)
    unsafe pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    unsafe pthread_condattr_init(&attributes)
    // Waiting must not depend on the time of day, which may step.
    unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    unsafe pthread_cond_init(condition, &attributes)
    unsafe pthread_condattr_destroy(&attributes)
  }

  deinit {
    unsafe pthread_cond_destroy(condition)
    unsafe pthread_mutex_destroy(mutex)
    unsafe condition.deallocate()
    unsafe mutex.deallocate()
  }

  package func post(_ event: PipelineEvent) {
    unsafe pthread_mutex_lock(mutex)
    events.append(event)
    let wake = asleep
    asleep = false
    unsafe pthread_mutex_unlock(mutex)
    if wake { unsafe pthread_cond_signal(condition) }
  }

  /// Whether something has come.
  package var hasEvents: Bool {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return !events.isEmpty
  }

  /// Swaps in everything that has come, waiting for it at most `milliseconds`.
  package func take(into taken: inout [PipelineEvent], waitingMs milliseconds: Int64) {
    var deadline = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &deadline)
    let nanoseconds = Int64(deadline.tv_nsec) + milliseconds % 1000 * 1_000_000
    deadline.tv_sec += Int(milliseconds / 1000 + nanoseconds / 1_000_000_000)
    deadline.tv_nsec = Int(nanoseconds % 1_000_000_000)
    unsafe pthread_mutex_lock(mutex)
    asleep = milliseconds > 0 && events.isEmpty
    while unsafe asleep && pthread_cond_timedwait(condition, mutex, &deadline) == 0 {}
    asleep = false
    swap(&events, &taken)
    unsafe pthread_mutex_unlock(mutex)
  }
}
