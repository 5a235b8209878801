import Glibc
import TestSupport
import Testing
import WireJSON

@Suite("backup and restore", .serialized)
struct BackupCommandTests {
  private static func json(_ result: Subprocess.Result) throws -> JSONValue {
    try JSON.parse(Array(result.outputText.utf8))
  }

  @Test("a backup of a running server comes back whole, and its unfinished pushes are held")
  func backUpAndRestore() throws {
    let folder = try TemporaryFolder()
    let server = try DemoServer(folder)
    _ = try server.paste(0)
    try server.waitUntilSent(1)
    // A push that is not over: one send a minute, to two devices.
    let slow = try server.post(
      "/v1/apps/demo/pushes",
      #"{"message":{"title":"Slow","body":"Lane"},"to":{"all":true},"campaign":"slow-1","throttle_per_minute":1}"#)
    #expect(slow.contains(#""id":"#))
    let backup = "\(folder.path)/backup"
    let made = try Postrider.run("backup", "--data", "\(folder.path)/data", "--with-key", backup)
    #expect(made.status == 0, "\(made.errorText)")
    let summary = try Self.json(made)
    #expect(summary["devices"] == 2 && summary["pushes"] == 2 && summary["sealing_key"] == true)
    server.process.signal(SIGKILL)
    _ = try server.process.finish(seconds: 20)

    let restored = "\(folder.path)/restored"
    let back = try Postrider.run("restore", "--data", restored, backup)
    #expect(back.status == 0, "\(back.errorText)")
    #expect(try Self.json(back)["held"] == 1)
    #expect(
      try Self.json(back)["held_by_kind"] == ["pushes": 1, "scheduled": 0, "schedules": 0, "webhooks": 0])
    let second = try Subprocess(Postrider.path, ["serve", "--port", "0", "--data", restored])
    let text = try second.waitFor("Postrider listens on ")
    let api = try #require(text.split { " \n".contains($0) }.first { $0.hasPrefix("http://") })
    let push = try Subprocess.run(
      "curl", ["-s", "-H", "Authorization: Bearer \(server.key)", "\(api)/v1/apps/demo/pushes"], seconds: 20
    ).outputText
    #expect(push.contains(#""state":"paused""#) && push.contains(#""state":"sent""#), "\(push)")
    func held(_ words: String...) throws -> String {
      let result = try Subprocess.run(
        Postrider.path, ["held"] + words + ["--url", String(api)], environment: ["POSTRIDER_KEY": server.key],
        seconds: 20)
      #expect(result.status == 0, "\(result.errorText)")
      return result.outputText
    }
    #expect(try held("list").contains("slow-1"))
    #expect(try held("resume", "--app", "demo").contains("1"))
    #expect(try !held("list").contains("slow-1"))
    second.signal(SIGTERM)
    #expect(try second.finish(seconds: 20).status == 0)
  }

  @Test("without the key the backup opens, and says what is missing")
  func withoutKey() throws {
    let folder = try TemporaryFolder()
    let server = try DemoServer(folder)
    let backup = "\(folder.path)/backup"
    #expect(try Postrider.run("backup", "--data", "\(folder.path)/data", backup).status == 0)
    let names = try Files.list(backup)
    #expect(names == ["postrider.sqlite"])
    #expect(try Postrider.run("restore", "--data", "\(folder.path)/new", backup).status == 0)
    let start = try Postrider.run("serve", "--port", "0", "--data", "\(folder.path)/new")
    #expect(start.status == 3)
    #expect(start.errorText.contains("enter the credentials again"), "\(start.errorText)")
    _ = server
  }

  @Test("the ledger is checked whole, beside a running server, of a backup, and when it is damaged")
  func ledgerCheck() throws {
    let folder = try TemporaryFolder()
    let server = try DemoServer(folder)
    _ = try server.paste(0)
    try server.waitUntilSent(1)
    let data = "\(folder.path)/data"
    let running = try Postrider.run("ledger", "check", "--data", data)
    #expect(running.status == 0, "\(running.outputText)\(running.errorText)")
    #expect(try Self.json(running)["sound"] == true)
    #expect(try Self.json(running)["pushes"] == 1)
    #expect(try Self.json(running)["unopened"] == [])
    server.process.signal(SIGTERM)
    _ = try server.process.finish(seconds: 20)
    // A counter that says what the rows do not.
    let path = "\(data)/postrider.sqlite"
    let changed = try Subprocess.run(
      "python3",
      [
        "-c",
        "import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); c.execute('UPDATE pushes SET accepted=accepted+1'); c.commit()",
        path,
      ])
    #expect(changed.status == 0)
    let broken = try Postrider.run("ledger", "check", "--data", data)
    #expect(broken.status == 1)
    let faults = try Self.json(broken)["faults"]?.array ?? []
    #expect(faults.first?.string?.hasPrefix("push 1: ") == true, "\(faults)")
    let other = try Subprocess.run(
      Postrider.path, ["ledger", "check", "--data", data],
      environment: ["POSTRIDER_SEALING_KEY": String(repeating: "5a", count: 32)])
    #expect(try (Self.json(other)["unopened"]?.array ?? []).contains("the fcm credential of app demo"))
    let none = try Postrider.run("ledger", "check", "--data", folder.path)
    #expect(none.status == 3)
    #expect(none.errorText.contains("there is no database"))
  }

  @Test("a server does not start without its database, or with another sealing key, and says what to do")
  func refusedStarts() throws {
    let folder = try TemporaryFolder()
    let server = try DemoServer(folder)
    server.process.signal(SIGKILL)
    _ = try server.process.finish(seconds: 20)
    let data = "\(folder.path)/data"
    let start = ["serve", "--port", "0", "--data", data]
    let wrong = try Subprocess.run(
      Postrider.path, start, environment: ["POSTRIDER_SEALING_KEY": String(repeating: "5a", count: 32)])
    #expect(wrong.status == 3)
    #expect(wrong.errorText.contains("start with --replace-sealing-key"), "\(wrong.errorText)")
    #expect(rename("\(data)/postrider.sqlite", "\(folder.path)/away") == 0)
    let lost = try Subprocess.run(Postrider.path, start)
    #expect(lost.status == 3)
    #expect(lost.errorText.contains("but its database postrider.sqlite is missing"), "\(lost.errorText)")
    #expect(rename("\(folder.path)/away", "\(data)/postrider.sqlite") == 0)
    let again = try DemoServer(folder, key: server.key)
    again.process.signal(SIGTERM)
    _ = try again.process.finish(seconds: 20)
  }

  @Test("what cannot be done is said, and nothing is left behind")
  func refusals() throws {
    let folder = try TemporaryFolder()
    let missing = try Postrider.run("backup", "--data", "\(folder.path)/none", "\(folder.path)/b")
    #expect(missing.status == 3)
    #expect(missing.errorText.contains("there is no database \(folder.path)/none/postrider.sqlite"))
    #expect(try Files.list(folder.path).isEmpty)

    #expect(mkdir("\(folder.path)/damaged", 0o700) == 0)
    try Files.write(
      Array("SQLite format 3\0 and then something else".utf8), to: "\(folder.path)/damaged/postrider.sqlite")
    let damaged = try Postrider.run("restore", "--data", "\(folder.path)/new", "\(folder.path)/damaged")
    #expect(damaged.status == 3, "\(damaged.outputText)")
    #expect(try Files.list(folder.path) == ["damaged"])

    let there = try Postrider.run("restore", "--data", folder.path, "\(folder.path)/damaged")
    #expect(there.errorText.contains("it exists already"))
  }
}
