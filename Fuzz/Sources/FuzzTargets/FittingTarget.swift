import PushPayload
import PushRules
import WireJSON

extension FuzzTarget {
  /// The first two bytes are the limit, the rest is the message.
  static let fitting = FuzzTarget(
    name: "fitting", about: "MessageFitter and TextShortener: the limit is kept or nothing is changed; cuts are clean"
  ) { (bytes) throws(FuzzFailure) in
    guard bytes.count > 2 else { return }
    let limit = (Int(bytes[0]) << 8 | Int(bytes[1])) % 4200
    let message = Array(bytes.dropFirst(2))
    if let value = read(message) {
      try check(try? MessageFitter.fit(apnsPayload: message, bytesMax: limit), of: value, limit) { $0.count }
      try check(try? MessageFitter.fit(fcmBody: message, bytesMax: limit), of: value, limit) {
        FCMBudget.bytes(ofRequest: $0)
      }
    }
    let text = String(decoding: message, as: UTF8.self)
    for cost in [TextShortener.Cost.escaped, .plain] { try check(text, limit % 300, cost) }
  }

  private static func check(
    _ result: FitResult?, of value: JSONValue, _ limit: Int, _ measure: ([UInt8]) -> Int
  ) throws(FuzzFailure) {
    guard let result else { throw FuzzFailure("JSON is refused by the fitter") }
    try expect(result.bytes == measure(result.message), "the size is not that of the message")
    try expect(result.bytesMax == limit, "the limit is another")
    try expect(read(result.message) != nil, "what was fitted is no JSON")
    let original = JSON.minified(value)
    guard !result.changes.isEmpty else {
      return try expect(result.message == original, "a message changed and no change is named")
    }
    try expect(measure(original) > limit, "a message that keeps its limit was shortened")
    try expect(result.fits, "a message was shortened and still does not fit")
    for change in result.changes {
      try expect(change.bytesAfter < change.bytesBefore, "\(change.field) became longer")
    }
  }

  private static func check(_ text: String, _ limit: Int, _ cost: TextShortener.Cost) throws(FuzzFailure) {
    guard let short = TextShortener.shorten(text, bytesMax: limit, cost) else { return }
    try expect(TextShortener.bytes(short, cost) <= limit, "a shortened text is over its limit")
    guard short != text else { return }
    guard let ellipsis = short.unicodeScalars.lastIndex(of: "…") else {
      throw FuzzFailure("a shortened text has no ellipsis")
    }
    let kept = String(short.unicodeScalars[..<ellipsis])
    let beginning = text.prefix(kept.count)
    try expect(Array(beginning.utf8) == Array(kept.utf8), "a text is cut inside a character")
    let tail = short.unicodeScalars[short.unicodeScalars.index(after: ellipsis)...]
    try expect(tail.allSatisfy { $0 == "\u{2069}" || $0 == "\u{202C}" }, "more than closing marks behind the ellipsis")
  }
}
