import Liquid
import WireJSON

extension FuzzTarget {
  /// The input is the template.
  static let liquid = FuzzTarget(
    name: "liquid", about: "templates: errors have a position, limits are kept, a second rendering is the same"
  ) { (bytes) throws(FuzzFailure) in
    var limits = LiquidLimits()
    limits.stepsMax = 20_000
    let template: LiquidTemplate
    do throws(LiquidError) {
      template = try LiquidTemplate(
        bytes, objects: ["user"], fallbacks: bytes.first.map { $0 & 1 == 0 } ?? true, limits: limits)
    } catch {
      let lines = 1 + bytes.count { $0 == 0x0A }
      try expect((1...lines).contains(error.line) && error.column >= 1, "\(error) is outside of the template")
      return try expect(!error.message.isEmpty && !error.fix.isEmpty, "an error without words")
    }
    var renderer = LiquidRenderer(template)
    var first: (LiquidOutcome, [UInt8])?
    for _ in 0..<2 {
      renderer.begin()
      for (number, input) in template.inputs.enumerated() {
        if let value = input.value(in: values) { renderer.set(number, value) }
      }
      let outcome = renderer.render(now: 1_764_000_000)
      let text = renderer.withOutput { Array($0) }
      if case .rendered = outcome {
        try expect(text.count <= limits.outputBytesMax, "\(text.count) bytes were written")
        let isUTF8 = Array(String(decoding: text, as: UTF8.self).utf8) == text || !isValid(bytes)
        try expect(isUTF8, "what was written is not UTF-8")
      }
      if let first { try expect(first == (outcome, text), "a template rendered twice has two results") }
      first = (outcome, text)
    }
  }

  private static func isValid(_ bytes: [UInt8]) -> Bool { Array(String(decoding: bytes, as: UTF8.self).utf8) == bytes }

  private static let values: JSONValue = [
    "name": "Zoë", "n": 5, "f": 1.5, "t": true, "list": ["b", "a", 3],
    "items": [["title": "One", "price": 10], ["title": "Two"]],
    "user": ["first_name": "Ann", "city": "Köln"], "nothing": nil, "empty": "", "words": "one two  three",
  ]
}
