internal import Liquid

/// A text cut at its placeholders.
struct TemplateText {
  /// The bytes outside of placeholders.
  private(set) var fixedBytes = 0
  /// The placeholders, in order.
  private(set) var names: [String] = []
  /// The bytes of the default, as they are in the text.
  private(set) var fallbackBytes: [Int] = []
  /// The texts in Liquid, which are not in the bytes, by their numbers.
  var programs: [Int] = []

  /// Cuts a text.
  ///
  /// - Parameter isNested: whether the text is itself a string of JSON, in which it takes more bytes.
  init(_ bytes: [UInt8], isNested: Bool = false) {
    func count(_ bytes: ArraySlice<UInt8>) -> Int {
      isNested ? bytes.reduce(0) { $0 + TextShortener.escapedBytes($1) } : bytes.count
    }
    var index = 0
    while index < bytes.count {
      if let found = TemplateText.placeholder(in: bytes, at: index) {
        names.append(found.name)
        fallbackBytes.append(count(bytes[found.fallback]))
        index = found.end
      } else {
        fixedBytes += count(bytes[index...index])
        index += 1
      }
    }
  }

  /// The placeholder that begins at an index.
  ///
  /// Two braces in a row open one and nothing else: minified JSON has them only inside strings.
  static func placeholder(
    in bytes: [UInt8], at start: Int
  ) -> (name: String, fallback: Range<Int>, end: Int)? {
    guard start + 4 < bytes.count, bytes[start] == 0x7B, bytes[start + 1] == 0x7B else { return nil }
    var index = start + 2
    while index < bytes.count, bytes[index] == 0x20 { index += 1 }
    let first = index
    while index < bytes.count, isNameByte(bytes[index]) { index += 1 }
    let last = index
    while index < bytes.count, bytes[index] == 0x20 { index += 1 }
    guard last > first, index < bytes.count else { return nil }
    var fallback = index..<index
    if bytes[index] == UInt8(ascii: "|") {
      fallback = self.fallback(in: bytes, from: index + 1)
      if LiquidFilters.begin(bytes[fallback]) { return nil }
      index = fallback.upperBound
      while index < bytes.count, bytes[index] == 0x20 { index += 1 }
    }
    guard index + 1 < bytes.count, bytes[index] == 0x7D, bytes[index + 1] == 0x7D else { return nil }
    return (String(decoding: bytes[first..<last], as: UTF8.self), fallback, index + 2)
  }

  /// Everything up to a brace, without the spaces around it.
  private static func fallback(in bytes: [UInt8], from start: Int) -> Range<Int> {
    var first = start
    while first < bytes.count, bytes[first] == 0x20 { first += 1 }
    var end = first
    while end < bytes.count, bytes[end] != 0x7B, bytes[end] != 0x7D { end += 1 }
    while end > first, bytes[end - 1] == 0x20 { end -= 1 }
    return first..<end
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    case UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"): true
    default: false
    }
  }
}
