/// A text cut into lines of a certain width.
public struct TextLines: Sendable, Hashable {
  /// The lines; the last ends with an ellipsis when something does not fit.
  public var lines: [String] = []
  /// True when not all of the text is shown.
  public var isCut = false
  /// How many characters are shown, the ellipsis not counted.
  public var shown = 0
  /// How many characters there are.
  public var count = 0
  /// The direction of the text by its first letter.
  public var direction: TextDirection?

  /// No lines.
  init() {}

  /// Cuts a text into lines.
  ///
  /// - Parameters:
  ///   - text: the text.
  ///   - width: the room for a line, in thousandths of an em.
  ///   - linesMax: the most lines.
  ///   - keepsLineFeeds: whether a line feed ends a line; otherwise it is a space.
  init(_ text: InertText, width: Int, linesMax: Int, keepsLineFeeds: Bool = true) {
    let scalars = text.scalars
    count = scalars.count
    direction = TextDirection.of(scalars[...])
    var start = 0
    while start < scalars.count, lines.count < linesMax {
      let line = TextLines.line(scalars, from: start, width: width, keepsLineFeeds: keepsLineFeeds)
      if lines.count == linesMax - 1, TextLines.hasText(scalars, from: line.next) {
        cutLast(scalars, from: start, width: width, keepsLineFeeds)
        return
      }
      lines.append(TextLines.string(scalars, start, line.end, keepsLineFeeds))
      shown = line.next
      start = line.next
    }
    shown = scalars.count
  }

  /// The last line, with an ellipsis for what does not fit.
  private mutating func cutLast(_ scalars: [Unicode.Scalar], from start: Int, width: Int, _ keepsLineFeeds: Bool) {
    let line = TextLines.line(
      scalars, from: start, width: width - 1000, keepsLineFeeds: keepsLineFeeds, breaksWords: true)
    var end = line.end
    while end > start, scalars[end - 1] == " " { end -= 1 }
    lines.append(TextLines.string(scalars, start, end, keepsLineFeeds) + "…")
    shown = end
    isCut = true
  }

  private static func hasText(_ scalars: [Unicode.Scalar], from start: Int) -> Bool {
    var index = start
    while index < scalars.count {
      if scalars[index] != " " && scalars[index] != "\n" { return true }
      index += 1
    }
    return false
  }

  private static func string(_ scalars: [Unicode.Scalar], _ start: Int, _ end: Int, _ keepsLineFeeds: Bool) -> String {
    guard !keepsLineFeeds else { return InertText.string(scalars[start..<end]) }
    return InertText.string(scalars[start..<end].map { $0 == "\n" ? " " : $0 }[...])
  }

  /// One line from an index on: where it ends, and where the next begins.
  private static func line(
    _ scalars: [Unicode.Scalar], from start: Int, width: Int, keepsLineFeeds: Bool, breaksWords: Bool = false
  ) -> (end: Int, next: Int) {
    var used = 0
    var index = start
    /// The last index where the line may end, and where the next would begin.
    var chance: (end: Int, next: Int)?
    while index < scalars.count {
      let scalar = scalars[index]
      let value = scalar.value
      if scalar == "\n", keepsLineFeeds { return (index, index + 1) }
      if scalar == " " || scalar == "\n" {
        chance = (index, index + 1)
      } else if index > start, !CharacterWidth.isClosing(value), value > 0x2E7F || value >= 0x0E00,
        CharacterWidth.breaksAnywhere(value) || CharacterWidth.breaksAnywhere(scalars[index - 1].value),
        !CharacterWidth.isMark(value)
      {
        if scalars[index - 1] != " " { chance = (index, index) }
      }
      used += joins(scalars, index) ? 0 : CharacterWidth.of(scalar)
      if used > width, index > start {
        if scalar == " " { return (index, index + 1) }
        if let chance, !breaksWords { return chance }
        let end = clusterStart(scalars, index, notBefore: start + 1)
        return (end, end)
      }
      index += 1
    }
    return (scalars.count, scalars.count)
  }

  /// True for a character that melts into the one before: after a zero-width joiner, or the second half of a flag.
  private static func joins(_ scalars: [Unicode.Scalar], _ index: Int) -> Bool {
    guard scalars[index].value > 0x2000, index > 0 else { return false }
    if scalars[index - 1].value == 0x200D { return true }
    guard isFlagHalf(scalars[index]) else { return false }
    var before = index
    while before > 0, isFlagHalf(scalars[before - 1]), index - before < 64 { before -= 1 }
    return (index - before) % 2 == 1
  }

  private static func isFlagHalf(_ scalar: Unicode.Scalar) -> Bool { (0x1F1E6...0x1F1FF).contains(scalar.value) }

  /// The beginning of what a person takes for one character.
  private static func clusterStart(_ scalars: [Unicode.Scalar], _ index: Int, notBefore limit: Int) -> Int {
    var start = index
    while start > limit, CharacterWidth.isMark(scalars[start].value) || joins(scalars, start) { start -= 1 }
    return start
  }
}
