import TestSupport
import Testing
import WireJSON

/// The public corpus in `Vectors/wirejson`, one row per line.
enum Corpus {
  static func rows(_ file: String) throws -> [JSONValue] {
    let value = try JSON.parse(Files.read("\(Files.packageRoot)/Vectors/wirejson/\(file)"))
    return try #require(value.array)
  }

  /// The bytes of a row: `text`, or `hex` for what is no text.
  static func bytes(_ row: JSONValue) throws -> [UInt8] {
    if let text = row["text"]?.string { return Array(text.utf8) }
    let digits = Array(try #require(row["hex"]?.string))
    return try stride(from: 0, to: digits.count, by: 2).map {
      try #require(UInt8(String(digits[$0...$0 + 1]), radix: 16))
    }
  }

  /// Whether `POSTRIDER_RECORD` asks to write the expectations anew, which then fails the run.
  static var isRecording: Bool { Files.environment("POSTRIDER_RECORD") != nil }
}

@Suite("WireJSON vectors")
struct VectorTests {
  @Test("accepted texts give their minified form")
  func accepted() throws {
    for row in try Corpus.rows("accepted.json") {
      let name = try #require(row["name"]?.string)
      let value = try JSON.parse(Corpus.bytes(row))
      #expect(JSON.minifiedText(value) == row["minified"]?.string, "\(name)")
      let again = try JSON.parse(JSON.minified(value))
      #expect(again == value, "\(name): writing and reading again")
      #expect(try JSON.parse(JSON.pretty(value)) == value, "\(name): the form for people")
    }
  }

  @Test("accepted texts are written as they were read when they are in the writer's form")
  func identity() throws {
    for row in try Corpus.rows("accepted.json") {
      let minified = try #require(row["minified"]?.string)
      #expect(JSON.minifiedText(try JSON.parse(minified)) == minified)
    }
  }

  @Test("refused texts give their error")
  func refused() throws {
    var rows = try Corpus.rows("refused.json")
    for (index, row) in rows.enumerated() {
      let name = try #require(row["name"]?.string)
      let bytes = try Corpus.bytes(row)
      let error = try #require(throws: JSONError.self, "\(name)") { try JSON.parse(bytes) }
      if Corpus.isRecording {
        var members = try #require(row.object)
        members["error"] = .string(error.description)
        rows[index] = .object(members)
      } else {
        #expect(error.description == row["error"]?.string, "\(name)")
      }
      #expect((0...bytes.count).contains(error.offset), "\(name)")
    }
    if Corpus.isRecording {
      let lines = rows.map { "  " + JSON.minifiedText($0) }.joined(separator: ",\n")
      try Files.write(Array("[\n\(lines)\n]\n".utf8), to: "\(Files.packageRoot)/Vectors/wirejson/refused.json")
      Issue.record("the expectations were written anew; read them, then run without POSTRIDER_RECORD")
    }
  }
}
