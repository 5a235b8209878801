import PostriderServer
import StoreModel
import WireJSON

extension Command {
  /// A copy of the data folder.
  static let backup = Command(
    name: "backup",
    summary: "Copies the data folder of a running or a stopped server into a new folder, and checks the copy.",
    operands: "FOLDER", operandsMax: 1,
    options: [
      Option(name: "--data", value: "DIR", help: "The data folder; ./postrider-data unless given."),
      Option(name: "--with-key", help: "Copies the sealing key too; whoever has the copy can push to the apps."),
    ],
    details: """
      A PostgreSQL database is backed up with its own tools, pg_dump or pg_basebackup (docs/scale.md).
      The copy is of one instant, and it is there only when it is whole: every page was read back, the ledger balances, and
      it is flushed to disk. Without the sealing key keep that apart; credentials cannot be opened without it.
      """,
    examples: ["postrider backup --data /var/lib/postrider /backups/monday"],
    run: runBackup)

  /// A data folder from a backup.
  static let restore = Command(
    name: "restore",
    summary: "Brings a backup back as a new data folder; what could go out by itself is held.",
    operands: "FOLDER", operandsMax: 1,
    options: [
      Option(name: "--data", value: "DIR", help: "The data folder to make; ./postrider-data unless given."),
      Option(name: "--resume", help: "Resumes everything at the next start, instead of pausing it."),
    ],
    details: """
      What the backup says is waiting may have been sent after it was made. So pushes with deliveries that wait, pushes that
      wait for their time, schedules and webhooks are held until they are resumed; “held” counts them. Start the server,
      look at them with “postrider held list”, cancel or delete what shall not go out, and resume the rest with
      “postrider held resume”.
      """,
    examples: ["postrider restore --data /var/lib/postrider /backups/monday"],
    run: runRestore)

  private static func runBackup(_ arguments: Arguments) throws(Exit) -> ExitStatus {
    guard let target = arguments.operands.first else { throw .usage("name the folder to make") }
    try requireFolder(arguments, "pg_dump")
    let summary = try summary { () throws(PostriderServerError) in
      try Backup.make(of: dataFolder(arguments), in: target, includingKey: arguments.has("--with-key"))
    }
    print(summary, folder: target)
    return .fine
  }

  private static func runRestore(_ arguments: Arguments) throws(Exit) -> ExitStatus {
    guard let backup = arguments.operands.first else { throw .usage("name the folder of the backup") }
    let target = dataFolder(arguments)
    try requireFolder(arguments, "pg_restore")
    let summary = try summary { () throws(PostriderServerError) in
      try Backup.restore(backup, as: target, isHolding: !arguments.has("--resume"))
    }
    print(summary, folder: target)
    return .fine
  }

  private static func dataFolder(_ arguments: Arguments) -> String { arguments.value("--data") ?? "postrider-data" }

  /// A database server copies itself.
  private static func requireFolder(_ arguments: Arguments, _ tool: String) throws(Exit) {
    guard arguments.value("--data") == nil, let url = Environment.value("POSTRIDER_STORE") else { return }
    throw .usage(
      "POSTRIDER_STORE names \(url), which PostgreSQL's own tools copy: \(tool) (docs/scale.md); --data names a folder")
  }

  private static func summary(
    _ work: () throws(PostriderServerError) -> Backup.Summary
  ) throws(Exit) -> Backup.Summary {
    do { return try work() } catch { throw .unreadable(error.description) }
  }

  private static func print(_ summary: Backup.Summary, folder: String) {
    let content = summary.content
    var object: JSONObject = [
      "folder": .string(folder), "bytes": .number(JSONNumber(content.bytes)),
      "apps": .number(JSONNumber(content.apps)), "devices": .number(JSONNumber(content.devices)),
      "pushes": .number(JSONNumber(content.pushes)), "deliveries": .number(JSONNumber(content.deliveries)),
      "sealing_key": .bool(summary.hasKey), "held": .number(JSONNumber(summary.held.total)),
    ]
    if summary.held.total > 0 {
      var kinds = JSONObject()
      for kind in HeldKind.allCases { kinds.append(kind.plural, .number(JSONNumber(summary.held[kind]))) }
      object["held_by_kind"] = .object(kinds)
    }
    Terminal.print(JSON.minified(.object(object)) + [UInt8(ascii: "\n")])
  }
}
