import PushContracts
import PushRules
import TestSupport
import Testing
import WireJSON

/// Each rule that contracts report has a vector that breaks it and nothing else, and one just inside it.
///
/// The rules of the providers have theirs in `Vectors/rules` (`RuleVectorTests` of PushRules).
struct RuleCoverageTests {
  /// What a single contract has, and what they share.
  static let rules =
    Contracts.rules.map(\.id) + Rules.groups.filter { $0.title.hasPrefix("Contracts") }.flatMap { $0.rules.map(\.text) }

  /// Rules about what no vector holds (two contracts, a send, a token of iOS, a typed message, an unknown name), with the
  /// tests of both sides.
  static let elsewhere = [
    "adobe-color": "AdobeTests", "contract-unknown": "ReportTests", "field-not-translated": "ReportTests",
    "onesignal-token-case": "OneSignalTests", "onesignal-token-hex": "OneSignalTests", "option-not-sent": "ReportTests",
  ]

  /// The rules of a vector's report; what is left out because of the first finding is a part of it, and a rule about a
  /// field that no payload carries comes with `delivery-field`.
  private static func broken(_ vector: Vector) -> Set<String> {
    let report = vector.json["expect"]?["report"]?.array ?? []
    guard let field = report.first?["field"]?.string else { return [] }
    let rules = report.filter { $0["rule"] != "field-not-carried" || !($0["field"]?.string ?? "").hasPrefix(field) }
      .compactMap { $0["rule"]?.string }
    return rules.contains { $0 != "delivery-field" } ? Set(rules).subtracting(["delivery-field"]) : Set(rules)
  }

  @Test(arguments: rules)
  func hasAVectorOnEitherSide(_ rule: String) throws {
    if let tests = Self.elsewhere[rule] {
      let source = try Files.read("\(Files.packageRoot)/Tests/PushContractsTests/\(tests).swift")
      return #expect(String(decoding: source, as: UTF8.self).contains(rule), "\(tests) does not name \(rule)")
    }
    let breaking = Vector.all.filter { vector in
      let report = vector.json["expect"]?["report"]?.array ?? []
      return (rule == "field-not-carried" ? Set(report.compactMap { $0["rule"]?.string }) : Self.broken(vector)) == [
        rule
      ]
    }
    #expect(!breaking.isEmpty, "no vector breaks \(rule) and nothing else")
    let inside = Vector.all.filter { $0.json["inside"]?.string == rule }
    #expect(!inside.isEmpty, "no vector has \"inside\": \"\(rule)\"")
    for vector in inside {
      let report = vector.json["expect"]?["report"]?.array ?? []
      #expect(!report.contains { $0["rule"]?.string == rule || $0["severity"] == "error" }, "\(vector.path)")
    }
  }

  @Test func everyVectorInsideNamesARule() {
    for vector in Vector.all {
      if let rule = vector.json["inside"]?.string { #expect(Self.rules.contains(rule), "\(vector.path)") }
    }
  }
}
