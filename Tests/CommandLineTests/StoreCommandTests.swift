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
    for _ in 0..<600 where try database.run(open, in: name) != "0\n" { usleep(50_000) }
    #expect(try database.run(open, in: name) == "0\n")
    #expect(try database.run(law, in: name) == "0\n")
    #expect(try database.run("SELECT count(*) FROM pushes WHERE targeted = accepted + unknown", in: name) == "20\n")
    #expect(try database.run("SELECT count(*) FROM leases", in: name) == "0\n")
    again.process.signal(SIGTERM)
    #expect(try again.process.finish(seconds: 20).status == 0)
  }

  @Test("a database that cannot be used ends the start with what to do")
  func refusals() throws {
    let database = try PostgresServer.shared()
    let name = try database.createDatabase()
    defer { database.dropDatabase(name) }
    try database.run("CREATE TABLE cats(name text)", in: name)
    let folder = try TemporaryFolder()
    for (url, status, words) in [
      (database.url(name), 3, "create a database for Postrider alone"),
      (database.url("nowhere"), 3, "CREATE DATABASE postrider"),
      (database.url(name, role: "nobody"), 3, "create the role"),
      ("postgresql://u:secret@h/d", 3, "POSTRIDER_STORE_PASSWORD"),
      ("file:///tmp/x", 3, "postgresql://user@host:5432/database"),
      ("postgresql://u@%2Fnowhere/d", 4, "check that the server runs"),
    ] {
      let result = try Subprocess.run(
        Postrider.path, ["serve", "--port", "0", "--data", "\(folder.path)/data"], environment: ["POSTRIDER_STORE": url]
      )
      #expect(result.status == status, "\(url): \(result.errorText)")
      #expect(result.errorText.contains(words) && !result.errorText.contains("secret"), "\(url): \(result.errorText)")
    }
    let alone = try Postrider.run("serve", "--data", "\(folder.path)/data", "--store-password-file", "/dev/null")
    #expect(alone.status == 2 && alone.errorText.contains("belongs to --store"), "\(alone.errorText)")
  }
}
