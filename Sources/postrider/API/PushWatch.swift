import Glibc
import WireJSON

/// Follows a push until it is over, and says by the exit status how it ended.
struct PushWatch {
  static let watch = Option(name: "--watch", help: "Waits until the push is finished, and shows how it ended.")
  static let timeout = Option(
    name: "--timeout", value: "SECONDS", help: "How long to watch at most, 1 to 604800; 3600 unless given.")
  /// Failures one after the other, a second apart, after which the server counts as gone: it may be restarted meanwhile.
  private static let failuresMax = 30

  private let command: APIRun
  private let path: String
  private let seconds: Int

  init(_ command: APIRun, path: String) throws(Exit) {
    self.command = command
    self.path = path
    seconds = try command.arguments.integer("--timeout", in: 1...604_800, default: 3600)
  }

  func run() throws(Exit) -> ExitStatus {
    let deadline = ProgressBar.nowMs + Int64(seconds) * 1000
    var bar = ProgressBar()
    defer { bar.clear() }
    var failures = 0
    while true {
      do throws(Exit) {
        let push = try command.client.call("GET", path).json()
        failures = 0
        if let status = try ending(push) {
          bar.clear()
          command.show(push)
          return status
        }
      } catch {
        failures += 1
        guard error.status == .failure, failures <= PushWatch.failuresMax else { throw error }
      }
      let leftMs = deadline - ProgressBar.nowMs
      guard leftMs > 0 else {
        throw .failure(
          "the push is not finished after \(seconds) s; it continues, and “push watch” can keep watching it")
      }
      bar = try follow(bar, seconds: max(1, Int(leftMs / 1000)))
      // Between two looks, also when the stream ends at once.
      usleep(UInt32(min(leftMs, failures > 0 ? 1000 : 200)) * 1000)
    }
  }

  /// Draws the server's events until the stream ends, for whatever reason: the push itself is looked at afterwards.
  private func follow(_ bar: ProgressBar, seconds: Int) throws(Exit) -> ProgressBar {
    var bar = bar
    var line: [UInt8] = []
    let leading = Array("data: ".utf8)
    _ = try? unsafe command.client.exchange("GET", path + "/progress", seconds: seconds) { piece in
      for byte in unsafe Array(piece) {
        guard byte == UInt8(ascii: "\n") else {
          line.append(byte)
          continue
        }
        if line.starts(with: leading), let push = try? JSON.parse(Array(line.dropFirst(leading.count))) {
          bar.draw(share: PushWatch.share(push), PushWatch.line(push))
        }
        line.removeAll(keepingCapacity: true)
      }
      return line.count <= APIClient.answerBytesMax
    }
    return bar
  }

  /// The exit status of a push that is over; nil while it goes on.
  private func ending(_ push: JSONValue) throws(Exit) -> ExitStatus? {
    let counts = push["counts"]
    switch push["state"]?.string {
    case "draft":
      throw Exit(status: .invalid, message: "the push is a draft; “campaign send” or “schedule” lets it go")
    case let state? where ["sent", "expired", "cancelled", "failed"].contains(state):
      guard counts?["waiting"]?.int == 0, counts?["in_flight"]?.int == 0 else { return nil }
      switch push["status"]?.string {
      case "sent": return .fine
      case "cancelled": return .invalid
      default: return .failure
      }
    default: return nil
    }
  }

  private static func share(_ push: JSONValue) -> Double? {
    guard let counts = push["counts"], let targeted = counts["targeted"]?.int, targeted > 0 else { return nil }
    let open = (counts["waiting"]?.double ?? 0) + (counts["in_flight"]?.double ?? 0)
    return min(max(0, 1 - open / Double(targeted)), 1)
  }

  /// `paused; 120 of 1000: 118 accepted, 2 rejected`.
  private static func line(_ push: JSONValue) -> String {
    let state = push["state"]?.string ?? ""
    if state == "scheduled" { return "waits until \(push["start_at"]?.string ?? "its time")" }
    let counts = push["counts"]?.object ?? [:]
    let ends = ["accepted", "rejected", "expired", "cancelled", "unknown"].compactMap { name in
      counts[name]?.int.flatMap { $0 > 0 ? "\($0) \(name)" : nil }
    }
    return Cell.inert("\(state); of \(counts["targeted"]?.int ?? 0): \(ends.joined(separator: ", "))")
  }
}
