internal import Basics

/// Expressions: paths, literals, filters and conditions.
extension Compiler {
  mutating func output(_ piece: Piece) throws(LiquidError) {
    if takesFallbacks, try fallback(piece) { return }
    var lexer = try ExpressionLexer(source, piece.content)
    if lexer.token.kind == .end {
      throw error(piece.at, "there is nothing between the braces", "write a name, as in {{ first_name }}")
    }
    let start = program.code.count
    try filtered(&lexer)
    if program.code.count == start + 1, program.code[start].code == .input {
      program.code[start].code = .writeInput
      program.code[start].at = Int32(truncatingIfNeeded: piece.at)
    } else {
      emit(.write, at: piece.at)
    }
  }

  /// A value and its filters, up to the end.
  mutating func filtered(_ lexer: inout ExpressionLexer) throws(LiquidError) {
    let start = program.code.count
    try primitive(&lexer)
    while lexer.isMark("|") {
      try lexer.advance()
      try filter(&lexer)
    }
    try end(lexer)
    // A missing value is no mistake where a default follows.
    let isDefault = { (step: Instruction) in step.code == .filter && step.a == Int32(Filter.default.rawValue) }
    if let last = program.code[start...].lastIndex(where: isDefault) {
      for index in start..<last where program.code[index].code == .filter {
        program.code[index].flag |= Instruction.FilterFlags.isGuarded.rawValue
      }
    }
  }

  private mutating func filter(_ lexer: inout ExpressionLexer) throws(LiquidError) {
    let position = lexer.token.range.lowerBound
    let name = lexer.text
    guard lexer.token.kind == .word, let filter = Filter(name: name) else { throw unknownFilter(name, position) }
    try lexer.advance()
    var count = 0
    var flags: Instruction.FilterFlags = []
    if lexer.isMark(":") {
      try lexer.advance()
      while lexer.token.kind != .end, !lexer.isMark("|") {
        let following = try lexer.following()
        if lexer.token.kind == .word, following.isMark(":") {
          guard filter == .default, lexer.isWord("allow_false") else {
            throw error(lexer.token.range.lowerBound, "\(name) has no argument \"\(lexer.text)\"", "remove it")
          }
          try lexer.advance()
          try lexer.advance()
          try primitive(&lexer)
          flags.insert(.allowsFalse)
        } else {
          guard !flags.contains(.allowsFalse) else {
            throw error(lexer.token.range.lowerBound, "a value follows allow_false", "write allow_false last")
          }
          try primitive(&lexer)
          count += 1
        }
        guard lexer.isMark(",") else { break }
        try lexer.advance()
      }
    }
    guard filter.arguments.contains(count) else {
      let most = filter.arguments.upperBound
      let range = filter.arguments.count == 1 ? "\(most)" : "\(filter.arguments.lowerBound) to \(most)"
      throw error(
        position, "\(name) has \(count) arguments and takes \(range)",
        most == 0 ? "write | \(name)" : "write | \(name): and the arguments, separated by commas")
    }
    emit(.filter, Int(filter.rawValue), count, flag: flags.rawValue, at: position)
  }

  private func unknownFilter(_ name: String, _ position: Int) -> LiquidError {
    guard !name.isEmpty else {
      return error(position, "the filter's name is missing", "write | upcase or another filter")
    }
    let near = Filter.names.min {
      EditDistance.between(Array($0.utf8), Array(name.utf8)) < EditDistance.between(Array($1.utf8), Array(name.utf8))
    }
    return error(
      position, "there is no filter \"\(name)\"",
      "use a filter that there is (the nearest is \"\(near ?? "default")\"); a default is written | default: \"\(name)\""
    )
  }

  /// `{{ name|there }}`, when what is behind the bar is no filter.
  private mutating func fallback(_ piece: Piece) throws(LiquidError) -> Bool {
    let content = source[piece.content]
    guard let bar = content.firstIndex(of: UInt8(ascii: "|")) else { return false }
    let name = source[Space.trimmed(content.startIndex..<bar, source)]
    let text = source[Space.trimmed(bar + 1..<content.endIndex, source)]
    guard !name.isEmpty, name.allSatisfy(PlainName.isNameByte), !text.contains(UInt8(ascii: "{")),
      !LiquidFilters.begin(text)
    else {
      return false
    }
    let path = String(decoding: name, as: UTF8.self).split(separator: ".").map(String.init)
    guard let root = path.first else { return false }
    if variables[root] != nil || loops.contains(where: { $0.name == root }) {
      var lexer = try ExpressionLexer(source, piece.content.lowerBound..<bar)
      try primitive(&lexer)
      try end(lexer)
    } else {
      emit(.input, try input(path, at: piece.at), at: piece.at)
    }
    emit(.fallback, self.text(text), at: piece.at)
    emit(.write, at: piece.at)
    return true
  }

  // MARK: - Values

  /// A literal, a range or a path.
  mutating func primitive(_ lexer: inout ExpressionLexer) throws(LiquidError) {
    let token = lexer.token
    let position = token.range.lowerBound
    switch token.kind {
    case .text: emit(.constant, text(source[token.range]), at: position)
    case .integer, .decimal: emit(.constant, constant(try number(lexer)), at: position)
    case .word:
      guard let literal = Self.literals[lexer.text] else { return try path(&lexer) }
      emit(.constant, constant(literal), at: position)
    case .mark where lexer.isMark("("): return try range(&lexer)
    case .mark where lexer.isMark("["): return try path(&lexer)
    case .mark, .end:
      throw error(
        position, token.kind == .end ? "a value is missing" : "a value is expected, found \"\(lexer.text)\"",
        "write a name, a number, or a text in quotes")
    }
    try lexer.advance()
  }

  private static let literals: [String: Value] = [
    "true": .bool(true), "false": .bool(false), "nil": .null, "null": .null, "empty": .empty, "blank": .blank,
  ]

  private func number(_ lexer: ExpressionLexer) throws(LiquidError) -> Value {
    var text = lexer.text
    if lexer.token.kind == .integer {
      guard let value = Int64(text) else {
        throw error(lexer.token.range.lowerBound, "the number is too large", "write a number of at most 18 digits")
      }
      return .integer(value)
    }
    if text.hasSuffix(".") { text += "0" }
    return .decimal(Double(text) ?? 0)
  }

  private mutating func range(_ lexer: inout ExpressionLexer) throws(LiquidError) {
    let position = lexer.token.range.lowerBound
    try lexer.advance()
    try primitive(&lexer)
    guard lexer.isMark("..") else {
      throw error(position, "parentheses are for ranges", "write (1..5); conditions have no parentheses")
    }
    try lexer.advance()
    try primitive(&lexer)
    guard lexer.isMark(")") else { throw error(position, "the range has no closing parenthesis", "write (1..5)") }
    try lexer.advance()
    emit(.range, at: position)
  }

  private enum Segment {
    case name([UInt8])
    case index(Int64)
    case value([Instruction])
  }

  private mutating func path(_ lexer: inout ExpressionLexer) throws(LiquidError) {
    let position = lexer.token.range.lowerBound
    depth += 1
    defer { depth -= 1 }
    guard depth <= 2 * limits.nestingMax else {
      throw error(position, "too many brackets are in each other", "nest fewer")
    }
    let segments = try self.segments(&lexer)
    guard case .name(let first)? = segments.first else {
      throw error(position, "a path begins with a name", "write a name in front of the bracket")
    }
    let root = String(decoding: first, as: UTF8.self)
    var rest = segments.dropFirst()
    if let loop = loops.last(where: { $0.name == root }) {
      emit(.element, loop.slot, at: position)
    } else if root == "forloop", let loop = loops.last {
      emit(.loop, loop.slot, at: position)
    } else if let variable = variables[root] {
      emit(.variable, variable, try input([root], at: position), at: position)
    } else {
      var names = [root]
      while case .name(let bytes)? = rest.first {
        let name = String(decoding: bytes, as: UTF8.self)
        if ["size", "first", "last"].contains(name), !(names.count == 1 && objects.contains(root)) { break }
        names.append(name)
        rest = rest.dropFirst()
      }
      let number = try input(names, at: position)
      if let counter = counters[root] {
        emit(.inputOrCounter, number, counter, at: position)
      } else {
        emit(.input, number, at: position)
      }
    }
    for segment in rest {
      switch segment {
      case .name(let bytes): emit(.member, text(bytes), at: position)
      case .index(let index):
        emit(.constant, constant(.integer(index)), at: position)
        emit(.index, at: position)
      case .value(let code):
        program.code += code
        emit(.index, at: position)
      }
    }
  }

  private mutating func segments(_ lexer: inout ExpressionLexer) throws(LiquidError) -> [Segment] {
    var segments: [Segment] = []
    if lexer.token.kind == .word {
      segments.append(.name(Array(source[lexer.token.range])))
      try lexer.advance()
    }
    while true {
      if lexer.isMark(".") {
        try lexer.advance()
        guard lexer.token.kind == .word else {
          throw error(
            lexer.token.range.lowerBound, "a name is expected behind the dot", "write a name, or an index in brackets")
        }
        segments.append(.name(Array(source[lexer.token.range])))
        try lexer.advance()
      } else if lexer.isMark("[") {
        let position = lexer.token.range.lowerBound
        try lexer.advance()
        switch lexer.token.kind {
        case .text:
          segments.append(.name(Array(source[lexer.token.range])))
          try lexer.advance()
        case .integer:
          segments.append(.index(Int64(lexer.text) ?? 0))
          try lexer.advance()
        default:
          let start = program.code.count
          try path(&lexer)
          segments.append(.value(Array(program.code[start...])))
          program.code.removeSubrange(start...)
        }
        guard lexer.isMark("]") else { throw error(position, "the bracket is not closed", "write ] behind the index") }
        try lexer.advance()
      } else {
        return segments
      }
    }
  }

  // MARK: - Conditions

  /// How tightly an operator binds, `and` and `or` alike and both from the right; nil for what is none.
  private func precedence(_ lexer: ExpressionLexer) -> Int? {
    if lexer.isWord("and") || lexer.isWord("or") { return 2 }
    if lexer.isWord("contains") { return 6 }
    return comparison(lexer) == nil ? nil : 5
  }

  private func comparison(_ lexer: ExpressionLexer) -> Instruction.Comparison? {
    if lexer.isWord("contains") { return .contains }
    guard lexer.token.kind == .mark else { return nil }
    switch lexer.text {
    case "==": return .equal
    case "!=", "<>": return .unequal
    case "<": return .less
    case "<=": return .lessOrEqual
    case ">": return .greater
    case ">=": return .greaterOrEqual
    default: return nil
    }
  }

  mutating func boolean(_ lexer: inout ExpressionLexer, _ least: Int = 1) throws(LiquidError) {
    depth += 1
    defer { depth -= 1 }
    guard depth <= 2 * limits.nestingMax else {
      throw error(
        lexer.token.range.lowerBound, "the condition has too many operators", "split it into several {% if %}")
    }
    try primitive(&lexer)
    while let precedence = precedence(lexer), precedence >= least {
      let position = lexer.token.range.lowerBound
      if precedence == 2 {
        let jump = emit(lexer.isWord("and") ? .and : .or, at: position)
        try lexer.advance()
        try boolean(&lexer, precedence)
        emit(.truth, at: position)
        land(jump)
      } else {
        let operation = comparison(lexer) ?? .equal
        try lexer.advance()
        try boolean(&lexer, precedence)
        emit(.compare, flag: operation.rawValue, at: position)
      }
    }
  }
}

/// The names of placeholders with a fallback: `{{ name|there }}`.
enum PlainName {
  static func isNameByte(_ byte: UInt8) -> Bool {
    ExpressionLexer.isWord(byte) && byte < 0x80 || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
  }
}
