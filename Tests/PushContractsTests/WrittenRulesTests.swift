import PushContracts
import PushPayload
import PushRules
import TestSupport
import Testing
import WireJSON

/// What the rules say of a request that a contract has just written is what they say of its bytes: the same findings in the
/// same order.
@Suite struct WrittenRulesTests {
  private static let context = WriteContext(topic: "com.example.app", campaign: "c-1", now: 1_700_000_000)

  /// Every message of the corpus, in each contract, with the usual context and one of its options after the other.
  @Test(arguments: Contracts.names)
  func theCorpusIsJudgedAsItsBytes(_ contract: ContractName) throws {
    let entry = try #require(Contracts.entry(contract))
    var judge = Judge()
    let contexts = try Self.contexts(contract)
    for (index, vector) in Vector.all.enumerated() {
      guard let message = vector.json["message"] else { continue }
      for context in [Self.context, contexts[index % contexts.count]] {
        try judge.check(entry, JSON.minified(message), context, "\(vector.path)")
      }
    }
    #expect(judge.count > 300)
    #expect(judge.plainCount * 10 > judge.count, "only \(judge.plainCount) of \(judge.count) were not read again")
  }

  /// Generated messages, with values of the kinds that rules have something to say about.
  @Test(arguments: Contracts.names)
  func generatedMessagesAreJudgedAsTheirBytes(_ contract: ContractName) throws {
    let table = try #require(Contracts.mappingTable(contract))
    let entry = try #require(Contracts.entry(contract))
    let contexts = try Self.contexts(contract)
    var random = SeededRandom.fromEnvironment()
    var judge = Judge()
    for _ in 0..<LawTests.rounds * 4 {
      var message = LawTests.message(table, &random)
      let names = message.keys
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        guard let name = names.randomElement(using: &random) else { break }
        message[name] = Self.value(&random)
      }
      let context = contexts.randomElement(using: &random) ?? Self.context
      try judge.check(entry, JSON.minified(.object(message)), context, "seed \(random.seed)")
    }
    #expect(judge.count > 0)
  }

  /// A name that the app chooses, where a rule, the contract or a repetition is about it.
  @Test(arguments: Contracts.names)
  func namesInDataAreJudgedAsTheirBytes(_ contract: ContractName) throws {
    let table = try #require(Contracts.mappingTable(contract))
    let entry = try #require(Contracts.entry(contract))
    var judge = Judge()
    let base = try #require(Self.texts[contract])
    for row in table.rows {
      for name in Self.names + table.rows.map({ $0.field }) {
        var message = base
        message[row.field] = .object([name: "v", "free": .null, "count": 1, "list": [1, .null]])
        try judge.check(entry, JSON.minified(.object(message)), Self.context, "\(row.field) \(name)")
        // Without what another rule speaks of.
        message[row.field] = .object([name: "v"])
        try judge.check(entry, JSON.minified(.object(message)), Self.context, "\(row.field) \(name)")
      }
    }
    #expect(judge.plainCount > 10)
  }

  /// A message of each contract that a device shows.
  private static let texts: [ContractName: JSONObject] = [
    .amba: ["title": "t", "body": "b"], .imkit: ["messageType": "text", "sender": "s", "content": "c"],
    .powerauth: ["title": "t", "body": "b"], .adobe: ["adb_title": "t", "adb_body": "b"],
    .onesignal: ["headings": ["en": "t"], "contents": ["en": "b"]], .native: ["title": "t", "body": "b"],
  ]

  private static let names = [
    "aps", "alert", "badge", "content-available", "mutable-content", "thread-id", "interruption-level", "sound",
    "category", "mdm", "from", "message_type", "collapse_key", "google.x", "gcm", "googol", "custom", "data", "",
    "free",
  ]

  /// The contexts of a contract: without an option, and with each of them.
  private static func contexts(_ contract: ContractName) throws -> [WriteContext] {
    let table = try #require(Contracts.mappingTable(contract))
    var contexts = [context, WriteContext(), WriteContext(topic: "com.example.app.voip", target: .topic("news"))]
    contexts.append(WriteContext(target: .fid("f")))
    contexts.append(WriteContext(topic: "a b", target: .token("t t"), campaign: String(repeating: "c", count: 70)))
    for option in table.policy.options {
      var other = context
      other.options = [option.name]
      contexts.append(other)
    }
    return contexts
  }

  private static func value(_ random: inout SeededRandom) -> JSONValue {
    let texts: [JSONValue] = [
      "", " ", "a.wav", "res/a", "a/", "https://shop.example/p.png", "http://", "HTTPS://A", "#00ff00", "#00FF0",
      "passive",
      "a.mp3", "a\"b.caf", "critical", "high", "HIGH", "normal", "60s", -1, 0, 1, 2_419_201, 10_000_000_000, true,
      false,
      0.5, .null, ["a", 1], ["a", "b\"]"], ["critical": 1, "name": "a.caf"], ["en": ""], ["title": "t"],
    ]
    return texts.randomElement(using: &random) ?? .null
  }
}

/// Judges requests when they are written and by their bytes.
private struct Judge: ~Copyable {
  private var document = JSONDocument()
  private var desk = WritingDesk()
  private var checker = PushChecker()
  private var reader = PushChecker()
  /// How many requests were judged, and how many of them without being read.
  private(set) var count = 0
  private(set) var plainCount = 0

  mutating func check(
    _ entry: ContractEntry, _ text: [UInt8], _ context: WriteContext, _ what: String
  ) throws {
    try document.parse(text)
    entry.write(
      document, document.root, hasDuplicates: document.hasDuplicates, context, Platform.allCases, at: &desk)
    if let headers = desk.headers {
      let said = checker.check(headers, desk.payload, written: desk.payloadFacts)
      let request = APNsRequest(headers: headers, payload: desk.payload.bytes)
      #expect(said == reader.check(request), "\(what): \(String(decoding: request.json, as: UTF8.self))")
      count += 1
      if desk.payloadFacts.isPlainAlert { plainCount += 1 }
    }
    if let target = desk.target {
      let said = checker.check(desk.body, to: target, written: desk.bodyFacts)
      let body = desk.body.bytes
      #expect(said == reader.check(fcmBody: body), "\(what): \(String(decoding: body, as: UTF8.self))")
      count += 1
      if desk.bodyFacts.isPlainMessage { plainCount += 1 }
    }
  }
}
