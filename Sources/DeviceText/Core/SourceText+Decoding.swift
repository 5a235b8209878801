extension SourceText {
  /// Reads a file as text: UTF-8 or UTF-16, with or without a byte order mark, and UTF-32 with one.
  ///
  /// Invalid sequences are replaced with U+FFFD and reported with line and column.
  static func decode(_ file: [UInt8], path: String, problems: inout ProblemList) -> SourceText {
    let source: SourceText
    let isWhole: Bool
    switch Encoding(of: file) {
    case .utf8(let start):
      isWhole = String(validating: file[start...], as: UTF8.self) != nil
      let bytes = isWhole ? Array(file[start...]) : Array(String(decoding: file[start...], as: UTF8.self).utf8)
      source = SourceText(path: path, utf8: bytes)
    case .utf16(let start, let isBigEndian):
      let units = units(file, from: start, isBigEndian: isBigEndian)
      isWhole = (file.count - start).isMultiple(of: 2) && String(validating: units, as: UTF16.self) != nil
      source = SourceText(path: path, utf8: Array(String(decoding: units, as: UTF16.self).utf8))
    case .utf32:
      let start = TextPosition(path: path, line: 1, column: 1)
      problems.add(TextProblem(.encoding, "the file is UTF-32; save it as UTF-8", position: start))
      return SourceText(path: path, utf8: [])
    }
    if !isWhole { problems.add(.encoding, source.encodingFault, at: source.firstReplacement, in: source) }
    return source
  }

  private var encodingFault: String { "the bytes here are not text in the encoding of the file; save it as UTF-8" }

  /// The first U+FFFD; the end when there is none, as after half a unit of UTF-16.
  private var firstReplacement: Int {
    var index = 0
    while index + 2 < bytes.count {
      if bytes[index] == 0xEF, bytes[index + 1] == 0xBF, bytes[index + 2] == 0xBD { return index }
      index += 1
    }
    return bytes.count
  }

  private static func units(_ file: [UInt8], from start: Int, isBigEndian: Bool) -> [UInt16] {
    var units: [UInt16] = []
    units.reserveCapacity((file.count - start) / 2)
    var index = start
    while index + 1 < file.count {
      let first = UInt16(file[index])
      let second = UInt16(file[index + 1])
      units.append(isBigEndian ? first << 8 | second : second << 8 | first)
      index += 2
    }
    return units
  }

  /// How a file is encoded, by its mark or, without one, by where its first two bytes hold a zero: the first character
  /// of every format here is ASCII.
  private enum Encoding {
    case utf8(start: Int)
    case utf16(start: Int, isBigEndian: Bool)
    case utf32

    init(of file: [UInt8]) {
      let head = (file.first ?? 1, file.dropFirst().first ?? 1, file.dropFirst(2).first ?? 1)
      switch head {
      case (0xEF, 0xBB, 0xBF): self = .utf8(start: 3)
      case (0xFF, 0xFE, 0) where file.count >= 4 && file[3] == 0: self = .utf32
      case (0, 0, 0xFE): self = .utf32
      case (0xFF, 0xFE, _): self = .utf16(start: 2, isBigEndian: false)
      case (0xFE, 0xFF, _): self = .utf16(start: 2, isBigEndian: true)
      case (0, 1..., _): self = .utf16(start: 0, isBigEndian: true)
      case (1..., 0, _): self = .utf16(start: 0, isBigEndian: false)
      default: self = .utf8(start: 0)
      }
    }
  }
}
