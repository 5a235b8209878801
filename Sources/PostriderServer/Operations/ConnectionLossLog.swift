internal import GatewayPool
internal import Synchronization

/// Writes why connections of one client were lost: each cause once a minute, with how many there were.
///
/// What a proxy says, or that it is not there, is a cause each.
///
/// A gateway that violates HTTP/2 and a proxy that gives no tunnel are warnings, since an operator must look at them;
/// everything else is routine, and the pipeline reports its effect on sends.
final class ConnectionLossLog: Sendable {
  private struct Row {
    var writtenMs: Int64
    var unwritten = 0
  }

  private struct Cause: Hashable {
    let cause: SendFailure.Cause
    let said: String

    init(_ failure: SendFailure) {
      cause = failure.cause
      said = failure.cause == .proxy ? failure.detail : ""
    }
  }

  private static let pauseMs: Int64 = 60_000
  /// A proxy may say something else each time.
  private static let rowsMax = 32

  private let log: Log
  private let clock: WallClock
  private let app: String
  private let slot: String
  private let rows = Mutex<[Cause: Row]>([:])

  init(_ log: Log, _ clock: WallClock, app: String, slot: String) {
    self.log = log
    self.clock = clock
    self.app = app
    self.slot = slot
  }

  /// A connection was lost, or could not be opened.
  func note(_ failure: SendFailure) {
    let now = clock.nowMs()
    let cause = Cause(failure)
    let count: Int? = rows.withLock { rows in
      // A clock that was set back must not silence the log.
      if let row = rows[cause], (row.writtenMs..<row.writtenMs + Self.pauseMs).contains(now) {
        rows[cause]?.unwritten += 1
        return nil
      }
      let unwritten = rows[cause]?.unwritten ?? 0
      if rows.count >= Self.rowsMax { rows = [:] }
      rows[cause] = Row(writtenMs: now)
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
