/// A fault as the scanner throws it: two words, so that the way of good documents stays short.
struct ScanFault: Error {
  let expected: Expected
  let offset: Int

  init(_ expected: Expected, _ offset: Int) {
    self.expected = expected
    self.offset = offset
  }

  enum Expected: UInt8 {
    case value, firstName, name, colon, memberEnd, elementEnd, end
    case stringEnd, escape, hex, surrogate, utf8
    case digit, afterZero
    case depth
  }
}
