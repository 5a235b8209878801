internal import Basics

/// Blocks and tags.
extension Compiler {
  /// What was compiled of a block.
  struct Block {
    /// The tag that ends it, which was not compiled; nil at the end of the template.
    let end: Piece?
    /// Whether nothing in it writes anything but white space, which is then not written either.
    let isBlank: Bool
    /// Its texts.
    let texts: [Int]
  }

  /// Everything up to a tag that ends or continues a block.
  mutating func block() throws(LiquidError) -> Block {
    depth += 1
    defer { depth -= 1 }
    if depth > limits.nestingMax {
      throw error(
        next < pieces.count ? pieces[next].at : source.count, "more than \(limits.nestingMax) blocks are in each other",
        "nest fewer blocks")
    }
    var isBlank = true
    var texts: [Int] = []
    while next < pieces.count {
      let piece = pieces[next]
      switch piece.kind {
      case .text:
        let start = program.literals.count
        program.literals.append(contentsOf: source[piece.content])
        texts.append(emit(.text, start, program.literals.count, at: piece.at))
        if !Space.isAll(piece.content, source) { isBlank = false }
        next += 1
      case .output:
        next += 1
        try output(piece)
        isBlank = false
      case .tag:
        if Self.continuing.contains(name(of: piece)) { return Block(end: piece, isBlank: isBlank, texts: texts) }
        next += 1
        if try !tag(piece) { isBlank = false }
      }
    }
    return Block(end: nil, isBlank: isBlank, texts: texts)
  }

  private static let continuing: Set<String> = [
    "elsif", "else", "when", "endif", "endunless", "endcase", "endfor", "endcapture", "endifchanged",
  ]
  private static let known = [
    "if", "unless", "case", "for", "assign", "capture", "cycle", "increment", "decrement", "echo", "ifchanged", "break",
    "continue", "abort", "comment", "raw", "liquid", "doc",
  ]

  /// Compiles a tag; true when it writes nothing but white space.
  private mutating func tag(_ piece: Piece) throws(LiquidError) -> Bool {
    switch name(of: piece) {
    case "if": return try conditional(piece, end: "endif", isNegated: false)
    case "unless": return try conditional(piece, end: "endunless", isNegated: true)
    case "case": return try cases(piece)
    case "for": return try loop(piece)
    case "assign": try assign(piece)
    case "capture": try capture(piece)
    case "ifchanged": return try changed(piece)
    case "cycle":
      try cycle(piece)
      return false
    case "increment", "decrement":
      var lexer = try ExpressionLexer(source, piece.content)
      let name = try identifier(&lexer, piece)
      try end(lexer)
      emit(self.name(of: piece) == "increment" ? .increment : .decrement, counters[name] ?? 0, at: piece.at)
      return false
    case "echo":
      try output(piece)
      return false
    case "break", "continue": try leave(piece)
    // Braze's name for it.
    case "abort", "abort_message": emit(.abort, at: piece.at)
    default: throw unknown(piece)
    }
    return true
  }

  private func unknown(_ piece: Piece) -> LiquidError {
    let name = name(of: piece)
    if ["include", "render", "tablerow", "layout", "section"].contains(name) {
      return error(piece.at, "{% \(name) %} is not available in a push", "write the text itself")
    }
    let near = Self.known.min {
      EditDistance.between(Array($0.utf8), Array(name.utf8)) < EditDistance.between(Array($1.utf8), Array(name.utf8))
    }
    return error(piece.at, "there is no tag \"\(name)\"", "use a tag that there is; the nearest is \"\(near ?? "if")\"")
  }

  /// Takes the tag that a block ended with.
  private mutating func closing(_ block: Block, _ opening: Piece, _ names: [String]) throws(LiquidError) -> Piece {
    let last = names.last ?? ""
    guard let end = block.end else {
      throw error(opening.at, "{% \(last) %} is missing", "close the {% \(name(of: opening)) %}")
    }
    guard names.contains(name(of: end)) else {
      throw error(
        end.at, "{% \(name(of: end)) %} is not expected in {% \(name(of: opening)) %}",
        "close it with {% \(last) %} first")
    }
    next += 1
    return end
  }

  private mutating func clear(_ blocks: [Block]) {
    for index in blocks.flatMap({ $0.texts }) { (program.code[index].a, program.code[index].b) = (0, 0) }
  }

  private mutating func conditional(_ piece: Piece, end: String, isNegated: Bool) throws(LiquidError) -> Bool {
    var blocks: [Block] = []
    var ends: [Int] = []
    var current = piece
    var hasElse = false
    while true {
      var skip: Int?
      if name(of: current) == "else" {
        hasElse = true
      } else {
        try condition(current)
        let negated = isNegated && blocks.isEmpty
        skip = emit(negated ? .jumpIfTrue : .jumpIfFalse, at: current.at)
      }
      let block = try block()
      blocks.append(block)
      current = try closing(block, piece, hasElse ? [end] : ["elsif", "else", end])
      let isLast = name(of: current) == end
      if !isLast { ends.append(emit(.jump, at: current.at)) }
      if let skip { land(skip) }
      if isLast { break }
    }
    for jump in ends { land(jump) }
    let isBlank = blocks.allSatisfy { $0.isBlank }
    if isBlank { clear(blocks) }
    return isBlank
  }

  private mutating func condition(_ piece: Piece) throws(LiquidError) {
    var lexer = try ExpressionLexer(source, piece.content)
    if lexer.token.kind == .end {
      throw error(
        piece.at, "{% \(name(of: piece)) %} has no condition", "write what is tested, as in {% if name == \"Ann\" %}")
    }
    try boolean(&lexer)
    try end(lexer)
  }

  private mutating func cases(_ piece: Piece) throws(LiquidError) -> Bool {
    var lexer = try ExpressionLexer(source, piece.content)
    try primitive(&lexer)
    try end(lexer)
    let (value, matched) = (hidden(), hidden())
    emit(.assign, value, at: piece.at)
    emit(.constant, constant(.bool(false)), at: piece.at)
    emit(.assign, matched, at: piece.at)
    while next < pieces.count, pieces[next].kind != .tag { next += 1 }
    guard next < pieces.count, ["when", "else", "endcase"].contains(name(of: pieces[next])) else {
      throw error(
        piece.at, "{% when %} is missing", "write {% when … %} behind {% case %}, and {% endcase %} at the end")
    }
    var current = pieces[next]
    next += 1
    var blocks: [Block] = []
    while name(of: current) != "endcase" {
      let skip: Int
      if name(of: current) == "else" {
        emit(.variable, matched, -1, at: current.at)
        skip = emit(.jumpIfTrue, at: current.at)
      } else {
        try when(current, value)
        skip = emit(.jumpIfFalse, at: current.at)
        emit(.constant, constant(.bool(true)), at: current.at)
        emit(.assign, matched, at: current.at)
      }
      let block = try block()
      blocks.append(block)
      land(skip)
      current = try closing(block, piece, ["when", "else", "endcase"])
    }
    let isBlank = blocks.allSatisfy { $0.isBlank }
    if isBlank { clear(blocks) }
    return isBlank
  }

  private mutating func when(_ piece: Piece, _ value: Int) throws(LiquidError) {
    var lexer = try ExpressionLexer(source, piece.content)
    var matches: [Int] = []
    while true {
      emit(.variable, value, -1, at: piece.at)
      try primitive(&lexer)
      emit(.compare, flag: Instruction.Comparison.equal.rawValue, at: piece.at)
      guard lexer.isMark(",") || lexer.isWord("or") else { break }
      matches.append(emit(.or, at: piece.at))
      try lexer.advance()
    }
    try end(lexer)
    for jump in matches { land(jump) }
  }

  private mutating func loop(_ piece: Piece) throws(LiquidError) -> Bool {
    var lexer = try ExpressionLexer(source, piece.content)
    guard lexer.token.kind == .word else {
      throw error(piece.at, "{% for %} needs a name", "write {% for item in list %}")
    }
    let name = lexer.text
    try lexer.advance()
    guard lexer.isWord("in") else {
      throw error(lexer.token.range.lowerBound, "\"in\" is missing", "write {% for \(name) in list %}")
    }
    try lexer.advance()
    let first = lexer.token.range.lowerBound
    try primitive(&lexer)
    let iterated = String(decoding: source[first..<max(first, lexer.token.range.lowerBound)], as: UTF8.self)
    let flags = try loopOptions(&lexer)
    let slot = loops.count
    program.loopsCount = max(program.loopsCount, slot + 1)
    let begin = emit(.loopBegin, slot, flag: flags.rawValue, at: piece.at)
    emit(.jump, resume("\(name) \(iterated)"), at: piece.at)
    let body = program.code.count
    loops.append(Loop(name: name, slot: slot, capturesOutside: captures))
    captures = 0
    let block = try block()
    let end = try closing(block, piece, ["else", "endfor"])
    let loop = loops.removeLast()
    captures = loop.capturesOutside
    for jump in loop.continues { land(jump) }
    emit(.loopNext, slot, body, at: end.at)
    if block.isBlank { clear([block]) }
    var isBlank = block.isBlank
    if self.name(of: end) == "else" {
      let skip = emit(.jump, at: end.at)
      program.code[begin].b = Int32(truncatingIfNeeded: program.code.count)
      let other = try self.block()
      _ = try closing(other, piece, ["endfor"])
      if other.isBlank { clear([other]) } else { isBlank = false }
      land(skip)
    } else {
      program.code[begin].b = Int32(truncatingIfNeeded: program.code.count)
    }
    for jump in loop.breaks { land(jump) }
    return isBlank
  }

  private mutating func loopOptions(_ lexer: inout ExpressionLexer) throws(LiquidError) -> Instruction.LoopFlags {
    var flags: Instruction.LoopFlags = []
    var limit: [Instruction] = []
    var offset: [Instruction] = []
    while lexer.token.kind != .end {
      if lexer.isMark(",") {
        try lexer.advance()
        continue
      }
      let word = lexer.text
      let position = lexer.token.range.lowerBound
      try lexer.advance()
      if word == "reversed" {
        flags.insert(.reversed)
        continue
      }
      guard word == "limit" || word == "offset", lexer.isMark(":") else {
        throw error(position, "\"\(word)\" is not expected", "write reversed, limit: 3 or offset: 1")
      }
      try lexer.advance()
      if word == "offset", lexer.isWord("continue") {
        flags.insert(.resumed)
        try lexer.advance()
        continue
      }
      let start = program.code.count
      try primitive(&lexer)
      let code = Array(program.code[start...])
      program.code.removeSubrange(start...)
      if word == "limit" { limit = code } else { offset = code }
    }
    if !limit.isEmpty { flags.insert(.limit) }
    if !offset.isEmpty { flags.insert(.offset) }
    program.code += limit + offset
    return flags
  }

  private mutating func leave(_ piece: Piece) throws(LiquidError) {
    guard !loops.isEmpty else {
      throw error(piece.at, "{% \(name(of: piece)) %} is outside of a loop", "put it into a {% for %}")
    }
    for _ in 0..<captures { emit(.captureDrop, at: piece.at) }
    let jump = emit(.jump, at: piece.at)
    if name(of: piece) == "break" {
      loops[loops.count - 1].breaks.append(jump)
    } else {
      loops[loops.count - 1].continues.append(jump)
    }
  }

  private mutating func assign(_ piece: Piece) throws(LiquidError) {
    var lexer = try ExpressionLexer(source, piece.content)
    let name = try identifier(&lexer, piece)
    guard lexer.isMark("=") else {
      throw error(lexer.token.range.lowerBound, "\"=\" is missing", "write {% assign \(name) = … %}")
    }
    try lexer.advance()
    try filtered(&lexer)
    emit(.assign, variables[name] ?? 0, at: piece.at)
  }

  private mutating func capture(_ piece: Piece) throws(LiquidError) {
    var lexer = try ExpressionLexer(source, piece.content)
    let name = try identifier(&lexer, piece)
    try end(lexer)
    emit(.capture, at: piece.at)
    captures += 1
    let block = try block()
    captures -= 1
    _ = try closing(block, piece, ["endcapture"])
    if block.isBlank { clear([block]) }
    emit(.captureEnd, variables[name] ?? 0, at: piece.at)
  }

  private mutating func changed(_ piece: Piece) throws(LiquidError) -> Bool {
    emit(.capture, at: piece.at)
    captures += 1
    let block = try block()
    captures -= 1
    _ = try closing(block, piece, ["endifchanged"])
    if block.isBlank { clear([block]) }
    emit(.changedEnd, at: piece.at)
    return block.isBlank
  }

  private mutating func cycle(_ piece: Piece) throws(LiquidError) {
    var lexer = try ExpressionLexer(source, piece.content)
    var key = String(decoding: source[piece.content], as: UTF8.self)
    let following = try lexer.following()
    if following.isMark(":") {
      key = lexer.text
      try lexer.advance()
      try lexer.advance()
    }
    var count = 0
    while lexer.token.kind != .end {
      if lexer.isMark(",") {
        try lexer.advance()
        continue
      }
      try primitive(&lexer)
      count += 1
    }
    guard count > 0 else { throw error(piece.at, "{% cycle %} has no values", "write {% cycle \"a\", \"b\" %}") }
    emit(.cycle, cycle(key), count, at: piece.at)
  }
}
