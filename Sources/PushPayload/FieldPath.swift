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
  }

  /// The steps from the root.
  public var steps: [Step]

  /// Makes a path from steps; the empty path is the whole document.
  public init(_ steps: [Step] = []) { self.steps = steps }

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
    var scanner = FieldPathScanner(rest: text.unicodeScalars[...])
    self.init(scanner.steps())
  }
}

extension FieldPath: CustomStringConvertible {
  /// The text form.
  public var description: String { text }
}

struct FieldPathScanner {
  var rest: Substring.UnicodeScalarView

  mutating func steps() -> [FieldPath.Step] {
    var steps: [FieldPath.Step] = []
    while let next = rest.first {
      if next == "[" {
        rest.removeFirst()
        steps.append(bracketed())
      } else {
        if next == "." && !steps.isEmpty { rest.removeFirst() }
        steps.append(.member(plain()))
      }
    }
    return steps
  }

  private mutating func plain() -> String {
    var name = String.UnicodeScalarView()
    while let next = rest.first, next != ".", next != "[" {
      name.append(next)
      rest.removeFirst()
    }
    // A stray dot at the start is a step of its own, so that the scan always moves on.
    if name.isEmpty, rest.first == "." { rest.removeFirst() }
    return String(name)
  }

  private mutating func bracketed() -> FieldPath.Step {
    if rest.first == "\"" {
      rest.removeFirst()
      return .member(quoted())
    }
    var digits = String.UnicodeScalarView()
    while let next = rest.first {
      rest.removeFirst()
      if next == "]" { break }
      digits.append(next)
    }
    let text = String(digits)
    return Int(text).flatMap { $0 < 0 ? nil : .element($0) } ?? .member(text)
  }

  private mutating func quoted() -> String {
    var name = String.UnicodeScalarView()
    while let next = rest.first {
      rest.removeFirst()
      if next == "\"" { break }
      if next == "\\", let escaped = rest.first {
        name.append(escaped)
        rest.removeFirst()
      } else {
        name.append(next)
      }
    }
    if rest.first == "]" { rest.removeFirst() }
    return String(name)
  }
}
