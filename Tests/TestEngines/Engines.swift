public import Testing

/// What a store keeps its rows in.
public enum Engine: Sendable {
  case sqlite
  case postgres

  /// The engine of the test that runs.
  @TaskLocal public static var current = Engine.sqlite
}

/// Runs each test of a suite on both engines, one after the other, except those that are about a file.
public struct OnBothEngines: SuiteTrait, TestTrait, TestScoping {
  /// It holds for the tests of a suite.
  public var isRecursive: Bool { true }

  /// Runs a case on one engine after the other.
  public func provideScope(
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
public struct AboutTheFile: TestTrait, SuiteTrait {
  /// It holds for the tests of a suite.
  public var isRecursive: Bool { true }
}

extension Trait where Self == OnBothEngines {
  /// Each test runs on SQLite and on PostgreSQL.
  public static var onBothEngines: Self { OnBothEngines() }
}

extension Trait where Self == AboutTheFile {
  /// The test is about SQLite's file.
  public static var aboutTheFile: Self { AboutTheFile() }
}
