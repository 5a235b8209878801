import Glibc
import TestSupport
import Testing
import WireJSON

/// A server without the demo whose app sends to an emulator of its own process.
final class KilledServer {
  let process: Subprocess
  let api: String
  let key: String

  init(_ folder: TemporaryFolder, key: String? = nil) throws {
    process = try Subprocess(Postrider.path, ["serve", "--port", "0", "--data", "\(folder.path)/data"])
    // The key stands behind the address, when there is one; "started" is the last line of a start without it.
    let text = try process.waitFor(key == nil ? "POSTRIDER_KEY=prk_" : "listens on http://", seconds: 30)
    let words = text.split { " \n".contains($0) }
    api = String(words.first { $0.hasPrefix("http://") } ?? "")
    self.key = try #require(key ?? words.first { $0.hasPrefix("POSTRIDER_KEY=") }.map { String($0.dropFirst(14)) })
  }

  func call(_ method: String, _ path: String, _ body: JSONValue? = nil) throws -> JSONValue {
    var arguments = [
      "-s", "-m", "20", "-X", method, "-H", "Authorization: Bearer \(key)", "-H", "Content-Type: application/json",
    ]
    if body != nil { arguments += ["--data-binary", "@-"] }
    let result = try Subprocess.run(
      "curl", arguments + [api + path], input: body.map { JSON.minified($0) } ?? [], seconds: 30)
    return try JSON.parse(result.output)
  }

  /// Kills the server where it stands.
  func kill() throws {
    process.signal(SIGKILL)
    _ = try process.finish(seconds: 20)
  }
}

@Suite("kill -9 on the whole path", .serialized)
struct KillTests {
  static let devices = 1_500
  static let rounds = 4

  func token(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 64 - digits.count) + digits
  }

  func furnish(_ server: KilledServer, _ emulator: RunningEmulator) throws {
    _ = try server.call("POST", "/v1/apps", ["name": "kill", "contract": "amba"])
    let address = emulator.apns.split(separator: ":")
    func file(_ name: String) throws -> JSONValue {
      .string(String(decoding: try Files.read("\(emulator.folder.path)/\(name)"), as: UTF8.self))
    }
    let saved = try server.call(
      "PUT", "/v1/apps/kill/credentials",
      [
        "apns": [
          "topic": "com.example.app", "key": try file("apns-key.p8"), "key_id": "EMULATEKEY", "team_id": "EMULATETEA",
          "gateway": [
            "host": .string(String(address[0])), "port": .number(JSONNumber(Int(address[1]) ?? 0)),
            "ca": try file("ca.pem"),
          ],
        ]
      ])
    #expect(saved["apns"] != nil, "\(JSON.minifiedText(saved))")
  }

  func control(_ emulator: RunningEmulator, _ path: String) throws -> JSONValue {
    try JSON.parse(try Subprocess.run("curl", ["-s", "-m", "20", emulator.control + path], seconds: 30).output)
  }

  /// The counts of a push that has ended, or nil when it does not end in time.
  func ended(_ server: KilledServer, _ push: String) throws -> JSONValue? {
    for _ in 0..<400 {
      let state = try server.call("GET", "/v1/apps/kill/pushes/\(push)")
      if state["state"]?.string == "sent" { return state }
      usleep(50_000)
    }
    return Optional.none
  }

  @Test("a server killed at random moments balances its ledger, and sends again only what it names unknown")
  func killedAtRandom() throws {
    var random = SeededRandom.fromEnvironment()
    let seed = random.seed
    let emulator = try RunningEmulator()
    let folder = try TemporaryFolder()
    var server = try KilledServer(folder)
    let key = server.key
    try furnish(server, emulator)
    let tokens = (0..<Self.devices).map { ["type": "ios", "token": .string(token($0))] as JSONValue }
    var arrived = 0
    for round in 0..<Self.rounds {
      let answer = try server.call(
        "POST", "/v1/apps/kill/pushes",
        [
          "to": ["tokens": .array(tokens)], "campaign": .string("c-\(round)"),
          "message": ["title": "t", "body": "b"],
        ])
      let push = try #require(answer["id"]?.string, "seed \(seed), round \(round): \(JSON.minifiedText(answer))")
      usleep(UInt32.random(in: 0...150_000, using: &random))
      try server.kill()
      server = try KilledServer(folder, key: key)
      let state = try #require(try ended(server, push), "seed \(seed), round \(round): the push did not end")
      let counts = try #require(state["counts"])
      for name in ["waiting", "in_flight", "rejected", "expired", "cancelled", "unknown"] {
        #expect(counts[name]?.int == 0, "seed \(seed), round \(round): \(JSON.minifiedText(counts))")
      }
      #expect(counts["targeted"]?.int == Self.devices && counts["accepted"]?.int == Self.devices, "seed \(seed)")
      let total = try control(emulator, "")["state"]?["accepted"]?.int ?? 0
      let sent = total - arrived
      arrived = total
      let resent = state["resent"]?.int ?? 0
      #expect(sent >= Self.devices, "seed \(seed), round \(round): \(sent) arrived")
      #expect(sent <= Self.devices + resent, "seed \(seed), round \(round): \(sent) arrived, \(resent) named unknown")
    }
    try expectReplacements(emulator, seed: seed)
    server.process.signal(SIGTERM)
    #expect(try server.process.finish(seconds: 20).status == 0)
  }

  /// A moment as RFC 3339 has it, so many seconds ahead.
  func instant(in seconds: Int) -> String {
    var instant = time(nil) + seconds
    var parts = tm()
    gmtime_r(&instant, &parts)
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))T\(two(parts.tm_hour)):"
      + "\(two(parts.tm_min)):\(two(parts.tm_sec))"
  }

  @Test("a server killed while pushes wait keeps drafts and held ones, and starts each of the others once")
  func killedWhileTheyWait() throws {
    let emulator = try RunningEmulator()
    let folder = try TemporaryFolder()
    var server = try KilledServer(folder)
    let key = server.key
    try furnish(server, emulator)
    let tokens = (0..<20).map { ["type": "ios", "token": .string(token($0))] as JSONValue }
    let pushes = "/v1/apps/kill/pushes"
    func make(_ more: JSONObject) throws -> String {
      var body: JSONObject = [
        "to": ["tokens": .array(tokens)], "message": ["title": "t", "body": "b"], "campaign": "c",
      ]
      for (name, value) in more { body[name] = value }
      let answer = try server.call("POST", more["repeat"] == nil ? pushes : "/v1/apps/kill/schedules", .object(body))
      return try #require(answer["id"]?.string, "\(JSON.minifiedText(answer))")
    }
    let draft = try make(["draft": true])
    let held = try make(["throttle_per_minute": 1])
    #expect(try server.call("POST", "\(pushes)/\(held)/pause")["state"] == "paused")
    let scheduled = try make(["send_at": .string(instant(in: 3) + "Z")])
    let rule: JSONValue = ["every": "day", "start": .string(instant(in: 3)), "timezone": "UTC"]
    let schedule = try make(["repeat": rule])
    // Killed before their moment, and again at about it and after it.
    for wait: UInt32 in [0, 3_000_000, 300_000, 1_000_000] {
      usleep(wait)
      try server.kill()
      server = try KilledServer(folder, key: key)
    }
    let sent = try #require(try ended(server, scheduled))
    #expect(sent["counts"]?["accepted"] == 20, "\(JSON.minifiedText(sent))")
    let came = try server.call("GET", "/v1/apps/kill/schedules/\(schedule)")
    #expect(came["made"] == 1 && came["missed"] == 0, "\(JSON.minifiedText(came))")
    #expect(try ended(server, came["last_push"]?.string ?? "")?["counts"]?["accepted"] == 20)
    #expect(try server.call("GET", "\(pushes)/\(draft)")["state"] == "draft")
    #expect(try server.call("GET", "\(pushes)/\(held)")["state"] == "paused")
    #expect(try server.call("GET", pushes)["pushes"]?.array?.count == 4)
    server.process.signal(SIGTERM)
    #expect(try server.process.finish(seconds: 20).status == 0)
  }

  @Test("a server killed while a push at local times is sent now leaves it as it was, or sends it to all")
  func killedWhileAPlanIsSentNow() throws {
    var random = SeededRandom.fromEnvironment()
    let seed = random.seed
    let emulator = try RunningEmulator()
    let folder = try TemporaryFolder()
    var server = try KilledServer(folder)
    let key = server.key
    try furnish(server, emulator)
    let tokens = (0..<20).map { ["type": "ios", "token": .string(token($0))] as JSONValue }
    for round in 0..<5 {
      let answer = try server.call(
        "POST", "/v1/apps/kill/pushes",
        [
          "to": ["tokens": .array(tokens)], "message": ["title": "t", "body": "b"], "campaign": .string("c-\(round)"),
          "send_at_local": .string(instant(in: 5 * 86_400)), "timezone": "Europe/Vienna",
        ])
      let push = try #require(answer["id"]?.string, "\(JSON.minifiedText(answer))")
      let sending = try Subprocess(
        "curl",
        [
          "-s", "-m", "20", "-X", "POST", "-H", "Authorization: Bearer \(key)",
          "\(server.api)/v1/apps/kill/pushes/\(push)/send",
        ])
      usleep(UInt32.random(in: 0...40_000, using: &random))
      try server.kill()
      let told = (try? JSON.parse(try sending.finish(seconds: 30).output))?["state"]?.string
      server = try KilledServer(folder, key: key)
      let state = try server.call("GET", "/v1/apps/kill/pushes/\(push)")
      if state["state"] == "scheduled" {
        #expect(told == nil, "seed \(seed), round \(round): it was acknowledged and did not start")
        #expect(state["send_at_local"] != nil && state["counts"]?["targeted"] == 0, "seed \(seed), round \(round)")
        _ = try server.call("POST", "/v1/apps/kill/pushes/\(push)/cancel")
      } else {
        let sent = try #require(try ended(server, push), "seed \(seed), round \(round): \(JSON.minifiedText(state))")
        #expect(sent["counts"]?["accepted"] == 20, "seed \(seed), round \(round): \(JSON.minifiedText(sent))")
      }
    }
    server.process.signal(SIGTERM)
    #expect(try server.process.finish(seconds: 20).status == 0)
  }

  /// What a device got twice came with the same apns-id and collapse id, so that it replaces and does not stack.
  private func expectReplacements(_ emulator: RunningEmulator, seed: UInt64) throws {
    for device in try control(emulator, "/devices").array ?? [] where (device["accepted"]?.int ?? 0) > Self.rounds {
      let pushes = try control(emulator, "/devices/apns/\(device["token"]?.string ?? "")/pushes").array ?? []
      var ids: [String: String] = [:]
      for push in pushes {
        let campaign = push["headers"]?["apns-collapse-id"]?.string ?? ""
        let id = push["headers"]?["apns-id"]?.string ?? ""
        #expect(ids[campaign] == nil || ids[campaign] == id, "seed \(seed): \(campaign) came as \(id) too")
        ids[campaign] = id
      }
      #expect(ids.count == Self.rounds, "seed \(seed): \(ids)")
    }
  }
}
