import Glibc
import PostriderServer
import StoreModel
import WireJSON

extension Command {
  /// The ledger, read whole.
  static let ledger = Command.group("ledger", "The server's database: check it.", [ledgerCheck])

  private static let ledgerCheck = Command(
    name: "ledger check",
    summary: "Reads a data folder, a backup or a database whole, recounts the ledger, and tries the sealing key.",
    options: [
      Option(name: "--data", value: "DIR", help: "The data folder or backup; ./postrider-data unless given.")
    ] + StoreOptions.all,
    details: """
      The server may run. The result is one JSON document: {"folder", "sound", "pushes", "faults": […], "unopened": […]};
      “unopened” names the credentials, webhooks and identity keys that the key file (or POSTRIDER_SEALING_KEY) does not
      open, and is absent when there is no key to try. Exit status 1 means that something was found: stop the server,
      keep a copy of the folder, and restore the newest backup that is sound; save what cannot be opened again. With --store
      the rows are those of the database, which looks after its pages itself, “store” is its address, and --data names the
      folder with the key.
      """,
    examples: ["postrider ledger check --data /var/lib/postrider", "postrider ledger check --data /backups/monday"],
    run: runLedgerCheck)

  private static func runLedgerCheck(_ arguments: Arguments) throws(Exit) -> ExitStatus {
    let folder = arguments.value("--data") ?? "postrider-data"
    let location = try StoreOptions.location(arguments)
    let result: LedgerCheck.Result
    do {
      result = try unsafe LedgerCheck.run(
        location, sealingKey: getenv("POSTRIDER_SEALING_KEY").map { unsafe String(cString: $0) })
    } catch { throw Exit(error) }
    var object: JSONObject = [:]
    switch location {
    case .folder: object["folder"] = .string(folder)
    case .server(let server, keyFolder: _): object["store"] = .string(server.url)
    }
    object["sound"] = .bool(result.isSound)
    object["pushes"] = .number(JSONNumber(result.examination.pushes))
    object["faults"] = .array(result.faults.map { .string($0) })
    if let unopened = result.unopened { object["unopened"] = .array(unopened.map { .string($0) }) }
    Terminal.print(JSON.minified(.object(object)) + [UInt8(ascii: "\n")])
    return result.isSound ? .fine : .invalid
  }
}
