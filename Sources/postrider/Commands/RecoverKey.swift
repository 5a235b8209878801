import PostriderServer
import WireJSON

extension Command {
  /// A new admin key for a stopped server.
  static let recoverKey = Command(
    name: "keys recover",
    summary: "Creates an admin key without a server, in its data folder or its database, and prints it once.",
    options: [
      Option(name: "--data", value: "DIR", help: "The data folder; ./postrider-data unless given.")
    ] + StoreOptions.all + [APIRun.json],
    details: """
      For when no admin key is left. It works without a server and without a key, for whoever may write to the folder; a
      folder that a server uses is refused. In a database (--store) servers may work meanwhile, and accept the key at once.
      The other keys stay as they are: revoke those that were lost.
      """,
    examples: ["postrider keys recover --data /var/lib/postrider"],
    run: runRecoverKey)

  private static func runRecoverKey(_ arguments: Arguments) throws(Exit) -> ExitStatus {
    let key: KeyRecovery.Key
    let location = try StoreOptions.location(arguments)
    do { key = try KeyRecovery.run(location) } catch { throw Exit(error) }
    let value: JSONValue = [
      "id": .string(key.id), "name": .string(key.name), "scopes": ["admin"], "key": .string(key.text),
    ]
    if arguments.has("--json") {
      Terminal.print(JSON.minified(value) + [UInt8(ascii: "\n")])
    } else {
      Terminal.print(Details(value).text(width: Terminal.width))
    }
    return .fine
  }
}
