import Testing
import WireJSON

@Suite("JSON")
struct JSONTests {
  @Test("reading and writing a minified text is the identity")
  func identity() throws {
    let text =
      #"{"aps":{"alert":{"title":"Ünï\n\"q\" \\ 😀","loc-args":["a",1,1.0,1e3,-0,12345678901234567890]},"badge":0},"#
      + #""x":null,"y":[true,false,[],{}]}"#
    #expect(JSON.minifiedText(try JSON.parse(text)) == text)
  }

  @Test("an error names its place")
  func error() {
    #expect { try JSON.parse(#"{"aps": {"alert": [1, tru]}}"#) } throws: {
      "\($0)" == #"expected a value, found "tru" at line 1, column 23 (byte 22, at /aps/alert/1)"#
    }
  }
}
