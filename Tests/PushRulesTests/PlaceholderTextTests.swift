import PushRules
import Testing
import WireJSON

@Suite struct PlaceholderTextTests {
  @Test(
    "A text is cut at its placeholders",
    arguments: [
      ("", []), ("plain", [.text("plain")]), ("{{name}}", [.placeholder(name: "name", fallback: "")]),
      (
        "Hi {{ first_name | there }}!", [.text("Hi "), .placeholder(name: "first_name", fallback: "there"), .text("!")]
      ),
      (
        "{{a|two words}}{{b.c-d|}}",
        [.placeholder(name: "a", fallback: "two words"), .placeholder(name: "b.c-d", fallback: "")]
      ),
      ("{{a|Zoë & “friends”}}", [.placeholder(name: "a", fallback: "Zoë & “friends”")]),
      ("{{a|b|c}}", [.placeholder(name: "a", fallback: "b|c")]),
      // None of these is one: they stay as they are.
      ("{{}}", [.text("{{}}")]), ("{{ }}", [.text("{{ }}")]), ("{{a b}}", [.text("{{a b}}")]), ("{a}", [.text("{a}")]),
      ("{{a", [.text("{{a")]), ("{{a}", [.text("{{a}")]), ("{{a|", [.text("{{a|")]), ("{{a|b}", [.text("{{a|b}")]),
      ("{{a|{b}}}", [.text("{{a|{b}}}")]), ("{{größe}}", [.text("{{größe}}")]), ("{{|x}}", [.text("{{|x}}")]),
      ("{{{a}}}", [.text("{"), .placeholder(name: "a", fallback: ""), .text("}")]),
    ] as [(String, [PlaceholderText.Part])])
  func parts(text: String, parts: [PlaceholderText.Part]) {
    #expect(PlaceholderText(text).parts == parts)
  }

  @Test("What stands there without a value counts for the size") func fallbackCounts() throws {
    let template = try PushTemplate(Array(#"{"aps":{"alert":"Hi {{name|there}}"}}"#.utf8))
    #expect(template.budgets[0].bytes { _ in nil } == #"{"aps":{"alert":"Hi there"}}"#.utf8.count)
    #expect(template.budgets[0].bytes { _ in "Bo" } == #"{"aps":{"alert":"Hi Bo"}}"#.utf8.count)
    #expect(template.placeholders == ["name"])
  }
}
