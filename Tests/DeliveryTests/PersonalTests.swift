import GatewayPool
import PushRules
import PushStore
import StoreModel
import TestSupport
import Testing
import WireJSON

@testable import Delivery

/// Choosing and filling the payload of a device.
@Suite struct PersonalTests {
  static func push(_ payloads: [RenderedPayload], _ values: PersonalValues = PersonalValues()) throws -> PersonalPush {
    try #require(PersonalPush(payloads, personal: JSON.minified(values.json), salt: 7))
  }

  static func payload(_ body: String, locale: String? = nil, variant: Int? = nil) -> RenderedPayload {
    var payload = RenderedPayload(kinds: [.ios], body: Array(body.utf8))
    payload.locale = locale
    payload.variant = variant
    return payload
  }

  static func recipient(
    user: String? = nil, locale: String? = nil, properties: [Property] = []
  ) -> DeliveryRecipient {
    DeliveryRecipient(
      delivery: DeliveryID(rawValue: 1), device: DeviceID(rawValue: 5), user: user, locale: locale,
      timezone: "Europe/Vienna", appVersion: "1.2", properties: properties)
  }

  /// What a device is sent, as the pipeline writes it; the reason when it is sent nothing.
  static func text(_ push: PersonalPush, _ recipient: DeliveryRecipient, kind: DeviceKind = .ios) -> String {
    let row = RecipientRow(recipient, push.fields)
    guard
      let index = push.choice(
        locale: row.text(RecipientFields.Slot.locale), kind: kind, variant: push.variant(of: row, "t"))
    else { return PipelineReason.noPayload }
    let choice = push.choices[index]
    var escaper = TextEscaper()
    var texts: SendTexts?
    if let fill = choice.fill {
      var written = SendTexts(perRow: fill.perRow)
      var renderers = fill.renderers
      switch fill.add(row, push.own(row, token: "t"), now: 0, &escaper, &renderers, to: &written) {
      case .added: texts = written
      case .tooLarge: return PipelineReason.tooLarge
      case .skipped(let reason): return reason
      }
    }
    let entry = SendBatch.Entry(tag: 1, token: "t", apnsID: (0, 0))
    let batch = SendBatch(payload: choice.payload, urgent: false, notAfter: nil, entries: [entry], texts: texts)
    return String(decoding: batch.body(of: entry), as: UTF8.self)
  }

  @Test(
    "A device takes the closest language",
    arguments: [
      (nil, "en"), ("", "en"), ("de", "de"), ("de-AT", "at"), ("de_AT", "at"), ("DE-at", "at"), ("de-CH", "de"),
      ("de-AT-1996", "at"), ("fr-CA", "en"), ("zh-Hant-TW", "hant"), ("zh-Hant-x-private", "hant"), ("zh", "en"),
      ("d", "en"), ("---", "en"),
    ] as [(String?, String)])
  func languages(locale: String?, body: String) throws {
    let push = try Self.push([
      Self.payload("en"), Self.payload("de", locale: "de"), Self.payload("at", locale: "de-at"),
      Self.payload("hant", locale: "zh-hant"),
    ])
    #expect(Self.text(push, Self.recipient(locale: locale)) == body)
  }

  @Test("Shares come out, the same user gets the same each time, and another push shares anew") func variants() throws {
    var counts = [0, 0, 0]
    var moved = 0
    for number in 0..<20_000 {
      let first = VariantShare.variant(of: "user-\(number)", salt: 1, shares: [20, 30])
      #expect(first == VariantShare.variant(of: "user-\(number)", salt: 1, shares: [20, 30]))
      counts[first ?? 2] += 1
      if first != VariantShare.variant(of: "user-\(number)", salt: 2, shares: [20, 30]) { moved += 1 }
    }
    #expect((3_800...4_200).contains(counts[0]) && (5_750...6_250).contains(counts[1]), "\(counts)")
    // Independent shares agree for 38 % (0.2² + 0.3² + 0.5²).
    #expect((12_000...12_800).contains(moved), "\(moved)")
    #expect(VariantShare.variant(of: "u", salt: 1, shares: [100]) == 0)
    #expect(VariantShare.variant(of: "u", salt: 1, shares: []) == nil)
  }

  @Test("A variant falls back to its own message, never to another variant's language") func variantLanguages() throws {
    var values = PersonalValues()
    values.shares = [100]
    let push = try Self.push(
      [Self.payload("base"), Self.payload("base-de", locale: "de"), Self.payload("a", variant: 0)], values)
    #expect(Self.text(push, Self.recipient(user: "u", locale: "de")) == "a")
  }

  @Test("Values come from the recipient, the push, the device, its properties, in this order, then the fallback")
  func order() throws {
    var payload = Self.payload("[]")
    payload.placeholders = ["a", "b", "c", "d", "user", "device.app_version", "e"].map {
      RenderedPayload.Placeholder(offset: 1, name: $0, fallback: "-", depth: 1)
    }
    var values = PersonalValues()
    values.common = ["a": "A", "b": "B"]
    values.users = ["ann": ["a": "ann's"]]
    let push = try Self.push([payload], values)
    let properties = [
      Property("c", .text("user")), Property("c", .text("device")), Property("d", .integer(7)),
    ]
    #expect(Self.text(push, Self.recipient(user: "ann", properties: properties)) == "[ann'sBdevice7ann1.2-]")
    #expect(Self.text(push, Self.recipient()) == "[AB--" + "-1.2-]")
  }

  @Test(
    "A recipient whose texts are empty gets nothing where a device needs them",
    arguments: [
      (["a": "A", "b": "B"], "[AB-]"), (["a": "A"], "[A--]"), (["b": "B"], "template-empty"),
      (["a": "A", "b": "", "c": ""], "template-empty"), (["a": "A", "b": "", "c": "C"], "[AC]"),
    ] as [([String: String], String)])
  func emptyTexts(values: [String: String], expected: String) throws {
    var payload = Self.payload("[]")
    payload.placeholders = [("a", "", .always), ("b", "-", .oneOf), ("c", "-", .oneOf)].map {
      RenderedPayload.Placeholder(offset: 1, name: $0, fallback: $1, depth: 1, need: $2)
    }
    let properties = values.sorted { $0.key < $1.key }.map { Property($0.key, .text($0.value)) }
    #expect(Self.text(try Self.push([payload]), Self.recipient(properties: properties)) == expected)
    // What only one platform needs is shown on the other.
    for index in payload.placeholders.indices { payload.placeholders[index].need = .optional }
    #expect(Self.text(try Self.push([payload]), Self.recipient(properties: properties)).hasPrefix("["))
  }

  @Test("Texts are escaped as deep as their place, and the token's place moves with them") func splicing() throws {
    let body = #"{"token":"","title":"","data":{"x":"{\"y\":\"\"}"}}"#
    let bytes = Array(body.utf8)
    var payload = RenderedPayload(kinds: [.android], body: bytes, tokenOffset: 10)
    let title = 10 + #"","title":""#.utf8.count
    let data = title + #"","data":{"x":"{\"y\":\""#.utf8.count
    payload.placeholders = [
      .init(offset: title, name: "n", fallback: "", depth: 1), .init(offset: data, name: "n", fallback: "", depth: 2),
    ]
    var random = SeededRandom(seed: 41)
    for _ in 0..<500 {
      let alphabet: [Character] = ["\"", "\\", "\n", "\u{1}", "é", "👍🏽", "a", "{", "}", "\u{7F}", "/", "\u{2028}"]
      let text = String(
        (0..<Int.random(in: 0...12, using: &random)).map { _ in
          alphabet[Int.random(in: alphabet.indices, using: &random)]
        })
      let filled = PersonalPush.splice(payload) { _ in text }
      let json = try JSON.parse(filled.body)
      #expect(json["title"]?.string == text)
      let inner = try JSON.parse(json["data"]?["x"]?.string ?? "")
      #expect(inner["y"]?.string == text)
      #expect(filled.tokenOffset == 10)
    }
    payload.tokenOffset = bytes.count - 2
    let filled = PersonalPush.splice(payload) { _ in "abc" }
    #expect(filled.tokenOffset == filled.body.count - 2)
  }

  /// Texts with everything that JSON escapes, and much that it does not.
  private static let hardTexts = [
    "", "\"", "\\", "\"\\\"", "a\nb\tc\r\u{8}\u{C}", "\u{0}\u{1}\u{1F}\u{7F}", "👍🏽", "é", "\u{2028}\u{2029}", "/",
    "{{x}}",
    "José \"P\" \\ 👨‍👩‍👧‍👦", String(repeating: "x", count: 100), String(repeating: "\u{1}", count: 100),
  ]

  @Test("What is written for a device is what the composer's filling says, and as large", arguments: [false, true])
  func sameBytes(isAndroid: Bool) throws {
    let body =
      isAndroid
      ? #"{"message":{"token":"","notification":{"title":""},"data":{"x":"{\"y\":\"\"}"},"apns":{"payload":{"z":""}}}}"#
      : #"{"aps":{"alert":{"title":"","body":""}},"x":"{\"y\":\"\"}"}"#
    func offset(_ before: String) throws -> Int {
      try #require(body.utf8.firstRange(of: before.utf8)).upperBound.utf16Offset(in: body)
    }
    var payload = RenderedPayload(
      kinds: [isAndroid ? .android : .ios], body: Array(body.utf8),
      tokenOffset: isAndroid ? try offset(#""token":""#) : nil)
    let indexes =
      [(#""title":""#, 1), (isAndroid ? #"\"y\":\""# : #""body":""#, isAndroid ? 2 : 1)]
      + [isAndroid ? (#""z":""#, 1) : (#"\"y\":\""#, 2)]
    for (number, index) in indexes.enumerated() {
      payload.placeholders.append(
        .init(offset: try offset(index.0), name: "n\(number)", fallback: "fall\"back", depth: index.1))
    }
    let push = try Self.push([payload])
    let (empty, counted) = PersonalSize.parts(payload)
    #expect(empty == PersonalSize.bytes(payload))
    #expect(counted == (isAndroid ? [true, true, false] : [true, true, true]))
    for (index, first) in Self.hardTexts.enumerated() {
      for second in Self.hardTexts {
        // The third has no value now and then.
        var properties = [Property("n0", .text(first)), Property("n1", .text(second))]
        if index % 2 == 0 { properties.append(Property("n2", .text(first + second))) }
        let recipient = Self.recipient(properties: properties)
        let filled = PersonalPush.splice(payload) { name in properties.first { $0.name == name }?.value.text }
        #expect(
          Self.text(push, recipient, kind: payload.kinds[0]) == String(decoding: filled.body, as: UTF8.self),
          "\(first.debugDescription) \(second.debugDescription)")
      }
    }
  }

  @Test("A message is refused from the byte on from which the composer's count is over the limit")
  func limitOfAndroid() throws {
    let body =
      #"{"message":{"notification":{"title":""},"data":{"x":"{\"y\":\"\"}"},"apns":{"payload":{"z":""}},"token":""}}"#
    func offset(_ before: String) throws -> Int {
      try #require(body.utf8.firstRange(of: before.utf8)).upperBound.utf16Offset(in: body)
    }
    var payload = RenderedPayload(kinds: [.android], body: Array(body.utf8), tokenOffset: try offset(#""token":""#))
    payload.placeholders = [
      .init(offset: try offset(#""title":""#), name: "a", fallback: "", depth: 1),
      .init(offset: try offset(#"\"y\":\""#), name: "b", fallback: "", depth: 2),
      .init(offset: try offset(#""z":""#), name: "c", fallback: "", depth: 1),
    ]
    let push = try Self.push([payload])
    for length in 4_060..<4_096 {
      // Quotation marks count once in a text and twice in JSON inside a text; what Apple alone gets does not count.
      let values = [
        "a": String(repeating: "\"", count: length - 200), "b": String(repeating: "\"", count: 100), "c": "\"é",
      ]
      let filled = PersonalPush.splice(payload) { values[$0] }
      let isOver = PersonalSize.bytes(filled) > PersonalSize.bytesMax(filled)
      let properties = values.map { Property($0.key, .text($0.value)) }
      let text = Self.text(push, Self.recipient(properties: properties), kind: .android)
      #expect((text == PipelineReason.tooLarge) == isOver, "\(length)")
      #expect(isOver || text == String(decoding: filled.body, as: UTF8.self))
    }
  }

  @Test("A message that is too large for one device is refused for that device") func tooLarge() throws {
    var payload = Self.payload(#"{"aps":{"alert":""}}"#)
    payload.placeholders = [.init(offset: 17, name: "n", fallback: "", depth: 1)]
    let push = try Self.push([payload])
    for (count, fits) in [(4_096 - 20, true), (4_096 - 19, false)] {
      let text = String(repeating: "x", count: count)
      let reason = Self.text(push, Self.recipient(properties: [Property("n", .text(text))]))
      #expect((reason == PipelineReason.tooLarge) == !fits, "\(count)")
    }
  }

  /// A payload whose one text is in Liquid, in a JSON string or in JSON inside of one.
  private static func liquid(_ template: String, depth: Int = 1) -> RenderedPayload {
    var payload = payload("[]")
    payload.placeholders = [.init(offset: 1, name: "", fallback: "", depth: depth, template: template)]
    return payload
  }

  @Test(
    "A text in Liquid has the user, the device, the push and the request's values",
    arguments: [
      ("{{ user }} {{ user.id }} {{ user.city | upcase }}", "ann ann WIEN"), ("{{ city }}", "Wien"),
      ("{{ device.locale }} {{ device.app_version }} {{ device.timezone }}", "de 1.2 Europe/Vienna"),
      ("{{ device.city }}", "Wien"), ("{{ a }} {{ request.a }} {{ user.a }}", "ann's ann's ann's"),
      ("{{ b }} {{ request.b }}{{ user.b }}", "B B"), ("{{ push.name }}", "Spring"),
      ("{% for i in cart.items %}{{ i.title }}{% unless forloop.last %}, {% endunless %}{% endfor %}", "One, Two"),
      ("{{ count | plus: 1 }}", "4"), ("{{ request.city | default: 'none' }}", "none"),
      ("{% if user.age > 17 and user.vip %}adult{% endif %}", "adult"), ("{% if user.age == 30 %}y{% endif %}", "y"),
      ("{% if user.no %}y{% else %}n{% endif %}", "n"), ("{{ user.joined | date: '%Y' }}", "2025"),
      ("{{ missing|there }} {{ missing | default: 'x' }}", "there x"), ("{% if a %}\"{% endif %}", "\\\""),
      ("{{ user.size }}", "XL"), ("{{ missing }}", ""), ("{% abort %}", "template-aborted"),
      ("{{ user.age | divided_by: 0 }}", "template-failed"), ("{{ a | upcase: 1 }}", "template-failed"),
    ])
  func liquid(template: String, expected: String) throws {
    var values = PersonalValues()
    values.common = ["a": "A", "b": "B"]
    values.users = ["ann": ["a": "ann's", "cart": "", "count": "3"]]
    values.trees.common = ["push": ["name": "Spring"]]
    values.trees.users = ["ann": ["cart": ["items": [["title": "One"], ["title": "Two"]]], "count": 3]]
    let push = try Self.push([Self.liquid(template)], values)
    let properties = [
      Property("city", .text("Wien")), Property("age", .integer(30)), Property("vip", .bool(true)),
      Property("no", .bool(false)), Property("joined", .integer(1_764_000_000)), Property("size", .text("XL")),
    ]
    let text = Self.text(push, Self.recipient(user: "ann", locale: "de", properties: properties))
    #expect(text == (expected.hasPrefix("template-") ? expected : "[\(expected)]"))
  }

  @Test("Only what a text in Liquid reads is read of recipients") func liquidFields() throws {
    let push = try Self.push([
      Self.liquid("{{ user.city }}{% if a == device.b %}{{ push.name }}{{ request.c }}{% endif %}")
    ])
    #expect(push.fields.properties == ["a", "b", "city"] && push.fields.members.isEmpty)
    #expect(try Self.push([Self.liquid("{{ user.id }}")]).fields.members == [RecipientFields.Slot.user])
  }

  @Test("A push that skips whom a value is missing for sends the others") func liquidSkips() throws {
    var values = PersonalValues()
    values.skipsUndefined = true
    let push = try Self.push([Self.liquid("Hi {{ name }}")], values)
    #expect(Self.text(push, Self.recipient()) == PipelineReason.undefined)
    #expect(Self.text(push, Self.recipient(properties: [Property("name", .text("Ann"))])) == "[Hi Ann]")
  }

  @Test("A text in Liquid is escaped as deep as its place") func liquidDepth() throws {
    for (depth, expected) in [(1, #"[\"]"#), (2, #"[\\\"]"#)] {
      let push = try Self.push([Self.liquid("{{ 'x' | replace: 'x', '\"' }}", depth: depth)])
      #expect(Self.text(push, Self.recipient()) == expected)
    }
  }
}
