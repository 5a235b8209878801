import Glibc
import TestSupport
import Testing
import WireJSON

/// `store copy`, and the commands that work without a server, on a database.
@Suite(.serialized, .timeLimit(.minutes(5))) struct StoreCopyTests {
  private static func json(_ result: Subprocess.Result) throws -> JSONValue {
    try JSON.parse(Array(result.outputText.utf8))
  }

  /// A server sees the end of a killed process a little later.
  private static func copy(_ from: String, _ to: String) throws -> Subprocess.Result {
    var result = try Postrider.run("store", "copy", "--from", from, "--to", to)
    for _ in 0..<20 where result.errorText.contains("locked") {
      result = try Postrider.run("store", "copy", "--from", from, "--to", to)
    }
    return result
  }

  @Test("a server's folder moves to a database and back after kill -9, and everything that was acknowledged is sent")
  func moved() throws {
    let database = try PostgresServer.shared()
    let name = try database.createDatabase()
    defer { database.dropDatabase(name) }
    let (folder, other) = (try TemporaryFolder(), try TemporaryFolder())
    let url = database.url(name)
    let first = try DemoServer(folder)
    let day = try Subprocess.run("date", ["-u", "-d", "tomorrow", "+%Y-%m-%dT%H:%M:%SZ"]).outputText.prefix(20)
    let later = try first.post(
      "/v1/apps/demo/pushes",
      #"{"to":{"all":true},"message":{"title":"T","body":"B"},"send_at":"\#(day)"}"#)
    #expect(later.contains(#""id""#) && !later.contains("unknown-field"), "\(later)")
    for number in 0..<20 {
      let answer = try first.post(
        "/v1/apps/demo/pushes", #"{"to":{"all":true},"message":{"title":"T","body":"\#(number)"}}"#)
      #expect(answer.contains(#""id""#), "\(answer)")
    }
    let running = try Postrider.run("store", "copy", "--from", "\(folder.path)/data", "--to", url)
    #expect(
      running.status == 3 && running.errorText.contains("another Postrider uses this data folder"),
      "\(running.errorText)")
    first.process.signal(SIGKILL)
    _ = try first.process.finish(seconds: 20)

    let there = try Self.copy("\(folder.path)/data", url)
    #expect(there.status == 0, "\(there.errorText)")
    let moved = try Self.json(there)
    #expect(moved["verified"]?.bool == true && moved["unopened"]?.array == [], "\(there.outputText)")
    #expect(moved["rows"]?.int == moved["written"]?.int && moved["found"]?.int == 0)
    #expect(try database.run("SELECT count(*) FROM pushes", in: name) == "21\n")

    #expect(mkdir("\(other.path)/data", 0o700) == 0)
    try Files.write(try Files.read("\(folder.path)/data/sealing.key"), to: "\(other.path)/data/sealing.key")
    #expect(chmod("\(other.path)/data/sealing.key", 0o600) == 0)
    let second = try DemoServer(other, key: first.key, options: ["--store", url])
    let open = "SELECT count(*) FROM pushes WHERE finished_at IS NULL AND state <> 8"
    for _ in 0..<1_200 {
      if try database.run(open, in: name) == "0\n" { break }
      usleep(50_000)
    }
    #expect(
      try database.run("SELECT count(*) FROM pushes WHERE targeted > 0 AND targeted = accepted + unknown", in: name)
        == "20\n")
    second.process.signal(SIGTERM)
    #expect(try second.process.finish(seconds: 20).status == 0)

    // Back into the folder that has the key.
    let back = try Self.copy(url, "\(other.path)/data")
    #expect(back.status == 0, "\(back.errorText)")
    let home = try Self.json(back)
    #expect(home["verified"]?.bool == true && home["unopened"]?.array == [], "\(back.outputText)")
    let third = try DemoServer(other, key: first.key)
    let pushes = try third.get("/v1/apps/demo/pushes?limit=100")
    #expect(try JSON.parse(Array(pushes.utf8))["pushes"]?.array?.count == 21, "\(pushes)")
    third.process.signal(SIGTERM)
    #expect(try third.process.finish(seconds: 20).status == 0)
  }

  @Test("what is typed wrongly is said")
  func typedWrongly() throws {
    for (from, to, words) in [
      ("a", "b", "one of --from and --to must be a database"),
      ("postgresql://a/b", "postgresql://c/d", "pg_dump and pg_restore"),
    ] {
      let result = try Postrider.run("store", "copy", "--from", from, "--to", to)
      #expect(result.status == 2 && result.errorText.contains(words), "\(result.errorText)")
    }
    let folder = try TemporaryFolder()
    let none = try Postrider.run("store", "copy", "--from", "\(folder.path)/no", "--to", "postgresql://u@%2Fnowhere/d")
    #expect(none.status == 3 && none.errorText.contains("there is no database"), "\(none.errorText)")
  }

  @Test("the commands without a server work on a database, beside its servers")
  func offline() throws {
    let database = try PostgresServer.shared()
    let name = try database.createDatabase()
    defer { database.dropDatabase(name) }
    let folder = try TemporaryFolder()
    let url = database.url(name)
    let data = "\(folder.path)/data"
    for command in [["ledger", "check"], ["keys", "recover"]] {
      let empty = try Subprocess.run(Postrider.path, command + ["--store", url])
      #expect(empty.status == 3 && empty.errorText.contains("has no tables yet"), "\(empty.errorText)")
    }
    let server = try DemoServer(folder, options: ["--store", url])
    let checked = try Postrider.run("ledger", "check", "--store", url, "--data", data)
    #expect(checked.status == 0, "\(checked.errorText)")
    let found = try Self.json(checked)
    #expect(found["sound"]?.bool == true && found["store"]?.string == url && found["unopened"]?.array == [])

    let recovered = try Postrider.run("keys", "recover", "--store", url, "--json")
    let key = try #require(try Self.json(recovered)["key"]?.string, "\(recovered.errorText)")
    let answer = try Subprocess.run(
      "curl", ["-s", "-H", "Authorization: Bearer \(key)", server.api + "/v1/apps"], seconds: 20
    ).outputText
    #expect(answer.contains("demo"), "\(answer)")
    let owner = try Postrider.run(
      "people", "add", "--owner", "--email", "ann@example.com", "--store", url, "--json")
    #expect(try Self.json(owner)["link"]?.string?.hasPrefix("/#/join/") == true, "\(owner.errorText)")
    #expect(try database.run("SELECT email FROM accounts", in: name) == "ann@example.com\n")

    let healthy = try doctor(["--store", url, "--data", data])
    for subject in ["database", "role", "schema", "size", "database clock", "ledger", "data"] {
      #expect(healthy.checks[subject]?["result"]?.string == "ok", "\(subject): \(healthy.checks)")
    }
    #expect(healthy.checks["standby"]?["result"]?.string == "warning")
    #expect(healthy.checks["database"]?["detail"]?.string?.contains("UTF8, C") == true)
    server.process.signal(SIGTERM)
    _ = try server.process.finish(seconds: 20)

    try Files.write(Array(String(repeating: "ab", count: 32).utf8), to: "\(data)/sealing.key")
    let other = try doctor(["--store", url, "--data", data])
    #expect(other.status == 1 && other.checks["ledger"]?["detail"]?.string?.contains("does not open") == true)
    let away = try doctor(["--store", "postgresql://u@%2Fnowhere/d", "--data", data])
    #expect(
      away.status == 1 && away.checks["database"]?["remedy"]?.string?.contains("check that the server runs") == true)
    try database.run("UPDATE postrider SET version = version + 1", in: name)
    let newer = try doctor(["--store", url, "--data", data])
    #expect(newer.status == 1 && newer.checks["schema"]?["result"]?.string == "error" && newer.checks["ledger"] == nil)
  }

  private func doctor(_ options: [String]) throws -> (checks: [String: JSONValue], status: Int32) {
    let result = try Subprocess.run(Postrider.path, ["doctor", "--offline", "--json"] + options)
    let checks = try Self.json(result)["checks"]?.array ?? []
    return (Dictionary(checks.map { ($0["check"]?.string ?? "", $0) }) { first, _ in first }, result.status)
  }

  @Test("backup and restore of a database are PostgreSQL's own")
  func backups() throws {
    let folder = try TemporaryFolder()
    for (command, tool) in [("backup", "pg_dump"), ("restore", "pg_restore")] {
      let result = try Subprocess.run(
        Postrider.path, [command, "\(folder.path)/copy"], environment: ["POSTRIDER_STORE": "postgresql://h/d"])
      #expect(result.status == 2 && result.errorText.contains(tool), "\(result.errorText)")
    }
  }
}
