/// One table of a plain dump of PostgreSQL, where its rows are the lines between `COPY … FROM stdin;` and `\.`.
struct DumpTable {
  enum Event {
    case columns([String])
    /// The cells of a row; nil is NULL.
    case row([[UInt8]?])
  }

  private enum State {
    case before, inside, behind
  }

  let table: String
  private var state = State.before

  init(table: String) { self.table = table }

  /// Whether the end of the table is still to come.
  var isInside: Bool { state == .inside }

  /// Reads a line; nil when it is no part of the table.
  mutating func read(_ line: ArraySlice<UInt8>) throws(Exit) -> Event? {
    switch state {
    case .behind: return nil
    case .inside:
      if line.elementsEqual(Array(#"\."#.utf8)) {
        state = .behind
        return nil
      }
      return .row(line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false).map(Self.cell))
    case .before:
      // Statements are short; the rows of other tables need no look.
      guard line.first == UInt8(ascii: "C") || line.first == UInt8(ascii: "I"), line.count < 4_096 else { return nil }
      return try statement(String(decoding: line, as: UTF8.self))
    }
  }

  private mutating func statement(_ line: String) throws(Exit) -> Event? {
    if let insert = line.wholeMatch(of: /INSERT INTO (?:"?\w+"?\.)?"?(?<table>\w+)"? .*/), insert.output.table == table
    {
      throw .unreadable("the dump has INSERT statements; dump the table without --inserts, or as CSV")
    }
    let form = /COPY (?:"?\w+"?\.)?"?(?<table>\w+)"? \((?<columns>[^)]*)\) FROM stdin;/
    guard let copy = line.wholeMatch(of: form), copy.output.table == table else { return nil }
    state = .inside
    return .columns(
      copy.output.columns.split(separator: ",").map { $0.trimmed.filter { $0 != "\"" } })
  }

  /// A cell without its escapes (PostgreSQL's documentation of COPY, “Text Format”).
  private static func cell(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    guard text.contains(UInt8(ascii: #"\"#)) else { return Array(text) }
    if text.elementsEqual(Array(#"\N"#.utf8)) { return nil }
    var bytes: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: #"\"#), let escaped = rest.popFirst() else {
        bytes.append(byte)
        continue
      }
      switch escaped {
      case UInt8(ascii: "b"): bytes.append(0x08)
      case UInt8(ascii: "f"): bytes.append(0x0C)
      case UInt8(ascii: "n"): bytes.append(0x0A)
      case UInt8(ascii: "r"): bytes.append(0x0D)
      case UInt8(ascii: "t"): bytes.append(0x09)
      case UInt8(ascii: "v"): bytes.append(0x0B)
      default: bytes.append(escaped)
      }
    }
    return bytes
  }
}
