import PostgresEngine
import TestSupport
import Testing

@testable import PushStore
@testable import StoreModel

/// A database of one test on the server that all tests share.
final class TestDatabase: Sendable {
  let options: PostgresOptions
  let name: String
  private let server: PostgresServer

  /// A database with the tables of a store, made once and copied.
  private static let template = Result { () throws -> String in
    let server = try PostgresServer.shared()
    let name = try server.createDatabase()
    try SQLStore(postgres: PostgresOptions(url: server.url(name))).close()
    return name
  }

  /// A database; empty, or with the tables of a store.
  init(empty: Bool = false) throws {
    server = try PostgresServer.shared()
    name = try server.createDatabase(from: empty ? nil : Self.template.get())
    options = try PostgresOptions(url: server.url(name))
  }

  deinit { server.dropDatabase(name) }

  /// Runs SQL beside the store; returns what it prints.
  @discardableResult
  func run(_ sql: String) throws -> String { try server.run(sql, in: name) }
}
