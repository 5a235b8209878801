/// Shortens text so that a person still reads it well.
///
/// The cut is between grapheme clusters, so never inside an emoji sequence, a flag or a letter with its marks; white
/// space before the cut goes; an ellipsis is added; direction marks that are open are closed behind it.
public enum TextShortener {
  /// What a text costs.
  public enum Cost: Sendable, Hashable {
    /// Its bytes inside a JSON string, with the escapes that JSON needs (APNs counts so).
    case escaped
    /// Its bytes of UTF-8 (FCM counts so).
    case plain
    #if !(_pointerBitWidth(_32))
      /// Its bytes inside a JSON string of JSON that is itself a string (the data of Huawei's Push Kit).
      case nested
    #endif
  }

  /// The cost of a text in bytes.
  public static func bytes(_ text: String, _ cost: Cost) -> Int {
    var bytes = 0
    for byte in text.utf8 { bytes += self.bytes(byte, cost) }
    return bytes
  }

  private static func bytes(_ byte: UInt8, _ cost: Cost) -> Int {
    switch cost {
    case .plain: return 1
    case .escaped: return escapedBytes(byte)
    #if !(_pointerBitWidth(_32))
      case .nested:
        let bytes = escapedBytes(byte)
        // The backslash of the escape has one of its own, and so has what it escapes.
        return bytes == 1 ? 1 : bytes + (byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") ? 2 : 1)
    #endif
    }
  }

  /// The bytes that one byte of UTF-8 takes inside a JSON string.
  static func escapedBytes(_ byte: UInt8) -> Int {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x08, 0x09, 0x0A, 0x0C, 0x0D: 2
    case 0..<0x20: 6
    default: 1
    }
  }

  /// The longest beginning of a text that costs no more than `bytesMax` with its ellipsis and closing marks.
  ///
  /// - Parameters:
  ///   - text: the text; returned as it is when it costs no more than `bytesMax`.
  ///   - bytesMax: the budget.
  ///   - cost: how bytes are counted.
  ///   - charactersMin: how many characters must be left beside the ellipsis.
  ///   - ellipsis: what is added at the end.
  /// - Returns: nil when not even that many characters fit.
  public static func shorten(
    _ text: String, bytesMax: Int, _ cost: Cost, charactersMin: Int = 1, ellipsis: String = "…"
  ) -> String? {
    if bytes(text, cost) <= bytesMax { return text }
    let room = bytesMax - bytes(ellipsis, cost)
    guard room > 0 else { return nil }
    var directions = OpenDirections()
    var used = 0
    var characters = 0
    var best: (end: String.Index, closing: String)?
    for index in text.indices {
      let end = text.index(after: index)
      used += bytes(String(text[index..<end]), cost)
      if used > room { break }
      characters += 1
      for scalar in text[index..<end].unicodeScalars { directions.read(scalar) }
      // A cut behind white space, or behind a mark that has just been opened, is no better than the one before it.
      if characters < charactersMin || text[index].isWhitespace || directions.hasJustOpened { continue }
      if used + directions.closingBytes <= room { best = (end, directions.closing) }
    }
    return best.map { String(text[..<$0.end]) + ellipsis + $0.closing }
  }
}

/// The direction marks (UAX #9) that are open at a position in a text.
struct OpenDirections {
  private var stack: [Bool] = []  // true for an isolate, false for an embedding or override

  /// Whether the last scalar opened one.
  private(set) var hasJustOpened = false

  /// Reads the next scalar.
  mutating func read(_ scalar: Unicode.Scalar) {
    let depth = stack.count
    defer { hasJustOpened = stack.count > depth }
    switch scalar.value {
    case 0x2066...0x2068: stack.append(true)
    case 0x202A, 0x202B, 0x202D, 0x202E: stack.append(false)
    case 0x2069: closeIsolate()
    case 0x202C: if stack.last == false { stack.removeLast() }
    case 0x0A, 0x0D, 0x2029: stack.removeAll()  // a paragraph ends everything
    default: break
    }
  }

  /// Closing an isolate closes the embeddings inside it; without one the mark does nothing.
  private mutating func closeIsolate() {
    guard let index = stack.lastIndex(of: true) else { return }
    stack.removeSubrange(index...)
  }

  /// Each mark has three bytes of UTF-8 and needs no escape.
  var closingBytes: Int { stack.count * 3 }

  /// The marks that close what is open, innermost first.
  var closing: String {
    var text = ""
    for isIsolate in stack.reversed() { text += isIsolate ? "\u{2069}" : "\u{202C}" }
    return text
  }
}
