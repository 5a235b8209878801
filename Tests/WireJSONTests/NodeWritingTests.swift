import TestSupport
import Testing
import WireJSON

/// What is written from the tape is what is written from the values on it.
@Suite("Values written from the tape")
struct NodeWritingTests {
  /// A value in one of its many spellings: white space, escapes where none are needed.
  private static func spelled(_ value: JSONValue, _ random: inout SeededRandom) -> String {
    func blank(_ random: inout SeededRandom) -> String {
      ["", "", "", " ", "\n\t"].randomElement(using: &random) ?? ""
    }
    switch value {
    case .string(let text): return spelled(text, &random)
    case .array(let elements):
      var parts: [String] = []
      for element in elements { parts.append(blank(&random) + spelled(element, &random)) }
      return "[" + parts.joined(separator: ",") + blank(&random) + "]"
    case .object(let members):
      var parts: [String] = []
      for (name, member) in members {
        parts.append(spelled(name, &random) + blank(&random) + ":" + spelled(member, &random))
      }
      return "{" + parts.joined(separator: ",") + blank(&random) + "}"
    default: return JSON.minifiedText(value)
    }
  }

  private static func spelled(_ text: String, _ random: inout SeededRandom) -> String {
    let isPlain = Bool.random(using: &random)
    var spelled = "\""
    for scalar in text.unicodeScalars {
      if isPlain || Int.random(in: 0..<3, using: &random) > 0 {
        // Scalar by scalar: a combining mark would make one character with a quote.
        let minified = JSON.minifiedText(.string(String(scalar))).unicodeScalars.dropFirst().dropLast()
        spelled += scalar == "/" ? "\\/" : String(String.UnicodeScalarView(minified))
      } else {
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16, uppercase: Bool.random(using: &random))
          spelled += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      }
    }
    return spelled + "\""
  }

  @Test("any spelling is written as its value is")
  func spellings() throws {
    var values = RandomValues(random: .fromEnvironment())
    var document = JSONDocument()
    for round in 0..<400 {
      let note: Comment = "POSTRIDER_SEED=\(values.random.seed), round \(round)"
      let value = values.value(depth: 4)
      try document.parse(Self.spelled(value, &values.random))
      #expect(!document.hasDuplicates, note)
      var writer = JSONWriter(capacity: 1)
      writer.value(document.root, of: document)
      #expect(writer.text == JSON.minifiedText(document.value(document.root)), note)
      #expect(writer.text == JSON.minifiedText(value), note)
      // As JSON text in a string, and as a piece of another string.
      try document.parse(Self.spelled(.array([.string(writer.text)]), &values.random))
      var cursor = document.cursor(document.root)
      let text = try #require(document.nextElement(&cursor))
      let next = document.nextElement(&cursor)
      #expect(next == nil)
      var inner = JSONDocument()
      let isRead = inner.parse(textOf: text, in: document)
      #expect(isRead, note)
      #expect(inner.value(inner.root) == value, note)
      var pieces = JSONWriter()
      pieces.beginString()
      Array("<".utf8).withUnsafeBufferPointer { pieces.piece(utf8: $0) }
      pieces.piece(text, of: document)
      pieces.endString()
      #expect(pieces.text == JSON.minifiedText(.string("<" + writer.text)), note)
      // As JSON text in a string that is JSON text in a string, whatever its escapes are, and as a member of a known name.
      var quoted = JSONWriter()
      quoted.beginObject()
      quoted.fragment(JSONFragment("a"))
      quoted.beginString()
      quoted.quotedPiece(text, of: document)
      quoted.endString()
      quoted.member(JSONFragment("of a long name, longer than a register or two"), text, of: document)
      quoted.endObject()
      let expected: JSONValue = [
        "a": .string(JSON.minifiedText(.string(writer.text))),
        "of a long name, longer than a register or two": .string(writer.text),
      ]
      #expect(quoted.text == JSON.minifiedText(expected), note)
    }
  }

  @Test("a repeated name is found at any depth and in any number of members")
  func duplicates() throws {
    var document = JSONDocument()
    for count in [0, 1, 2, 15, 16, 17, 200] {
      let members = (0..<count).map { "\"k\($0)\":\($0)" }
      for (extra, isRepeated) in [
        ("\"x\":[{}]", false), ("\"\\u006b0\":1", count > 0), ("\"a\":{\"b\":1,\"b\":2}", true),
      ] {
        try document.parse("{" + (members + [extra]).joined(separator: ",") + "}")
        #expect(document.hasDuplicates == isRepeated, "\(count) members and \(extra)")
        #expect(document.hasDuplicates == !document.duplicates().isEmpty)
      }
    }
  }

  @Test("what a text begins with, and what it is")
  func looks() throws {
    var document = JSONDocument()
    try document.parse(#"{"a":"im_loc_x","b":"\u0069m","c":7,"d":"","e":{"i":1},"f":"{\"i\":","g":"[1.5]","h":-12}"#)
    func node(_ name: StaticString) throws -> JSONNode { try #require(document.member(of: document.root, name)) }
    let (key, number, empty) = (try node("a"), try node("c"), try node("d"))
    #expect(document.begins(key, with: "im_loc_") == true)
    #expect(document.begins(key, with: "im_loc_xy") == false)
    #expect(document.begins(try node("b"), with: "im") == nil)
    #expect(document.begins(number, with: "7") == false)
    #expect(document.isEmptyString(empty) && !document.isEmptyString(key))
    let seven = ("7" as JSONKey).utf8
    #expect(document.isWritten(number, seven) && !document.isWritten(empty, seven))
    let (broken, object, list) = (try node("f"), try node("e"), try node("g"))
    var inner = JSONDocument()
    let readsBroken = inner.parse(textOf: broken, in: document)
    #expect(!readsBroken && inner.isNull(inner.root))
    let readsObject = inner.parse(textOf: object, in: document)
    #expect(!readsObject && inner.isNull(inner.root))
    let readsList = inner.parse(textOf: list, in: document)
    #expect(readsList && !inner.hasPlainNumbers)
    #expect(document.hasPlainNumbers)
  }
}
