/// One step of a compiled template.
///
/// The renderer has a stack of values; a step takes its operands from it and puts its result there.
struct Instruction: Sendable {
  enum Code: UInt8, Sendable {
    /// Writes the bytes `a..<b` of the literals.
    case text
    /// Pushes the constant `a`.
    case constant
    /// Pushes the input `a`.
    case input
    /// Pushes the input `a`, or else the counter `b`.
    case inputOrCounter
    /// Pushes the variable `a`, or else the input `b`.
    case variable
    /// Pushes the element of the loop `a`.
    case element
    /// Pushes `forloop` of the loop `a`.
    case loop
    /// Replaces a value that is not there with the constant `a`.
    case fallback
    /// Replaces the value with its member named by the constant `a`.
    case member
    /// Takes an index and replaces the value with its element.
    case index
    /// Takes two limits.
    case range
    /// Applies the filter `a` with `b` arguments; `flag` is `FilterFlags`.
    case filter
    /// Compares two values; `flag` is a `Comparison`.
    case compare
    /// Leaves false and goes to `a` when the value is false.
    case and
    /// Leaves true and goes to `a` when the value is true.
    case or
    /// Replaces the value with whether it is true.
    case truth
    /// Writes the value.
    case write
    /// Writes the input `a`, which most outputs do.
    case writeInput
    /// Goes to `a`.
    case jump
    /// Goes to `a` when the value is false, or true.
    case jumpIfFalse, jumpIfTrue
    /// Sets the variable `a`.
    case assign
    /// Begins a text; ends it as the variable `a`; ends it without use; writes it when it differs from the last one.
    case capture, captureEnd, captureDrop, changedEnd
    /// Begins the loop `a` over a list, goes to `b` when there is nothing; `flag` is `LoopFlags`. A `jump` follows whose
    /// `a` is the number by which `offset: continue` finds where the last one ended.
    case loopBegin
    /// Takes the loop's next element and goes to `b`.
    case loopNext
    /// Takes `b` values and writes the next of them in turn; `a` is the number of the cycle.
    case cycle
    /// Writes the counter `a` and adds one, or subtracts one and writes it.
    case increment, decrement
    /// Nothing for this recipient.
    case abort
    case end
  }

  enum Comparison: UInt8, Sendable {
    case equal, unequal, less, lessOrEqual, greater, greaterOrEqual, contains
  }

  struct FilterFlags: OptionSet, Sendable {
    let rawValue: UInt8
    /// The last argument is `allow_false`.
    static let allowsFalse = FilterFlags(rawValue: 1)
    /// A `default` follows, so that a missing value is expected.
    static let isGuarded = FilterFlags(rawValue: 2)
  }

  struct LoopFlags: OptionSet, Sendable {
    let rawValue: UInt8
    static let reversed = LoopFlags(rawValue: 1)
    static let limit = LoopFlags(rawValue: 2)
    static let offset = LoopFlags(rawValue: 4)
    static let resumed = LoopFlags(rawValue: 8)
  }

  var code: Code
  var flag: UInt8 = 0
  var a: Int32 = 0
  var b: Int32 = 0
  /// Where in the source it comes from.
  var at: Int32 = 0
}

/// What a template is compiled to.
struct Program: Sendable {
  var code: [Instruction] = []
  /// The bytes of all literals.
  var literals: [UInt8] = []
  var constants: [Value] = []
  var inputs: [LiquidInput] = []
  var variablesCount = 0
  var countersCount = 0
  var loopsCount = 0
  var resumesCount = 0
  var cyclesCount = 0
}
