import PushPayload
import PushRules
import TestSupport
import Testing
import WireJSON

struct RuleBookTests {
  @Test(arguments: [("rules.md", RuleBook.rulesMarkdown), ("reasons.md", RuleBook.reasonsMarkdown)])
  func theDocumentationIsTheTable(file: String, text: String) throws {
    let path = "\(Files.packageRoot)/docs/\(file)"
    if Files.environment("RECORD_SNAPSHOTS") != nil { try Files.write(Array(text.utf8), to: path) }
    #expect(String(decoding: try Files.read(path), as: UTF8.self) == text)
  }

  @Test func theTableIsWhole() {
    #expect(Rules.all.map(\.id) == RuleID.allCases)
    #expect(Set(Rules.all.map(\.text)).count == Rules.all.count)
    for rule in Rules.all {
      #expect(rule.text.allSatisfy { $0.isASCII && ($0.isLowercase || $0 == "-") }, "\(rule.text)")
      for sentence in [rule.statement, rule.fix] {
        #expect(sentence.hasSuffix(".") || sentence.hasSuffix(")"), "\(rule.text)")
      }
      #expect(!rule.source.isEmpty && !rule.example.isEmpty)
      #expect(Rules.rule(rule.text)?.id == rule.id)
      #expect(rule.answer == nil || rule.severity == .error, "\(rule.text)")
      // What the providers' pages do not agree on is never a hard error.
      #expect(!rule.source.hasPrefix("open point") || rule.severity != .error, "\(rule.text)")
    }
  }

  /// Whatever is open is in the table of open points, with a warning or a setting.
  @Test func everyOpenPointCanBeDecided() {
    let rules = Set(OpenPoints.all.flatMap(\.rules))
    for rule in Rules.all where rule.source.hasPrefix("open point") { #expect(rules.contains(rule.id), "\(rule.text)") }
    for row in OpenPoints.all {
      #expect(!row.rules.isEmpty || !row.options.isEmpty || !row.members.isEmpty, "\(row.point)")
    }
  }

  /// Every id that the server's sources name is in the table, and so in docs/rules.md.
  @Test func everyRuleOfTheServerIsInTheTable() throws {
    let root = "\(Files.packageRoot)/Sources/PostriderServer"
    let mark = /rule: "([^"\\]+)"|static let (?:rule|type|missing|value|unknownField) = "([^"\\]+)"/
    var count = 0
    for folder in try Files.list(root) where !folder.contains(".") {
      for file in try Files.list("\(root)/\(folder)") where file.hasSuffix(".swift") {
        let source = String(decoding: try Files.read("\(root)/\(folder)/\(file)"), as: UTF8.self)
        for match in source.matches(of: mark) {
          let id = String(match.1 ?? match.2 ?? "")
          #expect(Rules.rule(id) != nil, "\(folder)/\(file): add \(id) to Rules+API.swift or Rules+Requests.swift")
          count += 1
        }
      }
    }
    #expect(count > 20)
  }

  /// Every reason that Apple and Google document.
  @Test(arguments: [
    (
      Explanation.Service.apns,
      """
      BadCollapseId BadExpirationDate BadMessageId BadPriority BadTopic InvalidPushType DuplicateHeaders MissingDeviceToken \
      MissingTopic PayloadEmpty BadDeviceToken DeviceTokenNotForTopic IdleTimeout TopicDisallowed BadCertificate \
      BadCertificateEnvironment ExpiredProviderToken Forbidden InvalidProviderToken MissingProviderToken \
      UnrelatedKeyIdInToken BadEnvironmentKeyIdInToken BadPath MethodNotAllowed ExpiredToken Unregistered PayloadTooLarge \
      TooManyProviderTokenUpdates TooManyRequests InternalServerError ServiceUnavailable Shutdown BadDate \
      BadProviderToken BadEnvironmentKeyInToken
      """
    ),
    (
      .broadcast,
      """
      FeatureNotEnabled MissingChannelId BadChannelId ChannelNotRegistered BadRequestParams BadRequestPayload PayloadEmpty \
      BadMessageId MissingPushType InvalidPushType CannotCreateChannelConfig BadExpirationDate TopicDisallowed BadPriority \
      BadCertificate BadCertificateEnvironment TopicMismatch MissingProviderToken ExpiredProviderToken \
      InvalidProviderToken BadPath MethodNotAllowed PayloadTooLarge TooManyRequests TooManyProviderTokenUpdates \
      InternalServerError ServiceUnavailable Shutdown
      """
    ),
    (
      .fcm,
      """
      UNSPECIFIED_ERROR INVALID_ARGUMENT THIRD_PARTY_AUTH_ERROR APNS_AUTH_ERROR SENDER_ID_MISMATCH UNREGISTERED \
      QUOTA_EXCEEDED INTERNAL UNAVAILABLE UNAUTHENTICATED PERMISSION_DENIED NOT_FOUND RESOURCE_EXHAUSTED
      """
    ),
  ])
  func everyReasonIsExplainedOnce(service: Explanation.Service, reasons: String) {
    let explained = Explanations.all.filter { $0.service == service }.map(\.reason)
    #expect(explained.sorted() == reasons.split(separator: " ").map(String.init).sorted())
    for row in Explanations.all {
      for sentence in [row.meaning, row.action, row.next] { #expect(sentence.hasSuffix("."), "\(row.reason)") }
    }
  }

  @Test func everyAnswerOfARuleIsExplained() {
    for rule in Rules.all {
      if let answer = rule.answer { #expect(!Explanations.find(answer).isEmpty, "\(answer)") }
    }
  }

  @Test(arguments: [
    (
      #"{"reason":"Unregistered","timestamp":1790000000000}"#, "Unregistered", ["apns"],
      ["inactive since 1790000000000 ms after 1970"]
    ),
    (#"{"reason":"FutureReason"}"#, "FutureReason", [], []),
    (#"{"reason":"Service Unavailable"}"#, "Service Unavailable", ["apns", "apns-broadcast"], []),
    (
      #"{"error":{"code":404,"message":"Requested entity was not found.","status":"NOT_FOUND","details":[{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"UNREGISTERED"}]}}"#,
      "UNREGISTERED", ["fcm"], ["Requested entity was not found."]
    ),
    (#"{"error":{"code":404,"status":"NOT_FOUND"}}"#, "NOT_FOUND", ["fcm"], []),
    (
      #"{"error":{"code":400,"status":"INVALID_ARGUMENT","details":[{"fieldViolations":[{"field":"message.data[0].value","description":"Invalid value"}]}]}}"#,
      "INVALID_ARGUMENT", ["fcm"], ["message.data[0].value: Invalid value"]
    ),
    (
      #"{"error":1101,"sub_error":20001,"error_description":"invalid client"}"#, "1101", ["huawei"],
      ["sub_error 20001", "invalid client"]
    ),
    (#"{"error":"1203","error_description":"busy"}"#, "1203", [], ["busy"]),
  ])
  func wholeAnswersAreExplained(body: String, reason: String, services: [String], details: [String]) throws {
    let answer = try #require(ExplainedAnswer(body: Array(body.utf8)))
    #expect(answer.reason == reason)
    #expect(answer.explanations.map(\.service.rawValue) == services)
    #expect(answer.details == details)
  }

  @Test(arguments: ["<html>502</html>", "", "[]", "{}", #"{"error":"x"}"#, #"{"reason":5}"#])
  func otherBodiesAreNoAnswers(body: String) {
    #expect(ExplainedAnswer(body: Array(body.utf8)) == nil)
  }
}
