/// What values are: true, equal, members of each other, text.
extension LiquidRenderer {
  func isTrue(_ value: Value) -> Bool {
    switch value.kind {
    case .null, .undefined, .unset: false
    case .bool: value.bits != 0
    case .text: !(value.isProperty && value.count == 5 && isName(value, "false"))
    default: true
    }
  }

  func isName(_ value: Value, _ name: StaticString) -> Bool {
    guard value.kind == .text, Int(value.count) == name.utf8CodeUnitCount else { return false }
    return name.withUTF8Buffer { name in
      var index = Int(value.start)
      // The formatter would join `unsafe` and the name.
      // swift-format-ignore
      for unsafe byte in unsafe name {
        if bytes[index] != byte { return false }
        index += 1
      }
      return true
    }
  }

  func isSameText(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
    guard left.count == right.count else { return false }
    return unsafe bytes.withUnsafeBufferPointer { bytes in
      for offset in 0..<left.count where unsafe bytes[left.lowerBound + offset] != bytes[right.lowerBound + offset] {
        return false
      }
      return true
    }
  }

  func isLessText(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
    unsafe bytes.withUnsafeBufferPointer { bytes in
      for offset in 0..<min(left.count, right.count) {
        let (one, other) = unsafe (bytes[left.lowerBound + offset], bytes[right.lowerBound + offset])
        if one != other { return one < other }
      }
      return left.count < right.count
    }
  }

  /// How many elements a loop has over a value.
  func length(of value: Value) -> Int {
    switch value.kind {
    case .list, .object, .range: Int(value.count)
    case .text: value.count > 0 ? 1 : 0
    default: 0
    }
  }

  /// The element of a list at an index that it has.
  func element(of list: Value, _ index: Int) -> Value {
    switch list.kind {
    case .range: .integer(list.bits + Int64(index))
    case .object: .list(start: Int(list.start) + index * 2, count: 2)
    case .list: values[Int(list.start) + index]
    default: list
    }
  }

  /// The element that an index or a name in brackets means.
  func element(of value: Value, _ key: Value) -> Value {
    if value.kind == .undefined { return value }
    if key.kind == .text { return member(of: value, key) }
    guard value.isList, key.kind == .integer else { return .undefined(-1) }
    let index = key.bits < 0 ? key.bits + Int64(value.count) : key.bits
    guard index >= 0, index < Int64(value.count) else { return .undefined(-1) }
    return element(of: value, Int(index))
  }

  func member(of value: Value, _ name: Value) -> Value {
    switch value.kind {
    case .undefined: return value
    case .loop: return member(ofLoop: Int(value.start), name)
    case .object:
      if let found = find(name, in: value) { return found }
      if isName(name, "size") { return .integer(Int64(value.count)) }
      if isName(name, "first"), value.count > 0 { return element(of: value, 0) }
    case .list, .range:
      if isName(name, "size") { return .integer(Int64(value.count)) }
      if isName(name, "first") { return value.count > 0 ? element(of: value, 0) : .undefined(-1) }
      if isName(name, "last") { return value.count > 0 ? element(of: value, Int(value.count) - 1) : .undefined(-1) }
    case .text: if isName(name, "size") { return .integer(Int64(scalarsCount(value.textRange))) }
    default: break
    }
    return .undefined(-1)
  }

  /// The member of an object; the last of that name.
  func find(_ name: Value, in object: Value) -> Value? {
    var index = Int(object.start) + (Int(object.count) - 1) * 2
    while index >= Int(object.start) {
      if isSameText(values[index].textRange, name.textRange) { return values[index + 1] }
      index -= 2
    }
    return nil
  }

  func scalarsCount(_ range: Range<Int>) -> Int {
    var count = 0
    for index in range where bytes[index] & 0xC0 != 0x80 { count += 1 }
    return count
  }

  // MARK: - Comparing

  mutating func compare(_ operation: Instruction.Comparison) {
    let (right, left) = (stack.removeLast(), stack.removeLast())
    let result: Bool
    switch operation {
    case .equal: result = isEqual(left, right)
    case .unequal: result = !isEqual(left, right)
    case .less: result = isLess(left, right)
    case .greater: result = isLess(right, left)
    case .lessOrEqual: result = isEqualOrder(left, right) || isLess(left, right)
    case .greaterOrEqual: result = isEqualOrder(left, right) || isLess(right, left)
    case .contains: result = contains(left, right)
    }
    stack.append(.bool(result))
  }

  private func isEqualOrder(_ left: Value, _ right: Value) -> Bool {
    !left.isNothing && !right.isNothing && isEqual(left, right)
  }

  func isEqual(_ one: Value, _ other: Value) -> Bool {
    if one.kind == .text, other.kind == .text { return isSameText(one.textRange, other.textRange) }
    if one.kind == .empty || one.kind == .blank {
      return isEmpty(other, blank: one.kind == .blank) || other.kind == one.kind
    }
    if other.kind == .empty || other.kind == .blank { return isEmpty(one, blank: other.kind == .blank) }
    if one.isNothing || other.isNothing { return one.isNothing && other.isNothing }
    let (left, right) = (typed(one, as: other), typed(other, as: one))
    switch (left.kind, right.kind) {
    case (.bool, .bool), (.integer, .integer): return left.bits == right.bits
    case (.integer, .decimal): return Double(left.bits) == right.double
    case (.decimal, .integer): return left.double == Double(right.bits)
    case (.decimal, .decimal): return left.double == right.double
    case (.list, .list), (.range, .range), (.list, .range), (.range, .list):
      guard left.count == right.count else { return false }
      return (0..<Int(left.count)).allSatisfy { isEqual(element(of: left, $0), element(of: right, $0)) }
    case (.object, .object):
      guard left.count == right.count else { return false }
      return (0..<Int(left.count)).allSatisfy { index in
        let at = Int(left.start) + index * 2
        return find(values[at], in: right).map { isEqual(values[at + 1], $0) } ?? false
      }
    default: return false
    }
  }

  /// A stored property as what it is compared with: a number or a bool, when it reads as one.
  private func typed(_ value: Value, as other: Value) -> Value {
    guard value.kind == .text, value.isProperty else { return value }
    if other.kind == .bool {
      if isName(value, "true") { return .bool(true) }
      if isName(value, "false") { return .bool(false) }
    }
    return other.isNumber ? number(reading: value.textRange) ?? value : value
  }

  func isEmpty(_ value: Value, blank: Bool) -> Bool {
    switch value.kind {
    case .text:
      unsafe value.count == 0
        || (blank && bytes.withUnsafeBufferPointer { unsafe Space.trimmedStart(value.textRange, $0).isEmpty })
    case .list, .object: value.count == 0
    case .undefined, .null: false
    default: false
    }
  }

  mutating func isLess(_ one: Value, _ other: Value) -> Bool {
    if one.isNothing || other.isNothing { return false }
    let (left, right) = (typed(one, as: other), typed(other, as: one))
    switch (left.kind, right.kind) {
    case (.text, .text): return isLessText(left.textRange, right.textRange)
    case (.integer, .integer): return left.bits < right.bits
    case (.integer, .decimal), (.decimal, .integer), (.decimal, .decimal): return double(left) < double(right)
    default:
      // What a recipient's property happens to be is no mistake of the template.
      if !one.isProperty, !other.isProperty { fail(.type) }
      return false
    }
  }

  mutating func contains(_ one: Value, _ other: Value) -> Bool {
    guard isTrue(one), isTrue(other) else { return false }
    switch one.kind {
    case .text:
      let part = text(of: other)
      return first(part, in: one.textRange) != nil
    case .list, .range: return (0..<Int(one.count)).contains { isEqual(element(of: one, $0), other) }
    case .object: return other.kind == .text && find(other, in: one) != nil
    default:
      fail(.type)
      return false
    }
  }

  // MARK: - Writing

  mutating func write(literal range: Range<Int>) {
    // The literals are the first of the renderer's texts.
    Self.add(range, of: bytes, to: &output)
    checkOutput(range.count)
  }

  mutating func write(_ value: Value) {
    switch value.kind {
    case .text:
      Self.add(value.textRange, of: bytes, to: &output)
      checkOutput(Int(value.count))
    case .undefined: use(missing: value)
    case .null, .unset, .empty, .blank: break
    default:
      let range = text(of: value)
      Self.add(range, of: bytes, to: &output)
      checkOutput(range.count)
    }
  }

  /// Adds a part of the texts to the output, without a slice that is retained and released.
  private static func add(_ range: Range<Int>, of bytes: borrowing [UInt8], to output: inout [UInt8]) {
    unsafe bytes.withUnsafeBufferPointer { unsafe output.append(contentsOf: UnsafeBufferPointer(rebasing: $0[range])) }
  }

  private mutating func checkOutput(_ count: Int) {
    steps -= count >> 6
    if output.count > template.limits.outputBytesMax { fail(.output) }
  }

  /// Adds a text to what is held.
  mutating func hold(_ body: (inout [UInt8], [UInt8]) -> Void) -> Value {
    let start = bytes.count
    body(&bytes, output)
    return held(from: start)
  }

  /// The text that was added to what is held.
  mutating func held(from start: Int) -> Value {
    steps -= (bytes.count - start) >> 6
    if bytes.count > template.limits.heldBytesMax { fail(.held) }
    return .text(start..<bytes.count)
  }

  /// A value as a text: `1`, `1.5`, `true`; the elements of a list one after the other.
  mutating func text(of value: Value) -> Range<Int> {
    if value.kind == .text { return value.textRange }
    let start = bytes.count
    describe(value, depth: 0)
    return held(from: start).textRange
  }

  private mutating func describe(_ value: Value, depth: Int) {
    guard depth < template.limits.nestingMax, bytes.count <= template.limits.heldBytesMax else { return fail(.held) }
    switch value.kind {
    case .text: for index in value.textRange { bytes.append(bytes[index]) }
    case .bool: bytes.append(contentsOf: value.bits != 0 ? "true".utf8 : "false".utf8)
    case .integer: append(value.bits)
    case .decimal: bytes.append(contentsOf: value.double.description.utf8)
    case .list:
      steps -= Int(value.count)
      for index in 0..<Int(value.count) where stop == nil { describe(element(of: value, index), depth: depth + 1) }
    case .range:
      append(value.bits)
      bytes.append(contentsOf: "..".utf8)
      append(value.bits + Int64(value.count) - 1)
    case .object: describe(object: value, depth)
    case .unset, .undefined, .null, .empty, .blank, .loop: break
    }
  }

  /// As Ruby writes a hash.
  private mutating func describe(object: Value, _ depth: Int) {
    steps -= Int(object.count)
    bytes.append(UInt8(ascii: "{"))
    for index in 0..<Int(object.count) where stop == nil {
      if index > 0 { bytes.append(contentsOf: ", ".utf8) }
      inspect(values[Int(object.start) + index * 2], depth + 1)
      bytes.append(contentsOf: "=>".utf8)
      inspect(values[Int(object.start) + index * 2 + 1], depth + 1)
    }
    bytes.append(UInt8(ascii: "}"))
  }

  private mutating func inspect(_ value: Value, _ depth: Int) {
    switch value.kind {
    case .text:
      bytes.append(UInt8(ascii: "\""))
      describe(value, depth: depth)
      bytes.append(UInt8(ascii: "\""))
    case .null: bytes.append(contentsOf: "nil".utf8)
    case .list:
      bytes.append(UInt8(ascii: "["))
      for index in 0..<Int(value.count) where stop == nil {
        if index > 0 { bytes.append(contentsOf: ", ".utf8) }
        inspect(element(of: value, index), depth + 1)
      }
      bytes.append(UInt8(ascii: "]"))
    default: describe(value, depth: depth)
    }
  }

  private mutating func append(_ number: Int64) {
    if number < 0 { bytes.append(UInt8(ascii: "-")) }
    let start = bytes.count
    var rest = number.magnitude
    repeat {
      bytes.append(UInt8(truncatingIfNeeded: 0x30 + rest % 10))
      rest /= 10
    } while rest > 0
    bytes[start...].reverse()
  }
}
