import Liquid
import TestSupport
import Testing
import WireJSON

/// What is ours: messages of errors, missing values, skipping, limits.
@Suite struct LiquidTests {
  static func renderer(_ source: String, limits: LiquidLimits = LiquidLimits()) throws -> LiquidRenderer {
    LiquidRenderer(
      try LiquidTemplate(Array(source.utf8), objects: ["user"], fallbacks: true, limits: limits))
  }

  /// The outcome with values: the text, or what happened.
  static func render(
    _ source: String, _ values: JSONValue = [:], strict: Bool = false, limits: LiquidLimits = LiquidLimits()
  ) throws -> String {
    var renderer = try renderer(source, limits: limits)
    renderer.isStrict = strict
    for (number, input) in renderer.template.inputs.enumerated() {
      if let value = input.value(in: values) { renderer.set(number, value) }
    }
    switch renderer.render() {
    case .rendered: return renderer.text
    case .aborted: return "aborted"
    case .undefined(let failure): return "undefined at \(failure.offset)"
    case .failed(let failure): return "\(failure.reason)"
    }
  }

  @Test(
    "An error says where, what and how to fix it",
    arguments: [
      (
        "Hi {{ name | strip | upcasse }}",
        "line 1, column 22: there is no filter \"upcasse\"; use a filter that there is (the nearest is \"upcase\"); a default is"
          + " written | default: \"upcasse\""
      ),
      ("ä\n{% if x %}", "line 2, column 1: {% endif %} is missing; close the {% if %}"),
      ("{{ name", "line 1, column 1: }} is missing; close it, or write {% raw %}…{% endraw %} around text with braces"),
      ("{% iff x %}", "line 1, column 1: there is no tag \"iff\"; use a tag that there is; the nearest is \"if\""),
      ("{% assign user = 1 %}", "line 1, column 11: user cannot be set; choose another name"),
      ("{% include 'x' %}", "line 1, column 1: {% include %} is not available in a push; write the text itself"),
      (
        "{{ a | truncate: 1, 2, 3 }}",
        "line 1, column 8: truncate has 3 arguments and takes 0 to 2; write | truncate: and the arguments, separated by commas"
      ),
      (
        "{% if (a) %}{% endif %}",
        "line 1, column 7: parentheses are for ranges; write (1..5); conditions have no parentheses"
      ),
    ])
  func errors(source: String, expected: String) {
    #expect(throws: LiquidError.self) { try Self.renderer(source) }
    do { _ = try Self.renderer(source) } catch { #expect("\(error)" == expected) }
  }

  @Test(
    "A missing value ends a strict rendering where it is used, and not where it is tested",
    arguments: [
      ("Hi {{ name }}", "undefined at 3"), ("{{ name | upcase }}", "undefined at 10"),
      ("{{ name | default: 'x' }}", "x"),
      ("{{ name | upcase | default: 'x' }}", "x"), ("{% if name %}a{% else %}b{% endif %}", "b"),
      ("{% if name == nil %}b{% endif %}", "b"), ("{% for i in name %}{% endfor %}", "undefined at 0"),
      ("{{ user.name|there }}", "there"), ("{{ 'a' | append: name }}", "undefined at 9"),
      ("{{ name.first }}", "undefined at 0"),
      ("{% assign x = name %}{% if x %}{{ x }}{% endif %}ok", "ok"), ("{{ nothing }}", ""),
    ])
  func strict(source: String, expected: String) throws {
    #expect(try Self.render(source, ["nothing": nil], strict: true) == expected)
  }

  @Test("What was missing is named") func missing() throws {
    var renderer = try Self.renderer("{{ a }}{{ user.b | default: 'x' }}{% if c %}{% endif %}{{ d | upcase }}{{ e|f }}")
    #expect(renderer.template.inputs.map(\.name) == ["a", "user.b", "c", "d", "e"])
    #expect(renderer.render() == .rendered)
    #expect(renderer.text == "xf")
    #expect(renderer.missing.map(\.name) == ["a", "d"])
    renderer.set(0, "A")
    #expect(renderer.render() == .rendered)
    #expect(renderer.missing.map(\.name) == ["d"])
  }

  @Test(
    "Skipping a recipient",
    arguments: [
      ("a{% abort %}b", "aborted"), ("{% if x %}{% abort %}{% endif %}b", "b"),
      ("{% abort_message('no') %}", "aborted"),
    ])
  func abort(source: String, expected: String) throws { #expect(try Self.render(source) == expected) }

  @Test(
    "A name and its default behind a bar, unless that is a filter",
    arguments: [
      ("{{name|there}}", "there", "Ann"), ("{{ name | two words }}", "two words", "Ann"), ("{{name|}}", "", "Ann"),
      ("{{name|upcase}}", "", "ANN"), ("{{ name | default: 'x' }}", "x", "Ann"), ("{{a.b|x}}", "x", "x"),
      ("{% assign z = 1 %}{{z|x}}", "1", "1"), ("{% for i in name %}{{i|x}}{% endfor %}", "", "Ann"),
    ])
  func fallbacks(source: String, without: String, with: String) throws {
    #expect(try Self.render(source) == without)
    #expect(try Self.render(source, ["name": "Ann"]) == with)
  }

  @Test(
    "A stored property is what it is compared with",
    arguments: [
      ("18", "p == 18", true), ("18", "p == '18'", true), ("18", "p > 9", true), ("9", "p > 18", false),
      ("1.5", "p < 2", true), ("false", "p", false), ("true", "p", true), ("true", "p == true", true), ("", "p", true),
      ("Ann", "p > 1", false), ("0", "p", true), ("007", "p == 7", true), ("007", "p == '007'", true),
    ])
  func properties(text: String, condition: String, isTrue: Bool) throws {
    var renderer = try Self.renderer("{% if \(condition) %}y{% endif %}")
    renderer.set(0, text, isProperty: true)
    #expect(renderer.render() == .rendered)
    #expect(renderer.text == (isTrue ? "y" : ""))
  }

  @Test("Shared values stay, a recipient's own do not") func sharing() throws {
    var renderer = try Self.renderer("{{ offer.name }} {{ name | default: '-' }}")
    renderer.share(0, "20 %")
    for name in ["Ann", "Bob", nil] {
      renderer.begin()
      if let name { renderer.set(1, name) }
      #expect(renderer.render() == .rendered)
      #expect(renderer.text == "20 % \(name ?? "-")")
    }
  }

  @Test(
    "Everything is bounded",
    arguments: [
      ("{% for i in (1..1000) %}{% for j in (1..1000) %}{% endfor %}{% endfor %}", "steps"),
      ("{% for i in (1..99999999999) %}{% endfor %}", "steps"),
      ("{% for i in (1..5000) %}xxxxx{% endfor %}", "output"),
      ("{% assign s = 'aaaaaaaaaaaaaaaa' %}{% for i in (1..30) %}{% assign s = s | append: s %}{% endfor %}", "held"),
      ("{% for i in (1..40) %}{% assign l = l | concat: (1..2000) %}{% endfor %}", "steps"),
      ("{% assign l = 'a' | split: '' %}{% for i in (1..20) %}{% assign l = l | concat: l %}{% endfor %}", "steps"),
      ("{{ 9223372036854775807 | plus: 1 }}", "range"), ("{{ 1e9 | times: 2 }}", "0"),
      ("{{ 'a' | base64_decode }}", "encoding"),
      ("{% if 1 < 'a' %}{% endif %}", "type"),
    ])
  func bounds(source: String, expected: String) throws { #expect(try Self.render(source) == expected) }

  @Test("Blocks, operators, inputs and the source are bounded") func compileBounds() throws {
    let nested = String(repeating: "{% if a %}", count: 33) + String(repeating: "{% endif %}", count: 33)
    let inside = String(repeating: "{% if a %}", count: 31) + String(repeating: "{% endif %}", count: 31)
    #expect(throws: LiquidError.self) { try Self.renderer(nested) }
    #expect(try Self.render(inside).isEmpty)
    let operators = "{% if " + Array(repeating: "a", count: 100).joined(separator: " and ") + " %}{% endif %}"
    #expect(throws: LiquidError.self) { try Self.renderer(operators) }
    #expect(throws: LiquidError.self) {
      try Self.renderer("{{ a" + String(repeating: "[a", count: 100) + String(repeating: "]", count: 100) + " }}")
    }
    #expect(throws: LiquidError.self) { try Self.renderer((0..<65).map { "{{ a\($0) }}" }.joined()) }
    #expect(try Self.render((0..<64).map { "{{ a\($0) }}" }.joined()).isEmpty)
    #expect(throws: LiquidError.self) { try Self.renderer(String(repeating: "a", count: 32_769)) }
  }

  @Test("A search in a long text is bounded by steps, not by the product of lengths") func search() throws {
    let text = JSONValue.string(String(repeating: "a", count: 100_000))
    let part = JSONValue.string(String(repeating: "a", count: 50_000) + "b")
    #expect(try Self.render("{{ a | remove: b | size }}", ["a": text, "b": part]) == "steps")
  }
}
