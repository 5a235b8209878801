/// The machine.
extension LiquidRenderer {
  /// Renders with the inputs as they are.
  ///
  /// - Parameter now: the time that `"now"` means, in seconds since 1970.
  public mutating func render(now: Int64 = 0) -> LiquidOutcome {
    reset()
    self.now = now
    let code = template.program.code
    let constants = template.program.constants
    var at = 0
    while stop == nil {
      steps -= 1
      if steps < 0 { fail(.steps) }
      let step = code[at]
      position = step.at
      at += 1
      switch step.code {
      case .text: write(literal: Int(step.a)..<Int(step.b))
      case .write: write(stack.removeLast())
      case .writeInput: write(input(Int(step.a)))
      case .constant: stack.append(constants[Int(step.a)])
      case .input: stack.append(input(Int(step.a)))
      case .jump: at = Int(step.a)
      case .jumpIfFalse, .jumpIfTrue:
        // In two steps: in one, the arrays of `self` would be copied for the call before the stack changes.
        let value = stack.removeLast()
        if isTrue(value) == (step.code == .jumpIfTrue) { at = Int(step.a) }
      case .and, .or:
        let value = stack.removeLast()
        if isTrue(value) == (step.code == .or) {
          stack.append(.bool(step.code == .or))
          at = Int(step.a)
        }
      case .loopBegin: at = begin(step, code, at)
      case .loopNext: if advance(Int(step.a)) { at = Int(step.b) }
      case .abort: stop = .aborted
      case .end: stop = .rendered
      default: evaluate(step)
      }
    }
    return stop ?? .rendered
  }

  /// The steps that do not go anywhere.
  private mutating func evaluate(_ step: Instruction) {
    let a = Int(step.a)
    switch step.code {
    case .filter: apply(step)
    case .compare: compare(Instruction.Comparison(rawValue: step.flag) ?? .equal)
    case .truth:
      let value = stack.removeLast()
      stack.append(.bool(isTrue(value)))
    case .fallback: if stack[stack.count - 1].isNothing { stack[stack.count - 1] = template.program.constants[a] }
    case .member:
      let value = stack.removeLast()
      stack.append(member(of: value, template.program.constants[a]))
    case .index:
      let key = stack.removeLast()
      let value = stack.removeLast()
      stack.append(element(of: value, key))
    case .inputOrCounter: stack.append(inputs[a].kind != .unset ? inputs[a] : .integer(counters[Int(step.b)]))
    case .variable: stack.append(variable(a, Int(step.b)))
    case .element: stack.append(element(of: a))
    case .loop: stack.append(Value(kind: .loop, start: step.a))
    case .range: range()
    default: change(step)
    }
  }

  /// The steps that set something.
  private mutating func change(_ step: Instruction) {
    let a = Int(step.a)
    switch step.code {
    case .assign: variables[a] = stack.removeLast()
    case .capture: captures.append(output.count)
    case .captureDrop: output.removeSubrange(captures.removeLast()...)
    case .captureEnd: variables[a] = captured()
    case .changedEnd:
      let text = captured()
      if !isEqual(text, changed) {
        changed = text
        write(text)
      }
    case .cycle: cycle(a, Int(step.b))
    case .increment:
      write(.integer(counters[a]))
      counters[a] += 1
    case .decrement:
      counters[a] -= 1
      write(.integer(counters[a]))
    default: break
    }
  }

  private func input(_ number: Int) -> Value {
    let value = inputs[number]
    return value.kind == .unset ? .undefined(number) : value
  }

  private func variable(_ number: Int, _ input: Int) -> Value {
    let value = variables[number]
    if value.kind != .unset { return value }
    return input < 0 ? .null : self.input(input)
  }

  private mutating func range() {
    let (high, low) = (stack.removeLast(), stack.removeLast())
    let (first, last) = (wholeOrZero(low), wholeOrZero(high))
    let (distance, isOver) = last.subtractingReportingOverflow(first)
    guard !isOver, distance < Int64(template.limits.stepsMax) else { return fail(.steps) }
    stack.append(.range(first, count: Int(max(distance + 1, 0))))
  }

  private func wholeOrZero(_ value: Value) -> Int64 { whole(value) ?? 0 }

  /// The text that was being captured.
  private mutating func captured() -> Value {
    let start = captures.removeLast()
    let text = hold { bytes, output in bytes.append(contentsOf: output[start...]) }
    output.removeSubrange(start...)
    return text
  }

  private mutating func cycle(_ number: Int, _ count: Int) {
    let turn = cycles[number] < count ? cycles[number] : 0
    let value = stack[stack.count - count + turn]
    cycles[number] = (turn + 1) % count
    stack.removeLast(count)
    write(value)
  }

  // MARK: - Loops

  /// Begins a loop; returns where the program continues.
  private mutating func begin(_ step: Instruction, _ code: [Instruction], _ at: Int) -> Int {
    let flags = Instruction.LoopFlags(rawValue: step.flag)
    let resume = Int(code[at].a)
    var first = flags.contains(.resumed) ? resumes[resume] : 0
    var limit: Int?
    if flags.contains(.offset) { first = option(stack.removeLast()) ?? 0 }
    if flags.contains(.limit) { limit = option(stack.removeLast()) }
    let list = stack.removeLast()
    if list.kind == .undefined { use(missing: list) }
    let length = length(of: list)
    first = min(max(first, 0), length)
    let last = limit.map { min(first + min(max($0, 0), length), length) } ?? length
    resumes[resume] = last
    guard last > first else { return Int(step.b) }
    loops[Int(step.a)] = LoopState(
      list: list, first: first, count: last - first, isReversed: flags.contains(.reversed), isRunning: true)
    return at + 1
  }

  /// Goes to the next element; false when there is none.
  private mutating func advance(_ slot: Int) -> Bool {
    loops[slot].index += 1
    loops[slot].isRunning = loops[slot].index < loops[slot].count
    return loops[slot].isRunning
  }

  /// What an option of a loop says; nil for a value that is not there.
  private mutating func option(_ value: Value) -> Int? {
    guard value.isNothing else { return argument(value) }
    if value.kind == .undefined { use(missing: value) }
    return nil
  }

  /// A whole number that an option of a loop or a filter gives; the rendering fails on what is none.
  mutating func argument(_ value: Value) -> Int? {
    guard let number = whole(value) else {
      fail(.argument)
      return nil
    }
    return Int(clamping: number)
  }

  private func element(of slot: Int) -> Value {
    let loop = loops[slot]
    return element(of: loop.list, loop.isReversed ? loop.first + loop.count - 1 - loop.index : loop.first + loop.index)
  }

  /// A member of `forloop`.
  func member(ofLoop slot: Int, _ name: Value) -> Value {
    guard loops[slot].isRunning else { return .undefined(-1) }
    let loop = loops[slot]
    func isName(_ text: StaticString) -> Bool { self.isName(name, text) }
    if isName("index") { return .integer(Int64(loop.index + 1)) }
    if isName("index0") { return .integer(Int64(loop.index)) }
    if isName("rindex") { return .integer(Int64(loop.count - loop.index)) }
    if isName("rindex0") { return .integer(Int64(loop.count - loop.index - 1)) }
    if isName("first") { return .bool(loop.index == 0) }
    if isName("last") { return .bool(loop.index == loop.count - 1) }
    if isName("length") { return .integer(Int64(loop.count)) }
    if isName("parentloop"), slot > 0 { return Value(kind: .loop, start: Int32(truncatingIfNeeded: slot - 1)) }
    return .undefined(-1)
  }
}
