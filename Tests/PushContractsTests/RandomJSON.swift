import TestSupport
import WireJSON

extension SeededRandom {
  /// A text with what is hard to carry: quotes, escapes, letters of two to four bytes, the empty text.
  mutating func text() -> String {
    let pieces = ["a", "B", "7", " ", "\"", "\\", "\n", "\u{1}", "é", "訊", "🎉", "{", "]", "%1$@", "/", "null"]
    return (0..<Int.random(in: 0...12, using: &self)).map { _ in pieces.randomElement(using: &self) ?? "" }.joined()
  }

  /// Any JSON value of at most this depth.
  mutating func json(depth: Int = 3) -> JSONValue {
    switch Int.random(in: 0...(depth > 0 ? 7 : 5), using: &self) {
    case 0: return nil
    case 1: return .bool(Bool.random(using: &self))
    case 2: return .number(JSONNumber(Int.random(in: -9...999, using: &self)))
    case 3:
      return ["1.0", "1e3", "-0", "12345678901234567890"].randomElement(using: &self)
        .flatMap { JSONNumber(text: $0) }.map { .number($0) } ?? nil
    case 4, 5: return .string(text())
    case 6: return .array((0..<Int.random(in: 0...3, using: &self)).map { _ in json(depth: depth - 1) })
    default: return .object(object(depth: depth - 1))
    }
  }

  /// An object whose names are not reserved anywhere.
  mutating func object(depth: Int = 2) -> JSONObject {
    var object = JSONObject()
    for index in 0..<Int.random(in: 0...4, using: &self) { object["k\(index)" + text()] = json(depth: depth) }
    return object
  }
}
