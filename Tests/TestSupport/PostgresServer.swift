internal import Glibc
internal import Synchronization

/// A PostgreSQL server of this process, from Debian's package: on a socket in a temporary folder, without a port.
///
/// That of the tests is started when one first asks for it, and every test gets a database of its own. A shell that watches the
/// process stops it and removes the folder, however the process ends.
public final class PostgresServer: Sendable {
  /// Why there is no server.
  public struct Failure: Error, CustomStringConvertible, Sendable {
    /// One sentence.
    public let description: String
  }

  /// How a server is set.
  public struct Settings: Sendable {
    fileprivate let options: [String]

    /// It flushes nothing to the disk, because what it holds ends with the process.
    public static let volatile = Settings(options: [
      "fsync=off", "full_page_writes=off", "max_connections=400", "shared_buffers=64MB", "autovacuum=off",
    ])
    /// The same with so few connections, three of them for the owner of everything.
    public static func connections(_ count: Int) -> Settings {
      Settings(options: volatile.options.filter { !$0.hasPrefix("max_connections") } + ["max_connections=\(count)"])
    }
    /// As one that keeps what it acknowledges, with memory for a million devices: what is measured.
    public static let durable = Settings(options: [
      "fsync=on", "synchronous_commit=on", "full_page_writes=on", "shared_buffers=1GB", "max_wal_size=4GB",
      "checkpoint_timeout=15min", "log_lock_waits=on", "deadlock_timeout=100ms",
    ])
  }

  /// The folder with the socket.
  public let folder: String
  /// The folder of the server's programs.
  private let programs: String
  /// Kept, because letting go of it would kill it; nobody uses it again.
  nonisolated(unsafe) private let watcher: Subprocess
  private static let count = Atomic(0)
  private static let started = Mutex<Result<PostgresServer, Failure>?>(nil)

  /// The role of the tests, who may do everything.
  public static let role = "postgres"

  /// The server that all tests of this process share.
  public static func shared() throws(Failure) -> PostgresServer {
    let result = started.withLock { started in
      let result = started ?? Result { () throws(Failure) in try PostgresServer(.volatile) }
      started = result
      return result
    }
    return try result.get()
  }

  /// Starts a server, in a folder below `parent`.
  public init(_ settings: Settings, in parent: String = "/tmp") throws(Failure) {
    programs = try Self.findPrograms()
    var template = Array("\(parent)/postrider-postgres-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Failure(description: "cannot create a folder under \(parent)") }
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    do throws(Subprocess.Failure) {
      // The server refuses to run as root; its package has made a user for it.
      let user = getuid() == 0 ? "setpriv --reuid postgres --regid postgres --clear-groups --" : ""
      watcher = try Subprocess(
        "/bin/sh",
        [
          "-c",
          """
          set -e
          trap '' INT TERM
          test -z "$USER_OF_SERVER" || chown postgres "$FOLDER"
          $USER_OF_SERVER "$PROGRAMS/initdb" -D "$FOLDER/data" -A trust -E UTF8 --locale=C -U \(Self.role) -N >"$FOLDER/log"
          $USER_OF_SERVER "$PROGRAMS/postgres" -D "$FOLDER/data" -c listen_addresses= -c unix_socket_directories="$FOLDER" \\
            $SETTINGS >>"$FOLDER/log" 2>&1 &
          SERVER=$!
          for try in $(seq 600); do
            "$PROGRAMS/pg_isready" -q -h "$FOLDER" && break
            kill -0 $SERVER 2>/dev/null || { cat "$FOLDER/log" >&2; exit 1; }
            sleep 0.05
          done
          echo ready
          while kill -0 "$TESTS" 2>/dev/null && kill -0 $SERVER 2>/dev/null; do sleep 0.5; done
          kill -QUIT $SERVER 2>/dev/null || true
          wait $SERVER || true
          rm -rf "$FOLDER"
          """,
        ],
        environment: [
          "USER_OF_SERVER": user, "FOLDER": folder, "PROGRAMS": programs, "TESTS": "\(getpid())",
          "SETTINGS": settings.options.map { "-c \($0)" }.joined(separator: " "),
        ])
      try watcher.waitFor("ready")
    } catch { throw Failure(description: "PostgreSQL did not start: \(error)") }
  }

  deinit {
    // The watcher ends with this, and would leave the server behind.
    if let server = try? processID() { kill(pid_t(server), SIGQUIT) }
    _ = try? watcher.finish(seconds: 10)
  }

  private static func findPrograms() throws(Failure) -> String {
    let found = (13...30).reversed().map { "/usr/lib/postgresql/\($0)/bin" }.first { access($0 + "/initdb", X_OK) == 0 }
    guard let found else {
      throw Failure(description: "PostgreSQL is not installed; run script/bootstrap, or: apt-get install postgresql")
    }
    return found
  }

  /// The number of the server's first process, whose children do the work.
  public func processID() throws(Failure) -> Int {
    let text = (try? Files.read(folder + "/data/postmaster.pid")).map { String(decoding: $0, as: UTF8.self) } ?? ""
    guard let pid = text.split(separator: "\n").first.flatMap({ Int($0) }) else {
      throw Failure(description: "the server under \(folder) has ended")
    }
    return pid
  }

  /// Creates a database, of a template when one is named, and returns its name.
  public func createDatabase(from template: String? = nil, tablespace: String? = nil) throws(Failure) -> String {
    let name = "test\(Self.count.add(1, ordering: .relaxed).newValue)"
    try run("CREATE DATABASE \(name) TEMPLATE \(template ?? "template0") TABLESPACE \(tablespace ?? "pg_default")")
    return name
  }

  /// Removes a database; who is connected to it loses the connection.
  public func dropDatabase(_ name: String) { _ = try? run("DROP DATABASE IF EXISTS \(name) WITH (FORCE)") }

  /// Runs SQL as the owner of everything; returns what it prints, without frames.
  @discardableResult
  public func run(_ sql: String, in database: String = "postgres") throws(Failure) -> String {
    let result: Subprocess.Result
    do throws(Subprocess.Failure) {
      result = try Subprocess.run(
        programs + "/psql",
        ["-h", folder, "-U", Self.role, "-d", database, "-qAtX", "-v", "ON_ERROR_STOP=1", "-c", sql])
    } catch { throw Failure(description: "\(error)") }
    guard result.status == 0 else { throw Failure(description: "\(sql): \(result.errorText)") }
    return result.outputText
  }

  /// Has a database lose what the store notifies others of: with sessions that begin after this.
  public func loseNotifications(in database: String) throws(Failure) {
    try run(
      """
      CREATE FUNCTION public.pg_notify(text, text) RETURNS void LANGUAGE sql AS 'SELECT';
      ALTER DATABASE \(database) SET search_path = public, pg_catalog
      """, in: database)
  }

  /// Runs SQL beside the test, as ``run(_:in:)``; it ends at the latest when what is returned goes away.
  public func begin(_ sql: String, in database: String) throws(Failure) -> Subprocess {
    do throws(Subprocess.Failure) {
      return try Subprocess(
        programs + "/psql",
        ["-h", folder, "-U", Self.role, "-d", database, "-qAtX", "-v", "ON_ERROR_STOP=1"],
        input: Array(sql.utf8))
    } catch { throw Failure(description: "\(error)") }
  }

  /// Has what changes a table fail with a SQLSTATE, or with nil no longer.
  public func fail(_ table: String, with state: String?, in database: String) throws(Failure) {
    try run("DROP TRIGGER IF EXISTS provoked ON \(table)", in: database)
    guard let state else { return }
    try run(
      """
      CREATE OR REPLACE FUNCTION provoked() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'provoked' USING ERRCODE = TG_ARGV[0]; END $$;
      CREATE TRIGGER provoked BEFORE INSERT OR UPDATE OR DELETE ON \(table) FOR EACH STATEMENT
        EXECUTE FUNCTION provoked('\(state)');
      """, in: database)
  }

  /// The URL of a database.
  public func url(_ database: String, role: String = PostgresServer.role) -> String {
    let host = folder.split(separator: "/").map { "%2F" + $0 }.joined()
    return "postgresql://\(role)@\(host)/\(database)"
  }
}
