internal import Glibc

/// A counting semaphore.
///
/// `@unchecked Sendable` is sound: POSIX makes every `sem_…` call safe from any thread, and the memory lives exactly as long
/// as this object.
///
/// `@safe`: the memory lives exactly as long as the object.
@safe package final class Semaphore: @unchecked Sendable {
  private let pointer: UnsafeMutablePointer<sem_t>

  package init() {
    unsafe pointer = .allocate(capacity: 1)
    unsafe sem_init(pointer, 0, 0)
  }

  deinit {
    unsafe sem_destroy(pointer)
    unsafe pointer.deallocate()
  }

  package func signal() { unsafe sem_post(pointer) }

  package func wait() {
    while unsafe sem_wait(pointer) != 0 && errno == EINTR {}
  }
}
