import ProviderEmulator
import TestSupport
import Testing
import WireJSON

/// Rules that name Push Kit strike messages, and rules that name Huawei's token endpoint strike that alone.
struct HuaweiFaultTests {
  private let fixture: EmulatorFixture

  init() throws { fixture = try EmulatorFixture() }

  private func token() throws -> (status: Int, json: JSONValue) {
    let keys = try EmulatorFixture.credentials.get()
    let answer = try fixture.plain.send(
      "POST", "/oauth2/v3/token", headers: [("Content-Type", "application/x-www-form-urlencoded")],
      body: "grant_type=client_credentials&client_id=\(keys.huaweiClientID)&client_secret=\(keys.huaweiClientSecret)")
    return (answer.status, try JSON.parse(answer.body))
  }

  private func push(_ access: String) throws -> (status: Int, json: JSONValue) {
    let keys = try EmulatorFixture.credentials.get()
    let answer = try fixture.plain.send(
      "POST", "/v1/\(keys.huaweiClientID)/messages:send",
      headers: [("Content-Type", "application/json"), ("Authorization", "Bearer \(access)")],
      body: #"{"message":{"token":["phone-1"],"data":"hello"}}"#)
    return (answer.status, try JSON.parse(answer.body))
  }

  private func rule(_ json: String) throws {
    #expect(try fixture.plain.send("PUT", "/control/scenario", body: #"{"rules":[\#(json)]}"#).status == 200)
  }

  @Test("A code of a rule of hms comes with messages, and access tokens are handed out") func messages() throws {
    for effect in [#""80300002""#, #"{"refuse":"80300002"}"#, #""80100000""#] {
      try rule(#"{"provider":"hms","effect":\#(effect)}"#)
      let access = try token()
      #expect(access.status == 200)
      let answer = try push(try #require(access.json["access_token"]?.string))
      #expect(effect.contains(answer.json["code"]?.string ?? "none"), "\(answer)")
      // Whose token is illegal is said as Push Kit says it.
      guard effect.contains("80100000") else { continue }
      let counts = try JSON.parse(answer.json["msg"]?.string ?? "")
      #expect(counts["illegal_tokens"] == ["phone-1"])
    }
  }

  @Test("A rule of hms-oauth strikes the token endpoint alone") func tokens() throws {
    let access = try #require(try token().json["access_token"]?.string)
    for (effect, status, error) in [(#""503""#, 503, 503), (#""1101""#, 400, 1_101)] {
      #expect(
        try fixture.plain.send(
          "POST", "/control/rules", body: #"{"name":"t","provider":"hms-oauth","effect":\#(effect)}"#
        ).status < 300)
      let refused = try token()
      #expect(refused.status == status && refused.json["error"]?.int == error, "\(refused)")
      #expect(try push(access).json["code"] == "80000000")
      #expect(try fixture.plain.send("DELETE", "/control/rules/t").status < 300)
    }
    #expect(try token().status == 200)
  }

  @Test("Settings of Push Kit in a scenario") func settings() throws {
    let text = #"{"hms":{"streams":7,"messages_per_app_minute":1,"idle_timeout_ms":5,"latency":1,"token_latency":2}}"#
    let scenario = try Scenario(parsing: Array(text.utf8))
    #expect(scenario.hms.streams == 7 && scenario.hms.messagesPerAppMinute == 1)
  }
}

extension EmulatorDocumentTests {
  @Test("Every effect that a page names is one that is read") func effects() throws {
    var count = 0
    for page in ["emulator", "huawei", "web-push"] {
      let text = String(decoding: try Files.read("\(Files.packageRoot)/docs/\(page).md"), as: UTF8.self)
      for span in text.split(separator: "`")
      where !span.contains("\n") && (span.contains("\"refuse\"") || span.hasPrefix("{\"answer\"")) {
        var effect = span.hasPrefix("{") ? String(span) : "{\(span)}"
        for (word, value) in [(": NAME", ": \"X\""), (": N", ": 500"), (": S", ": 5")] {
          effect = effect.replacing(word, with: value)
        }
        let scenario = try Scenario(parsing: Array(#"{"rules":[{"effect":\#(effect)}]}"#.utf8))
        #expect(scenario.rules.count == 1, "\(page): \(span)")
        count += 1
      }
    }
    #expect(count >= 3)
  }
}
