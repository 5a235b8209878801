internal import Glibc
internal import WireJSON

/// How much is written to the log.
public enum LogLevel: Int, Sendable, Comparable {
  /// Each request.
  case debug
  /// Starts, stops, administrative acts, refused requests.
  case info
  /// What needs attention soon.
  case warning
  /// What failed.
  case error

  /// Compares by weight.
  public static func < (a: LogLevel, b: LogLevel) -> Bool { a.rawValue < b.rawValue }

  var name: String {
    switch self {
    case .debug: "debug"
    case .info: "info"
    case .warning: "warning"
    case .error: "error"
    }
  }
}

/// A value in a log line.
///
/// Tokens have their own case, so that no line can hold one whole.
enum LogValue: Sendable {
  case text(String)
  case int(Int)
  case milliseconds(Double)
  /// A device token: its first characters and its length are written.
  case token(String)
}

/// Structured log: one JSON object per line on standard error.
public struct Log: Sendable {
  let level: LogLevel
  let clock: WallClock
  private let write: @Sendable ([UInt8]) -> Void

  /// A log that writes lines of at least `level` to standard error.
  public init(level: LogLevel = .info, clock: WallClock = .system) {
    let output = LogOutput(descriptor: STDERR_FILENO, clock: clock)
    self.init(level: level, clock: clock) { output.write($0) }
  }

  /// A log that hands lines, each with its newline, to `write`.
  public init(level: LogLevel, clock: WallClock, write: @escaping @Sendable ([UInt8]) -> Void) {
    self.level = level
    self.clock = clock
    self.write = write
  }

  /// Writes a line; `fields` is not made when the level is not written.
  func callAsFunction(
    _ level: LogLevel, _ event: StaticString, _ fields: @autoclosure () -> KeyValuePairs<String, LogValue> = [:]
  ) {
    guard level >= self.level else { return }
    write(Log.line(level, event, fields(), clock))
  }

  /// A line, with its newline.
  static func line(
    _ level: LogLevel, _ event: StaticString, _ fields: KeyValuePairs<String, LogValue>, _ clock: WallClock
  ) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("time")
    writer.string(TimeText.text(ms: clock.nowMs()))
    writer.key("level")
    writer.string(level.name)
    writer.key("event")
    writer.string(event)
    for (name, value) in fields {
      writer.key(name)
      switch value {
      case .text(let text): writer.string(text)
      case .int(let number): writer.int(number)
      case .milliseconds(let ms): writer.raw(String(Double(Int(ms * 1_000)) / 1_000))
      case .token(let token): writer.string(Log.redacted(token))
      }
    }
    writer.endObject()
    return writer.bytes + [UInt8(ascii: "\n")]
  }

  /// Enough to distinguish two tokens, too little to send to.
  static func redacted(_ token: String) -> String {
    let shown = token.utf8.count >= 16 ? String(token.prefix(4)) : ""
    return "\(shown)…(\(token.utf8.count))"
  }
}
