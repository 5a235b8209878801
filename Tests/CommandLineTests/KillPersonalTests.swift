import Glibc
import TestSupport
import Testing
import WireJSON

extension KillTests {
  static let people = 12

  /// Registers devices whose users live in three zones: where the local time is over, where it is about to come, and where
  /// it comes much later.
  private func registerPeople(_ server: KilledServer) throws {
    for number in 0..<Self.people {
      let zone = ["Pacific/Kiritimati", "UTC", "Pacific/Pago_Pago"][number % 3]
      let answer = try server.call(
        "POST", "/v1/apps/kill/devices",
        [
          "type": "ios", "token": .string(token(number)), "user": .string("user-\(number)"), "timezone": .string(zone),
        ])
      #expect(answer["id"] != nil, "\(JSON.minifiedText(answer))")
    }
  }

  @Test("a server killed before, at and after users' own and local times sends each its own text, once")
  func killedInPersonalAndLocalTimes() throws {
    let emulator = try RunningEmulator()
    let folder = try TemporaryFolder()
    var server = try KilledServer(folder)
    let key = server.key
    try furnish(server, emulator)
    try registerPeople(server)
    let start = instant(in: 6)
    var userScheduledPushes: [String] = []
    for number in 0..<Self.people {
      let answer = try server.call(
        "PUT", "/v1/apps/kill/users/user-\(number)/scheduled/trial",
        [
          "message": ["title": "t", "body": "own {{user|nobody}}"], "values": [:], "send_at": .string(start + "Z"),
        ])
      userScheduledPushes.append(try #require(answer["id"]?.string, "\(JSON.minifiedText(answer))"))
    }
    let local = try server.call(
      "POST", "/v1/apps/kill/pushes",
      [
        "message": ["title": "t", "body": "local {{user|nobody}}"], "values": [:], "campaign": "local",
        "to": ["all": true], "send_at_local": .string(start), "timezone": "UTC",
      ])
    let campaign = try #require(local["id"]?.string, "\(JSON.minifiedText(local))")
    for wait: UInt32 in [50_000, 4_500_000, 700_000, 200_000, 600_000] {
      usleep(wait)
      try server.kill()
      server = try KilledServer(folder, key: key)
    }
    var resent = 0
    for push in userScheduledPushes {
      let state = try #require(try ended(server, push), "\(push) did not end")
      #expect(state["counts"]?["accepted"] == 1 && state["counts"]?["targeted"] == 1, "\(JSON.minifiedText(state))")
      resent += state["resent"]?.int ?? 0
    }
    // Two of three zones have had it; the last waits for its own evening.
    let path = "/v1/apps/kill/pushes/\(campaign)"
    var state = try server.call("GET", path)
    for _ in 0..<400 where state["counts"]?["accepted"]?.int != Self.people * 2 / 3 {
      usleep(50_000)
      state = try server.call("GET", path)
    }
    let counts = state["counts"]
    #expect(counts?["accepted"]?.int == Self.people * 2 / 3, "\(JSON.minifiedText(state))")
    #expect(counts?["waiting"]?.int == Self.people / 3 && counts?["targeted"]?.int == Self.people)
    resent += state["resent"]?.int ?? 0
    try expectTexts(emulator, resent: resent)
    server.process.signal(SIGTERM)
    #expect(try server.process.finish(seconds: 20).status == 0)
  }

  /// Each device has its user's own texts and nobody else's, and more than once only what the ledger names.
  private func expectTexts(_ emulator: RunningEmulator, resent: Int) throws {
    var repeated = 0
    for number in 0..<Self.people {
      let pushes = try control(emulator, "/devices/apns/\(token(number))/pushes").array ?? []
      var bodies: [String: Set<String>] = [:]
      for push in pushes {
        let body = push["payload"]?["aps"]?["alert"]?["body"]?.string ?? "?"
        bodies[body, default: []].insert(push["headers"]?["apns-id"]?.string ?? "")
      }
      let wanted = ["own user-\(number)"] + (number % 3 == 2 ? [] : ["local user-\(number)"])
      #expect(bodies.keys.sorted() == wanted.sorted(), "user-\(number)")
      #expect(bodies.values.allSatisfy { $0.count == 1 }, "user-\(number): a text under two apns-ids")
      repeated += pushes.count - wanted.count
    }
    #expect(repeated <= resent, "\(repeated) came again, \(resent) are named")
  }
}
