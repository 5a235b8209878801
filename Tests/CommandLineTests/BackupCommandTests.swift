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
    let second = try Subprocess(Postrider.path, ["serve", "--port", "0", "--data", restored])
    let text = try second.waitFor("Postrider listens on ")
    let api = try #require(text.split { " \n".contains($0) }.first { $0.hasPrefix("http://") })
    let push = try Subprocess.run(
      "curl", ["-s", "-H", "Authorization: Bearer \(server.key)", "\(api)/v1/apps/demo/pushes"], seconds: 20
    ).outputText
    #expect(push.contains(#""state":"paused""#) && push.contains(#""state":"sent""#), "\(push)")
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
