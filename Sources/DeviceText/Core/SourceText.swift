/// A file as valid UTF-8 without a byte order mark, and the lines of it.
struct SourceText: Sendable {
  /// The name of the file, as the caller gave it.
  let path: String
  /// UTF-8; what was not text is U+FFFD.
  let bytes: [UInt8]
  private let lineStarts: [Int]
  /// How many scalars start before each block of bytes, so that long lines cost no more than short ones.
  private let blockCounts: [Int]
  private static let blockBytes = 256

  init(path: String, utf8: [UInt8]) {
    self.path = path
    bytes = utf8
    lineStarts = Self.starts(of: utf8)
    blockCounts = Self.counts(of: utf8)
  }

  /// The line and column of a byte.
  func position(_ offset: Int) -> TextPosition {
    let offset = min(max(offset, 0), bytes.count)
    var low = 0
    var high = lineStarts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if lineStarts[middle] <= offset { low = middle } else { high = middle }
    }
    return TextPosition(
      path: path, line: low + 1, column: scalars(before: offset) - scalars(before: lineStarts[low]) + 1)
  }

  private func scalars(before offset: Int) -> Int {
    let block = offset / Self.blockBytes
    var count = blockCounts[block]
    for byte in bytes[(block * Self.blockBytes)..<offset] where byte & 0xC0 != 0x80 { count += 1 }
    return count
  }

  private static func counts(of bytes: [UInt8]) -> [Int] {
    var counts = [0]
    var count = 0
    for (index, byte) in bytes.enumerated() {
      if byte & 0xC0 != 0x80 { count += 1 }
      if (index + 1).isMultiple(of: blockBytes) { counts.append(count) }
    }
    return counts
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
