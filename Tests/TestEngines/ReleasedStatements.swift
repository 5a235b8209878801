import Synchronization
public import TestSupport

/// What a version of the program asks PostgreSQL, kept in `Tests/Snapshots/PushStore`.
///
/// Nodes of that version go on asking it when a node of the next one has moved the schema. With `RECORD_SNAPSHOTS=1` whatever a
/// test prepares is added to the present version's file; a file that is deleted first has afterwards what is asked now.
public struct ReleasedStatements {
  /// The first version of the schema whose statements were recorded.
  public static let firstVersion = 49

  /// SQL that prepares each of them as `released`.
  public let preparations: [String]

  private static let beginning = "PREPARE released"
  private static let separator = "\n;\n"

  /// Those of a version; throws when there is no file.
  public init(version: Int) throws(FileError) {
    let text = String(decoding: try Files.read(Self.path(version)), as: UTF8.self)
    preparations = text.split(separator: Self.separator).map(String.init)
  }

  /// SQL that plans what was prepared so, for which the server looks for its unique indexes too, and runs nothing.
  public static func plan(_ preparation: String) -> String {
    let types = preparation.dropFirst(beginning.count).prefix { $0 != ")" }
    guard types.first == "(" else { return "EXPLAIN EXECUTE released" }
    let nulls = types.split(separator: ",").map { _ in "NULL" }.joined(separator: ",")
    return "EXPLAIN EXECUTE released(\(nulls))"
  }

  private static func path(_ version: Int) -> String {
    "\(Files.packageRoot)/Tests/Snapshots/PushStore/statements-\(version).sql"
  }

  // MARK: - Recording

  /// Notes a statement and the types of its parameters by PostgreSQL's numbers.
  public typealias Recorder = @Sendable (_ sql: String, _ types: [UInt32]) -> Void

  private static let known = Mutex<[Int: Set<String>]>([:])
  private static let isRecording = Files.environment("RECORD_SNAPSHOTS") != nil

  /// Adds what is prepared to the file of a version; nil when nothing is recorded.
  public static func recorder(version: Int) -> Recorder? {
    guard isRecording else { return nil }
    return { sql, types in
      // PREPARE takes no other commands.
      guard ["SELECT", "INSERT", "UPDATE", "DELETE", "WITH"].contains(where: sql.hasPrefix) else { return }
      let names = types.map { typeNames[$0] ?? "unknown type \($0)" }.joined(separator: ",")
      let preparation = "\(beginning)\(names.isEmpty ? "" : "(\(names))") AS \(sql)"
      known.withLock { known in
        var all = known[version] ?? (try? ReleasedStatements(version: version)).map { Set($0.preparations) } ?? []
        if all.insert(preparation).inserted { write(all, version) }
        known[version] = all
      }
    }
  }

  private static func write(_ all: Set<String>, _ version: Int) {
    let text = all.sorted().map { $0 + separator }.joined()
    do { try Files.write(Array(text.utf8), to: path(version)) } catch { fatalError("\(error)") }
  }

  private static let typeNames: [UInt32: String] = [
    16: "boolean", 17: "bytea", 20: "bigint", 25: "text", 701: "double precision", 1009: "text[]", 1016: "bigint[]",
    1043: "varchar", 1700: "numeric", 3802: "jsonb",
  ]
}
