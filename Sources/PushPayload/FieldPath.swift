internal import Basics

/// The path of a field in a message, as in findings: `aps.alert.title`, `message.data["a.b"]`,
/// `android.vibrate_timings[2]`.
///
/// Members are joined with dots and elements are in brackets. A member name that is empty or holds `.`, `[`, `]`, `"`
/// or `\` is written in brackets and quotes, with `\` before `"` and `\`, so every path reads back to the same steps.
public struct FieldPath: Sendable, Hashable {
  /// One step down into a document.
  public enum Step: Sendable, Hashable {
    /// Into an object, by member name.
    case member(String)
    /// Into an array, by index from zero.
    case element(Int)

    /// Whether both lead to the same member or element; names are compared by their bytes, as in ``JSONObject``.
    public static func == (left: Step, right: Step) -> Bool {
      switch (left, right) {
      case (.member(let mine), .member(let theirs)): mine.hasSameBytes(as: theirs)
      case (.element(let mine), .element(let theirs)): mine == theirs
      default: false
      }
    }
  }

  /// The steps from the root.
  public var steps: [Step]

  /// Makes a path from steps; the empty path is the whole document.
  public init(_ steps: [Step] = []) { self.steps = steps }

  #if !_pointerBitWidth(_32)
    /// The names of the members on the way.
    package var memberNames: [String] {
      steps.compactMap { step in
        if case .member(let name) = step { name } else { nil }
      }
    }
  #endif

  /// Makes a path of member names.
  @inline(never)
  public init(members: String...) { self.steps = members.map { .member($0) } }

  /// The path one member further down.
  @inline(never)
  public func member(_ name: String) -> FieldPath { FieldPath(steps + [.member(name)]) }

  /// The path one element further down.
  @inline(never)
  public func element(_ index: Int) -> FieldPath { FieldPath(steps + [.element(index)]) }

  /// The path followed by another one.
  @inline(never)
  public func appending(_ other: FieldPath) -> FieldPath { FieldPath(steps + other.steps) }

  /// The text form.
  public var text: String {
    var text = ""
    for step in steps {
      switch step {
      case .element(let index): text += "[\(index)]"
      case .member(let name) where FieldPath.isPlain(name):
        if !text.isEmpty { text += "." }
        text += name
      case .member(let name): text += FieldPath.quoted(name)
      }
    }
    return text
  }

  /// The RFC 6901 pointer: `/aps/alert/title`; the empty string for the whole document.
  public var pointer: String {
    var text = ""
    for step in steps {
      text += "/"
      switch step {
      case .element(let index): text += "\(index)"
      case .member(let name) where !name.utf8.contains(where: { $0 == 0x7E || $0 == 0x2F }): text += name
      case .member(let name):
        for scalar in name.unicodeScalars {
          switch scalar {
          case "~": text += "~0"
          case "/": text += "~1"
          default: text.unicodeScalars.append(scalar)
          }
        }
      }
    }
    return text
  }

  static func isPlain(_ name: String) -> Bool {
    !name.isEmpty && !name.utf8.contains { isSpecial($0) }
  }

  private static func isSpecial(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ".") || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]") || byte == UInt8(ascii: "\"")
      || byte == UInt8(ascii: "\\")
  }

  private static func quoted(_ name: String) -> String {
    var text = "[\""
    for scalar in name.unicodeScalars {
      if scalar == "\"" || scalar == "\\" { text += "\\" }
      text.unicodeScalars.append(scalar)
    }
    return text + "\"]"
  }
}

extension FieldPath {
  /// Reads the text form; any text gives a path, and ``text`` of it is equal when the text was well-formed.
  public init(parsing text: String) {
    var scanner = FieldPathScanner(text)
    self.init(scanner.steps())
  }
}

extension FieldPath {
  /// The text form of a path below another one, of both text forms.
  package static func text(_ text: String, followedBy other: String) -> String {
    guard !text.isEmpty, !other.isEmpty else { return text + other }
    var joined = text
    joined.reserveCapacity(text.utf8.count + other.utf8.count + 1)
    if other.utf8.first != UInt8(ascii: "[") { joined += "." }
    joined += other
    return joined
  }

  /// The pointer of a path, of its text form.
  package static func pointer(ofText text: String) -> String {
    #if !_pointerBitWidth(_32)
      if isUsual(text) {
        return unsafe String(unsafeUninitializedCapacity: text.utf8.count + 1) { bytes in
          unsafe bytes.initializeElement(at: 0, to: UInt8(ascii: "/"))
          var count = 1
          for byte in text.utf8 where byte != UInt8(ascii: "]") {
            let divides = byte == UInt8(ascii: ".") || byte == UInt8(ascii: "[")
            unsafe bytes.initializeElement(at: count, to: divides ? UInt8(ascii: "/") : byte)
            count += 1
          }
          return count
        }
      }
    #endif
    return FieldPath(parsing: text).pointer
  }

  #if !_pointerBitWidth(_32)
    /// True for the text form of names and indices of which a pointer needs none escaped, as nearly every path is: it can be
    /// read where it is, without steps.
    package static func isUsual(_ text: String) -> Bool {
      // As if another name were before it.
      var last = UInt8(ascii: ".")
      var digits = 0
      for byte in text.utf8 {
        switch byte {
        case UInt8(ascii: "."), UInt8(ascii: "["):
          guard last != UInt8(ascii: "."), last != UInt8(ascii: "["), digits == 0 else { return false }
          if byte == UInt8(ascii: "[") { digits = 1 }
        case UInt8(ascii: "]"):
          guard digits > 1 else { return false }
          digits = 0
        case UInt8(ascii: "/"), UInt8(ascii: "~"), UInt8(ascii: "\""), UInt8(ascii: "\\"): return false
        case _ where digits > 0:
          // Written as it is read: no zero before another digit, and nothing beyond the numbers of elements.
          guard (0x30...0x39).contains(byte), digits < 9, digits < 2 || last != 0x30 || digits > 2 else { return false }
          digits += 1
        default: if last == UInt8(ascii: "]") { return false }
        }
        last = byte
      }
      return last != UInt8(ascii: ".") && digits == 0
    }
  #endif
}

extension FieldPath: CustomStringConvertible {
  /// The text form.
  public var description: String { text }
}

/// Reads a path byte by byte: what divides its steps is ASCII, and bytes of other characters are never the same.
struct FieldPathScanner {
  private let bytes: [UInt8]
  private var index = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

  mutating func steps() -> [FieldPath.Step] {
    var steps: [FieldPath.Step] = []
    while let next {
      if next == UInt8(ascii: "[") {
        index += 1
        steps.append(bracketed())
      } else {
        if next == UInt8(ascii: "."), !steps.isEmpty { index += 1 }
        steps.append(.member(plain()))
      }
    }
    return steps
  }

  private mutating func plain() -> String {
    let name = text { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "[") }
    // A stray dot at the start is a step of its own, so that the scan always moves on.
    if name.isEmpty, next == UInt8(ascii: ".") { index += 1 }
    return name
  }

  private mutating func bracketed() -> FieldPath.Step {
    if next == UInt8(ascii: "\"") {
      index += 1
      return .member(quoted())
    }
    let text = text { $0 == UInt8(ascii: "]") }
    index += 1
    return Int(text).flatMap { $0 < 0 ? nil : .element($0) } ?? .member(text)
  }

  private mutating func quoted() -> String {
    var name: [UInt8] = []
    while let byte = next, byte != UInt8(ascii: "\"") {
      if byte == UInt8(ascii: "\\"), index + 1 < bytes.count { index += 1 }
      name.append(bytes[index])
      index += 1
    }
    index += 1
    if next == UInt8(ascii: "]") { index += 1 }
    return String(decoding: name, as: UTF8.self)
  }

  /// The bytes before the first one that ends them.
  private mutating func text(_ isEnd: (UInt8) -> Bool) -> String {
    let start = index
    while let next, !isEnd(next) { index += 1 }
    return String(decoding: bytes[start..<index], as: UTF8.self)
  }
}
