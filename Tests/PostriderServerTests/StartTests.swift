import Glibc
import HTTPServer
import PostriderServer
import PushStore
import StoreModel
import TestSupport
import Testing
import WireJSON

/// Starts on folders with which something is wrong, and what readiness says.
@Suite(.timeLimit(.minutes(3))) struct StartTests {
  static func start(
    _ folder: TemporaryFolder, _ lines: Lines, _ change: (inout PostriderServerConfiguration) -> Void = { _ in }
  )
    throws -> PostriderServer
  {
    var configuration = PostriderServerConfiguration(
      dataFolder: folder.path + "/data", http: HTTPServerConfiguration(port: 0))
    change(&configuration)
    return try PostriderServer(configuration, log: Log(level: .debug, clock: configuration.clock) { lines.append($0) })
  }

  static func refusal(_ folder: TemporaryFolder, _ change: (inout PostriderServerConfiguration) -> Void = { _ in })
    -> String?
  {
    do {
      try start(folder, Lines(), change).stop(drainingFor: .zero)
      return nil
    } catch { return "\(error)" }
  }

  @Test("A server whose database is lost does not start, and leaves the rest as it is", arguments: [false, true])
  func lostDatabase(isEmpty: Bool) throws {
    let fixture = try ServerFixture()
    _ = try fixture.makeDemo()
    let data = fixture.folder.path + "/data"
    // A copy as a crash leaves it: the log holds what the file does not.
    let folder = try TemporaryFolder()
    #expect(try Subprocess.run("cp", ["-a", data, folder.path]).status == 0)
    let log = try Files.read(folder.path + "/data/postrider.sqlite-wal")
    #expect(!log.isEmpty)
    #expect(unlink(folder.path + "/data/postrider.sqlite") == 0)
    if isEmpty { try Files.write([], to: folder.path + "/data/postrider.sqlite") }
    let words = try #require(Self.refusal(folder))
    #expect(words.contains("postrider.sqlite is \(isEmpty ? "empty" : "missing")"), "\(words)")
    #expect(try Files.read(folder.path + "/data/postrider.sqlite-wal") == log)
    fixture.server.stop()
  }

  @Test("A wrong sealing key is refused; a new one is taken when it is said, and what it does not open is named")
  func wrongKey() throws {
    let fixture = try ServerFixture()
    _ = try fixture.makeDemo()
    let folder = fixture.folder
    fixture.server.stop()
    let other = String(repeating: "5a", count: 32)
    let words = try #require(Self.refusal(folder) { $0.sealingKey = other })
    #expect(words.contains("the apns credential of app demo, the fcm credential of app demo"), "\(words)")
    #expect(words.contains("--replace-sealing-key"))
    #expect(Self.refusal(folder) == nil)

    let again = try ServerFixture(folder: folder, admin: fixture.admin) {
      $0.sealingKey = other
      $0.replacesSealingKey = true
    }
    #expect(again.lines.text.contains("the fcm credential of app demo"))
    let overview = try again.send("GET", "/v1/apps/demo/overview").json
    let states = (overview["providers"]?.array ?? []).compactMap { $0["state"]?.string }
    #expect(states == ["stopped", "stopped"], "\(overview)")
    // One that is saved again works; the other stays stopped, and the next start says so.
    let fcm = try JSON.minifiedText(["fcm": #require(ServerFixture.credentials()["fcm"])])
    #expect(try again.send("PUT", "/v1/apps/demo/credentials", fcm).status == 200)
    let after = try again.send("GET", "/v1/apps/demo/overview").json
    #expect((after["providers"]?.array ?? []).compactMap { $0["state"]?.string } == ["stopped", "ready"])
    again.server.stop()
    let lines = Lines()
    let third = try Self.start(folder, lines) { $0.sealingKey = other }
    #expect(lines.text.contains("the apns credential of app demo"))
    #expect(!lines.text.contains("the fcm credential of app demo"))
    third.stop(drainingFor: .zero)
  }

  @Test(
    "A start that fails leaves no folder that it has made, and takes nothing from one that there was",
    arguments: [false, true])
  func failedStart(isThere: Bool) throws {
    let folder = try TemporaryFolder()
    let data = folder.path + "/data"
    if isThere {
      #expect(mkdir(data, 0o700) == 0)
      try Files.write(Array("mine".utf8), to: data + "/notes")
    }
    let changes: [(inout PostriderServerConfiguration) -> Void] = [
      { $0.http.host = "nowhere.invalid" }, { $0.sealingKey = "zz" },
      { $0.database = DatabaseServer(url: "mysql://h/d") },
    ]
    for change in changes {
      #expect(Self.refusal(folder, change) != nil)
      #expect(access(data, F_OK) == (isThere ? 0 : -1))
    }
    if isThere { #expect(try Files.read(data + "/notes") == Array("mine".utf8)) }
    #expect(Self.refusal(folder) == nil)
    #expect(access(data + "/postrider.sqlite", F_OK) == 0)
    // What a start has found is kept when the next one fails.
    #expect(Self.refusal(folder) { $0.http.host = "nowhere.invalid" } != nil)
    #expect(access(data + "/postrider.sqlite", F_OK) == 0 && access(data + "/sealing.key", F_OK) == 0)
  }

  @Test("Only who operates the server learns from readiness where its files are") func outward() throws {
    let fixture = try ServerFixture()
    let data = fixture.folder.path + "/data"
    #expect(try fixture.send("GET", "/v1/apps").status == 200)
    #expect(rename(data, data + "-away") == 0)
    defer { rename(data + "-away", data) }
    // A proxy on this machine may ask for anybody, whatever it says.
    for headers in [[], ["X-Forwarded-For: 203.0.113.9"], ["X-Forwarded-For: 127.0.0.1"]] {
      let outside = try fixture.send("GET", "/readyz", key: .some(nil), headers: headers)
      #expect(outside.status == 503 && !outside.text.contains(data), "\(outside.text)")
      #expect(outside.detail.hasPrefix("the database of the server was moved away"), "\(outside.text)")
      let keyed = try fixture.send("GET", "/readyz", headers: headers)
      #expect(keyed.status == 503 && keyed.detail.contains(data), "\(keyed.text)")
    }
    fixture.server.stop()
  }

  @Test("A key file that is lost before anything was sealed is made anew")
  func lostKeyWithoutSecrets() throws {
    let fixture = try ServerFixture()
    fixture.server.stop()
    #expect(unlink(fixture.folder.path + "/data/sealing.key") == 0)
    #expect(Self.refusal(fixture.folder) == nil)
  }

  @Test(
    "On a full disk the server is not ready, and it is ready again once there is room",
    .enabled(if: Mounts.areAllowed, "this process may not mount a file system"))
  func fullDisk() throws {
    let folder = try TemporaryFolder()
    let mounted = try Subprocess.run("mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", folder.path])
    #expect(mounted.status == 0, "\(mounted.errorText)")
    defer { _ = try? Subprocess.run("umount", ["-l", folder.path]) }
    let fixture = try ServerFixture(folder: folder)
    #expect(try fixture.send("GET", "/readyz", key: nil).status == 200)
    let filler = folder.path + "/filler"
    _ = try Subprocess.run("dd", ["if=/dev/zero", "of=\(filler)", "bs=4096"])
    // Writes that still fit into what the log has already are taken.
    var status = 200
    for number in 0..<2_000 where status < 500 {
      status = try fixture.post("/v1/apps", ["name": .string("app\(number)")]).status
    }
    #expect(status == 503)
    usleep(1_100_000)
    let answer = try fixture.send("GET", "/readyz", key: nil)
    #expect(answer.status == 503)
    #expect(answer.detail.contains("free space on the volume"), "\(answer.detail)")
    #expect(unlink(filler) == 0)
    usleep(1_100_000)
    #expect(try fixture.send("GET", "/readyz", key: nil).status == 200)
    fixture.server.stop()
  }

  @Test("A damaged page is found after the start, and the server is not ready")
  func damagedPage() throws {
    let fixture = try ServerFixture()
    _ = try fixture.makeDemo()
    for number in 0..<200 {
      let device: JSONValue = [
        "type": "ios", "token": .string(String(repeating: "ab", count: 30) + "\(1_000 + number)"),
      ]
      #expect(try fixture.post("/v1/apps/demo/devices", device).status == 201)
    }
    let sound = try fixture.waitForLine("database checked")
    #expect(sound)
    fixture.server.stop()
    let path = fixture.folder.path + "/data/postrider.sqlite"
    try Damage.page(holding: "devices_by_token", in: path)
    let again = try ServerFixture(folder: fixture.folder, admin: fixture.admin)
    #expect(try again.waitForLine("database damaged"))
    let answer = try again.send("GET", "/readyz", key: nil)
    #expect(answer.status == 503)
    #expect(answer.detail.contains("is damaged: "), "\(answer.detail)")
    #expect(answer.detail.contains("postrider ledger check"))
    again.server.stop()
    let found = try LedgerCheck.run(.folder(fixture.folder.path + "/data"), sealingKey: nil)
    #expect(!found.isSound)
    #expect(!found.faults.isEmpty)
  }
}

/// Damages a database as a bad disk does.
enum Damage {
  /// Overwrites the middle of the root page of a table or an index.
  static func page(holding name: String, in path: String) throws {
    let text = try Subprocess.run(
      "python3",
      [
        "-c",
        "import sqlite3,sys; print(*sqlite3.connect(sys.argv[1]).execute('select rootpage from sqlite_schema where name=?',(sys.argv[2],)).fetchone())",
        path, name,
      ]
    ).outputText
    let page = try #require(Int(text.split { !"0123456789".contains($0) }.first ?? ""))
    var bytes = try Files.read(path)
    let start = (page - 1) * 4096
    for index in start + 8..<start + 4000 { bytes[index] = 0x5a }
    try Files.write(bytes, to: path)
  }
}

extension ServerFixture {
  /// Whether a line with these words is logged within ten seconds.
  func waitForLine(_ words: String) throws -> Bool {
    for _ in 0..<500 {
      if lines.text.contains(words) { return true }
      usleep(20_000)
    }
    return false
  }
}
