/// A part of an Apple format.
enum AppleFormatPiece: Sendable, Hashable {
  case fixed(String)
  case percent
  case specifier(AppleFormatSpecifier)
  /// `%#@name@`, `%2$#@name@`
  case variable(name: String, position: Int?, text: String)
  /// `%arg`: in a string catalog, the argument that drives a substitution.
  case argument
  /// A `%` that starts nothing.
  case stray(String)
}

/// A specifier such as `%1$@`, `%-10@` or `%.2f`.
struct AppleFormatSpecifier: Sendable, Hashable {
  /// As the format has it.
  let text: String
  /// From 1; nil: the next one.
  var position: Int?
  var isLeftAligned = false
  var width: Int?
  var precision: Int?
  /// How many arguments `*` takes besides.
  var starCount = 0
  var conversion: UInt8

  /// Whether it takes any object, which is what the arguments of a push are.
  var isObject: Bool { conversion == UInt8(ascii: "@") }
}

/// Takes an Apple format apart; every text is a format.
struct AppleFormatParser {
  private let bytes: [UInt8]
  private var index = 0
  private let knowsArgument: Bool

  /// `knowsArgument`: whether `%arg` means something, as it does in substitutions of a string catalog.
  init(_ format: String, knowsArgument: Bool = false) {
    bytes = Array(format.utf8)
    self.knowsArgument = knowsArgument
  }

  mutating func parse() -> [AppleFormatPiece] {
    var pieces: [AppleFormatPiece] = []
    while index < bytes.count {
      let start = index
      while index < bytes.count, bytes[index] != UInt8(ascii: "%") { index += 1 }
      if index > start { pieces.append(.fixed(text(start..<index))) }
      if index < bytes.count { pieces.append(piece()) }
    }
    return pieces
  }

  private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  private var byte: UInt8? { index < bytes.count ? bytes[index] : nil }

  /// Reads `%[position$][flags][width][.precision][length]conversion`.
  private mutating func piece() -> AppleFormatPiece {
    let start = index
    index += 1
    if byte == UInt8(ascii: "%") {
      index += 1
      return .percent
    }
    if knowsArgument, bytes[index...].starts(with: "arg".utf8) {
      index += 3
      return .argument
    }
    let position = self.position()
    if let name = variableName() { return .variable(name: name, position: position, text: text(start..<index)) }
    var specifier = AppleFormatSpecifier(text: "", position: position, conversion: 0)
    while let byte, "-+ #0'".utf8.contains(byte) {
      if byte == UInt8(ascii: "-") { specifier.isLeftAligned = true }
      index += 1
    }
    specifier.width = size(&specifier.starCount)
    if byte == UInt8(ascii: ".") {
      index += 1
      specifier.precision = size(&specifier.starCount) ?? 0
    }
    while let byte, "hlqLztj".utf8.contains(byte) { index += 1 }
    guard let last = byte, "@dDiuUxXoOfFeEgGaAcCsSpn".utf8.contains(last) else {
      index = start + 1
      return .stray("%")
    }
    index += 1
    return .specifier(
      AppleFormatSpecifier(
        text: text(start..<index), position: specifier.position, isLeftAligned: specifier.isLeftAligned,
        width: specifier.width, precision: specifier.precision, starCount: specifier.starCount, conversion: last))
  }

  /// Reads `2$`.
  private mutating func position() -> Int? {
    let start = index
    if let number = number(), number > 0, byte == UInt8(ascii: "$") {
      index += 1
      return number
    }
    index = start
    return nil
  }

  /// Reads `#@name@`.
  private mutating func variableName() -> String? {
    guard byte == UInt8(ascii: "#"), index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: "@") else { return nil }
    let start = index + 2
    guard let end = bytes[start...].firstIndex(of: UInt8(ascii: "@")), end > start else { return nil }
    index = end + 1
    return text(start..<end)
  }

  private mutating func size(_ stars: inout Int) -> Int? {
    if byte == UInt8(ascii: "*") {
      stars += 1
      index += 1
      return nil
    }
    return number()
  }

  /// A number of at most nine digits; longer ones stop there.
  private mutating func number() -> Int? {
    let start = index
    var value = 0
    while let byte, (0x30...0x39).contains(byte) {
      if index - start < 9 { value = value * 10 + Int(byte - UInt8(ascii: "0")) }
      index += 1
    }
    return index > start ? value : nil
  }
}
