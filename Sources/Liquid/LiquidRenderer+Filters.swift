/// Which filter does what.
extension LiquidRenderer {
  mutating func apply(_ step: Instruction) {
    let flags = Instruction.FilterFlags(rawValue: step.flag)
    guard let filter = Filter(rawValue: UInt8(truncatingIfNeeded: step.a)) else { return }
    var allowsFalse = false
    if flags.contains(.allowsFalse) {
      let value = stack.removeLast()
      allowsFalse = value.kind == .bool && value.bits != 0
    }
    let count = Int(step.b)
    let second = count > 1 ? stack.removeLast() : .unset
    let first = count > 0 ? stack.removeLast() : .unset
    let value = stack.removeLast()
    if filter == .default { return stack.append(replaced(value, first, allowsFalse)) }
    if value.kind == .undefined, !flags.contains(.isGuarded) { use(missing: value) }
    if first.kind == .undefined { use(missing: first) }
    if second.kind == .undefined { use(missing: second) }
    stack.append(filtered(filter, value, first, second))
  }

  private func replaced(_ value: Value, _ other: Value, _ allowsFalse: Bool) -> Value {
    let isFalse = value.kind == .bool && value.bits == 0 && allowsFalse
    guard !isFalse, !isTrue(value) || isEmpty(value, blank: false) else { return value }
    return other.kind == .unset ? .text(0..<0) : other
  }

  private mutating func filtered(_ filter: Filter, _ value: Value, _ first: Value, _ second: Value) -> Value {
    switch filter {
    case .abs, .atLeast, .atMost, .ceil, .dividedBy, .floor, .minus, .modulo, .plus, .round, .times:
      calculated(filter, value, first)
    case .compact, .concat, .find, .findIndex, .first, .has, .join, .last, .map, .reject, .reverse, .size, .sort,
      .sortNatural, .sum, .uniq, .where:
      listed(filter, value, first, second)
    case .slice where value.isList: slice(list: value, first, second)
    default: texted(filter, text(of: value), first, second)
    }
  }

  private mutating func texted(_ filter: Filter, _ text: Range<Int>, _ first: Value, _ second: Value) -> Value {
    switch filter {
    case .append: joined(text, self.text(of: first))
    case .prepend: joined(self.text(of: first), text)
    case .capitalize, .downcase, .upcase: cased(filter, text)
    case .strip: unsafe .text(bytes.withUnsafeBufferPointer { unsafe Space.trimmed(text, $0) })
    case .lstrip: unsafe .text(bytes.withUnsafeBufferPointer { unsafe Space.trimmedStart(text, $0) })
    case .rstrip: unsafe .text(bytes.withUnsafeBufferPointer { unsafe Space.trimmedEnd(text, $0) })
    case .squish: squished(text)
    case .remove: replaced(text, self.text(of: first), with: 0..<0, .all)
    case .removeFirst: replaced(text, self.text(of: first), with: 0..<0, .first)
    case .removeLast: replaced(text, self.text(of: first), with: 0..<0, .last)
    case .replace: replaced(text, self.text(of: first), with: self.text(of: second), .all)
    case .replaceFirst: replaced(text, self.text(of: first), with: self.text(of: second), .first)
    case .replaceLast: replaced(text, self.text(of: first), with: self.text(of: second), .last)
    case .slice: slice(text: text, first, second)
    case .split: split(text, self.text(of: first))
    case .truncate: truncated(text, first, second)
    case .truncatewords: truncatedWords(text, first, second)
    case .date: date(text, self.text(of: first))
    default: coded(filter, text)
    }
  }

  private mutating func coded(_ filter: Filter, _ text: Range<Int>) -> Value {
    switch filter {
    case .escape: escaped(text, keepsEntities: false)
    case .escapeOnce: escaped(text, keepsEntities: true)
    case .newlineToBr: lines(text, separator: "<br />\n")
    case .stripNewlines: lines(text, separator: "")
    case .stripHTML: withoutMarkup(text)
    case .urlEncode: percentEncoded(text)
    case .urlDecode: percentDecoded(text)
    case .base64Encode: base64(text, isURLSafe: false)
    case .base64URLSafeEncode: base64(text, isURLSafe: true)
    case .base64Decode: unbase64(text, isURLSafe: false)
    default: unbase64(text, isURLSafe: true)
    }
  }
}
