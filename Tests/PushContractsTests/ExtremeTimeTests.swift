import PushContracts
import PushPayload
import Testing
import WireJSON

/// Times at the ends of their types end in a rendering or a finding.
@Suite("Extreme times")
struct ExtremeTimeTests {
  static let times: [Int64] = [.min, .min + 86_398, -86_401, -1, 0, 1_770_000_000, .max - 1, .max]

  @Test("lifetimes counted from any time", arguments: times)
  func lifetimes(now: Int64) {
    var context = WriteContext(topic: "com.example.app")
    context.now = now
    context.options = ["fcm-ttl"]
    let message: JSONValue = [
      "title": "t", "body": "b", "messageType": "TEXT", "sender": "s", "timeToLive": 2_419_200,
      "validUntil": "2030-01-02T03:04:05Z",
    ]
    for contract in Contracts.names {
      #expect(Contracts.render(contract, message: message, context: context).contract == contract)
    }
    let ends: JSONValue = ["title": "t", "body": "b", "validUntil": .number(JSONNumber(Int.max))]
    #expect(Contracts.render(.powerauth, message: ends, context: context).contract == .powerauth)
  }

  @Test("a lifetime beyond the last second has no end, and one that is over has none left")
  func expiration() throws {
    var context = WriteContext(topic: "com.example.app")
    let message: JSONValue = ["messageType": "TEXT", "sender": "s", "body": "m", "timeToLive": 10]
    let fields = { (now: Int64) in
      context.now = now
      return Contracts.render(.imkit, message: message, context: context).apns?.headers.fields ?? []
    }
    #expect(fields(100).contains { $0.name == "apns-expiration" && $0.value == "110" })
    #expect(!fields(.max).contains { $0.name == "apns-expiration" })
  }

  @Test(
    "instants have a text",
    arguments: zip(
      [0, -1, -86_400, 253_402_300_799],
      ["1970-01-01T00:00:00Z", "1969-12-31T23:59:59Z", "1969-12-31T00:00:00Z", "9999-12-31T23:59:59Z"]))
  func texts(seconds: Int64, text: String) { #expect(UTCInstant(seconds: seconds).text == text) }

  @Test("instants at the ends have a text too", arguments: times)
  func ends(seconds: Int64) { #expect(UTCInstant(seconds: seconds).text.hasSuffix("Z")) }
}
