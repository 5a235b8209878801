import Testing
import WireJSON

@Suite("Repeated names")
struct DuplicateTests {
  @Test(
    "the last value wins in the place of the first, and each repetition is reported",
    arguments: [
      (#"{"a":1,"b":2}"#, #"{"a":1,"b":2}"#, []),
      (#"{"a":1,"b":2,"a":3}"#, #"{"a":3,"b":2}"#, ["/a 13"]),
      (#"{"a":1,"a":2,"a":3}"#, #"{"a":3}"#, ["/a 7", "/a 13"]),
      (#"{"a":1,"\u0061":2}"#, #"{"a":2}"#, ["/a 7"]),
      (#"{"":1,"":2}"#, #"{"":2}"#, ["/ 6"]),
      (
        #"{"x":{"a~/":1,"a~/":2},"y":[0,{"b":1,"b":2}]}"#, #"{"x":{"a~/":2},"y":[0,{"b":2}]}"#,
        ["/x/a~0~1 14", "/y/1/b 37"]
      ),
      (#"{"a":{"b":1},"a":{"c":1,"c":2}}"#, #"{"a":{"c":2}}"#, ["/a 13", "/a/c 24"]),
      (#"{"a":{"b":1,"b":2},"a":3}"#, #"{"a":3}"#, ["/a/b 12", "/a 19"]),
      ("{\"\u{E9}\":1,\"e\u{301}\":2}", "{\"\u{E9}\":1,\"e\u{301}\":2}", []),
      (#"[{"a":1},{"a":1}]"#, #"[{"a":1},{"a":1}]"#, []),
    ])
  func lastWins(text: String, minified: String, reported: [String]) throws {
    let (value, duplicates) = try JSON.parseReporting(Array(text.utf8))
    #expect(JSON.minifiedText(value) == minified)
    #expect(duplicates.map { "\($0.pointer) \($0.offset)" } == reported)
  }

  @Test("large objects follow the same rule as small ones", arguments: [2, 15, 16, 17, 18, 40])
  func large(count: Int) throws {
    let names = (0..<count).map { "\"k\($0 % (count - 1))\":\($0)" }
    let (value, duplicates) = try JSON.parseReporting(Array("{\(names.joined(separator: ","))}".utf8))
    #expect(value.object?.count == count - 1)
    #expect(value["k0"]?.int == count - 1)
    #expect(value.object?.first?.key == "k0")
    #expect(duplicates.map(\.pointer) == ["/k0"])
  }

  @Test("long names are cut in pointers")
  func longNames() throws {
    let name = String(repeating: "é", count: 100)
    let (_, duplicates) = try JSON.parseReporting(Array(#"{"\#(name)x":1,"\#(name)x":1}"#.utf8))
    #expect(duplicates.map(\.pointer) == ["/" + String(repeating: "é", count: 64) + "…"])
    let odd = "x" + String(repeating: "é", count: 100)
    let (_, cut) = try JSON.parseReporting(Array(#"{"\#(odd)":1,"\#(odd)":1}"#.utf8))
    #expect(cut.map(\.pointer) == ["/x" + String(repeating: "é", count: 63) + "…"])
  }

  @Test("a document finds the last of a repeated name")
  func lookUp() throws {
    var document = JSONDocument()
    try document.parse(#"{"a":1,"b":{"a":5},"a":3}"#)
    #expect(document.int(of: document.root, "a") == 3)
    #expect(document.count(document.root) == 3)
  }
}
