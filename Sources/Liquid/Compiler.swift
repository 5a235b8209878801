internal import Basics

/// Turns the pieces of a template into a program.
struct Compiler {
  let source: [UInt8]
  let pieces: [Piece]
  let objects: Set<String>
  let takesFallbacks: Bool
  let limits: LiquidLimits
  var program = Program()
  /// The next piece.
  var next = 0
  var depth = 0
  /// The loops that the next piece is in, outermost first.
  var loops: [Loop] = []
  /// The texts that are being captured inside of the innermost loop.
  var captures = 0
  var variables: [String: Int] = [:]
  var counters: [String: Int] = [:]
  private var inputs: [String: Int] = [:]
  private var texts: [String: Int] = [:]
  private var resumes: [String: Int] = [:]
  private var cycles: [String: Int] = [:]

  struct Loop {
    let name: String
    let slot: Int
    /// Jumps to be pointed at the end of the loop, and at its next turn.
    var breaks: [Int] = []
    var continues: [Int] = []
    let capturesOutside: Int
  }

  init(source: [UInt8], pieces: [Piece], objects: Set<String>, takesFallbacks: Bool, limits: LiquidLimits) {
    self.source = source
    self.pieces = pieces
    self.objects = objects
    self.takesFallbacks = takesFallbacks
    self.limits = limits
  }

  mutating func compile() throws(LiquidError) {
    try declare()
    let block = try block()
    if let end = block.end {
      let name = name(of: end)
      throw error(
        end.at, "{% \(name) %} has no beginning",
        name.hasPrefix("end") ? "remove it, or open the block" : "put it into its block")
    }
    emit(.end, at: source.count)
    program.variablesCount = variables.count
    program.countersCount = counters.count
  }

  /// Finds every name that the template sets, so that what reads one before is the same.
  private mutating func declare() throws(LiquidError) {
    for piece in pieces where piece.kind == .tag {
      switch name(of: piece) {
      case "assign", "capture":
        var lexer = try ExpressionLexer(source, piece.content)
        let name = try identifier(&lexer, piece)
        if variables[name] == nil { variables[name] = variables.count }
      case "increment", "decrement":
        var lexer = try ExpressionLexer(source, piece.content)
        let name = try identifier(&lexer, piece)
        if counters[name] == nil { counters[name] = counters.count }
      default: break
      }
    }
  }

  // MARK: - What is written

  func error(_ offset: Int, _ message: String, _ fix: String) -> LiquidError {
    LiquidError(source, at: offset, message, fix: fix)
  }

  func name(of piece: Piece) -> String { String(decoding: source[piece.name], as: UTF8.self) }

  @discardableResult
  mutating func emit(_ code: Instruction.Code, _ a: Int = 0, _ b: Int = 0, flag: UInt8 = 0, at: Int) -> Int {
    program.code.append(
      Instruction(
        code: code, flag: flag, a: Int32(truncatingIfNeeded: a), b: Int32(truncatingIfNeeded: b),
        at: Int32(truncatingIfNeeded: at)))
    return program.code.count - 1
  }

  /// Points a jump at the next instruction.
  mutating func land(_ jump: Int) { program.code[jump].a = Int32(truncatingIfNeeded: program.code.count) }

  mutating func constant(_ value: Value) -> Int {
    program.constants.append(value)
    return program.constants.count - 1
  }

  /// The constant of a text.
  mutating func text(_ bytes: some Collection<UInt8>) -> Int {
    let key = String(decoding: bytes, as: UTF8.self)
    if let known = texts[key] { return known }
    let start = program.literals.count
    program.literals.append(contentsOf: bytes)
    let found = constant(.text(start..<program.literals.count))
    texts[key] = found
    return found
  }

  mutating func input(_ path: [String], at offset: Int) throws(LiquidError) -> Int {
    let name = path.joined(separator: ".")
    if let known = inputs[name] { return known }
    guard program.inputs.count < min(limits.inputsMax, 64) else {
      throw error(offset, "the template reads more than \(min(limits.inputsMax, 64)) values", "read fewer values")
    }
    program.inputs.append(LiquidInput(path: path, name: name, offset: offset))
    inputs[name] = program.inputs.count - 1
    return program.inputs.count - 1
  }

  /// The number by which `offset: continue` finds where a loop over the same ended.
  mutating func resume(_ key: String) -> Int {
    if let known = resumes[key] { return known }
    resumes[key] = program.resumesCount
    program.resumesCount += 1
    return program.resumesCount - 1
  }

  mutating func cycle(_ key: String) -> Int {
    if let known = cycles[key] { return known }
    cycles[key] = program.cyclesCount
    program.cyclesCount += 1
    return program.cyclesCount - 1
  }

  /// A variable that the template cannot name.
  mutating func hidden() -> Int {
    variables[" \(variables.count)"] = variables.count
    return variables.count - 1
  }

  /// A name that is set.
  func identifier(_ lexer: inout ExpressionLexer, _ piece: Piece) throws(LiquidError) -> String {
    guard lexer.token.kind == .word || lexer.token.kind == .text, !lexer.token.range.isEmpty else {
      throw error(piece.at, "{% \(name(of: piece)) %} needs a name", "write {% \(name(of: piece)) name … %}")
    }
    let name = lexer.text
    if objects.contains(name) {
      throw error(lexer.token.range.lowerBound, "\(name) cannot be set", "choose another name")
    }
    try lexer.advance()
    return name
  }

  func end(_ lexer: ExpressionLexer) throws(LiquidError) {
    guard lexer.token.kind == .end else {
      throw error(
        lexer.token.range.lowerBound, "\"\(lexer.text)\" is not expected",
        "remove it; filters follow a |, and their arguments are separated by commas")
    }
  }
}
