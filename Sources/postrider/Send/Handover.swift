import Glibc
import Synchronization

/// One value that a network thread hands to the thread of a command, which waits for it.
final class Handover<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)
  private let readEnd: Int32
  private let writeEnd: Int32

  init() throws(Exit) {
    var ends: [Int32] = [0, 0]
    guard unsafe pipe(&ends) == 0 else { throw .failure("cannot make a pipe: \(Terminal.lastError())") }
    (readEnd, writeEnd) = (ends[0], ends[1])
  }

  deinit {
    close(readEnd)
    close(writeEnd)
  }

  /// Hands it over; once.
  func give(_ given: Value) {
    value.withLock { $0 = given }
    // The pipe is empty, so this does not block.
    var byte: UInt8 = 1
    while unsafe Glibc.write(writeEnd, &byte, 1) < 0 && errno == EINTR {}
  }

  /// Waits for it.
  func take() -> Value {
    while true {
      var byte: UInt8 = 0
      let count = unsafe Glibc.read(readEnd, &byte, 1)
      if count < 0 && errno == EINTR { continue }
      if let given = value.withLock({ $0 }) { return given }
    }
  }
}
