import PushPayload
import PushRules
import TestSupport
import Testing
import WireJSON

struct PushTemplateTests {
  static let text = #"""
    {"apns": {"headers": {"apns-push-type": "alert"},
              "payload": {"aps": {"alert": {"title": "Hi {{name}}", "body": "{{ name }}, {{user.city}}!"}}}},
     "fcm": {"message": {"token": "{{token}}", "notification": {"title": "Hi {{name}}"}, "data": {"city": "{{user.city}}"}}}}
    """#

  @Test func theSizeIsTheSizeOfTheRenderedMessage() throws {
    let template = try PushTemplate(Array(Self.text.utf8))
    #expect(template.placeholders == ["name", "user.city", "token"])
    #expect(template.budgets.map(\.name) == ["ios", "android"])
    let values = ["name": "Zoë \"Z\"\n", "user.city": "Zürich", "token": "t"]
    var rendered = Self.text
    for (name, value) in values {
      let escaped = String(JSON.minifiedText(.string(value)).dropFirst().dropLast())
      rendered = rendered.split(separator: "{{\(name)}}", omittingEmptySubsequences: false).joined(separator: escaped)
      rendered = rendered.split(separator: "{{ \(name) }}", omittingEmptySubsequences: false).joined(separator: escaped)
    }
    let document = try JSON.parse(rendered)
    let payload = JSON.minified(try #require(document["apns"]?["payload"]))
    let body = JSON.minified(try #require(document["fcm"]))
    #expect(template.budgets[0].bytes { values[$0] } == payload.count)
    #expect(template.budgets[1].bytes { values[$0] } == FCMBudget.bytes(ofRequest: body))
  }

  @Test(arguments: [
    (
      AudienceReader.Format.csv,
      "\u{FEFF}user_id,name,city\r\nu1,Ann,Rome\r\nu2,\"Bartholomew, \"\"Bart\"\"\",\"Par\nis\"\r\nu3,,\n"
    ),
    (
      .ndjson,
      "{\"id\":\"u1\",\"name\":\"Ann\",\"city\":\"Rome\"}\n\n{\"id\":\"u2\",\"name\":\"Bartholomew, \\\"Bart\\\"\",\"city\":\"Par\\nis\"}\n{\"id\":\"u3\",\"name\":null}"
    ),
  ])
  func theWorstCaseIsNamed(format: AudienceReader.Format, file: String) throws {
    let template = try PushTemplate(Array(#"{"aps":{"alert":"{{name}} {{city}}"}}"#.utf8))
    // Every split of the file gives the same audit.
    for cut in [0, 1, 17, file.utf8.count / 2, file.utf8.count] {
      var audit = TemplateAudit(template)
      var reader = AudienceReader(format)
      let bytes = Array(file.utf8)
      try reader.feed(bytes[..<cut]) { audit.add($0) }
      try reader.feed(bytes[cut...]) { audit.add($0) }
      try reader.finish { audit.add($0) }
      let worst = audit.worst[0]
      #expect(audit.rows == 3)
      #expect(worst.recipient == "u2")
      #expect(worst.row == 2)
      #expect(worst.bytes == #"{"aps":{"alert":"Bartholomew, \"Bart\" Par\nis"}}"#.utf8.count)
      #expect(worst.fits)
      #expect(audit.missing == (format == .csv ? [0, 0] : [1, 1]))
    }
  }

  @Test func recipientsOverTheLimitAreCounted() throws {
    let template = try PushTemplate(Array(#"{"aps":{"alert":"{{name}}"}}"#.utf8))
    var audit = TemplateAudit(template)
    var reader = AudienceReader(.csv)
    let fits = String(repeating: "x", count: 4096 - template.budgets[0].fixedBytes)
    try reader.feed("name\n\(fits)\n\(fits)y\n\(fits)yz\nshort\n".utf8) { audit.add($0) }
    try reader.finish { audit.add($0) }
    #expect(audit.worst[0].overCount == 2)
    #expect(audit.worst[0].bytes == 4098)
    #expect(audit.worst[0].row == 3)
    #expect(!audit.worst[0].fits)
  }

  @Test(
    arguments: [
      (AudienceReader.Format.csv, "a,b\n1,2,3\n", "line 2: expected 2 fields as in the header, found 3"),
      (.csv, "a\n\"open", "line 2: expected a closing quote, found the end of the file"),
      (.csv, "a\n\u{0}\n", nil),
      (.ndjson, "{}\n[1]\n", "line 2: expected a JSON object, found another value"),
      (
        .ndjson, "{\"a\":}\n",
        "line 1: expected a JSON object; expected a value, found \"}\" at line 1, column 6 (byte 5, at /a)"
      ),
    ] as [(AudienceReader.Format, String, String?)])
  func brokenFilesAreRefused(format: AudienceReader.Format, file: String, message: String?) {
    var reader = AudienceReader(format)
    var found: String?
    do throws(AudienceError) {
      try reader.feed(file.utf8) { _ in }
      try reader.finish { _ in }
    } catch { found = error.description }
    #expect(found == message)
  }

  @Test func rowsHaveALimit() {
    var reader = AudienceReader(.ndjson)
    #expect(throws: AudienceError.self) {
      try reader.feed([UInt8](repeating: 0x78, count: AudienceReader.rowBytesMax + 1)) { _ in }
    }
    for byte in [UInt8(ascii: "x"), UInt8(ascii: ",")] {
      var commas = AudienceReader(.csv)
      #expect(throws: AudienceError.self) {
        try commas.feed([UInt8](repeating: byte, count: AudienceReader.rowBytesMax + 1)) { _ in }
      }
    }
    var invalid = AudienceReader(.csv)
    #expect(throws: AudienceError.self) { try invalid.feed([0x61, 0x0A, 0xFF, 0x0A]) { _ in } }
  }

  @Test(arguments: [
    ("{{a}}", ["a"]), ("{{ a.b-c_1 }}", ["a.b-c_1"]), ("{{}}", []), ("{{a}", []), ("{a}}", []), ("{{a b}}", []),
    ("{{{a}}}", ["a"]), ("{{a}}{{b}}{{a}}", ["a", "b"]), ("{{é}}", ["é"]),
  ])
  func placeholdersAreFound(text: String, names: [String]) throws {
    let template = try PushTemplate(JSON.minified(["aps": ["alert": .string(text)]]))
    #expect(template.placeholders == names)
  }
}
