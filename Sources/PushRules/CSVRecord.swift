/// One record of a CSV file (RFC 4180) under way, byte by byte.
struct CSVRecord: Sendable {
  private enum State {
    case start, plain, quoted, quoteInQuoted
  }

  /// The content of all fields, one after another.
  private(set) var bytes: [UInt8] = []
  private var ends: [Int] = []
  private var state = State.start
  private var isFirst = true

  /// What the record takes so far, in bytes; a field that is empty takes one, so that commas alone are bounded too.
  var size: Int { bytes.count + ends.count }

  var isQuoted: Bool { state == .quoted }

  /// Whether the line had nothing at all on it.
  var isBlank: Bool { bytes.isEmpty && ends.count <= 1 }

  /// The fields of a record that has ended; nil when they are not UTF-8.
  var fields: [String]? {
    var fields: [String] = []
    var start = 0
    for end in ends {
      guard let text = String(validating: bytes[start..<end], as: UTF8.self) else { return nil }
      fields.append(text)
      start = end
    }
    // A byte order mark belongs to the file, not to the name of the first column.
    if isFirst, let first = fields.first, first.utf8.starts(with: [0xEF, 0xBB, 0xBF]) {
      fields[0] = String(first.unicodeScalars.dropFirst())
    }
    return fields
  }

  /// Reads a byte; true when it ends the record.
  mutating func read(_ byte: UInt8) -> Bool {
    switch (state, byte) {
    case (.quoted, 0x22): state = .quoteInQuoted
    case (.quoted, _): bytes.append(byte)
    case (.start, 0x22): state = .quoted
    case (.quoteInQuoted, 0x22):
      bytes.append(byte)
      state = .quoted
    case (_, 0x2C):
      ends.append(bytes.count)
      state = .start
    case (_, 0x0A): return end()
    case (_, 0x0D): break  // the CR of a CRLF; a bare one outside quotes means nothing
    default:
      bytes.append(byte)
      state = .plain
    }
    return false
  }

  /// Ends the record at the end of a line or of the file; true when there is one.
  mutating func end() -> Bool {
    if ends.isEmpty, bytes.isEmpty, state == .start { return false }
    ends.append(bytes.count)
    state = .start
    return true
  }

  /// Forgets the record.
  mutating func clear() {
    bytes.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    state = .start
    isFirst = false
  }
}
