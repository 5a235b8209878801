import Glibc

/// Standard input, output and error.
enum Terminal {
  /// The most that is read from one file or from standard input by a command that needs the whole of it.
  static let inputBytesMax = 64 << 20

  /// Writes bytes to standard output; a reader that went away ends the program quietly, as it does for any filter.
  static func print(_ bytes: [UInt8]) {
    if !take(bytes) { endWithoutReader() }
  }

  /// Writes bytes to standard output; false when nobody takes them.
  static func take(_ bytes: [UInt8]) -> Bool { write(bytes, to: STDOUT_FILENO) }

  /// Ends the program after a write to standard output that failed: by SIGPIPE, as a filter, when its reader went away.
  static func endWithoutReader() -> Never {
    guard errno == EPIPE else {
      complain("cannot write to standard output: \(lastError())")
      exit(ExitStatus.unreadable.rawValue)
    }
    signal(SIGPIPE, SIG_DFL)
    raise(SIGPIPE)
    exit(ExitStatus.failure.rawValue)
  }

  /// Writes text to standard output.
  static func print(_ text: String) { print(Array(text.utf8)) }

  /// Writes a diagnostic to standard error.
  static func complain(_ text: String) { write(Array("postrider: \(text)\n".utf8), to: STDERR_FILENO) }

  /// Writes text to standard error as it is: progress, or a summary.
  static func status(_ text: String) { write(Array(text.utf8), to: STDERR_FILENO) }

  /// Whether a person reads standard output.
  static var isInteractive: Bool { isatty(STDOUT_FILENO) == 1 }

  /// The columns of the terminal that a person reads standard output on; nil when it is a file or a pipe.
  static var width: Int? {
    guard isInteractive else { return nil }
    var size = winsize()
    guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  /// The whole of a file, or of standard input when `path` is `-` or nil.
  static func read(_ path: String?) throws(Exit) -> [UInt8] {
    var chunk: [UInt8] = []
    return try read(path, through: &chunk)
  }

  /// The same through memory that is used again, for many small files.
  static func read(_ path: String?, through chunk: inout [UInt8]) throws(Exit) -> [UInt8] {
    var content: [UInt8] = []
    try stream(path, through: &chunk) { (piece) throws(Exit) in
      content.append(contentsOf: piece)
      guard content.count <= inputBytesMax else {
        throw .unreadable("\(path ?? "-") is larger than \(inputBytesMax >> 20) MiB, the most that is read")
      }
    }
    return content
  }

  /// Hands over a file, or standard input when `path` is `-` or nil, piece by piece.
  static func stream(_ path: String?, _ body: (ArraySlice<UInt8>) throws(Exit) -> Void) throws(Exit) {
    var chunk: [UInt8] = []
    try stream(path, through: &chunk, body)
  }

  /// The most bytes that are read with one call of the system.
  private static let chunkBytes = 65_536

  private static func stream(
    _ path: String?, through chunk: inout [UInt8], _ body: (ArraySlice<UInt8>) throws(Exit) -> Void
  ) throws(Exit) {
    let name = path ?? "-"
    let fd = unsafe name == "-" ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC)
    guard fd >= 0 else { throw .unreadable("cannot open \(name): \(lastError())") }
    defer { if fd != STDIN_FILENO { close(fd) } }
    if chunk.count < chunkBytes { chunk = [UInt8](repeating: 0, count: chunkBytes) }
    while true {
      let result = unsafe Glibc.read(fd, &chunk, chunkBytes)
      if result < 0 && errno == EINTR { continue }
      guard result >= 0 else { throw .unreadable("cannot read \(name): \(lastError())") }
      if result == 0 { return }
      try body(chunk[..<result])
    }
  }

  /// The system's words for the last error.
  static func lastError() -> String { unsafe String(cString: strerror(errno)) }

  /// Replaces the content of a file; secrets go to files that only their owner may read (`mode` 0600).
  static func write(_ text: String, toFile path: String, mode: mode_t, isNew: Bool = false) throws(Exit) {
    let fd = unsafe open(path, O_WRONLY | O_CREAT | (isNew ? O_EXCL : O_TRUNC) | O_CLOEXEC, mode)
    guard fd >= 0, fchmod(fd, mode) == 0 else { throw .unreadable("cannot write \(path): \(lastError())") }
    defer { close(fd) }
    guard write(Array(text.utf8), to: fd) else { throw .unreadable("cannot write \(path): \(lastError())") }
  }

  @discardableResult
  private static func write(_ bytes: [UInt8], to fd: Int32) -> Bool {
    unsafe bytes.withUnsafeBytes { unsafe write($0, to: fd) }
  }

  /// Writes all of the bytes; false when the other side does not take them.
  static func write(_ bytes: UnsafeRawBufferPointer, to fd: Int32) -> Bool {
    var done = 0
    while done < bytes.count {
      let count = unsafe Glibc.write(fd, bytes.baseAddress.map { unsafe $0 + done }, bytes.count - done)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return false }
      done += count
    }
    return true
  }
}
