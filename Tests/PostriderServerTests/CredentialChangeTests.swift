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

  @Test func aRemovedCredentialClosesItsConnection() throws {
    let world = try EndToEndTests()
    try world.register()
    try push(world)
    #expect(world.emulator.openConnections(.apns) == 1)
    #expect(try world.fixture.send("PUT", "/v1/apps/demo/credentials", #"{"apns":null}"#).status == 200)
    #expect(eventually { world.emulator.openConnections(.apns) == 0 })
  }
}
