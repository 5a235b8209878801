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

  @Test func aRemovedCredentialClosesItsConnection() throws {
    let world = try EndToEndTests()
    try world.register()
    try push(world)
    #expect(world.emulator.openConnections(.apns) == 1)
    #expect(try world.fixture.send("PUT", "/v1/apps/demo/credentials", #"{"apns":null}"#).status == 200)
    #expect(eventually { world.emulator.openConnections(.apns) == 0 })
  }
}
