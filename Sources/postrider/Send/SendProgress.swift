import Glibc

/// A bar on a terminal, drawn anew ten times a second at most; nothing where standard error is a file or a pipe.
struct SendProgress {
  private static let intervalMs: Int64 = 100
  private static let barWidth = 24
  private static let erase = "\r\u{1B}[K"

  private let isShown = isatty(STDERR_FILENO) == 1
  private let startedMs = SendProgress.nowMs
  private var drawnMs: Int64 = 0
  private var isDrawn = false

  /// Milliseconds on a clock that never steps.
  static var nowMs: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }

  /// Seconds since the start.
  var seconds: Double { Double(SendProgress.nowMs - startedMs) / 1000 }

  /// How long to wait before the next drawing, for `poll`; -1 where there is none.
  var waitMs: Int32 { isShown ? Int32(SendProgress.intervalMs) : -1 }

  /// Draws when it is time; `share` is what of the input was read, nil when its size is not known.
  mutating func draw(_ tally: SendTally, share: Double?, underWay: Int) {
    let now = SendProgress.nowMs
    // What is over in a moment needs no bar.
    guard isShown, now - startedMs >= 3 * SendProgress.intervalMs, now - drawnMs >= SendProgress.intervalMs else {
      return
    }
    drawnMs = now
    isDrawn = true
    let rate = Int(Double(tally.total) / max(seconds, 0.001))
    var text = SendProgress.erase
    if let share {
      let filled = Int(Double(SendProgress.barWidth) * min(1, share))
      let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: SendProgress.barWidth - filled)
      text += "\(bar) \(Int(100 * min(1, share))) %  "
    }
    Terminal.status("\(text)\(tally.line); \(underWay) under way, \(rate) a second")
  }

  /// Takes the bar away, so that what follows starts on an empty line.
  mutating func clear() {
    guard isDrawn else { return }
    isDrawn = false
    Terminal.status(SendProgress.erase)
  }
}
