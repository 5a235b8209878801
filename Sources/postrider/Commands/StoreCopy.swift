import Basics
import Glibc
internal import PostgresEngine
import PostriderServer
import PushStore
import StoreModel
import WireJSON

extension Command {
  /// What a server keeps, moved.
  static let store = Command.group(
    "store", "Where a server keeps everything: move it to a database and back.", [storeCopy])

  private static let storeCopy = Command(
    name: "store copy",
    summary: "Copies everything from a data folder into a PostgreSQL database, or back, and verifies it.",
    options: [
      Option(name: "--from", value: "PLACE", help: "What is copied: a data folder, or the URL of a database."),
      Option(name: "--to", value: "PLACE", help: "Where to, which must be empty: the other of the two."),
      Option(
        name: "--store-password-file", value: "FILE",
        help: "The file with the database's password; POSTRIDER_STORE_PASSWORD unless given."),
    ],
    details: """
      No server may use either side. Pushes that are not over are copied, too: what waits is sent by the server that starts on
      the copy, and what was on the wire when a server was killed is recovered as after a restart. Every table is counted and
      digested on both sides; the result is one JSON document with them. A copy that was broken off is finished by the same
      command, and until then no server starts on it. The original stays as it is: never start a server on both.
      The sealing key is a file of the data folder, and is not copied; “unopened” names what the key of the folder (or
      POSTRIDER_SEALING_KEY) does not open, and is absent when there is no key to try.
      """,
    examples: [
      "postrider store copy --from /var/lib/postrider --to postgresql://postrider@db1.example.com/postrider",
      "postrider store copy --from postgresql://postrider@db1.example.com/postrider --to /var/lib/postrider",
    ],
    run: runStoreCopy)

  private static func runStoreCopy(_ arguments: Arguments) throws(Exit) -> ExitStatus {
    let (from, to) = (try arguments.required("--from"), try arguments.required("--to"))
    guard PostgresOptions.isURL(from) != PostgresOptions.isURL(to) else {
      throw .usage(
        PostgresOptions.isURL(from)
          ? "--from and --to are both databases; copy one with pg_dump and pg_restore (docs/scale.md)"
          : "one of --from and --to must be a database, postgresql://user@host:5432/database; copy a folder with"
            + " “postrider backup” and “postrider restore”")
    }
    let password = try StoreOptions.passwords(arguments)
    func location(_ text: String) -> StoreLocation {
      PostgresOptions.isURL(text)
        ? .server(DatabaseServer(url: text, password: password), keyFolder: "") : .folder(text)
    }
    let key = unsafe getenv("POSTRIDER_SEALING_KEY").map { unsafe String(cString: $0) }
    let bar = CopyBar()
    let result: StoreMove.Result
    do {
      result = try StoreMove.run(from: location(from), to: location(to), sealingKey: key, progress: bar.show)
    } catch {
      bar.clear()
      throw Exit(error)
    }
    bar.clear()
    print(result, from: from, to: to, seconds: bar.seconds)
    return result.unopened?.isEmpty == false ? .invalid : .fine
  }

  private static func print(_ result: StoreMove.Result, from: String, to: String, seconds: Double) {
    let copy = result.copy
    let tables = copy.tables.map { table -> JSONValue in
      [
        "name": .string(table.name), "rows": .number(JSONNumber(table.rows)),
        "digest": .string(Hex.encode(table.digest)),
      ]
    }
    var object: JSONObject = [
      "from": .string(from), "to": .string(to), "verified": true, "rows": .number(JSONNumber(copy.rows)),
      "written": .number(JSONNumber(copy.written)), "found": .number(JSONNumber(copy.found)),
      "milliseconds": .number(JSONNumber(Int(seconds * 1000))), "tables": .array(tables),
    ]
    if let unopened = result.unopened { object["unopened"] = .array(unopened.map { .string($0) }) }
    Terminal.print(JSON.minified(.object(object)) + [UInt8(ascii: "\n")])
  }
}

/// The progress line of a copy.
private final class CopyBar {
  private var bar = ProgressBar()

  var seconds: Double { bar.seconds }

  func show(_ progress: StoreCopy.Progress) {
    // Writing costs more than reading both sides once more.
    let share = Double(progress.done) / Double(max(progress.total, 1))
    let verb = progress.isVerifying ? "verified" : "copied"
    bar.draw(
      share: progress.isVerifying ? 0.7 + 0.3 * share : 0.7 * share,
      "\(verb) \(progress.done) of \(progress.total) rows: \(progress.table)")
  }

  func clear() { bar.clear() }
}
