import Glibc

/// One message or one line of the input, as it was read.
struct InputItem: Sendable {
  /// The line it starts on, from 1.
  var line: Int
  /// Its bytes without the line's end; nil when the line is longer than ``InputStream/lineBytesMax``.
  var bytes: [UInt8]?
  /// Whether it is the whole input, and may be laid out over many lines.
  var isWhole = false
}

/// A file or standard input, taken apart into lines without waiting for its end.
///
/// When the first line leaves a bracket open, the input is one document over several lines and not a stream.
struct InputStream {
  /// The longest line of a stream: a message, its token, and room to spare.
  static let lineBytesMax = 1 << 20

  let name: String
  /// The file descriptor, for `poll`.
  let fd: Int32
  /// The size of a regular file; nil for what has no end yet.
  let bytesTotal: Int?
  private(set) var bytesRead = 0
  private(set) var hasEnded = false
  /// Whether the first line has settled that this is one document.
  private(set) var isWhole = false

  private var pending: [UInt8] = []
  private var start = 0
  private var line = 0
  private var isSkipping = false
  private var isFirst = true
  private var chunk = [UInt8](repeating: 0, count: 65_536)

  /// Opens a file; `-` and nil are standard input.
  init(_ path: String?) throws(Exit) {
    name = path ?? "-"
    fd = unsafe name == "-" ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC)
    guard fd >= 0 else { throw .unreadable("cannot open \(name): \(Terminal.lastError())") }
    var status = stat()
    bytesTotal = unsafe fstat(fd, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil
  }

  /// Reads what there is, and waits when there is nothing.
  mutating func read() throws(Exit) {
    let count = unsafe Glibc.read(fd, &chunk, chunk.count)
    if count < 0 && errno == EINTR { return }
    guard count >= 0 else { throw .unreadable("cannot read \(name): \(Terminal.lastError())") }
    if count == 0 { hasEnded = true }
    bytesRead += count
    pending.removeSubrange(..<start)
    start = 0
    pending.append(contentsOf: chunk[..<count])
    guard !isWhole || pending.count <= Terminal.inputBytesMax else {
      throw .unreadable("\(name) is larger than \(Terminal.inputBytesMax >> 20) MiB, the most that is read")
    }
  }

  /// The next line that is not blank; nil until more was read, or at the end.
  mutating func next() -> InputItem? {
    while true {
      if isWhole {
        guard hasEnded, start < pending.count else { return nil }
        defer { start = pending.count }
        return InputItem(line: line, bytes: Array(pending[start...]), isWhole: true)
      }
      guard let end = endOfLine() else { return tooLong() }
      let bytes = pending[start..<end]
      if isSkipping {
        isSkipping = false
        start = min(end + 1, pending.count)
        continue
      }
      if bytes.count > InputStream.lineBytesMax {
        start = min(end + 1, pending.count)
        isFirst = false
        line += 1
        return InputItem(line: line, bytes: nil)
      }
      let isBlank = bytes.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
      line += 1
      if isFirst && !isBlank {
        // The first line with content decides what the input is.
        isFirst = false
        isWhole = InputStream.leavesOpen(bytes)
        if isWhole { continue }
      }
      start = min(end + 1, pending.count)
      if !isBlank { return InputItem(line: line, bytes: Array(bytes)) }
    }
  }

  private func endOfLine() -> Int? {
    if let end = pending[start...].firstIndex(of: 0x0A) { return end }
    return hasEnded && start < pending.count ? pending.count : nil
  }

  /// A line beyond the limit is reported once, and the rest of it skipped; the memory it took is given up.
  private mutating func tooLong() -> InputItem? {
    guard pending.count - start > InputStream.lineBytesMax else { return nil }
    pending.removeAll()
    start = 0
    defer { isSkipping = true }
    guard !isSkipping else { return nil }
    isFirst = false
    line += 1
    return InputItem(line: line, bytes: nil)
  }

  /// Whether brackets are open at the end of the line, those in strings aside.
  private static func leavesOpen(_ bytes: ArraySlice<UInt8>) -> Bool {
    var depth = 0
    var isString = false
    var isEscaped = false
    for byte in bytes {
      if isString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isString = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isString = true
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      default: break
      }
    }
    return depth > 0 && !isString
  }
}
