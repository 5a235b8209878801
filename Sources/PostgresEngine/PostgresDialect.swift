/// What a statement of the store has that PostgreSQL says otherwise.
///
/// The store's SQL is written in what both engines take. Four things remain, each a word or two: parameters (`?1`), a column
/// named `user`, which is a function there, hints for the planner, and literals of bytes.
enum PostgresDialect {
  static func translated(_ sql: String) -> String {
    var output: [UInt8] = []
    let input = Array(sql.utf8)
    output.reserveCapacity(input.count + 16)
    var offset = 0
    while offset < input.count {
      let byte = input[offset]
      if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
        let end = endOfText(input, offset, byte)
        output += input[offset..<end]
        offset = end
      } else if byte == UInt8(ascii: "?") {
        output.append(UInt8(ascii: "$"))
        offset += 1
      } else if isWord(byte) {
        var end = offset
        while end < input.count, isWord(input[end]) { end += 1 }
        offset = translate(input, offset, end, &output)
      } else {
        output.append(byte)
        offset += 1
      }
    }
    return String(decoding: output, as: UTF8.self)
  }

  /// The numbers of parameters below the last one that translated SQL leaves out.
  static func unused(_ sql: String) -> Set<Int> {
    var used: Set<Int> = []
    var rest = sql.utf8[...]
    while let start = rest.firstIndex(of: UInt8(ascii: "$")) {
      rest = rest[rest.index(after: start)...]
      let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      if let number = Int(String(decoding: digits, as: UTF8.self)) { used.insert(number) }
    }
    return Set(1..<max(used.max() ?? 1, 1)).subtracting(used)
  }

  /// Writes a word; returns where the next one can begin.
  private static func translate(_ input: [UInt8], _ start: Int, _ end: Int, _ output: inout [UInt8]) -> Int {
    let word = input[start..<end]
    if word.elementsEqual("user".utf8) {
      output += Array("\"user\"".utf8)
    } else if word.elementsEqual("INDEXED".utf8) {
      return skip(2, input, end)
    } else if word.elementsEqual("NOT".utf8), nextWord(input, end).elementsEqual("INDEXED".utf8) {
      return skip(1, input, end)
    } else if word.elementsEqual("CROSS".utf8) {
      // SQLite's word for a join whose tables are read in this order.
    } else if word.elementsEqual("x".utf8), end < input.count, input[end] == UInt8(ascii: "'") {
      let behind = endOfText(input, end, UInt8(ascii: "'"))
      output += Array("'\\x".utf8) + input[(end + 1)..<behind]
      return behind
    } else {
      output += word
    }
    return end
  }

  private static func skip(_ words: Int, _ input: [UInt8], _ start: Int) -> Int {
    (0..<words).reduce(start) { offset, _ in nextWord(input, offset).endIndex }
  }

  private static func nextWord(_ input: [UInt8], _ start: Int) -> ArraySlice<UInt8> {
    var first = start
    while first < input.count, !isWord(input[first]) { first += 1 }
    var end = first
    while end < input.count, isWord(input[end]) { end += 1 }
    return input[first..<end]
  }

  /// Behind a text in quotation marks.
  private static func endOfText(_ input: [UInt8], _ start: Int, _ mark: UInt8) -> Int {
    var end = start + 1
    while end < input.count, input[end] != mark { end += 1 }
    return min(end + 1, input.count)
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
