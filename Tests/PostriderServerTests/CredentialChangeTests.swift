import Glibc
import ProviderEmulator
import TestSupport
import Testing
import WireJSON

/// A replaced credential leaves nothing behind.
@Suite(.timeLimit(.minutes(2))) struct CredentialChangeTests {
  private func eventually(_ condition: () throws -> Bool) rethrows -> Bool {
    for _ in 0..<1_000 {
      if try condition() { return true }
      usleep(10_000)
    }
    return try condition()
  }

  private func push(_ world: EndToEndTests) throws {
    let id = try world.push(#"{"to":{"all":true},"message":{"title":"T","body":"B"}}"#)
    #expect(try world.finished(id)["counts"]?["accepted"] == 2)
  }

  @Test func savingCredentialsClosesTheConnectionsOfTheOldOnes() throws {
    let world = try EndToEndTests()
    try world.register()
    let body = JSON.minifiedText(try world.credentials())
    for _ in 0..<20 {
      #expect(try world.fixture.send("PUT", "/v1/apps/demo/credentials", body).status == 200)
      try push(world)
    }
    let counters = world.emulator.counters.connections
    #expect(counters[.apns] == 20, "each credential had a connection of its own")
    for provider in [EmulatedProvider.apns, .fcm] {
      #expect(eventually { world.emulator.openConnections(provider) <= 1 }, "\(provider)")
    }
  }

  @Test func aCredentialThatDidNotChangeKeepsItsConnection() throws {
    let world = try EndToEndTests()
    try world.register()
    try push(world)
    let fcm = try #require(try world.credentials()["fcm"])
    for _ in 0..<3 {
      #expect(try world.fixture.send("PUT", "/v1/apps/demo/credentials", JSON.minifiedText(["fcm": fcm])).status == 200)
      try push(world)
    }
    #expect(world.emulator.counters.connections[.apns] == 1)
  }

  /// A token endpoint at another port of the gateway's host would be trusted by nobody, and never work.
  @Test func aTokenEndpointAtAnotherPortThanTheGatewayIsRefused() throws {
    let world = try EndToEndTests()
    var fcm = try #require(try world.credentials()["fcm"]?.object)
    var account = try #require(fcm["service_account"]?.object)
    let uri = try #require(account["token_uri"]?.string)
    func save(_ uri: String) throws -> ServerFixture.Answer {
      account["token_uri"] = .string(uri)
      fcm["service_account"] = .object(account)
      let body: JSONValue = ["fcm": .object(fcm)]
      return try world.fixture.send("PUT", "/v1/apps/demo/credentials", JSON.minifiedText(body))
    }
    let colon = try #require(uri.lastIndex(of: ":"))
    let refused = try save(String(uri[..<colon]) + ":9/token")
    #expect(refused.status == 422 && refused.rules == ["credential-token-uri"], "\(refused.text)")
    #expect(try save(uri).status == 200)
    #expect(try save("https://oauth2.googleapis.com/token").status == 200)
  }

  @Test("What surrounds a credential stays when a new one does not name it, for every provider")
  func settingsStay() throws {
    let world = try EndToEndTests()
    func put(_ slot: String, _ change: (inout JSONObject) -> Void) throws -> JSONValue {
      var part = try #require(try world.credentials()[slot]?.object)
      change(&part)
      let body: JSONValue = [slot: .object(part)]
      let answer = try world.fixture.send("PUT", "/v1/apps/demo/credentials", JSON.minifiedText(body))
      #expect(answer.status == 200, "\(answer.text)")
      return try #require(answer.json[slot])
    }
    let topics = try put("apns") { $0["topics"] = ["com.example.second"] }
    #expect(topics["topics"] == ["com.example.second"] && topics["gateway"] != nil)
    let apns = try put("apns") { (part) in part["gateway"] = nil }
    #expect(apns["topics"] == topics["topics"] && apns["gateway"] == topics["gateway"])
    #expect(try put("apns") { $0["topics"] = .null }["topics"] == nil)

    let named = try put("fcm") { $0["project_id"] = "another-project" }
    #expect(named["project_id"] == "another-project")
    #expect(try put("fcm") { $0["gateway"] = nil }["gateway"] == named["gateway"])
    #expect(try put("fcm") { _ in }["project_id"] == "another-project")
    // The project of one account is not that of another.
    let moved = try put("fcm") { part in
      var account = part["service_account"]?.object ?? [:]
      account["client_email"] = "other@moved.iam.gserviceaccount.com"
      account["project_id"] = "moved"
      part["service_account"] = .object(account)
    }
    #expect(moved["project_id"] == "moved" && moved["gateway"] == named["gateway"])
    #expect(try put("fcm") { $0["proxy"] = "direct" }["proxy"] == "direct")
    #expect(try put("fcm") { _ in }["proxy"] == "direct")
    #expect(try put("fcm") { $0["proxy"] = .null }["proxy"] == nil)
  }

  @Test func aRemovedCredentialClosesItsConnection() throws {
    let world = try EndToEndTests()
    try world.register()
    try push(world)
    #expect(world.emulator.openConnections(.apns) == 1)
    #expect(try world.fixture.send("PUT", "/v1/apps/demo/credentials", #"{"apns":null}"#).status == 200)
    #expect(eventually { world.emulator.openConnections(.apns) == 0 })
  }
}
