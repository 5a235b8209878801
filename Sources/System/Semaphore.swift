internal import Glibc

/// A counting semaphore.
///
/// `@unchecked Sendable` is sound: POSIX makes every `sem_…` call safe from any thread, and the memory lives exactly as long
/// as this object.
package final class Semaphore: @unchecked Sendable {
  private let pointer: UnsafeMutablePointer<sem_t>

  package init() {
    pointer = .allocate(capacity: 1)
    sem_init(pointer, 0, 0)
  }

  deinit {
    sem_destroy(pointer)
    pointer.deallocate()
  }

  package func signal() { sem_post(pointer) }

  package func wait() {
    while sem_wait(pointer) != 0 && errno == EINTR {}
  }
}
