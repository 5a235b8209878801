import Testing

@testable import WireJSON

@Suite("WireJSON limits")
struct LimitTests {
  static func nested(_ depth: Int) -> String {
    String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
  }

  @Test("depth: limit - 1 and limit are read, limit + 1 is refused", arguments: [0, 1, 2, 128, 1024])
  func depth(limit: Int) throws {
    let limits = JSONLimits(maxDepth: limit)
    for depth in [limit - 1, limit] where depth > 0 {
      let text = LimitTests.nested(depth)
      #expect(JSON.minifiedText(try JSON.parse(text, limits: limits)) == text)
    }
    let error = try #require(throws: JSONError.self) { try JSON.parse(LimitTests.nested(limit + 1), limits: limits) }
    #expect(error.expected == "at most \(limit) levels of nesting")
    #expect(error.found == "one more")
    #expect(error.offset == limit)
  }

  @Test("depth counts objects as well as arrays")
  func depthOfObjects() throws {
    let text = String(repeating: #"{"a":["#, count: 3) + String(repeating: "]}", count: 3)
    #expect(try JSON.parse(text, limits: JSONLimits(maxDepth: 6))["a"] != nil)
    let error = try #require(throws: JSONError.self) { try JSON.parse(text, limits: JSONLimits(maxDepth: 5)) }
    #expect(
      error.description
        == "expected at most 5 levels of nesting, found one more at line 1, column 18 (byte 17, at /a/0/a/0/a)")
  }

  @Test("depth is given back when containers end")
  func depthOfSiblings() throws {
    let text = "[" + Array(repeating: "[[]]", count: 500).joined(separator: ",") + "]"
    #expect(try JSON.parse(text, limits: JSONLimits(maxDepth: 3)).array?.count == 500)
  }

  @Test("a hundred thousand brackets are refused, not followed")
  func hostileDepth() throws {
    for open in ["[", #"{"a":"#, #"[{"a":"#] {
      #expect(throws: JSONError.self) { try JSON.parse(String(repeating: open, count: 100_000)) }
    }
  }

  @Test("size: limit - 1 and limit are read, limit + 1 is refused")
  func size() throws {
    let text = #"{"a":"0123456789"}"#
    let count = text.utf8.count
    #expect(try JSON.parse(text, limits: JSONLimits(maxBytes: count + 1))["a"] == "0123456789")
    #expect(try JSON.parse(text, limits: JSONLimits(maxBytes: count))["a"] == "0123456789")
    #expect {
      try JSON.parse(text, limits: JSONLimits(maxBytes: count - 1))
    } throws: {
      "\($0)" == "too large: expected at most 17 bytes, found 18 bytes"
    }
  }

  @Test("limits outside of what the reader can do are moved to the nearest end")
  func clamped() {
    let limits = JSONLimits(maxBytes: .max, maxDepth: .max, maxTokens: -1)
    #expect(limits.maxTokens == 1)
    #expect(limits.maxBytes == JSONLimits.maxBytesCeiling)
    #expect(limits.maxDepth == JSONLimits.maxDepthCeiling)
    let none = JSONLimits(maxBytes: -1, maxDepth: -1)
    #expect(none.maxBytes == 0)
    #expect(none.maxDepth == 0)
  }

  @Test("a string of one megabyte, plain and full of escapes")
  func longString() throws {
    for piece in ["a", "é\u{1}", "012345😀\""] {
      let text = String(repeating: piece, count: 1_048_576 / piece.utf8.count)
      let value = JSONValue.array([.string(text), 1])
      #expect(try JSON.parse(JSON.minified(value)) == value)
    }
  }

  @Test("an object of twenty thousand members, all the same name or all different")
  func manyMembers() throws {
    let count = 20_000
    let same = "{" + (0..<count).map { "\"a\":\($0)" }.joined(separator: ",") + "}"
    let (value, duplicates) = try JSON.parseReporting(Array(same.utf8))
    #expect(value == ["a": 19_999])
    #expect(duplicates.count == JSONDocument.duplicatesMax)
    let different = "{" + (0..<count).map { "\"\($0)\":\($0)" }.joined(separator: ",") + "}"
    #expect(try JSON.parse(different).object?.count == count)
    let twice = "{" + (0..<count).map { "\"\($0 % 10_000)\":\($0)" }.joined(separator: ",") + "}"
    #expect(try JSON.parse(twice).object?.first?.value == 10_000)
  }

  /// A name and a number for each member, two words for each container.
  @Test(arguments: [("[1,2,3]", 5), (#"{"a":[],"b":"x"}"#, 7), ("7", 1)]) func tokens(text: String, count: Int) throws {
    #expect(try JSON.parse(text, limits: JSONLimits(maxTokens: count)) == JSON.parse(text))
    guard count > 1 else { return }
    let error = #expect(throws: JSONError.self) { try JSON.parse(text, limits: JSONLimits(maxTokens: count - 1)) }
    #expect(error?.description.contains("at most \(count - 1) names and values") == true)
  }

  @Test(
    "A document with too many tokens takes no memory for those beyond the limit",
    arguments: ["1,", "[],", #"{"a":"b"},"#, #""x","#, "true,", "-1.5e3 ,"])
  func tooManyTokens(part: String) throws {
    let text = Array("[".utf8) + Array(repeatElement(Array(part.utf8), count: 100_000).joined()) + Array("1]".utf8)
    for limit in [1, 300, 5_000, 60_000] {
      var document = JSONDocument()
      let error = #expect(throws: JSONError.self) { try document.parse(text, limits: JSONLimits(maxTokens: limit)) }
      #expect(error?.description.contains("at most \(limit) names and values") == true, "\(String(describing: error))")
      #expect(try #require(document.memory).wordCapacity <= max(limit, text.count / TapeMemory.bytesPerToken) + 256)
      try document.parse(text)
      #expect(document.used > 100_000)
    }
  }
}
