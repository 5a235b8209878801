import PushContracts
import PushCore
import PushPayload
import TestSupport
import Testing
import WireJSON

/// A request to `/v1/render` that is answered from its tape has the answer of one that is read into values.
@Suite struct RenderBodyTests {
  private static let now: Int64 = 1_790_000_000
  private static let limits = JSONLimits(maxDepth: 64, maxTokens: 1 << 19)

  /// Members of a request beside contract and message.
  private static let members: [JSONObject] = [
    [:], ["topic": "com.example.app"], ["topic": "com.example.app", "campaign": "c-1", "platforms": ["ios"]],
    ["platforms": ["android"], "token": "abc"], ["platforms": ["ios", "android"], "language": "de"],
    ["apns_id": "123e4567-e89b-12d3-a456-426614174000", "topic": "com.example.app"], ["token": "no token"],
    ["options": ["fcm-data-only"], "topic": "com.example.app"],
  ]

  /// Every message of the corpus, in each contract.
  @Test(arguments: Contracts.names)
  func theCorpusIsAnsweredAlike(_ contract: ContractName) throws {
    var desk = RenderRequest.Desk()
    var (count, all) = (0, 0)
    let folder = Files.packageRoot + "/Vectors/\(contract.rawValue)"
    for name in try Files.list(folder) where name.hasSuffix(".json") {
      guard let message = try JSON.parse(try Files.read("\(folder)/\(name)"))["message"], message.object != nil else {
        continue
      }
      let more = Self.members[all % Self.members.count]
      var body: JSONObject = ["contract": .string(contract.rawValue), "message": message]
      for (key, value) in more { body[key] = value }
      all += 1
      guard
        let answer = RenderRequest.answer(
          body: JSON.minified(.object(body)), limits: Self.limits, now: Self.now, at: &desk)
      else { continue }
      count += 1
      let expected = try Self.throughValues(contract, message, more)
      #expect(!expected.report.hasErrors)
      #expect(String(decoding: answer, as: UTF8.self) == String(decoding: expected.json, as: UTF8.self), "\(name)")
    }
    #expect(count * 3 > all && count > 5, "\(count) of \(all)")
  }

  private static func throughValues(
    _ contract: ContractName, _ message: JSONValue, _ more: JSONObject
  ) throws -> Rendering {
    var members = more
    members["contract"] = .string(contract.rawValue)
    members["now"] = .number(JSONNumber(now))
    let platforms = members.removeValue(forKey: "platforms")?.array ?? []
    if platforms.count == 1 { members["platform"] = platforms[0] }
    return try RenderRequest(JSONOptions(checked: members)).rendering(message)
  }

  /// Whatever needs a word is left to those who have it.
  @Test(arguments: [
    #"{"contract":"amba"}"#, #"{"message":{"title":"t","body":"b"}}"#, "[]", "", "{",
    #"{"contract":"none","message":{}}"#,
    #"{"contract":"amba","message":[]}"#, #"{"contract":"amba","message":{"title":"t"}}"#,
    #"{"contract":"amba","message":{"title":"t","body":"b"},"unknown":1}"#,
    #"{"contract":"amba","contract":"native","message":{"title":"t","body":"b"}}"#,
    #"{"contract":"amba","message":{"title":"t","title":"u","body":"b"}}"#,
    #"{"contract":"amba","message":{"title":"{{name}}","body":"b"}}"#,
    #"{"contract":"amba","message":{"title":"{% if a %}a{% endif %}","body":"b"}}"#,
    #"{"contract":"amba","message":{"title":"\u007b{name}}","body":"b"}}"#,
    #"{"contract":"amba","message":{"title":"t","body":"b"},"values":{}}"#,
    #"{"contract":"amba","message":{"title":"t","body":"b"},"topic":""}"#,
    #"{"contract":"amba","message":{"title":"t","body":"b"},"topic":null}"#,
    #"{"contract":"amba","message":{"title":"t","body":"b"},"platforms":[]}"#,
    #"{"contract":"amba","message":{"title":"t","body":"b"},"platforms":["web"]}"#,
    #"{"contract":"amba","message":{"title":"t","body":"b"},"options":["no-such-option"]}"#,
    #"{"contract":"amba","message":{"title":"t","body":"b"},"apns_id":"no-uuid"}"#,
    #"{"contract":"amba","message":{"title":"t","body":"b"},"language":"0123456789012345678901234567890123456"}"#,
  ])
  func anyOtherIsLeft(_ body: String) {
    var desk = RenderRequest.Desk()
    #expect(RenderRequest.answer(body: Array(body.utf8), limits: Self.limits, now: Self.now, at: &desk) == nil)
  }
}
