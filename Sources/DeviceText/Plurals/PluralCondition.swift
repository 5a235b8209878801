/// Decides a condition of CLDR in its compact writing: `v=0 & i%10=2..4 & i%100!12..14 | n=0`.
///
/// `|` separates alternatives, `&` what must hold together. Each relation is an operand, maybe `%` a number, `=` or `!`
/// (not), and a list of numbers and ranges.
///
/// `@safe`: it is made and used within the call that lends the text, and reads below the text's count only.
@safe struct PluralCondition {
  private let text: UnsafeBufferPointer<UInt8>
  private var index = 0
  private let number: PluralOperands

  /// Whether a condition holds for a number.
  static func holds(_ condition: StaticString, for number: PluralOperands) -> Bool {
    condition.withUTF8Buffer { text in
      var reader = unsafe PluralCondition(text: text, number: number)
      return reader.holds()
    }
  }

  private init(text: UnsafeBufferPointer<UInt8>, number: PluralOperands) {
    unsafe self.text = unsafe text
    self.number = number
  }

  private mutating func holds() -> Bool {
    var all = true
    while true {
      let one = relation()
      all = all && one
      guard unsafe index + 1 < text.count else { return all }
      let sign = unsafe text[index + 1]
      index += 3  // “ & ”, “ | ”
      if sign == UInt8(ascii: "|") {
        if all { return true }
        all = true
      }
    }
  }

  private mutating func relation() -> Bool {
    // A number with a fraction is equal to none of the whole numbers in the lists.
    var value: UInt64?
    switch next() {
    case UInt8(ascii: "n"): value = number.t == 0 ? number.i : nil
    case UInt8(ascii: "i"): value = number.i
    case UInt8(ascii: "v"): value = UInt64(number.v)
    case UInt8(ascii: "w"): value = UInt64(number.w)
    case UInt8(ascii: "f"): value = number.f
    case UInt8(ascii: "t"): value = number.t
    default: value = UInt64(number.c)
    }
    if unsafe text[index] == UInt8(ascii: "%") {
      index += 1
      let modulus = integer()
      value = value.map { $0 % modulus }
    }
    let isNegated = next() == UInt8(ascii: "!")
    return contains(value) != isNegated
  }

  /// Reads the list and looks for a value in it.
  private mutating func contains(_ value: UInt64?) -> Bool {
    var found = false
    repeat {
      if unsafe index < text.count, unsafe text[index] == UInt8(ascii: ",") { index += 1 }
      let low = integer()
      var high = low
      if unsafe index < text.count, unsafe text[index] == UInt8(ascii: ".") {
        index += 2
        high = integer()
      }
      if let value, low <= value, value <= high { found = true }
    } while unsafe index < text.count && text[index] == UInt8(ascii: ",")
    return found
  }

  private mutating func next() -> UInt8 {
    index += 1
    return unsafe text[index - 1]
  }

  private mutating func integer() -> UInt64 {
    var value: UInt64 = 0
    while unsafe index < text.count, unsafe (0x30...0x39).contains(text[index]) {
      value = unsafe value * 10 + UInt64(text[index] - UInt8(ascii: "0"))
      index += 1
    }
    return value
  }
}
