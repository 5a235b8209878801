public import WireJSON

/// Renders one template repeatedly, in memory that it keeps: a rendering of texts allocates nothing once that memory is
/// as large as it has to be.
public struct LiquidRenderer: Sendable {
  /// The template.
  public let template: LiquidTemplate
  /// Whether a value that is not there ends the rendering where it would be written, filtered or looped over.
  ///
  /// A condition, a comparison and `default` may always ask for one. When this is off, it is empty.
  public var isStrict = false
  /// Texts: the template's literals, the shared values, then those of one rendering.
  var bytes: [UInt8]
  /// Elements of lists and members of objects, in the same order.
  var values: [Value] = []
  var inputs: [Value]
  var variables: [Value]
  var counters: [Int64]
  var loops: [LoopState]
  var resumes: [Int]
  var cycles: [Int]
  var stack: [Value] = []
  /// What is written, with the texts that are being captured behind it.
  var output: [UInt8] = []
  /// Where each captured text begins in `output`.
  var captures: [Int] = []
  /// What `ifchanged` wrote last.
  var changed = Value.text(0..<0)
  var steps = 0
  var stop: LiquidOutcome?
  /// Where the running instruction is in the source.
  var position: Int32 = 0
  var now: Int64 = 0
  private var missingBits: UInt64 = 0
  private var sharedBytes: Int
  private var sharedValues = 0
  private var sharedInputs: [Value]
  /// Whether a rendering leaves something to be reset: variables, counters, loops, cycles.
  private let hasState: Bool

  struct LoopState: Sendable {
    var list = Value.null
    var first = 0
    var count = 0
    var index = 0
    var isReversed = false
    /// Whether a turn is going on.
    var isRunning = false
  }

  /// Gets ready for a template.
  public init(_ template: LiquidTemplate) {
    self.template = template
    let program = template.program
    bytes = program.literals
    sharedBytes = program.literals.count
    inputs = Array(repeating: .unset, count: program.inputs.count)
    sharedInputs = inputs
    variables = Array(repeating: .unset, count: program.variablesCount)
    counters = Array(repeating: 0, count: program.countersCount)
    loops = Array(repeating: LoopState(), count: program.loopsCount)
    resumes = Array(repeating: 0, count: program.resumesCount)
    cycles = Array(repeating: 0, count: program.cyclesCount)
    hasState =
      !variables.isEmpty || !counters.isEmpty || !loops.isEmpty || !resumes.isEmpty || !cycles.isEmpty
      || program.code.contains { $0.code == .capture }
  }

  // MARK: - Inputs

  /// Gives an input a value for this and all later renderings; to be called before any rendering.
  public mutating func share(_ input: Int, _ value: JSONValue) {
    begin()
    sharedInputs[input] = keep(value)
    (sharedBytes, sharedValues) = (bytes.count, values.count)
    begin()
  }

  /// Forgets everything but the shared values.
  public mutating func begin() {
    if bytes.count > sharedBytes { bytes.removeSubrange(sharedBytes...) }
    if values.count > sharedValues { values.removeSubrange(sharedValues...) }
    for index in inputs.indices { inputs[index] = sharedInputs[index] }
  }

  /// Gives an input a text.
  ///
  /// - Parameter isProperty: whether it is what a store has for a property of any type: `18` is equal to the number 18
  ///   then, and `false` is false.
  public mutating func set(_ input: Int, utf8 text: UnsafeBufferPointer<UInt8>, isProperty: Bool = false) {
    let start = bytes.count
    unsafe bytes.append(contentsOf: text)
    inputs[input] = .text(start..<bytes.count)
    inputs[input].isProperty = isProperty
  }

  /// Gives an input a text.
  public mutating func set(_ input: Int, _ text: String, isProperty: Bool = false) {
    var text = text
    text.withUTF8 { unsafe set(input, utf8: $0, isProperty: isProperty) }
  }

  /// Gives an input a value.
  public mutating func set(_ input: Int, _ value: JSONValue) { inputs[input] = keep(value) }

  /// Whether an input has a value now.
  public func isSet(_ input: Int) -> Bool { inputs[input].kind != .unset }

  /// Copies a value into the memory.
  private mutating func keep(_ value: JSONValue) -> Value {
    switch value {
    case .null: return .null
    case .bool(let bool): return .bool(bool)
    case .number(let number):
      if number.isInteger, let whole = Int64(number.text) { return .integer(whole) }
      return .decimal(number.double ?? 0)
    case .string(let text):
      let start = bytes.count
      bytes.append(contentsOf: text.utf8)
      return .text(start..<bytes.count)
    case .array(let elements):
      let start = values.count
      values.append(contentsOf: repeatElement(.null, count: elements.count))
      for (index, element) in elements.enumerated() { values[start + index] = keep(element) }
      return .list(start: start, count: elements.count)
    case .object(let object):
      let start = values.count
      values.append(contentsOf: repeatElement(.null, count: object.count * 2))
      for (index, member) in object.enumerated() {
        values[start + index * 2] = keep(.string(member.key))
        values[start + index * 2 + 1] = keep(member.value)
      }
      var kept = Value.list(start: start, count: object.count)
      kept.kind = .object
      return kept
    }
  }

  // MARK: - Results

  /// Hands out what the last rendering wrote.
  public func withOutput<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    unsafe output.withUnsafeBufferPointer(body)
  }

  /// What the last rendering wrote.
  public var text: String { String(decoding: output, as: UTF8.self) }

  /// The inputs without a value that the last rendering wrote, filtered or looped over, without a default.
  public var missing: [LiquidInput] {
    guard missingBits != 0 else { return [] }
    return template.inputs.indices.filter { missingBits & (1 << UInt64($0)) != 0 }.map { template.inputs[$0] }
  }

  /// Notes that a value that is not there was used.
  mutating func use(missing value: Value) {
    if value.start >= 0 { missingBits |= 1 << UInt64(value.start) }
    if isStrict { stop = stop ?? .undefined(LiquidFailure(reason: .undefined, offset: Int(position))) }
  }

  mutating func fail(_ reason: LiquidFailure.Reason) {
    stop = stop ?? .failed(LiquidFailure(reason: reason, offset: Int(position)))
  }

  /// Makes everything as before the first rendering, except inputs.
  mutating func reset() {
    if hasState { resetState() }
    // A rendering that was stopped leaves values behind.
    if !stack.isEmpty { stack.removeAll(keepingCapacity: true) }
    output.removeAll(keepingCapacity: true)
    steps = template.limits.stepsMax
    stop = nil
    missingBits = 0
  }

  private mutating func resetState() {
    for index in variables.indices { variables[index] = .unset }
    for index in counters.indices { counters[index] = 0 }
    for index in loops.indices { loops[index].isRunning = false }
    for index in resumes.indices { resumes[index] = 0 }
    for index in cycles.indices { cycles[index] = 0 }
    captures.removeAll(keepingCapacity: true)
    changed = .text(0..<0)
  }
}

extension LiquidInput {
  /// The value in an object: a member with the whole name, or what the path leads to.
  public func value(in object: JSONValue) -> JSONValue? {
    if let value = object[name] { return value }
    var value = object
    for key in path {
      guard let member = value[key] else { return nil }
      value = member
    }
    return value
  }
}
