import Testing
import WireJSON

@Suite("JSONDocument")
struct DocumentTests {
  static let text = #"""
    {"aps": {"alert": {"title": "Hé\u0021", "body": ""}, "badge": 3, "sound": null},
     "on": true, "off": false, "ratio": 1.5, "list": [1, [2], {"x": 3}, "four", []],
     "t\u0069tle": "escaped name", "\n": -12, "empty": {}}
    """#

  static func document() throws -> JSONDocument {
    var document = JSONDocument()
    try document.parse(text)
    return document
  }

  @Test("a new document is null")
  func new() {
    let document = JSONDocument()
    #expect(document.kind(document.root) == .null)
    #expect(document.isNull(document.root))
    #expect(document.value(document.root) == nil)
    #expect(document.count(document.root) == 0)
    #expect(document.member(of: document.root, "a") == nil)
    #expect(document.pointer(of: document.root) == "")
  }

  @Test("members are found by literal, key, string and bytes")
  func lookUp() throws {
    let document = try DocumentTests.document()
    let aps = try #require(document.member(of: document.root, "aps"))
    let key: JSONKey = "badge"
    let name = "bad" + "ge"
    #expect(document.int(of: aps, "badge") == 3)
    #expect(document.member(of: aps, key).flatMap { document.int($0) } == 3)
    #expect(document.member(of: aps, name).flatMap { document.int($0) } == 3)
    #expect(Array(name.utf8).withUnsafeBufferPointer { document.member(of: aps, utf8: $0) } != nil)
    #expect(document.member(of: aps, "badg") == nil)
    #expect(document.member(of: aps, "badges") == nil)
    #expect(document.member(of: aps, "") == nil)
    #expect(document.string(of: document.root, "title") == "escaped name")
    #expect(document.int(of: document.root, "\n") == -12)
    #expect(document.bool(of: document.root, "on") == true)
    #expect(document.bool(of: document.root, "off") == false)
    #expect(document.string(of: document.root, "on") == nil)
    #expect(document.int(of: aps, "alert") == nil)
    let badge = try #require(document.member(of: aps, "badge"))
    #expect(document.member(of: badge, "x") == nil)
  }

  @Test("a key table finds the place of each name")
  func keyTable() async throws {
    let keys: [JSONKey] = [
      "", "a", "b", "ab", "ba", "title", "subtitle", "title-loc", "title-loc-key", "title-loc-args", "12345678",
      "123456789", "12345678a", "é", "loc-key", "loc-args",
    ]
    let table = JSONKeyTable(keys)
    let names = keys.map { $0.name } + ["c", "abc", "titlf", "title-loc-kez", "1234567", "e\u{301}", "title\u{0}"]
    var document = JSONDocument()
    try document.parse(JSON.minified(.object(JSONObject(names.map { ($0, 1) }))))
    let found = document.members(of: document.root).map { document.index(of: $0.name, in: table) }
    #expect(found == keys.indices.map { $0 } + Array(repeating: nil, count: 7))
    try document.parse(#"{"t\u0069tle":1,"\u0063":2}"#)
    #expect(document.members(of: document.root).map { document.index(of: $0.name, in: table) } == [5, nil])
    #expect(document.index(of: document.root, in: table) == nil)
    #expect(
      document.members(of: document.root).map { document.index(of: $0.name, in: JSONKeyTable([])) } == [nil, nil])
    await #expect(processExitsWith: .failure) { _ = JSONKeyTable(["a", "b", "a"]) }
  }

  @Test("scalars give their content and nil for other kinds")
  func scalars() throws {
    let document = try DocumentTests.document()
    let aps = try #require(document.member(of: document.root, "aps"))
    let alert = try #require(document.member(of: aps, "alert"))
    let title = try #require(document.member(of: alert, "title"))
    #expect(document.string(title) == "Hé!")
    #expect(document.isString(title, "Hé!"))
    #expect(!document.isString(title, "Hé"))
    #expect(document.isString(title, String("Hé!")))
    #expect(document.isString(title, "Hé!" as JSONKey))
    #expect(document.int(title) == nil)
    #expect(document.bool(title) == nil)
    #expect(document.number(title) == nil)
    #expect(document.string(of: alert, "body") == "")
    #expect(document.string(aps) == nil)
    #expect(!document.isString(aps, "aps"))
    let ratio = try #require(document.member(of: document.root, "ratio"))
    #expect(document.double(ratio) == 1.5)
    #expect(document.int(ratio) == nil)
    #expect(document.number(ratio)?.text == "1.5")
    let sound = try #require(document.member(of: aps, "sound"))
    #expect(document.isNull(sound))
  }

  @Test("containers are walked in order")
  func walks() throws {
    let document = try DocumentTests.document()
    let names = document.members(of: document.root).map { document.string($0.name) }
    #expect(names == ["aps", "on", "off", "ratio", "list", "title", "\n", "empty"])
    let list = try #require(document.member(of: document.root, "list"))
    #expect(document.elements(of: list).map { document.kind($0) } == [.number, .array, .object, .string, .array])
    #expect(document.count(list) == 5)
    #expect(document.count(document.root) == 8)
    #expect(document.members(of: list).map { $0.name } == [])
    #expect(document.elements(of: document.root).map { $0 } == [])
    let empty = try #require(document.member(of: document.root, "empty"))
    #expect(document.count(empty) == 0)
    #expect(document.members(of: empty).map { $0.name } == [])
  }

  @Test("source text and pointers of values")
  func indexes() throws {
    let document = try DocumentTests.document()
    func source(_ node: JSONNode) -> String { document.withSource(of: node) { String(decoding: $0, as: UTF8.self) } }
    var found: [String] = []
    func walk(_ node: JSONNode) {
      found.append("\(document.pointer(of: node)) \(source(node))")
      for (_, value) in document.members(of: node) { walk(value) }
      for element in document.elements(of: node) { walk(element) }
    }
    let list = try #require(document.member(of: document.root, "list"))
    walk(list)
    #expect(
      found == [
        #"/list [1, [2], {"x": 3}, "four", []]"#, "/list/0 1", "/list/1 [2]", "/list/1/0 2", #"/list/2 {"x": 3}"#,
        "/list/2/x 3", #"/list/3 "four""#, "/list/4 []",
      ])
    found = []
    walk(try #require(document.member(of: document.root, "aps")))
    #expect(found.last == "/aps/sound null")
    #expect(found[2] == #"/aps/alert/title "Hé\u0021""#)
    #expect(source(document.root) == DocumentTests.text)
    for (name, value) in document.members(of: document.root) {
      #expect(document.pointer(of: name) == document.pointer(of: value))
    }
  }

  @Test("a document is used again, also after an error")
  func reuse() throws {
    var document = try DocumentTests.document()
    try document.parse("[1]")
    #expect(document.value(document.root) == [1])
    #expect(throws: JSONError.self) { try document.parse("[1,") }
    #expect(document.value(document.root) == nil)
    #expect(throws: JSONError.self) { try document.parse("[1]", limits: JSONLimits(maxBytes: 2)) }
    #expect(document.value(document.root) == nil)
    let large: JSONValue = .array((0..<5000).map { [.number(JSONNumber($0)), []] })
    try document.parse(JSON.minified(large))
    #expect(document.value(document.root) == large)
    try document.parse("2")
    #expect(document.value(document.root) == 2)
  }

  @Test("a copy keeps its content when the other reads again")
  func copies() throws {
    let first = try DocumentTests.document()
    let members = first.members(of: first.root)
    var second = first
    try second.parse("[]")
    #expect(second.value(second.root) == [])
    #expect(first.int(of: first.root, "\n") == -12)
    #expect(members.map { first.string($0.value) }.count == 8)
    var third = second
    #expect(throws: JSONError.self) { try third.parse("x") }
    #expect(second.value(second.root) == [])
  }

  @Test("every way to hand over bytes reads the same")
  func inputs() throws {
    let bytes = Array(DocumentTests.text.utf8)
    let expected = try JSON.parse(bytes)
    #expect(try JSON.parse(DocumentTests.text) == expected)
    var document = JSONDocument()
    try document.parse(bytes.span)
    #expect(document.value(document.root) == expected)
    try bytes.withUnsafeBufferPointer { buffer throws(JSONError) in try document.parse(buffer) }
    #expect(document.value(document.root) == expected)
  }

  @Test("a node of another document traps instead of reading elsewhere")
  func foreignNode() async {
    await #expect(processExitsWith: .failure) {
      var large = JSONDocument()
      try large.parse("[1,2,3,4,5,6,7,8]")
      let last = large.elements(of: large.root).reduce(large.root) { $1 }
      let small = JSONDocument()
      _ = small.kind(last)
    }
  }
}
