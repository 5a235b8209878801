import PushCore

/// The words after a command's name, taken apart by the command's own declaration.
struct Arguments: Sendable {
  /// The operands, in order.
  private(set) var operands: [String] = []
  private var values: [String: [String]] = [:]

  /// Takes `words` apart; an unknown or incomplete option is a usage error that names the nearest known one.
  init(_ words: ArraySlice<String>, for command: Command) throws(Exit) {
    var rest = words
    var optionsEnded = false
    while let word = rest.popFirst() {
      if optionsEnded || !word.hasPrefix("-") || word == "-" {
        operands.append(word)
      } else if word == "--" {
        optionsEnded = true
      } else {
        try take(option: word, from: &rest, of: command)
      }
    }
    guard operands.count <= command.operandsMax else {
      throw .usage(
        "unexpected “\(operands[command.operandsMax])”: \(command.name) takes \(Self.count(command.operandsMax))")
    }
  }

  /// The same with other texts instead of operands and of options' values.
  func replacing(_ texts: [String: String], operand: Int?, option: String?) -> Arguments {
    var changed = self
    if let operand, operands.indices.contains(operand), let text = texts[operands[operand]] {
      changed.operands[operand] = text
    }
    if let option { changed.values[option] = values[option]?.map { texts[$0] ?? $0 } }
    return changed
  }

  /// The value of an option, or nil when it was not given.
  func value(_ name: String) -> String? { values[name]?.last }

  /// Every value of an option that may be repeated.
  func all(_ name: String) -> [String] { values[name] ?? [] }

  /// Whether a switch was given.
  func has(_ name: String) -> Bool { values[name] != nil }

  /// The value of an option that must be there.
  func required(_ name: String) throws(Exit) -> String {
    guard let value = value(name) else { throw .usage("\(name) is missing") }
    return value
  }

  /// The value of an option as a whole number within `range`.
  func integer(_ name: String, in range: ClosedRange<Int>, default fallback: Int) throws(Exit) -> Int {
    guard let text = value(name) else { return fallback }
    guard let number = Int(text), range.contains(number) else {
      throw .usage("\(name) takes a whole number from \(range.lowerBound) to \(range.upperBound), not “\(text)”")
    }
    return number
  }

  private mutating func take(option word: String, from rest: inout ArraySlice<String>, of command: Command) throws(Exit)
  {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard let option = command.options.first(where: { $0.name == parts[0] }) else {
      let nearest = Nearest.match(parts[0], among: command.options.map(\.name) + ["--help"])
      throw .usage("unknown option “\(parts[0])”" + (nearest.map { "; did you mean \($0)?" } ?? ""))
    }
    var value = parts.count == 2 ? parts[1] : nil
    if option.value.isEmpty {
      guard value == nil else { throw .usage("\(option.name) takes no value") }
      value = ""
    } else if value == nil {
      if let next = rest.first, Arguments.looksLikeOption(next) {
        throw .usage(
          "\(option.name) needs a value: \(option.name) \(option.value); if it is “\(next)”, write \(option.name)=\(next)"
        )
      }
      value = rest.popFirst()
    }
    guard let value else { throw .usage("\(option.name) needs a value: \(option.name) \(option.value)") }
    guard option.choices.isEmpty || option.choices.contains(value) else {
      let pointer = option.pointers[value].map { "; \($0)" } ?? ""
      throw .usage("\(option.name) takes one of \(option.choices.joined(separator: ", ")), not “\(value)”\(pointer)")
    }
    guard option.repeats || values[option.name] == nil else { throw .usage("\(option.name) is given twice") }
    values[option.name, default: []].append(value)
  }

  /// Two dashes and a letter: taken as a value, a forgotten value would hide an option.
  private static func looksLikeOption(_ word: String) -> Bool {
    word.hasPrefix("--") && word.dropFirst(2).first?.isLetter == true
  }

  private static func count(_ operands: Int) -> String {
    switch operands {
    case 0: "no operands"
    case 1: "one operand"
    default: "at most \(operands) operands"
    }
  }
}
