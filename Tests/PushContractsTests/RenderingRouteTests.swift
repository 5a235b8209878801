import PushContracts
import PushPayload
import TestSupport
import Testing
import WireJSON

/// A message is rendered from its tree or from the tape of its text: both ways say the same and write the same bytes.
@Suite struct RenderingRouteTests {
  private static let context = WriteContext(topic: "com.example.app", campaign: "c-1", now: 1_700_000_000)

  /// Every message of the corpus, in each contract.
  @Test(arguments: Contracts.names)
  func theCorpusIsRenderedAlike(_ contract: ContractName) throws {
    var count = 0
    for vector in Vector.all {
      guard let message = vector.json["message"] else { continue }
      try check(contract, JSON.minified(message), "\(vector.path)")
      count += 1
    }
    #expect(count > 500)
  }

  /// Generated messages, whole and damaged, and with what makes another service's document of them.
  @Test(arguments: Contracts.names)
  func generatedMessagesAreRenderedAlike(_ contract: ContractName) throws {
    let table = try #require(Contracts.mappingTable(contract))
    var random = SeededRandom.fromEnvironment()
    for _ in 0..<LawTests.rounds {
      var message = LawTests.message(table, &random)
      let names = message.keys
      for _ in 0..<Int.random(in: 0...2, using: &random) {
        guard let name = names.randomElement(using: &random) else { break }
        message[name] = Bool.random(using: &random) ? random.json() : .null
      }
      if Bool.random(using: &random), let name = Self.marks.randomElement(using: &random) {
        message["message"] = .object([name: random.json(), "token": .string("t"), "data": [:]])
      }
      try check(contract, JSON.minified(.object(message)), "seed \(random.seed)")
    }
  }

  /// Members of `message` by which other services' documents are told, and one that says nothing.
  private static let marks = [
    "body", "userId", "activationId", "attributes", "notification", "android", "apns", "webpush", "token", "fid",
    "topic", "condition", "data", "text",
  ]

  @Test(arguments: Contracts.names)
  func whatIsSaidOfTheTextIsSaidAlike(_ contract: ContractName) throws {
    let texts = [
      "[]", "1", "null", "{}", #"{"title":"a","title":"b","body":"c"}"#, #"{"\u0074itle":"a","body":"b"}"#,
      #"{"title":null,"body":null}"#, #"{"adb_title":"a","title":"b","adb_body":"c"}"#,
      #"{"adb_title":null,"title":"b","body":"c","unknown":1}"#, #"{"messageType":"text","message":{"token":"t"}}"#,
      #"{"sender":"Alice","message":{"a":1}}"#, #"{"silent":true,"message":{"title":"t"}}"#,
      #"{"data":{"x":1,"x":2},"title":"t","body":"b"}"#, #"{"timeToLive":-1,"title":"t"}"#,
    ]
    for text in texts { try check(contract, Array(text.utf8), text) }
  }

  private func check(_ contract: ContractName, _ text: [UInt8], _ what: String) throws {
    var document = JSONDocument()
    var desk = WritingDesk()
    try document.parse(text)
    let entry = try #require(Contracts.entry(contract))
    entry.write(
      document, document.root, hasDuplicates: document.hasDuplicates, Self.context, Platform.allCases, at: &desk)
    let fromTape = desk.rendering(contract)
    let fromTree = Contracts.render(contract, message: try JSON.parse(text), context: Self.context)
    #expect(fromTape == fromTree, "\(contract): \(what)")
  }
}
