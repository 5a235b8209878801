import Glibc
import TestSupport
import Testing
import WireJSON

/// `kill -9` while Live Activities are updated and channels are broadcast on.
@Suite("kill -9 under Live Activities", .serialized)
struct KillLiveTests {
  private static let rounds = 2
  private static let atOnce = 8

  @Test("a server killed at random moments keeps each send it acknowledged, ends each once, and its ledger balances")
  func killedAtRandom() throws {
    var random = SeededRandom.fromEnvironment()
    let (seed, kills) = (random.seed, KillTests())
    let emulator = try RunningEmulator()
    let folder = try TemporaryFolder()
    var server = try KilledServer(folder)
    let key = server.key
    try kills.furnish(server, emulator)
    let base = "/v1/apps/kill"
    let channel = try #require(try server.call("POST", "\(base)/channels", [:])["id"]?.string)
    _ = try server.call(
      "POST", "\(base)/devices", ["type": "ios-live-activity-start", "token": .string(kills.token(1)), "user": "ann"])
    let start = try server.call(
      "POST", "\(base)/activities",
      [
        "id": "a", "to": ["user": "ann"], "attributes_type": "T", "attributes": [:], "content_state": [:],
        "alert": ["title": "t", "body": "b"],
      ])
    #expect(start["targeted"] == 1, "\(JSON.minifiedText(start))")
    _ = try server.call("POST", "\(base)/activities/a/tokens", ["token": .string(kills.token(2))])
    let paths = ["\(base)/channels/\(channel)/broadcasts", "\(base)/activities/a/updates"]
    var acknowledged: Set<String> = []
    for round in 0..<Self.rounds {
      let requests = try (0..<Self.atOnce).flatMap { number in
        try paths.map { path in
          try Subprocess(
            "curl",
            [
              "-s", "-m", "20", "-H", "Authorization: Bearer \(key)", "-d",
              #"{"event":"update","content_state":{"n":\#(round * Self.atOnce + number)}}"#, server.api + path,
            ])
        }
      }
      func hear(_ requests: ArraySlice<Subprocess>) {
        for request in requests {
          if let id = (try? JSON.parse(try request.finish(seconds: 30).output))?["id"]?.string {
            acknowledged.insert(id)
          }
        }
      }
      // One is acknowledged for certain, however slow the machine is.
      let sure = round == 0 ? 1 : 0
      hear(requests.prefix(sure))
      usleep(UInt32.random(in: 10_000...120_000, using: &random))
      try server.kill()
      hear(requests.dropFirst(sure))
      server = try KilledServer(folder, key: key)
    }
    var listed: Set<String> = []
    for (path, member) in [(paths[0], "broadcasts"), ("\(base)/activities/a", "sends")] {
      for send in try server.call("GET", path)[member]?.array ?? [] {
        let id = send["id"]?.string ?? ""
        listed.insert(id)
        let push = try #require(try kills.ended(server, id), "seed \(seed): \(id) did not end")
        #expect(push["counts"]?["targeted"] == 1 && push["counts"]?["accepted"] == 1, "seed \(seed): \(push)")
      }
    }
    #expect(acknowledged.isSubset(of: listed), "seed \(seed)")
    #expect(!acknowledged.isEmpty, "seed \(seed): nothing was acknowledged")
    server.process.signal(SIGTERM)
    #expect(try server.process.finish(seconds: 20).status == 0)
    let check = try Subprocess.run(Postrider.path, ["ledger", "check", "--data", "\(folder.path)/data"], seconds: 30)
    #expect(check.status == 0, "seed \(seed): \(String(decoding: check.output, as: UTF8.self))")
  }
}
