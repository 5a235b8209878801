import Glibc
import Synchronization

/// Where the network thread leaves outcomes for the thread that reads and prints.
///
/// It holds no more than what is under way, which the reader bounds.
final class OutcomeMailbox: Sendable {
  private struct Content {
    var results: [any DirectResults] = []
    var isInterrupted = false
    var isSignalled = false
  }

  private let content = Mutex(Content())
  /// Readable when there is something to take.
  let fd: Int32
  private let writeEnd: Int32

  /// Makes an empty mailbox.
  init() throws(Exit) {
    var ends: [Int32] = [0, 0]
    guard unsafe pipe(&ends) == 0 else { throw .failure("cannot make a pipe: \(Terminal.lastError())") }
    (fd, writeEnd) = (ends[0], ends[1])
  }

  deinit {
    close(fd)
    close(writeEnd)
  }

  /// Results of a client.
  func put(_ results: some DirectResults) { put { $0.results.append(results) } }

  /// A person wants to stop.
  func interrupt() { put { $0.isInterrupted = true } }

  private func put(_ change: (inout Content) -> Void) {
    content.withLock { content in
      change(&content)
      guard !content.isSignalled else { return }
      content.isSignalled = true
      // One byte at most is in the pipe, so this does not block.
      var byte: UInt8 = 1
      while unsafe Glibc.write(writeEnd, &byte, 1) < 0 && errno == EINTR {}
    }
  }

  /// Everything that came since the last time.
  func take() -> (results: [any DirectResults], isInterrupted: Bool) {
    content.withLock { content in
      if content.isSignalled {
        var byte: UInt8 = 0
        while unsafe Glibc.read(fd, &byte, 1) < 0 && errno == EINTR {}
      }
      let taken = (content.results, content.isInterrupted)
      content = Content()
      return taken
    }
  }
}
