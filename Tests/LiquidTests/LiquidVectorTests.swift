import Liquid
import TestSupport
import Testing
import WireJSON

/// `Vectors/liquid/cases.json`; `Tests/Interop/test_liquid.py` compares the same cases with python-liquid.
@Suite struct LiquidVectorTests {
  static let table = Result { try JSON.parse(Files.read("\(Files.packageRoot)/Vectors/liquid/cases.json")) }

  @Test("Every case has its text, or its error at its position, also when the renderer was used before")
  func cases() throws {
    let table = try Self.table.get()
    let values = try #require(table["values"])
    let reasons = Set((table["differences"]?.object ?? [:]).map(\.key))
    let cases = try #require(table["cases"]?.array)
    #expect(cases.count > 1_400)
    for one in cases {
      let source = try #require(one["template"]?.string)
      let expected = one["text"]?.string ?? "error \(one["error"]?.string ?? "")"
      #expect(Self.twice(source, values) == [expected, expected], "\(source)")
      if let why = one["why"]?.string { #expect(reasons.contains(why), "\(source)") }
    }
  }

  private static func twice(_ source: String, _ values: JSONValue) -> [String] {
    do throws(LiquidError) {
      let template = try LiquidTemplate(Array(source.utf8))
      var renderer = LiquidRenderer(template)
      return (0..<2).map { _ in
        renderer.begin()
        for (number, input) in template.inputs.enumerated() {
          if let value = input.value(in: values) { renderer.set(number, value) }
        }
        switch renderer.render(now: 1_764_000_000) {
        case .rendered: return renderer.text
        case .aborted: return "aborted"
        case .failed(let failure), .undefined(let failure):
          let error = failure.error(in: template.source)
          return "error \(error.line):\(error.column)"
        }
      }
    } catch { return ["error \(error.line):\(error.column)", "error \(error.line):\(error.column)"] }
  }
}
