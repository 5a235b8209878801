import Glibc
import System

/// A bar on a terminal, drawn anew ten times a second at most; nothing where standard error is a file or a pipe.
struct ProgressBar {
  private static let intervalMs: Int64 = 100
  private static let width = 24
  private static let erase = "\r\u{1B}[K"

  /// Whether a person sees it.
  let isShown = isatty(STDERR_FILENO) == 1
  private let startedMs = ProgressBar.nowMs
  private var drawnMs: Int64 = 0
  private var isDrawn = false

  /// Milliseconds on a clock that never steps.
  static var nowMs: Int64 { SystemClock.monotonicMs() }

  /// Seconds since the start.
  var seconds: Double { Double(ProgressBar.nowMs - startedMs) / 1000 }

  /// How long to wait before the next drawing, for `poll`; -1 where there is none.
  var waitMs: Int32 { isShown ? Int32(ProgressBar.intervalMs) : -1 }

  /// A number of bytes for people, such as `12.3 MiB`.
  static func bytes(_ count: Int) -> String {
    guard count >= 1024 else { return "\(count) bytes" }
    let (unit, name) = count < 1 << 20 ? (1 << 10, "KiB") : count < 1 << 30 ? (1 << 20, "MiB") : (1 << 30, "GiB")
    let tenths = count * 10 / unit
    return "\(tenths / 10).\(tenths % 10) \(name)"
  }

  /// Draws when it is time; `share` is how much is done, 0 to 1, nil when that is not known.
  mutating func draw(share: Double?, _ text: @autoclosure () -> String) {
    let now = ProgressBar.nowMs
    // What is done soon needs no bar.
    guard isShown, now - startedMs >= 3 * ProgressBar.intervalMs, now - drawnMs >= ProgressBar.intervalMs else {
      return
    }
    drawnMs = now
    isDrawn = true
    var line = ProgressBar.erase
    if let share {
      let share = max(0, min(1, share))
      let filled = Int(Double(ProgressBar.width) * share)
      let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: ProgressBar.width - filled)
      line += "\(bar) \(Int(100 * share)) %  "
    }
    Terminal.status(line + text())
  }

  /// Takes the bar away, so that what follows starts on an empty line.
  mutating func clear() {
    guard isDrawn else { return }
    isDrawn = false
    Terminal.status(ProgressBar.erase)
  }
}
