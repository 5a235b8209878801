internal import Glibc
internal import Synchronization

/// A PostgreSQL server of this test process, from Debian's package: on a socket in a temporary folder, without a port.
///
/// It is started when a test first asks for it, and every test gets a database of its own. It flushes nothing to the disk, because
/// what it holds ends with the process; a shell that watches the process stops it and removes the folder, however the process ends.
public final class PostgresServer: Sendable {
  /// Why there is no server.
  public struct Failure: Error, CustomStringConvertible, Sendable {
    /// One sentence.
    public let description: String
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
      let result = started ?? Result { () throws(Failure) in try PostgresServer() }
      started = result
      return result
    }
    return try result.get()
  }

  private init() throws(Failure) {
    programs = try Self.findPrograms()
    var template = Array("/tmp/postrider-postgres-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Failure(description: "cannot create a folder under /tmp") }
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
            -c fsync=off -c full_page_writes=off -c max_connections=400 -c shared_buffers=64MB -c autovacuum=off \\
            >>"$FOLDER/log" 2>&1 &
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
        ])
      try watcher.waitFor("ready")
    } catch { throw Failure(description: "PostgreSQL did not start: \(error)") }
  }

  private static func findPrograms() throws(Failure) -> String {
    let found = (13...30).reversed().map { "/usr/lib/postgresql/\($0)/bin" }.first { access($0 + "/initdb", X_OK) == 0 }
    guard let found else {
      throw Failure(description: "PostgreSQL is not installed; run script/bootstrap, or: apt-get install postgresql")
    }
    return found
  }

  /// Creates a database, of a template when one is named, and returns its name.
  public func createDatabase(from template: String? = nil) throws(Failure) -> String {
    let name = "test\(Self.count.add(1, ordering: .relaxed).newValue)"
    try run("CREATE DATABASE \(name) TEMPLATE \(template ?? "template0")")
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

  /// The URL of a database.
  public func url(_ database: String, role: String = PostgresServer.role) -> String {
    let host = folder.split(separator: "/").map { "%2F" + $0 }.joined()
    return "postgresql://\(role)@\(host)/\(database)"
  }
}
