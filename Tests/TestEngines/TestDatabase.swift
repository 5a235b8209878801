public import PostgresEngine
internal import PushStore
public import TestSupport

/// A database of one test on the PostgreSQL server that all tests share; it goes away with this.
public final class TestDatabase: Sendable {
  /// The server.
  public let server: PostgresServer
  /// The database's name there.
  public let name: String
  /// How a store is opened on it.
  public let options: PostgresOptions

  /// A database with the tables of a store, made once and copied.
  private static let template = Result { () throws -> String in
    let server = try PostgresServer.shared()
    let name = try server.createDatabase()
    try SQLStore(postgres: PostgresOptions(url: server.url(name))).close()
    return name
  }

  /// A database; empty, or with the tables of a store.
  public init(empty: Bool = false) throws {
    server = try PostgresServer.shared()
    name = try server.createDatabase(from: empty ? nil : Self.template.get())
    options = try PostgresOptions(url: server.url(name))
  }

  deinit { server.dropDatabase(name) }

  /// Where it is.
  public var url: String { server.url(name) }

  /// Runs SQL beside the store; returns what it prints.
  @discardableResult
  public func run(_ sql: String) throws -> String { try server.run(sql, in: name) }

  /// Has what changes a table fail with a SQLSTATE, or with nil no longer.
  public func fail(_ table: String, with state: String?) throws { try server.fail(table, with: state, in: name) }

  /// Ends every connection of a store, also where nobody may connect any more.
  public func disconnect() throws {
    try server.run(
      """
      SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
      WHERE datname = '\(name)' AND application_name = 'postrider'
      """)
  }
}
