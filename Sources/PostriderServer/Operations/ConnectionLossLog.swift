internal import GatewayPool
internal import Synchronization

/// Writes why connections of one client were lost: each cause once a minute, with how many there were.
///
/// A gateway that violates HTTP/2 and a proxy that gives no tunnel are warnings, since an operator must look at them;
/// everything else is routine, and the pipeline reports its effect on sends.
final class ConnectionLossLog: Sendable {
  private struct Row {
    var writtenMs: Int64
    var unwritten = 0
  }

  private static let pauseMs: Int64 = 60_000

  private let log: Log
  private let clock: WallClock
  private let app: String
  private let slot: String
  private let rows = Mutex<[SendFailure.Cause: Row]>([:])

  init(_ log: Log, _ clock: WallClock, app: String, slot: String) {
    self.log = log
    self.clock = clock
    self.app = app
    self.slot = slot
  }

  /// A connection was lost, or could not be opened.
  func note(_ failure: SendFailure) {
    let now = clock.nowMs()
    let count: Int? = rows.withLock { rows in
      // A clock that was set back must not silence the log.
      if let row = rows[failure.cause], (row.writtenMs..<row.writtenMs + Self.pauseMs).contains(now) {
        rows[failure.cause]?.unwritten += 1
        return nil
      }
      let unwritten = rows[failure.cause]?.unwritten ?? 0
      rows[failure.cause] = Row(writtenMs: now)
      return unwritten + 1
    }
    guard let count else { return }
    log(
      [.protocolViolation, .proxy].contains(failure.cause) ? .warning : .debug, "connection lost",
      [
        "app": .text(app), "slot": .text(slot), "cause": .text(failure.cause.rawValue), "count": .int(count),
        "detail": .text(failure.detail),
      ])
  }
}
