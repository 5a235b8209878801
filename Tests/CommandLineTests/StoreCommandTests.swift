import Glibc
import TestSupport
import Testing

/// `serve --store`, from the shell to the rows.
@Suite(.timeLimit(.minutes(5))) struct StoreCommandTests {
  @Test("what was acknowledged is in the database after kill -9, and the next start goes on with it")
  func killed() throws {
    let database = try PostgresServer.shared()
    let name = try database.createDatabase()
    defer { database.dropDatabase(name) }
    let folder = try TemporaryFolder()
    let options = ["--store", database.url(name)]
    let first = try DemoServer(folder, options: options)
    let count = 20
    for number in 0..<count {
      let answer = try first.post(
        "/v1/apps/demo/pushes", #"{"to":{"all":true},"message":{"title":"T","body":"\#(number)"}}"#)
      #expect(answer.contains(#""id""#), "\(answer)")
    }
    first.process.signal(SIGKILL)
    _ = try first.process.finish(seconds: 20)
    #expect(try database.run("SELECT count(*), min(number), max(number) FROM pushes", in: name) == "20|1|20\n")
    let law = """
      SELECT count(*) FROM pushes
      WHERE targeted <> waiting + in_flight + accepted + rejected + expired + cancelled + unknown
      """
    #expect(try database.run(law, in: name) == "0\n")

    let again = try DemoServer(folder, key: first.key, options: options)
    let open = "SELECT count(*) FROM pushes WHERE finished_at IS NULL"
    for _ in 0..<600 {
      if try database.run(open, in: name) == "0\n" { break }
      usleep(50_000)
    }
    #expect(try database.run(open, in: name) == "0\n")
    #expect(try database.run(law, in: name) == "0\n")
    #expect(try database.run("SELECT count(*) FROM pushes WHERE targeted = accepted + unknown", in: name) == "20\n")
    #expect(try database.run("SELECT count(*) FROM leases", in: name) == "0\n")
    again.process.signal(SIGTERM)
    #expect(try again.process.finish(seconds: 20).status == 0)
  }

  /// A role without rights, and one that needs a password.
  private static func makeRoles(_ database: PostgresServer) throws {
    try database.run(
      """
      CREATE ROLE refused_guest LOGIN; CREATE ROLE refused_locked LOGIN PASSWORD 'right';
      COPY (VALUES ('local all refused_locked scram-sha-256'), ('local all all trust'), ('local replication all trust'))
        TO '\(database.folder)/data/pg_hba.conf';
      SELECT pg_reload_conf()
      """)
  }

  @Test("a database that cannot be used ends the start with what to do")
  func refusals() throws {
    let database = try PostgresServer.shared()
    var names: [String] = []
    func make(_ sql: String) throws -> String {
      let name = try database.createDatabase()
      names.append(name)
      if !sql.isEmpty { try database.run(sql.replacing("NAME", with: name), in: name) }
      return name
    }
    defer {
      for name in names { database.dropDatabase(name) }
      _ = try? database.run("DROP ROLE IF EXISTS refused_guest; DROP ROLE IF EXISTS refused_locked")
    }
    try Self.makeRoles(database)
    let foreign = try make("CREATE TABLE cats(name text)")
    let newer = try make("CREATE TABLE postrider(version bigint); INSERT INTO postrider VALUES (9999)")
    let part = try make(
      "CREATE TABLE postrider(version bigint); INSERT INTO postrider VALUES (1000044); CREATE TABLE postrider_copy(origin text)"
    )
    let readOnly = try make("ALTER DATABASE NAME SET default_transaction_read_only = on")
    let (empty, closed) = (try make(""), try make("REVOKE CONNECT ON DATABASE NAME FROM public"))
    let folder = try TemporaryFolder()
    func start(_ url: String, _ password: String = "") throws -> Subprocess.Result {
      try Subprocess.run(
        Postrider.path, ["serve", "--port", "0", "--data", "\(folder.path)/data"],
        environment: ["POSTRIDER_STORE": url].merging(password.isEmpty ? [:] : ["POSTRIDER_STORE_PASSWORD": password]) {
          $1
        })
    }
    // The server reads its file when it comes to it.
    let locked = database.url(empty, role: "refused_locked")
    for _ in 0..<200 {
      if try Postrider.run("ledger", "check", "--store", locked).errorText.contains("password") { break }
      usleep(50_000)
    }
    for (url, password, status, words) in [
      (database.url(foreign), "", 3, "holds 1 table of another program; create a database for Postrider alone"),
      (database.url("nowhere"), "", 3, "CREATE DATABASE nowhere OWNER …"),
      (database.url(empty) + "?sslmode=perhaps", "", 3, "cannot be used: invalid sslmode value"),
      (database.url(empty, role: "nobody"), "", 3, "create the role"),
      (database.url(closed, role: "refused_guest"), "", 3, "GRANT CONNECT ON DATABASE"),
      (database.url(empty, role: "refused_guest"), "", 3, "GRANT CREATE, USAGE ON SCHEMA public"),
      (database.url(newer), "", 3, "has schema version 9999"),
      (database.url(part), "", 3, "is a copy that was not finished; finish it with postrider store copy"),
      (database.url(readOnly), "", 3, "default_transaction_read_only"),
      (locked, "", 3, "give the password in POSTRIDER_STORE_PASSWORD"),
      (locked, "wrong", 3, "check the user in the URL and the password"),
      ("postgresql://u:secret@h/d", "", 3, "POSTRIDER_STORE_PASSWORD"),
      ("postgresql://h:no/d", "", 3, "postgresql://user@host:5432/database"),
      ("file:///tmp/x", "", 3, "postgresql://user@host:5432/database"),
      ("postgresql://u@%2Fnowhere/d", "", 4, "check that the server runs"),
    ] as [(String, String, Int32, String)] {
      let result = try start(url, password)
      #expect(result.status == status, "\(url): \(result.errorText)")
      #expect(result.errorText.contains(words), "\(url): \(result.errorText)")
      #expect(
        !result.errorText.contains("secret") && !result.errorText.contains("wrong"), "\(url): \(result.errorText)")
    }
    let alone = try Postrider.run("serve", "--data", "\(folder.path)/data", "--store-password-file", "/dev/null")
    #expect(alone.status == 2 && alone.errorText.contains("belongs to --store"), "\(alone.errorText)")
    let unsaid = try Postrider.run(
      "serve", "--data", "\(folder.path)/data", "--store", "postgresql://u@h/d", "--store-password-file", "/dev/null")
    #expect(unsaid.status == 3, "\(unsaid.errorText)")
    #expect(unsaid.errorText.contains("/dev/null has no password in its first line"), "\(unsaid.errorText)")
  }

  @Test("a second node without the sealing key of the first is told where to get it")
  func keyIsMissing() throws {
    let database = try PostgresServer.shared()
    let name = try database.createDatabase()
    defer { database.dropDatabase(name) }
    let (folder, other) = (try TemporaryFolder(), try TemporaryFolder())
    let first = try DemoServer(folder, options: ["--store", database.url(name)])
    first.process.signal(SIGTERM)
    _ = try first.process.finish(seconds: 20)
    let second = try Postrider.run(
      "serve", "--port", "0", "--data", "\(other.path)/data", "--store", database.url(name))
    #expect(second.status == 3, "\(second.errorText)")
    #expect(second.errorText.contains("sealing.key is missing"), "\(second.errorText)")
    #expect(second.errorText.contains("copy it from another node"), "\(second.errorText)")
  }
}
