internal import Glibc
internal import Synchronization

/// Writes lines of the log to a descriptor, and loses them rather than wait for a reader that has stopped.
///
/// Lines are written whole and one after the other. When the reader goes on, the log says how many lines it lacks.
final class LogOutput: Sendable {
  private struct State {
    var lost = 0
    /// Whether the line before ends in its middle.
    var isCut = false
  }

  /// How long the first line that finds no room waits for it; later ones do not wait.
  private static let patienceMs: Int32 = 50
  /// What a pipe takes without blocking once it is writable (`PIPE_BUF` of pipe(7)).
  private static let chunkBytes = 4_096

  private let descriptor: Int32
  private let clock: WallClock
  private let state = Mutex(State())

  init(descriptor: Int32, clock: WallClock) {
    self.descriptor = descriptor
    self.clock = clock
  }

  func write(_ line: [UInt8]) {
    state.withLock { state in
      if state.lost > 0 {
        guard send(note(state), patienceMs: 0, &state) else {
          state.lost += 1
          return
        }
        state.lost = 0
      }
      if !send(line, patienceMs: Self.patienceMs, &state) { state.lost += 1 }
    }
  }

  private func note(_ state: borrowing State) -> [UInt8] {
    (state.isCut ? [UInt8(ascii: "\n")] : [])
      + Log.line(.warning, "log lines lost", ["count": .int(state.lost)], clock)
  }

  /// False when there was no room for all of it.
  private func send(_ bytes: [UInt8], patienceMs: Int32, _ state: inout State) -> Bool {
    unsafe bytes.withUnsafeBytes { bytes in
      var sent = 0
      while sent < bytes.count {
        var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard unsafe poll(&wanted, 1, patienceMs) == 1 else { break }
        let piece = unsafe UnsafeRawBufferPointer(rebasing: bytes[sent..<min(sent + Self.chunkBytes, bytes.count)])
        let count = unsafe Glibc.write(descriptor, piece.baseAddress, piece.count)
        guard count > 0 else { break }
        sent += count
      }
      if sent > 0 { state.isCut = sent < bytes.count }
      return sent == bytes.count
    }
  }
}
