import Glibc

/// A mutex and a condition at a fixed address.
///
/// `@unchecked Sendable`: both are made for use by several threads; the pointers are constant.
final class GateMemory: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  init() {
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  func signal() {
    pthread_mutex_lock(mutex)
    pthread_cond_signal(condition)
    pthread_mutex_unlock(mutex)
  }

  func wait(until isOpen: () -> Bool) {
    pthread_mutex_lock(mutex)
    while !isOpen() { pthread_cond_wait(condition, mutex) }
    pthread_mutex_unlock(mutex)
  }
}
