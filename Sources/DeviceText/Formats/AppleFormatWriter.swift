internal import Basics

/// Writes a value of an Apple table with its arguments.
struct AppleFormatWriter {
  /// How deep variables may lie in each other.
  private static let depthMax = 16
  /// How many problems of one text are kept.
  private static let problemsMax = 32
  /// How many variables one text may write altogether.
  private static let variablesMax = 256

  private let arguments: [String]
  private let locale: LocaleTag?
  private let device: AppleDevice
  private let limits: TextLimits
  private let missingArgument: AppleTextChoices.MissingArgument
  private var text = ""
  private var problems: [TextProblem] = []
  private var next = 0
  private var used: [Bool]
  private var variablesCount = 0
  private var isOver = false

  /// What a text is part of.
  private struct Scope {
    var variables: [PatternVariable] = []
    /// The variables that are being written, from the outside in.
    var open: [String] = []
    /// The argument that drives the variable, from 0.
    var argument: Int?
    var specifier = "@"
  }

  init(
    arguments: [String], locale: LocaleTag?, device: AppleDevice, limits: TextLimits,
    missingArgument: AppleTextChoices.MissingArgument = .specifier
  ) {
    self.arguments = arguments
    self.locale = locale
    self.device = device
    self.limits = limits
    self.missingArgument = missingArgument
    used = Array(repeating: false, count: arguments.count)
  }

  /// The text, once all is written.
  var result: FormattedText {
    var problems = problems
    if let extra = used.firstIndex(of: false) {
      problems.append(TextProblem(.argumentExtra, "argument \(extra + 1) is not used by the format"))
    }
    return FormattedText(text: text, problems: problems)
  }

  /// Writes a value.
  mutating func write(_ value: StringValue) { write(value, Scope()) }

  private mutating func write(_ value: StringValue, _ scope: Scope) {
    switch value {
    case .text(let format): write(format: format, scope)
    case .plural(let forms):
      if let form = plural(forms, scope) { write(form, scope) }
    case .device(let forms):
      let form = forms.first { $0.name == device.kind } ?? forms.first { $0.name == "other" } ?? forms.first
      if let form { write(form.value, scope) }
    case .width(let forms):
      let fitting = forms.filter { $0.width <= device.width ?? .max }
      if let form = fitting.last ?? forms.first { write(form.value, scope) }
    case .pattern(let format, let variables):
      var inner = scope
      inner.variables = variables
      write(format, inner)
    case .array, .reference: break
    }
  }

  private mutating func write(format: String, _ scope: Scope) {
    var format = format
    if format.utf8.count > limits.textBytesMax {
      problem(.textTooLong, "the format is cut at \(limits.textBytesMax) bytes")
      format = format.prefixBytes(limits.textBytesMax)
    }
    var parser = AppleFormatParser(format, knowsArgument: !scope.open.isEmpty)
    for piece in parser.parse() {
      guard !isOver else { return }
      switch piece {
      case .fixed(let fixed): append(fixed)
      case .percent: append("%")
      case .specifier(let specifier): write(specifier)
      case .variable(let name, let position, let text): write(name, position, text, scope)
      case .argument: writeArgument(scope)
      case .stray(let stray):
        problem(.iosPercent, "a % that starts no specifier is shown as it is, or not at all; write %%")
        append(stray)
      }
    }
  }

  // MARK: Arguments

  private mutating func write(_ specifier: AppleFormatSpecifier) {
    next += specifier.starCount
    let index = specifier.position.map { $0 - 1 } ?? next
    if specifier.position == nil { next += 1 }
    let shown = ShownText.short(specifier.text)
    guard index < arguments.count else {
      problem(
        .argumentMissing,
        "\(shown) has no argument: there \(arguments.count == 1 ? "is 1" : "are \(arguments.count)"); what the device "
          + "shows then is not documented, here \(missingArgument == .specifier ? "the specifier stays" : "it goes")")
      append(missingArgument.text(for: specifier.text))
      return
    }
    used[index] = true
    guard specifier.isObject, specifier.starCount == 0 else {
      problem(
        .iosSpecifier,
        "\(shown) takes no text, and the arguments of a push are texts: what the device shows is not documented, here "
          + "the specifier stays; write %@ or %1$@")
      append(specifier.text)
      return
    }
    append(arguments[index], specifier)
  }

  /// `%arg`: the number of the substitution, through the substitution's own specifier.
  private mutating func writeArgument(_ scope: Scope) {
    guard scope.specifier == "@", let index = scope.argument, index < arguments.count else {
      problem(
        .iosSpecifier,
        "%arg means %\(ShownText.short(scope.specifier)), which takes no text, and the arguments of a push are "
          + "texts: here it stays")
      append("%arg")
      return
    }
    append(arguments[index])
  }

  /// Cuts to the precision, fills up to the width, both in units of UTF-16.
  private mutating func append(_ argument: String, _ specifier: AppleFormatSpecifier) {
    var value = argument
    if let precision = specifier.precision, precision < value.utf16.count {
      value = String(decoding: Array(value.utf16.prefix(precision)), as: UTF16.self)
    }
    let missing = max(0, (specifier.width ?? 0) - value.utf16.count)
    let padding = String(repeating: " ", count: min(missing, limits.textBytesMax + 1))
    append(specifier.isLeftAligned ? value + padding : padding + value)
  }

  // MARK: Variables

  private mutating func write(_ name: String, _ position: Int?, _ token: String, _ scope: Scope) {
    guard let variable = scope.variables.first(where: { $0.name.hasSameBytes(as: name) }) else {
      problem(
        .iosVariable,
        "the variable “\(ShownText.short(name))” is not defined, and stays; only .stringsdict and string catalogs define "
          + "variables")
      append(token)
      return
    }
    variablesCount += 1
    guard !scope.open.contains(where: { $0.hasSameBytes(as: name) }) else {
      problem(.iosVariable, "the variable “\(ShownText.short(name))” contains itself, and stays")
      append(token)
      return
    }
    guard scope.open.count < Self.depthMax, variablesCount <= Self.variablesMax else {
      problem(
        .iosVariable,
        "variables lie deeper than \(Self.depthMax) in each other, or more than \(Self.variablesMax) are written")
      append(token)
      return
    }
    let index = (position ?? variable.argument).map { $0 - 1 } ?? next
    let outerNext = next
    next = index
    var inner = scope
    inner.open.append(name)
    inner.argument = index
    inner.specifier = variable.specifier
    write(variable.value, inner)
    // A numbered token leaves the running index alone; another one has taken its argument at least.
    next = position == nil && variable.argument == nil ? max(next, index + 1) : outerNext
  }

  /// The form for an argument.
  private mutating func plural(_ forms: [PluralForm], _ scope: Scope) -> StringValue? {
    let index = scope.argument ?? 0
    let other = forms.first { $0.category == .other }?.value
    guard index < arguments.count else {
      problem(.argumentMissing, "the plural has no argument \(index + 1); the form “other” is shown")
      return other
    }
    used[index] = true
    let operands = PluralOperands(arguments[index])
    problem(
      .iosPluralByText,
      "a plural needs a number, and the arguments of a push are texts: what the device shows is not documented; here "
        + (operands == nil ? "“other” is used, since the argument is no number" : "the form of the number is used"))
    guard let operands else { return other }
    return PluralRules.form(forms, for: operands, locale: locale, zeroIsOwn: true)
  }

  // MARK: Text

  private mutating func problem(_ rule: TextRule, _ message: String) {
    let problem = TextProblem(rule, message)
    if problems.count < Self.problemsMax, !problems.contains(problem) { problems.append(problem) }
  }

  private mutating func append(_ more: String) {
    guard !isOver else { return }
    guard text.utf8.count + more.utf8.count <= limits.textBytesMax else {
      isOver = true
      text += more.prefixBytes(limits.textBytesMax - text.utf8.count)
      problem(.textTooLong, "the text is cut at \(limits.textBytesMax) bytes")
      return
    }
    text += more
  }
}

extension String {
  /// The first scalars that fit into a number of bytes.
  func prefixBytes(_ count: Int) -> String {
    var text = ""
    var left = count
    for scalar in unicodeScalars {
      let bytes = UTF8.width(scalar)
      guard bytes <= left else { break }
      left -= bytes
      text.unicodeScalars.append(scalar)
    }
    return text
  }
}
