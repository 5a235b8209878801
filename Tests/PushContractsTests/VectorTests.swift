import PushContracts
import TestSupport
import Testing
import WireJSON

/// The public corpus, run against this library.
///
/// With `POSTRIDER_RECORD=1` a vector without `expect` gets what the
/// library says now, and the test fails so that somebody reads it.
@Suite struct VectorTests {
  @Test(arguments: Vector.all)
  func vector(_ vector: Vector) throws {
    #expect(vector.json["name"]?.string?.isEmpty == false, "a vector has a name")
    #expect(vector.json["source"]?.string?.isEmpty == false, "a vector has a source")
    let actual = try #require(vector.actual(), "the vector is malformed: see Vectors/README.md")
    guard let expected = vector.json["expect"] else {
      if Files.environment("POSTRIDER_RECORD") != nil { try record(actual, vector) }
      Issue.record("no expect; this library says \(actual)")
      return
    }
    // Payloads are compared with the order of their keys, since that is what goes on the wire.
    #expect(JSON.minifiedText(actual) == JSON.minifiedText(expected))
  }

  @Test func corpusIsThere() {
    for contract in Contracts.names where contract != .native {
      #expect(Vector.all.contains { $0.path.hasPrefix("\(contract)/") }, "no vectors for \(contract)")
    }
  }

  private func record(_ actual: JSONValue, _ vector: Vector) throws {
    var object = try #require(vector.json.object)
    object["expect"] = actual
    try Files.write(Array((JSON.pretty(.object(object)) + "\n").utf8), to: "\(Vector.folder)/\(vector.path)")
  }
}
