import PushPayload
import PushRules
import TestSupport
import Testing
import WireJSON

/// Runs `Vectors/rules`: for each rule a document that breaks it and nothing else, and one just inside.
struct RuleVectorTests {
  static let folder = "\(Files.packageRoot)/Vectors/rules"

  static func vector(_ rule: String) throws -> JSONValue { try JSON.parse(try Files.read("\(folder)/\(rule).json")) }

  /// The rules the checker applies; those of the contracts have their vectors beside the contract, those of the HTTP
  /// API theirs in `Vectors/api`.
  static let checked = Rules.groups.dropLast(2).flatMap { $0.rules.map(\.text) }

  /// Each rule of the API has a request on either side, which `RequestVectorTests` sends to a real server.
  @Test func everyRuleOfTheAPIHasAVectorOnEitherSide() throws {
    let folder = "\(Files.packageRoot)/Vectors/api"
    let files = try Files.list(folder).filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }
    let api = try #require(Rules.groups.last)
    #expect(api.title == "HTTP API" && Set(files) == Set(api.rules.map(\.text)))
    for file in files {
      let vector = try JSON.parse(try Files.read("\(folder)/\(file).json"))
      let rules = { (side: String) in vector[side]?["expect"]?.array?.compactMap { $0["rule"]?.string } }
      // A value that is missing for a device leaves its size open, which is noted of every such push.
      let companions: Set<String> = file == "push-placeholder-empty" ? ["push-worst-size"] : []
      #expect(rules("breaks").map(Set.init) == companions.union([file]), "\(file)")
      #expect(rules("inside")?.contains(file) == false, "\(file)")
    }
  }

  @Test func everyRuleHasAVectorAndEveryVectorARule() throws {
    let files = try Files.list(Self.folder).filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }
    #expect(Set(files) == Set(Self.checked))
  }

  /// Every rule id that a vector of any contract expects is in the table, and so in docs/rules.md; ids that begin with
  /// the contract's name are on the contract's own page.
  @Test func everyReportedRuleIsInTheTable() throws {
    let vectors = "\(Files.packageRoot)/Vectors"
    for folder in try Files.list(vectors) where !folder.contains(".") && folder != "wirejson" && folder != "devicetext"
    {
      for file in try Files.list("\(vectors)/\(folder)") where file.hasSuffix(".json") {
        let vector = try JSON.parse(try Files.read("\(vectors)/\(folder)/\(file)"))
        for finding in vector["expect"]?["report"]?.array ?? [] {
          let rule = finding["rule"]?.string ?? ""
          if rule.hasPrefix("\(folder)-") { continue }
          #expect(Rules.rule(rule) != nil, "\(folder)/\(file): add \(rule) to Rules+Contracts.swift")
        }
      }
    }
  }

  /// Vectors whose wire bytes break a rule on purpose, with the rules.
  ///
  /// A published contract that asks for what Apple's pages refuse is followed, and check says so; IMKit's legacy shape is
  /// shown and never sent; and some vectors of `native` show one key alone, without the key it goes with.
  static let departures: [String: [String]] = [
    "powerauth/fcm-apns-silent.json": ["apns-background-visible"],
    "powerauth/silent-badge.json": ["apns-background-visible"],
    "powerauth/silent-full.json": ["apns-background-visible"],
    "imkit/seed-android-written.json": [
      "fcm-unknown-field", "fcm-unknown-field", "fcm-unknown-field", "fcm-unknown-field", "fcm-message-missing",
    ],
    "native/fcm-android-notification-body-loc-args.json": ["fcm-loc-args-without-key"],
    "native/fcm-android-notification-title-loc-args.json": ["fcm-loc-args-without-key"],
    "native/field-body-loc-args.json": ["fcm-loc-args-without-key"],
    "native/field-title-loc-args.json": ["fcm-loc-args-without-key"],
  ]

  /// What the contracts write is what the providers take: the wire bytes of their vectors break no rule as an error.
  @Test func everyContractWritesLegalMessages() throws {
    let vectors = "\(Files.packageRoot)/Vectors"
    let others = ["rules", "wirejson", "fcm-v1", "devicetext", "api"]
    // A vector may leave topic and token to the sender.
    let absences = ["fcm-target-missing", "apns-topic-missing"]
    var checker = PushChecker()
    var count = 0
    for folder in try Files.list(vectors) where !folder.contains(".") && !others.contains(folder) {
      for file in try Files.list("\(vectors)/\(folder)") where file.hasSuffix(".json") {
        let vector = try JSON.parse(try Files.read("\(vectors)/\(folder)/\(file)"))
        guard let expect = vector["expect"]?.object, expect["apns"] != nil || expect["fcm"] != nil else { continue }
        let isRefused = (expect["report"]?.array ?? []).contains { $0["severity"] == "error" }
        let report = checker.check(document: JSON.minified(.object(expect)), kind: .rendering)
        let errors = report.findings.filter { $0.severity == .error && !absences.contains($0.rule) }
        let expected = Self.departures["\(folder)/\(file)"] ?? []
        if !isRefused { #expect(errors.map(\.rule) == expected, "\(folder)/\(file)") }
        count += 1
      }
    }
    #expect(count > 0)
  }

  @Test(arguments: checked, ["breaks", "inside"])
  func theReportIsTheExpectedOne(rule: String, side: String) throws {
    let vector = try #require(try Self.vector(rule)[side])
    var checker = PushChecker(settings: try Self.settings(vector["settings"]))
    let report = try Self.report(vector, &checker)
    let found = report.findings.map { "\($0.severity.rawValue) \($0.rule) \($0.field)" }
    let expected = try #require(vector["expect"]?.array).map { finding in
      "\(finding["severity"]?.string ?? "") \(finding["rule"]?.string ?? "") \(finding["field"]?.string ?? "")"
    }
    #expect(found == expected, "\(report.findings)")
    // The one rule and nothing else, and nothing at all.
    #expect(Set(report.findings.map(\.rule)) == (side == "breaks" ? [rule] : []))
    #expect(report.findings.allSatisfy { !$0.message.isEmpty })
  }

  /// The documents of a vector are written in `input` (any layout) or `text` (exact).
  static func report(_ vector: JSONValue, _ checker: inout PushChecker) throws -> Report {
    let bytes =
      if let text = vector["text"]?.string { Array(text.utf8) } else { JSON.minified(try #require(vector["input"])) }
    let kind = try #require(vector["kind"]?.string)
    return checker.check(document: bytes, kind: PushDocumentKind(rawValue: kind))
  }

  static func settings(_ value: JSONValue?) throws -> RuleSettings {
    var settings = RuleSettings()
    for rule in value?["rules"]?.array ?? [] { try settings.apply(try #require(rule.string)) }
    switch value?["authentication"]?.string {
    case "certificate": settings.authentication = .certificate
    case "token": settings.authentication = .token
    default: break
    }
    settings.channelStorage = value?["channel_storage"]?.int.map { APNsChannelStoragePolicy(rawValue: $0) }
    return settings
  }
}
