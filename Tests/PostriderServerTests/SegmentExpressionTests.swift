import PushPayload
import PushStore
import StoreModel
import TestSupport
import Testing
import WireJSON

@testable import PostriderServer

@Suite("Segments as expressions") struct SegmentExpressionTests {
  static let path = FieldPath().member("expression")

  /// Expressions and the JSON that they are.
  static let translations: [(text: String, json: String)] = [
    (#"plan = "pro""#, #"{"field":"properties.plan","op":"eq","value":"pro"}"#),
    (#"plan='pro'"#, #"{"field":"properties.plan","op":"eq","value":"pro"}"#),
    (#"properties.plan == "it's \"x\" \\ \n""#, #"{"field":"properties.plan","op":"eq","value":"it's \"x\" \\ \n"}"#),
    ("age >= 41", #"{"field":"properties.age","op":"gte","value":41}"#),
    ("score < -1.5e3", #"{"field":"properties.score","op":"lt","value":-1.5e3}"#),
    ("beta != TRUE", #"{"field":"properties.beta","op":"neq","value":true}"#),
    ("last_seen < 7d", #"{"field":"last_seen_at","op":"within","value":"7d"}"#),
    ("last_seen_at > 2w", #"{"field":"last_seen_at","op":"not_within","value":"2w"}"#),
    ("registered > 2026-11-20", #"{"field":"registered_at","op":"gt","value":"2026-11-20T00:00:00Z"}"#),
    (
      "created <= 2026-11-20T12:00:00+01:00",
      #"{"field":"created_at","op":"lte","value":"2026-11-20T12:00:00+01:00"}"#
    ),
    (#"tags contains "vip""#, #"{"field":"tags","op":"contains","value":"vip"}"#),
    (#"email NOT CONTAINS "@example.com""#, #"{"field":"email","op":"not_contains","value":"@example.com"}"#),
    ("entitlements exists", #"{"field":"entitlements","op":"exists"}"#),
    ("entitlements.premium not exists", #"{"field":"entitlements.premium","op":"not_exists"}"#),
    (#""first name" = "Ann""#, #"{"field":"properties.first name","op":"eq","value":"Ann"}"#),
    (#"properties."7d.x" = 1"#, #"{"field":"properties.7d.x","op":"eq","value":1}"#),
    (#"aliases.crm != "4711""#, #"{"field":"aliases.crm","op":"neq","value":"4711"}"#),
    ("aliases.shop_2 exists", #"{"field":"aliases.shop_2","op":"exists"}"#),
    (#"user = "ann""#, #"{"field":"id","op":"eq","value":"ann"}"#),
    ("größe = 5", #"{"field":"properties.größe","op":"eq","value":5}"#),
    (
      #"plan in ("pro", "team")"#,
      #"{"operator":"OR","conditions":[{"field":"properties.plan","op":"eq","value":"pro"},"#
        + #"{"field":"properties.plan","op":"eq","value":"team"}]}"#
    ),
    (
      "age not in (1,2)",
      #"{"operator":"AND","conditions":[{"field":"properties.age","op":"neq","value":1},"#
        + #"{"field":"properties.age","op":"neq","value":2}]}"#
    ),
    ("age in (1)", #"{"field":"properties.age","op":"eq","value":1}"#),
    (
      "a = 1 or b = 2 and c = 3",
      #"{"operator":"OR","conditions":[{"field":"properties.a","op":"eq","value":1},{"operator":"AND","conditions":["#
        + #"{"field":"properties.b","op":"eq","value":2},{"field":"properties.c","op":"eq","value":3}]}]}"#
    ),
    (
      "(a = 1 or b = 2) and not c = 3",
      #"{"operator":"AND","conditions":[{"operator":"OR","conditions":[{"field":"properties.a","op":"eq","value":1},"#
        + #"{"field":"properties.b","op":"eq","value":2}]},{"operator":"NOT","conditions":["#
        + #"{"field":"properties.c","op":"eq","value":3}]}]}"#
    ),
    (
      "not (a = 1 or b = 2)",
      #"{"operator":"NOT","conditions":[{"field":"properties.a","op":"eq","value":1},"#
        + #"{"field":"properties.b","op":"eq","value":2}]}"#
    ),
  ]

  @Test(arguments: translations) func translation(text: String, json: String) throws {
    #expect(JSON.minifiedText(try SegmentExpression(text).filter) == json)
    var report = Report()
    let read = SegmentExpression.read(text, at: Self.path, into: &report)
    #expect(read != nil && report.findings == [], "\(report)")
    #expect(read?.filter == SegmentLanguage.read(try JSON.parse(json), at: FieldPath(), into: &report))
  }

  /// What is wrong, and at which character.
  static let mistakes: [(text: String, message: String)] = [
    ("", "column 1: expected a field, “not” or a bracket, found the end"),
    ("plan", "column 5: expected =, !=, <, <=, >, >=, “contains”, “exists” or “in” after the field, found the end"),
    ("plan = pro", "column 8: expected text in quotation marks, a number, true, false, a time or a span, found “pro”"),
    ("plan = ", "column 8: expected a value: text in quotation marks, a number, true, false or a time, found the end"),
    (#"plan = "pro"#, #"column 8: the text that begins here has no closing ""#),
    (#"plan = "a\qb""#, #"column 10: after a backslash come \, a quotation mark, n or t, not “q”"#),
    ("plan = 1 age = 2", "column 10: expected “and”, “or” or the end, found “age”"),
    ("plan = 1 and", "column 13: expected a field, “not” or a bracket, found the end"),
    ("(plan = 1", "column 10: expected “)” for the bracket at column 1, found the end"),
    ("plan = 1)", "column 9: expected “and”, “or” or the end, found “)”"),
    ("plan not = 1", "column 10: expected “contains”, “exists” or “in” after “not”, found “=”"),
    ("plan & 1", "column 6: “&” has no meaning here; put text into quotation marks"),
    ("plan in 1", "column 9: expected a list such as (\"a\", \"b\") after “in”, found “1”"),
    (
      "last_seen = 7d",
      "column 13: a time is compared with a span by < (less than so long ago) or >; put text into quotation marks"
    ),
    (#"a = 1 and last_seen = "x""#, "column 11: last_seen_at is a time: give one such as \"2026-11-20T12:00:00Z\""),
    (#"a = 1 and (platform = "vax" or b = 2)"#, "column 12: platform is one of ios, android, web"),
    (#"platform = "hms""#, "column 1: platform is one of ios, android, web; hms is a type: write type = \"hms\""),
    (#"tags > "x""#, "column 1: tags is a set of texts: use contains, not_contains, eq, neq, exists or not_exists"),
    (
      String(repeating: "(", count: 40) + "a = 1",
      "column 33: more than 32 brackets within each other"
    ),
    (String(repeating: "not ", count: 12) + "a = 1", "column 33: groups are nested deeper than 8; flatten them"),
    (
      (0...50).map { "a = \($0)" }.joined(separator: " or "),
      "column 1: expected at most 50 members, found 51"
    ),
    (
      String(repeating: " ", count: SegmentExpression.bytesMax) + "a = 1",
      "column 1: the expression is longer than 65536 bytes"
    ),
  ]

  @Test(arguments: mistakes) func mistake(text: String, message: String) {
    var report = Report()
    #expect(SegmentExpression.read(text, at: Self.path, into: &report) == nil)
    #expect(report.findings.first?.message == message)
    #expect(report.findings.allSatisfy { $0.rule == "segment" && $0.severity == .error && $0.field == "expression" })
  }

  @Test("A property that is nearly a field is a warning") func nearly() {
    var report = Report()
    #expect(SegmentExpression.read(#"a = 1 and plattform = "ios""#, at: Self.path, into: &report) != nil)
    #expect(report.findings.map(\.severity) == [.warning])
    #expect(report.findings.first?.message.hasPrefix("column 11: “plattform” is read as the property") == true)
    report = Report()
    #expect(SegmentExpression.read(#"properties.plattform = "ios""#, at: Self.path, into: &report) != nil)
    #expect(report.findings.isEmpty)
  }

  // MARK: - Every filter has an expression that means the same

  @Test func roundTrips() throws {
    let seed = UInt64.random(in: 1...UInt64.max)
    var random = SeededRandom(seed: seed)
    for round in 0..<3_000 {
      let filter = Self.filter(depth: 1, &random)
      let text = filter.expression
      var report = Report()
      let read = SegmentExpression.read(text, at: Self.path, into: &report)
      #expect(
        read?.filter.plain == filter.plain && !report.hasErrors,
        "seed \(seed), round \(round): \(text)\n\(report)\n\(filter)")
      #expect(read?.filter.expression == text, "seed \(seed), round \(round)")
    }
  }

  @Test("Whatever is typed is read or refused") func anything() {
    let seed = UInt64.random(in: 1...UInt64.max)
    var random = SeededRandom(seed: seed)
    let pieces = [
      "plan", "=", "<", ">=", "(", ")", ",", "and", "or", "not", "in", "contains", "exists", "7d", "\"x\"", "'", "\\",
      "1e9",
      "\u{301}", "👩‍👩‍👧", "\u{0}", "2026-01-01", "properties.", "tags", " ", "\n", "true",
    ]
    for _ in 0..<20_000 {
      let text = (0..<Int.random(in: 0...12, using: &random)).map { _ in
        pieces[Int.random(in: 0..<pieces.count, using: &random)]
      }.joined(separator: Bool.random(using: &random) ? " " : "")
      var report = Report()
      let read = SegmentExpression.read(text, at: Self.path, into: &report)
      #expect((read == nil) == report.hasErrors, "seed \(seed): \(text)")
    }
  }

  private static func filter(depth: Int, _ random: inout SeededRandom) -> SegmentFilter {
    guard depth < 4, Int.random(in: 0..<3, using: &random) == 0 || depth == 1 else {
      return .condition(condition(&random))
    }
    let parts = (0..<Int.random(in: 1...3, using: &random)).map { _ in filter(depth: depth + 1, &random) }
    return [.and(parts), .or(parts), .none(parts)][Int.random(in: 0..<3, using: &random)]
  }

  private static func condition(_ random: inout SeededRandom) -> SegmentCondition {
    let texts = ["pro", "", "a \"b\" 'c' \\", "Zeile\nzwei", "7d", "12", "true", "\u{301}x", "🙂", "(", "and"]
    let text = texts[Int.random(in: 0..<texts.count, using: &random)]
    let names = ["plan", "first name", "7d", "a.b", "und\"so", "größe", "and", "tags", "\u{301}"]
    let name = names[Int.random(in: 0..<names.count, using: &random)]
    let span =
      Int64.random(in: 1...500, using: &random) * [1_000, 60_000, 3_600_000, 86_400_000][Int(random.next() % 4)]
    let time = Timestamp(milliseconds: Int64.random(in: 0...4_000_000_000_000, using: &random))
    let values: [AttributeValue] = [
      .text(text), .integer(Int64.random(in: .min ... .max, using: &random)), .real(1.25), .real(1e300), .time(time),
    ]
    let value = values[Int.random(in: 0..<values.count, using: &random)]
    let field: SegmentField = .attribute((Bool.random(using: &random) ? "properties." : "entitlements.") + name)
    switch random.next() % 12 {
    case 0: return SegmentCondition(field, .equal(random.next() % 2 == 0 ? value : .bool(true)))
    case 1: return SegmentCondition(field, .notEqual(value))
    case 2: return SegmentCondition(field, .greater(value))
    case 3: return SegmentCondition(field, .lessOrEqual(value))
    case 4: return SegmentCondition(field, .contains(text.isEmpty ? "x" : text))
    case 5: return SegmentCondition(field, .notContains("y"))
    case 6: return SegmentCondition(field, .exists)
    case 7: return SegmentCondition(.attribute("tags"), .notExists)
    case 8: return SegmentCondition(.column(.lastSeenAt), .within(milliseconds: span))
    case 9: return SegmentCondition(.column(.createdAt), .notWithin(milliseconds: span))
    case 10: return SegmentCondition(.column(.registeredAt), .less(.time(time)))
    default: return SegmentCondition(.entitlements, .contains("premium"))
    }
  }

  // MARK: - The API

  @Test func overTheAPI() throws {
    let fixture = try ServerFixture()
    let (ios, _) = try fixture.makeDemo()
    _ = try fixture.send("PATCH", "/v1/apps/demo/devices/\(ios)", #"{"user":"ann","properties":{"plan":"pro"}}"#)
    let counted = try fixture.send(
      "POST", "/v1/apps/demo/segments/count", #"{"expression":"plan = 'pro' and last_seen < 7d","sample":0}"#)
    #expect(
      counted.text
        == #"{"devices":1,"activity_tokens":0,"sample":[],"filter":{"operator":"AND","conditions":[{"field":"properties.plan","op":"eq","#
        + #""value":"pro"},{"field":"last_seen_at","op":"within","value":"7d"}]},"#
        + #""expression":"properties.plan = \"pro\" and last_seen_at < 7d"}"#)
    let made = try fixture.send(
      "POST", "/v1/apps/demo/segments", #"{"name":"pros","expression":"plan = 'pro'"}"#)
    #expect(made.status == 201 && made.json["filter"]?["op"] == "eq")
    #expect(made.json["expression"] == #"properties.plan = "pro""#)
    let changed = try fixture.send("PATCH", "/v1/apps/demo/segments/pros", #"{"expression":"not plan exists"}"#)
    #expect(changed.json["filter"]?["operator"] == "NOT" && changed.json["expression"] == "not properties.plan exists")
    #expect(try fixture.send("GET", "/v1/apps/demo/segments/pros/count").json["devices"] == 1)
    #expect(try fixture.send("GET", "/v1/apps/demo/segments/active_7d").json["expression"] == "last_seen_at < 7d")
    for body in [
      #"{"name":"x"}"#, #"{"name":"x","expression":"plan ="}"#,
      #"{"name":"x","expression":"plan = 1","filter":{"field":"tags","op":"exists"}}"#,
    ] {
      let refused = try fixture.send("POST", "/v1/apps/demo/segments", body)
      #expect(refused.status == 422, "\(refused.text)")
    }
    let doubtful = try fixture.send("POST", "/v1/apps/demo/segments/count", #"{"expression":"platfrom = 'ios'"}"#)
    #expect(doubtful.status == 200 && doubtful.text.contains("the field is “platform”"), "\(doubtful.text)")
  }
}
