import PostgresEngine
import TestSupport
import Testing

@testable import PushStore
@testable import StoreModel

/// What a store keeps its rows in.
enum Engine: Sendable {
  case sqlite
  case postgres

  /// The engine of the test that runs.
  @TaskLocal static var current = Engine.sqlite
}

/// Runs each test of a suite on both engines, one after the other, except those that are about a file.
struct OnBothEngines: SuiteTrait, TestTrait, TestScoping {
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await function() }
    let isOfFile = test.traits.contains { $0 is AboutTheFile }
    for engine in isOfFile ? [Engine.sqlite] : [.sqlite, .postgres] {
      try await Engine.$current.withValue(engine) { try await function() }
    }
  }
}

/// Marks a test that is about SQLite's file: its pages, its log, its copies, its older versions.
struct AboutTheFile: TestTrait, SuiteTrait {
  var isRecursive: Bool { true }
}

extension Trait where Self == OnBothEngines {
  /// Each test runs on SQLite and on PostgreSQL.
  static var onBothEngines: Self { OnBothEngines() }
}

extension Trait where Self == AboutTheFile {
  /// The test is about SQLite's file.
  static var aboutTheFile: Self { AboutTheFile() }
}

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
