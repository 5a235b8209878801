internal import Basics

/// The text between the tags of one Android resource, before and after white space, quotes and backslashes are
/// processed as the resource compiler does.
struct AndroidText {
  /// The content between tags.
  enum Piece {
    case text(XMLText)
    /// Where a formatting element such as `<b>` starts or ends.
    case span
    /// Where an element such as `<xliff:g>` starts or ends, which is left out.
    case cut
  }

  /// A fault in a text.
  struct Fault {
    let rule: TextRule
    let message: String
    let offset: Int
    var severity = TextSeverity.error
  }

  private var pieces: [Piece] = []

  /// Adds a piece; texts that only a comment or the edge of a CDATA section parts are one.
  mutating func append(_ piece: Piece) {
    guard case .text(let more) = piece, case .text(var last)? = pieces.last else {
      pieces.append(piece)
      return
    }
    // Removed first, so that the bytes have one owner and are appended to without a copy.
    pieces.removeLast()
    last.bytes += more.bytes
    last.isVerbatim = false
    pieces.append(.text(last))
  }

  /// The text as the file has it, without white space around it.
  var raw: String {
    var bytes: [UInt8] = []
    for case .text(let text) in pieces { bytes += text.bytes }
    let start = bytes.firstIndex { !Self.isSpace($0) } ?? bytes.count
    let end = bytes.lastIndex { !Self.isSpace($0) } ?? -1
    return start <= end ? String(decoding: bytes[start...end], as: UTF8.self) : ""
  }

  /// Whether the text contains formatting elements.
  var hasSpans: Bool {
    pieces.contains { if case .span = $0 { true } else { false } }
  }

  /// The text that the app reads, and what is wrong with it.
  func compiled() -> (text: String, faults: [Fault]) {
    var compiler = Compiler()
    let trims = !hasSpans
    let texts = pieces.indices.filter { if case .text = pieces[$0] { true } else { false } }
    for (index, piece) in pieces.enumerated() {
      if case .span = piece { compiler.startSegment() }
      guard case .text(let text) = piece else { continue }
      var range = 0..<text.bytes.count
      if trims, index == texts.first { range = Self.trimmedStart(text.bytes, range) }
      if trims, index == texts.last { range = Self.trimmedEnd(text.bytes, range) }
      compiler.append(text, range)
    }
    return (String(decoding: compiler.bytes, as: UTF8.self), compiler.faults + compiler.quoteFault)
  }

  private static func trimmedStart(_ bytes: [UInt8], _ range: Range<Int>) -> Range<Int> {
    (bytes[range].firstIndex { !isSpace($0) } ?? range.upperBound)..<range.upperBound
  }

  private static func trimmedEnd(_ bytes: [UInt8], _ range: Range<Int>) -> Range<Int> {
    range.lowerBound..<(bytes[range].lastIndex { !isSpace($0) }.map { $0 + 1 } ?? range.lowerBound)
  }

  static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}

extension AndroidText {
  /// The state of processing, which goes on from piece to piece.
  private struct Compiler {
    private(set) var bytes: [UInt8] = []
    private(set) var faults: [Fault] = []
    private var isQuoted = false
    private var endsInSpace = false
    /// The unescaped quotes: their offset in the file, and the length of the text before them.
    private var quotes: [(offset: Int, before: Int)] = []

    /// A formatting element ends a quotation and a run of white space.
    mutating func startSegment() {
      isQuoted = false
      endsInSpace = false
    }

    mutating func append(_ text: XMLText, _ range: Range<Int>) {
      var index = range.lowerBound
      while index < range.upperBound {
        let byte = text.bytes[index]
        if !isQuoted, AndroidText.isSpace(byte) {
          if !endsInSpace { bytes.append(0x20) }
          endsInSpace = true
          index += 1
          continue
        }
        endsInSpace = false
        switch byte {
        case UInt8(ascii: "\\"):
          index = escape(text, index, range.upperBound)
          continue
        case UInt8(ascii: "\""):
          isQuoted.toggle()
          quotes.append((text.offset(of: index), bytes.count))
        case UInt8(ascii: "'") where !isQuoted:
          faults.append(
            Fault(
              rule: .androidApostrophe,
              message: "the resource compiler refuses an apostrophe that is not escaped; write \\' or quote the text",
              offset: text.offset(of: index)))
          bytes.append(byte)
        default: bytes.append(byte)
        }
        index += 1
      }
    }

    /// Quotes around the whole text keep its white space; others were meant to be read, and are not.
    var quoteFault: [Fault] {
      guard let first = quotes.first, let last = quotes.last else { return [] }
      if quotes.count == 2, first.before == 0, last.before == bytes.count { return [] }
      let isOpen = !quotes.count.isMultiple(of: 2)
      if !isOpen,
        stride(from: 0, to: quotes.count, by: 2).allSatisfy({ keeps(quotes[$0].before, quotes[$0 + 1].before) })
      {
        return []
      }
      return [
        Fault(
          rule: .androidQuote,
          message: isOpen
            ? "the quote that opens here is not closed, and is not shown; write \\\" to show one"
            : "quotes within a text are not shown; write \\\" to show them",
          offset: isOpen ? last.offset : first.offset, severity: .warning)
      ]
    }

    /// Whether a quoted part has something that only quotes keep: white space at its edge or in a row, an apostrophe.
    private func keeps(_ start: Int, _ end: Int) -> Bool {
      guard start < end else { return false }
      if AndroidText.isSpace(bytes[start]) || AndroidText.isSpace(bytes[end - 1]) { return true }
      var before: UInt8 = 0
      for byte in bytes[start..<end] {
        if byte == UInt8(ascii: "'") || AndroidText.isSpace(byte) && (AndroidText.isSpace(before) || byte != 0x20) {
          return true
        }
        before = byte
      }
      return false
    }

    /// Reads a backslash and what it escapes; the index behind it.
    private mutating func escape(_ text: XMLText, _ start: Int, _ end: Int) -> Int {
      guard start + 1 < end else { return start + 1 }
      switch text.bytes[start + 1] {
      case UInt8(ascii: "n"): bytes.append(0x0A)
      case UInt8(ascii: "t"): bytes.append(0x09)
      case UInt8(ascii: "u"): return unicode(text, start, end)
      case let byte: bytes.append(byte)
      }
      return start + 2
    }

    private mutating func unicode(_ text: XMLText, _ start: Int, _ end: Int) -> Int {
      var units: [UInt16] = []
      var index = start
      // Two escapes in a row may be the halves of one character.
      while units.count < 2, let unit = Self.unit(text.bytes, index, end) {
        if units.count == 1, !(UTF16.isLeadSurrogate(units[0]) && UTF16.isTrailSurrogate(unit)) { break }
        units.append(unit)
        index = min(index + 6, end)
        if !UTF16.isLeadSurrogate(unit) { break }
      }
      if units.isEmpty {
        faults.append(
          Fault(
            rule: .escape, message: "\\u needs four hexadecimal digits; write \\u0020 for example",
            offset: text.offset(of: start)))
        return start + 2
      }
      bytes += String(decoding: units, as: UTF16.self).utf8
      return index
    }

    /// Four digits, or fewer where the text ends.
    private static func unit(_ bytes: [UInt8], _ start: Int, _ end: Int) -> UInt16? {
      guard start + 2 <= end, bytes[start] == UInt8(ascii: "\\"), bytes[start + 1] == UInt8(ascii: "u") else {
        return nil
      }
      var unit: UInt16 = 0
      for index in (start + 2)..<min(start + 6, end) {
        guard let digit = Hex.value(bytes[index]) else { return nil }
        unit = unit << 4 | UInt16(digit)
      }
      return unit
    }
  }
}
