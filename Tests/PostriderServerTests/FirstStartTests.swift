import PostriderServer
import TestEngines
import TestSupport
import Testing

/// Several servers that start at once on an empty database.
@Suite(.timeLimit(.minutes(5))) struct FirstStartTests {
  @Test("They all start, and make one first key", arguments: [true, false])
  func oneKey(isGiven: Bool) async throws {
    let database = try TestDatabase(empty: true)
    let given = isGiven ? "prk_" + String(repeating: "k", count: 43) : nil
    let refusals = try await withThrowingTaskGroup(of: String?.self) { group in
      for name in ["a", "b", "c"] {
        let folder = try TemporaryFolder()
        group.addTask {
          StartTests.refusal(folder) {
            $0.database = DatabaseServer(url: database.url, node: name)
            $0.sealingKey = String(repeating: "5a", count: 32)
            $0.adminKey = given
          }
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(refusals == [nil, nil, nil])
    #expect(try database.run("SELECT count(*) FROM api_keys") == "1\n")
  }
}
