import DevicePreview
import DeviceText
import PostriderServer
import PushContracts
import PushRules
import TestSupport
import Testing
import WireJSON

/// What the server, the rules and the contracts say, in the dashboard's other languages.
///
/// English is the key, as for the dashboard's own texts: a sentence with values is a template with `{0}`, as its interpolations are
/// numbered in the source.
@Suite(.timeLimit(.minutes(1))) struct SaidCatalogueTests {
  let said: [String: String]
  let rules: [String: String]
  let fixture: ServerFixture

  init() throws {
    fixture = try ServerFixture()
    let catalog = try fixture.send("GET", "/dashboard/de.json", key: .some(nil)).json
    func section(_ name: String) throws -> [String: String] {
      let members = try #require(catalog[name]?.object)
      return Dictionary(uniqueKeysWithValues: members.map { ($0.key, $0.value.string ?? "") })
    }
    (said, rules) = (try section("said"), try section("rules"))
  }

  // MARK: From the tables

  /// What the composer shows under the fields of a contract, and beside the contracts.
  func contractTexts() throws -> Set<String> {
    var texts: Set<String> = []
    let contracts = try #require(try fixture.send("GET", "/v1/contracts").json["contracts"]?.array)
    for row in contracts {
      let name = try #require(row["name"]?.string)
      texts.insert(row["summary"]?.string ?? "")
      for field in try fixture.send("GET", "/v1/contracts/\(name)").json["fields"]?.array ?? [] {
        let isTyped = field["field"] != nil && field["source"] == nil && field["delivery"] == nil
        if isTyped, let doc = field["doc"]?.string, !doc.isEmpty { texts.insert(doc) }
      }
    }
    return texts
  }

  @Test func everyFieldOfAContractIsExplained() throws {
    let texts = try contractTexts()
    #expect(texts.count > 150)
    #expect(texts.subtracting(said.keys) == [], "docs of fields that are not in de.json")
  }

  @Test func everyRuleIsExplained() {
    let ids = Set(Rules.all.map(\.text) + Contracts.rules.map(\.id) + PreviewRuleBook.all.map(\.id))
    #expect(ids.count > 280)
    #expect(ids.subtracting(rules.keys) == [], "rules that are not in de.json")
    #expect(Set(rules.keys).subtracting(ids) == [], "names in de.json that are no rule")
  }

  /// Every sentence about an answer of a provider, or a reason of our own.
  func explanations() -> Set<String> {
    Set(Explanations.all.flatMap { [$0.meaning, $0.action, $0.next] })
  }

  @Test func everyReasonIsExplained() {
    #expect(explanations().count > 300)
    #expect(explanations().subtracting(said.keys) == [], "explanations that are not in de.json")
  }

  // MARK: From the source

  /// The sentences that a request is refused with.
  ///
  /// Those of apps' keys and of other vendors' clients, which no page of the dashboard sends, stay English.
  @Test func everyRefusalOfThePagesIsTranslated() throws {
    var missing: [String] = []
    for literal in try SourceTexts.literals(in: ["PostriderServer"]) {
      guard let kind = literal.kind, kind != "internalError" else { continue }
      let file = literal.file
      let isKnown = SourceTexts.keys(literal.text).contains { said[$0] != nil }
      if isKnown || Self.otherClients.contains(where: { file.contains($0) }) { continue }
      missing.append("\(file): \(literal.text)")
    }
    #expect(missing == [], "details of problems that are not in de.json")
  }

  /// What only programs get: vendors' clients, apps' keys and identity tokens, and what is a bug of the server.
  static let otherClients = [
    "/Compat/", "/Storage/", "/Tracing/", "/Security/Identity", "/Routes/EventRoutes", "/Service/IdempotencyHeader",
    "/Service/RequestBody",
  ]

  @Test func everyTitleOfAProblemIsTranslated() throws {
    var titles: Set<String> = []
    for literal in try SourceTexts.literals(in: ["PostriderServer"]) where literal.isTitle {
      titles.insert(literal.text)
    }
    #expect(titles.count > 15)
    #expect(titles.subtracting(said.keys) == [], "titles of problems that are not in de.json")
  }

  /// A sentence that was changed where it is said is changed here, too.
  @Test func everyTranslationIsOfSomethingThatIsSaid() throws {
    let modules = [
      "PostriderServer", "PushContracts", "PushRules", "PushPayload", "PushStore", "SQLiteEngine", "PostgresEngine",
      "StoreModel", "Ledger", "Liquid",
      "WebAuthn",
      "WireJSON",
    ]
    var known = try contractTexts().union(explanations())
    for literal in try SourceTexts.literals(in: modules) {
      known.formUnion(SourceTexts.keys(literal.text))
    }
    let unsaid = Set(said.keys).subtracting(known)
    #expect(unsaid == [], "texts in de.json that nothing says")
  }

  /// Each placeholder of a translation is one of the sentence; those of addresses of the API may be left out.
  @Test func everyPlaceholderIsOneOfTheSentence() {
    for (text, german) in said {
      #expect(!german.isEmpty)
      #expect(SourceTexts.placeholders(german).isSubset(of: SourceTexts.placeholders(text)), "\(text)")
      let hasAddress = text.contains("/v1/") || german == text
      if !hasAddress { #expect(SourceTexts.placeholders(german) == SourceTexts.placeholders(text), "\(text)") }
      #expect(text.first == " " || german.first != " ")
    }
  }

  @Test func readsTextsOfASource() throws {
    let source = ##"""
      // "a comment"
      throw Problem(.notFound, "no \(name ?? "a\"b") here; "
        + "the ids are \(ids.map { "\($0)" })")
      let title = Kind(name: "x", status: 400, title: "It’s \u{2026}")
      let raw = #"{"a": \#(b)}"#
      """##
    let found = SourceTexts.literals(of: source, file: "one.swift")
    #expect(found.map(\.text) == ["no {0} here; the ids are {1}", "x", "It’s …", "{\"a\": {0}}"])
    #expect(found.map(\.kind) == ["notFound", nil, nil, nil])
    #expect(found.map(\.isTitle) == [false, false, true, false])
  }
}
