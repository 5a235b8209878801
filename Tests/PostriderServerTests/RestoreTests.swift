import Glibc
import HTTPServer
import PostriderServer
import PushStore
import StoreModel
import Synchronization
import TestSupport
import Testing
import WireJSON

/// What a restored backup holds, and what a restore that is killed leaves.
@Suite(.timeLimit(.minutes(5))) struct RestoreTests {
  static let pushes = "/v1/apps/demo/pushes"
  static let message = #""message":{"title":"T","body":"B"}"#

  /// A server with everything that could go out by itself, backed up; then the original goes on for a day.
  struct World {
    let clock = SteppedClock()
    let receiver = WebhookTests.Receiver()
    let web: HTTPServer
    let original: ServerFixture
    let backup: String
    var ids: [String: String] = [:]

    init() throws {
      web = try HTTPServer(HTTPServerConfiguration(), handler: receiver)
      let original = try ServerFixture(clock: clock.clock) { $0.allowsPrivateWebhooks = true }
      self.original = original
      backup = original.folder.path + "/backup"
      _ = try original.makeDemo()
      func id(_ method: String, _ path: String, _ body: String? = nil) throws -> String {
        let answer = try original.send(method, path, body)
        #expect(answer.status < 300, "\(answer.text)")
        return answer.json["id"]?.string ?? ""
      }
      let device = #"{"type":"ios","token":"\#(String(repeating: "ab", count: 32))","user":"u"}"#
      _ = try id("POST", "/v1/apps/demo/devices", device)
      let rest = #"\#(RestoreTests.message),"to":{"all":true}"#
      ids["webhook"] = try id(
        "POST", "/v1/apps/demo/webhooks", #"{"url":"http://127.0.0.1:\#(web.port)/h","types":["push.finished"]}"#)
      receiver.status.store(500, ordering: .relaxed)
      let ended = try id("POST", RestoreTests.pushes, "{\(rest)}")
      _ = try id("POST", RestoreTests.pushes + "/\(ended)/cancel")
      ids["sending"] = try id("POST", RestoreTests.pushes, "{\(rest)}")
      ids["paused"] = try id("POST", RestoreTests.pushes, "{\(rest)}")
      _ = try id("POST", RestoreTests.pushes + "/\(ids["paused"] ?? "")/pause")
      ids["draft"] = try id("POST", RestoreTests.pushes, #"{\#(rest),"draft":true}"#)
      ids["send_at"] = try id("POST", RestoreTests.pushes, #"{\#(rest),"send_at":"2026-11-20T18:00:00Z"}"#)
      ids["send_at_local"] = try id(
        "POST", RestoreTests.pushes, #"{\#(rest),"send_at_local":"2026-11-21T18:00:00","timezone":"UTC"}"#)
      ids["user"] = try id(
        "PUT", "/v1/apps/demo/users/u/scheduled/reminder",
        #"{\#(RestoreTests.message),"send_at":"2026-11-20T18:00:00Z"}"#)
      let every = #"{\#(rest),"repeat":{"every":"day","start":"2026-11-20T18:00:00","timezone":"UTC"}}"#
      ids["schedule"] = try id("POST", "/v1/apps/demo/schedules", every)
      ids["paused schedule"] = try id("POST", "/v1/apps/demo/schedules", every)
      _ = try id("POST", "/v1/apps/demo/schedules/\(ids["paused schedule"] ?? "")/pause")
      _ = try Backup.make(of: original.folder.path + "/data", in: backup, includingKey: true)
    }

    /// A server on a restored folder, a day later.
    func restored() throws -> (server: ServerFixture, summary: Backup.Summary) {
      let folder = try TemporaryFolder()
      let summary = try Backup.restore(backup, as: folder.path + "/data", clock: clock.clock)
      clock.move(seconds: 86_400)
      receiver.status.store(200, ordering: .relaxed)
      let server = try ServerFixture(folder: folder, admin: original.admin, clock: clock.clock) {
        $0.allowsPrivateWebhooks = true
      }
      return (server, summary)
    }
  }

  static func logState(_ fixture: ServerFixture) -> [Int] {
    var info = stat()
    stat(fixture.folder.path + "/data/postrider.sqlite-wal", &info)
    return [Int(info.st_size), info.st_mtim.tv_sec, info.st_mtim.tv_nsec]
  }

  @Test("A server does not start from a backup, nor from a folder that has lost its database") func startsFromNeither()
    throws
  {
    let world = try World()
    func failure(_ path: String) -> String {
      do throws(PostriderServerError) {
        var configuration = PostriderServerConfiguration(dataFolder: path, http: HTTPServerConfiguration(port: 0))
        configuration.sealingKey = String(repeating: "ab", count: 32)
        let server = try PostriderServer(configuration, log: Log(level: .error, clock: world.clock.clock) { _ in })
        server.stop(drainingFor: .zero)
        return "it started"
      } catch { return error.description }
    }
    let before = try Files.read(world.backup + "/postrider.sqlite")
    #expect(failure(world.backup).contains("bring it back into a new folder with postrider restore"))
    #expect(try Files.read(world.backup + "/postrider.sqlite") == before)
    let (server, _) = try world.restored()
    server.server.stop(drainingFor: .zero)
    let data = server.folder.path + "/data"
    for name in ["postrider.sqlite", "postrider.sqlite-wal", "sealing.key"] { unlink("\(data)/\(name)") }
    #expect(failure(data).contains("has lock, but its database postrider.sqlite is missing"))
  }

  @Test("Nothing of a restored backup goes out by itself, and holding it writes nothing") func holdsEverything() throws
  {
    let world = try World()
    world.original.server.stop()
    let before = world.receiver.all.count
    let (server, summary) = try world.restored()
    #expect(summary.held[.push] == 1 && summary.held[.scheduled] == 3)
    #expect(summary.held[.schedule] == 1 && summary.held[.webhook] == 1)
    let pushes = try server.pushes().compactMap { $0["id"]?.string }
    usleep(300_000)
    let log = Self.logState(server)
    usleep(1_500_000)
    #expect(Self.logState(server) == log)
    #expect(try server.pushes().compactMap { $0["id"]?.string } == pushes)
    #expect(world.receiver.all.count == before)
    for name in ["sending", "paused"] {
      #expect(try server.send("GET", "\(Self.pushes)/\(world.ids[name] ?? "")").json["state"] == "paused")
    }
    for name in ["send_at", "send_at_local", "user"] {
      #expect(try server.send("GET", "\(Self.pushes)/\(world.ids[name] ?? "")").json["state"] == "scheduled")
    }

    let list = try server.send("GET", "/v1/held").json
    let rows = list["held"]?.array ?? []
    #expect(
      rows.map { $0["kind"]?.string } == ["push", "scheduled", "scheduled", "scheduled", "schedule", "webhook"])
    let ids = ["sending", "send_at", "send_at_local", "user", "schedule", "webhook"].map { world.ids[$0] }
    #expect(Set(rows.map { $0["id"]?.string }) == Set(ids))
    #expect(rows.allSatisfy { $0["app"] == "demo" && $0["since"] == "2026-11-20T12:00:00.000Z" })
    #expect(list["counts"] == ["pushes": 1, "scheduled": 3, "schedules": 1, "webhooks": 1])
    #expect(rows.first { $0["id"]?.string == world.ids["user"] }?["name"] == "reminder")
    #expect(rows.first { $0["kind"] == "webhook" }?["waiting"] == 1)
    var (paged, cursor): ([JSONValue], String?) = ([], nil)
    repeat {
      let page = try server.send("GET", "/v1/apps/demo/held?limit=1" + (cursor.map { "&cursor=\($0)" } ?? "")).json
      paged += page["held"]?.array ?? []
      cursor = page["next"]?.string
    } while cursor != nil && paged.count < 10
    #expect(paged == rows)
    let overview = try server.send("GET", "/v1/apps/demo/overview").json
    let alert = try #require(overview["alerts"]?.array?.first)
    #expect(alert["kind"] == "held-after-restore")
    #expect(alert["detail"]?.string?.contains("1 pushes, 3 scheduled, 1 schedules, 1 webhooks") == true)
  }

  @Test("What is held is resumed one by one, replaced, cancelled, or all at once") func resumes() throws {
    let world = try World()
    world.original.server.stop()
    let before = world.receiver.all.count
    let (server, _) = try world.restored()
    func post(_ path: String, _ body: String? = nil) throws {
      let answer = try server.send("POST", path, body)
      #expect(answer.status < 300, "\(answer.text)")
    }
    func kinds() throws -> [String?] {
      (try server.send("GET", "/v1/held").json["held"]?.array ?? []).map { $0["kind"]?.string }
    }
    // A user's push that is replaced is no longer held, and one that is taken back is gone.
    let reminder = "/v1/apps/demo/users/u/scheduled/reminder"
    #expect(try server.send("PUT", reminder, #"{\#(Self.message),"send_at":"2026-12-20T18:00:00Z"}"#).status == 200)
    #expect(
      try server.send("GET", "\(Self.pushes)/\(world.ids["user"] ?? "")").json["state"] == "cancelled")
    try post("\(Self.pushes)/\(world.ids["send_at_local"] ?? "")/cancel")
    #expect(try kinds() == ["push", "scheduled", "schedule", "webhook"])
    // One by one: what is past due starts.
    try post("\(Self.pushes)/\(world.ids["send_at"] ?? "")/resume")
    let started = try server.poll("\(Self.pushes)/\(world.ids["send_at"] ?? "")") { $0["state"] == "sending" }
    #expect(started["state"] == "sending", "\(started)")
    #expect(try kinds() == ["push", "schedule", "webhook"])
    let answer = try server.send("POST", "/v1/apps/demo/held/resume")
    #expect(answer.json["resumed"] == ["pushes": 1, "scheduled": 0, "schedules": 1, "webhooks": 1], "\(answer.text)")
    #expect(try kinds().isEmpty)
    let sending = try server.send("GET", "\(Self.pushes)/\(world.ids["sending"] ?? "")").json
    #expect(sending["state"] == "sending" && sending["restored_at"] == "2026-11-20T12:00:00.000Z")
    // The original may have sent it, so nobody can say that it was stopped.
    let cancelled = try server.send("POST", "\(Self.pushes)/\(world.ids["sending"] ?? "")/cancel").json
    #expect(cancelled["stopped"] == 0 && cancelled["not_stopped"]?.int ?? 0 > 0, "\(cancelled)")
    #expect(cancelled["not_stopped"] == cancelled["counts"]?["targeted"], "\(cancelled)")
    // What a person paused before the backup stays paused.
    #expect(try server.send("GET", "\(Self.pushes)/\(world.ids["paused"] ?? "")").json["state"] == "paused")
    let schedule = try server.send("GET", "/v1/apps/demo/schedules/\(world.ids["schedule"] ?? "")").json
    #expect(schedule["next"]?.array?.first == "2026-11-21T18:00:00.000Z", "\(schedule)")
    #expect(schedule["made"] == 0)
    let other = try server.send("GET", "/v1/apps/demo/schedules/\(world.ids["paused schedule"] ?? "")").json
    #expect(other["paused_at"] != nil)
    // The batch that waited is sent now, under the id it had; new ones have ids that the original never gave away.
    for _ in 0..<500 where world.receiver.all.count == before { usleep(20_000) }
    #expect(world.receiver.all.count > before)
    #expect(try server.send("GET", "/v1/apps/demo/overview").json["alerts"]?.array?.isEmpty == true)
    let new = try server.send("POST", Self.pushes, #"{\#(Self.message),"to":{"all":true}}"#)
    #expect((Int(new.json["id"]?.string ?? "") ?? 0) > 1 << 40)
  }

  @Test("A schedule that cannot be resumed does not keep the others, and is named") func resumesTheRest() throws {
    let folder = try TemporaryFolder()
    let clock = SteppedClock()
    let first = try ServerFixture(folder: folder, clock: clock.clock)
    _ = try first.makeDemo()
    let every =
      #"{\#(Self.message),"to":{"all":true},"repeat":{"every":"day","start":"2026-12-20T18:00:00","timezone":"UTC"}}"#
    var ids: [String] = []
    for _ in 0..<3 {
      ids.append(try #require(try first.send("POST", "/v1/apps/demo/schedules", every).json["id"]?.string))
    }
    first.server.stop()
    _ = try Subprocess.run(
      "python3",
      [
        "-c",
        "import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); c.execute('update schedules set request=? where id=?', (b'not JSON', int(sys.argv[2]))); c.commit()",
        folder.path + "/data/postrider.sqlite", ids[1],
      ])
    _ = try Backup.make(of: folder.path + "/data", in: folder.path + "/backup", includingKey: true)
    let other = try TemporaryFolder()
    _ = try Backup.restore(folder.path + "/backup", as: other.path + "/data", clock: clock.clock)
    let server = try ServerFixture(folder: other, admin: first.admin, clock: clock.clock)
    let answer = try server.send("POST", "/v1/held/resume")
    #expect(answer.status == 200, "\(answer.text)")
    #expect(answer.json["resumed"]?["schedules"] == 2)
    #expect(answer.json["failed_count"] == 1)
    let failed = answer.json["failed"]?.array ?? []
    #expect(failed.map { $0["id"]?.string } == [ids[1]] && failed.first?["kind"] == "schedule")
    #expect(failed.first?["app"] == "demo" && failed.first?["detail"]?.string?.isEmpty == false)
    let held = try server.send("GET", "/v1/held").json["held"]?.array ?? []
    #expect(held.map { $0["id"]?.string } == [ids[1]])
  }

  /// A database with a push that sends, one that waits for its time, a schedule and a webhook, and its backup.
  static func backup(_ folder: TemporaryFolder) throws -> String {
    let data = folder.path + "/data"
    #expect(mkdir(data, 0o700) == 0)
    let now = Timestamp(seconds: 1_800_000_000)
    let store = try SQLStore(path: data + "/postrider.sqlite")
    defer { store.close() }
    let app = try store.createApp(name: "demo", title: "", settings: [], now: now).id
    let device = try store.registerDevices([DeviceRegistration(app: app, token: "a", kind: .ios)], now: now)[0].id
    let payload = RenderedPayload(kinds: [.ios], body: [123, 125])
    for start in [nil, now.adding(seconds: 60)] {
      let push = NewPush(
        app: app, pushClass: .transactional, audience: .devices([device]), payloads: [payload], salt: 7, startAt: start)
      _ = try store.wait { store.createPushes([push], now: now, completion: $0) }
    }
    let scheduled = NewScheduledPush(app: app, pushClass: .campaign, request: [1], dueAt: now.adding(seconds: 60))
    _ = try store.addScheduledPush(scheduled, now: now)
    _ = try store.createSchedule(app: app, request: [1], first: .init(at: now, number: 1), now: now)
    _ = try store.createWebhook(
      NewWebhook(app: app, url: "https://example.com", kinds: [.finished], sealed: [1]), now: now)
    _ = try Backup.make(of: data, in: folder.path + "/backup", includingKey: false)
    return folder.path + "/backup"
  }

  @Test(
    "A restore that is killed leaves no folder that sends, and can be done again", arguments: Backup.Step.all.indices)
  func killed(step: Int) async throws {
    let folder = try TemporaryFolder()
    let backup = try Self.backup(folder)
    let target = folder.path + "/restored"
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [backup = backup as String, target = target as String, step = step as Int] in
      _ = try Backup.restore(backup, as: target, isHolding: true, clock: .system) { done in
        if done == Backup.Step.all[step] { kill(getpid(), SIGKILL) }
      }
    }
    let isNamed = Backup.Step.all[step] == .named
    #expect((access(target, F_OK) == 0) == isNamed)
    if !isNamed { #expect(try Backup.restore(backup, as: target).held.total == 5) }
    #expect(access(target + ".partial", F_OK) != 0)

    let later = Timestamp(seconds: 4_000_000_000)
    let store = try SQLStore(path: target + "/postrider.sqlite")
    defer { store.close() }
    #expect(try store.countHeld(app: nil).total == 5)
    #expect(try store.openWork(limit: 10) == OpenWork())
    #expect(try store.wait { store.startScheduled(now: later, limit: 10, completion: $0) } == [])
    #expect(try store.dueScheduledPushes(now: later, limit: 10).isEmpty)
    #expect(try store.dueSchedules(now: later, limit: 10).isEmpty)
    #expect(try store.webhooks(app: nil).allSatisfy { $0.heldAt != nil })
    #expect(try store.waitingWork().first == nil)
  }

  @Test("With --resume nothing is held") func resumesAtOnce() throws {
    let folder = try TemporaryFolder()
    let backup = try Self.backup(folder)
    #expect(try Backup.restore(backup, as: folder.path + "/restored", isHolding: false).held.total == 0)
    let store = try SQLStore(path: folder.path + "/restored/postrider.sqlite")
    defer { store.close() }
    #expect(try store.openWork(limit: 10) != OpenWork())
  }
}
