/// A piece of a template: text, `{{ … }}` or `{% … %}`.
struct Piece {
  enum Kind { case text, output, tag }
  let kind: Kind
  /// Of a tag: its name.
  var name: Range<Int> = 0..<0
  /// The text, or what is between the delimiters and behind the name.
  let content: Range<Int>
  /// Where it begins.
  let at: Int
}

/// Cuts a template into pieces; comments and `raw` are resolved, and the white space that `-` takes away is gone.
struct MarkupScanner {
  private let source: [UInt8]
  private var index = 0
  private var pieces: [Piece] = []
  /// Whether the delimiter before takes away white space.
  private var trims = false

  static func pieces(_ source: [UInt8]) throws(LiquidError) -> [Piece] {
    var scanner = MarkupScanner(source: source)
    while scanner.index < source.count { try scanner.next() }
    return scanner.pieces
  }

  private init(source: [UInt8]) { self.source = source }

  private static let brace = UInt8(ascii: "{")
  private static let percent = UInt8(ascii: "%")
  private static let dash = UInt8(ascii: "-")

  private func error(_ offset: Int, _ message: String, _ fix: String) -> LiquidError {
    LiquidError(source, at: offset, message, fix: fix)
  }

  private mutating func next() throws(LiquidError) {
    let start = index
    guard let open = opening(from: start) else {
      addText(start..<source.count)
      index = source.count
      return
    }
    if open > start {
      let trimsEnd = open + 2 < source.count && source[open + 2] == Self.dash
      addText(trimsEnd ? Space.trimmedEnd(start..<open, source) : start..<open)
    }
    index = open
    if source[open + 1] == Self.brace { try output() } else { try tag() }
  }

  private mutating func addText(_ range: Range<Int>) {
    let range = trims ? Space.trimmedStart(range, source) : range
    if !range.isEmpty { pieces.append(Piece(kind: .text, content: range, at: range.lowerBound)) }
  }

  /// The next `{{` or `{%`.
  private func opening(from start: Int) -> Int? {
    var at = start
    while at + 1 < source.count {
      if source[at] == Self.brace, source[at + 1] == Self.brace || source[at + 1] == Self.percent { return at }
      at += 1
    }
    return nil
  }

  /// The inside of a piece of markup that begins at `index`, without `-` and white space; `index` is behind it then.
  private mutating func inside(_ closing: UInt8, _ missing: String) throws(LiquidError) -> Range<Int> {
    let start = index
    var first = start + 2
    if first < source.count, source[first] == Self.dash { first += 1 }
    var end = first
    while end + 1 < source.count, !(source[end] == closing && source[end + 1] == UInt8(ascii: "}")) { end += 1 }
    guard end + 1 < source.count else {
      throw error(start, "\(missing) is missing", "close it, or write {% raw %}…{% endraw %} around text with braces")
    }
    index = end + 2
    trims = end > first && source[end - 1] == Self.dash
    return Space.trimmed(first..<(trims ? end - 1 : end), source)
  }

  private mutating func output() throws(LiquidError) {
    let start = index
    let content = try inside(UInt8(ascii: "}"), "}}")
    pieces.append(Piece(kind: .output, content: content, at: start))
  }

  private mutating func tag() throws(LiquidError) {
    let start = index
    let content = try inside(Self.percent, "%}")
    let (name, rest) = split(content)
    guard !name.isEmpty else {
      throw error(start, "the tag has no name", "write {% if %}, {% for %} …, or {% raw %} around text with braces")
    }
    switch text(name) {
    case "#": break
    case "raw": try raw(start)
    case "doc": try skip(start, "doc", nests: false)
    case "comment": try skip(start, "comment", nests: true)
    case "liquid": try lines(rest)
    default: pieces.append(Piece(kind: .tag, name: name, content: rest, at: start))
    }
  }

  private func text(_ range: Range<Int>) -> String { String(decoding: source[range], as: UTF8.self) }

  /// The name of a tag and what follows it.
  private func split(_ content: Range<Int>) -> (name: Range<Int>, rest: Range<Int>) {
    var end = content.lowerBound
    if end < content.upperBound, source[end] == UInt8(ascii: "#") {
      end += 1
    } else {
      while end < content.upperBound, ExpressionLexer.isWord(source[end]) { end += 1 }
    }
    return (content.lowerBound..<end, Space.trimmed(end..<content.upperBound, source))
  }

  /// The tag that begins at an offset, if it has one of two names.
  private func named(_ at: Int) -> (name: String, trimsStart: Bool, trimsEnd: Bool, end: Int)? {
    guard source[at + 1] == Self.percent else { return nil }
    var copy = self
    copy.index = at
    guard let content = try? copy.inside(Self.percent, "") else { return nil }
    let trimsStart = at + 2 < source.count && source[at + 2] == Self.dash
    return (text(split(content).name), trimsStart, copy.trims, copy.index)
  }

  /// Everything up to `{% endraw %}`, as it is.
  private mutating func raw(_ start: Int) throws(LiquidError) {
    let first = index
    let trimsFirst = trims
    var at = first
    while let open = opening(from: at) {
      if let found = named(open), found.name == "endraw" {
        trims = trimsFirst
        addText(found.trimsStart ? Space.trimmedEnd(first..<open, source) : first..<open)
        (index, trims) = (found.end, found.trimsEnd)
        return
      }
      at = open + 1
    }
    throw error(start, "{% endraw %} is missing", "close the {% raw %}")
  }

  /// Leaves out everything up to the end of a comment; comments may be in comments.
  private mutating func skip(_ start: Int, _ name: String, nests: Bool) throws(LiquidError) {
    var depth = 1
    var at = index
    while let open = opening(from: at) {
      at = open + 1
      guard let found = named(open) else { continue }
      at = found.end
      if found.name == name, nests { depth += 1 }
      if found.name == "end\(name)" { depth -= 1 }
      if depth == 0 {
        (index, trims) = (found.end, found.trimsEnd)
        return
      }
    }
    throw error(start, "{% end\(name) %} is missing", "close the {% \(name) %}")
  }

  /// The tags of `{% liquid %}`, one on each line.
  private mutating func lines(_ content: Range<Int>) throws(LiquidError) {
    var start = content.lowerBound
    var comment: Int?
    while start < content.upperBound {
      let end = source[start..<content.upperBound].firstIndex(of: 0x0A) ?? content.upperBound
      let line = Space.trimmed(start..<end, source)
      start = end + 1
      let (name, rest) = split(line)
      if comment != nil {
        if text(name) == "endcomment" { comment = nil }
        continue
      }
      switch text(name) {
      case "#": break
      case "" where line.isEmpty: break
      case "":
        throw error(line.lowerBound, "the line has no tag", "begin each line of {% liquid %} with a tag")
      case "comment": comment = line.lowerBound
      case "raw", "doc", "liquid":
        throw error(line.lowerBound, "{% \(text(name)) %} cannot be in {% liquid %}", "write it outside")
      default: pieces.append(Piece(kind: .tag, name: name, content: rest, at: line.lowerBound))
      }
    }
    if let comment { throw error(comment, "endcomment is missing", "close the comment") }
  }
}
