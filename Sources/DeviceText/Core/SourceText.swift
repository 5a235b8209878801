/// A file as valid UTF-8 without a byte order mark, and the lines of it.
struct SourceText: Sendable {
  /// The name of the file, as the caller gave it.
  let path: String
  /// UTF-8; what was not text is U+FFFD.
  let bytes: [UInt8]
  private let lineStarts: [Int]

  init(path: String, utf8: [UInt8]) {
    self.path = path
    bytes = utf8
    lineStarts = Self.starts(of: utf8)
  }

  /// The place of a byte.
  func place(_ offset: Int) -> TextPlace {
    let offset = min(max(offset, 0), bytes.count)
    var low = 0
    var high = lineStarts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if lineStarts[middle] <= offset { low = middle } else { high = middle }
    }
    var column = 1
    for byte in bytes[lineStarts[low]..<offset] where byte & 0xC0 != 0x80 { column += 1 }
    return TextPlace(path: path, line: low + 1, column: column)
  }

  /// The text between two bytes.
  func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  private static func starts(of bytes: [UInt8]) -> [Int] {
    var starts = [0]
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      if byte == 0x0D, index < bytes.count, bytes[index] == 0x0A { continue }
      if byte == 0x0A || byte == 0x0D { starts.append(index) }
    }
    return starts
  }
}

extension SourceText {
  /// The character at a byte, as it can be shown in a message: control characters and marks by their number.
  func scalar(at offset: Int) -> String {
    guard offset < bytes.count else { return "the end" }
    let scalars = String(decoding: bytes[offset..<min(offset + 4, bytes.count)], as: UTF8.self).unicodeScalars
    return scalars.first.map { ShownText.scalar($0) } ?? "the end"
  }
}
