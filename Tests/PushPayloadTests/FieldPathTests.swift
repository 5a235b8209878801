import PushPayload
import Testing

struct FieldPathTests {
  @Test(
    arguments: [
      ([], "", ""),
      ([.member("aps"), .member("alert"), .member("title")], "aps.alert.title", "/aps/alert/title"),
      ([.member("data"), .member("a.b")], #"data["a.b"]"#, "/data/a.b"),
      ([.member("data"), .member("")], #"data[""]"#, "/data/"),
      ([.member("a"), .element(2), .member("b")], "a[2].b", "/a/2/b"),
      ([.member("x/y~z")], "x/y~z", "/x~1y~0z"),
      ([.member(#"q"\]["#)], #"["q\"\\]["]"#, #"/q"\]["#),
      ([.element(0), .element(1)], "[0][1]", "/0/1"),
      ([.member("naïve 🎉"), .member("1")], "naïve 🎉.1", "/naïve 🎉/1"),
    ] as [([FieldPath.Step], String, String)])
  func everyPathHasOneTextAndReadsBack(steps: [FieldPath.Step], text: String, pointer: String) {
    let path = FieldPath(steps)
    #expect(path.text == text)
    #expect(path.pointer == pointer)
    #expect(FieldPath(parsing: text) == path)
  }

  @Test(arguments: [".", "..", "a..b", "[", "[\"", "[\"a", "[x]", "a.", "]", "[]", "[\"a\\"])
  func brokenTextGivesSomePathAndEnds(text: String) {
    _ = FieldPath(parsing: text).text
  }

  @Test("A pointer that is made of the text alone is the one that is made of the steps")
  func pointersOfTexts() {
    let pieces = ["a", "é", ".", "[", "]", "[0]", "[12]", "[007]", "[123456789]", "/", "~", "\"", "\\", "0"]
    var texts = [""]
    for _ in 0..<4 { texts += texts.flatMap { text in pieces.map { text + $0 } } }
    let wrong = Set(texts).filter { FieldPath.pointer(ofText: $0) != FieldPath(parsing: $0).pointer }
    #expect(wrong.isEmpty)
    #expect(FieldPath.pointer(ofText: "a.b[10][0].c") == "/a/b/10/0/c")
  }

  @Test func namesAreComparedByTheirBytes() {
    #expect(FieldPath(members: "\u{E9}") != FieldPath(members: "e\u{301}"))
    #expect(FieldPath(members: "K") != FieldPath(members: "\u{212A}"))
    #expect(Set([FieldPath(members: "\u{E9}"), FieldPath(members: "e\u{301}")]).count == 2)
  }
}
