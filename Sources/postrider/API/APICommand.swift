/// The commands of the table: their declarations, made from the rows.
enum APICommand {
  /// A group of commands for each subject.
  static let groups = APITable.subjects.map { subject in
    Command.group(subject.name, subject.summary, subject.commands)
  }

  static func command(_ row: APIRow) -> Command {
    var operands = (row.pathOperands + row.operands).map { $0.uppercased() }
    var isFileOptional = false
    switch row.body {
    case .members: break
    case .file(_, let isRequired):
      operands.append(isRequired ? "FILE" : "[FILE]")
      isFileOptional = !isRequired
    case .upload: operands.append("FILE")
    }
    let needed = operands.dropLast(isFileOptional ? 1 : 0)
    let usage = operands.joined(separator: " ")
    return Command(
      name: row.name, summary: row.summary, operands: usage, operandsMax: operands.count,
      options: options(row), details: row.details, examples: row.examples.isEmpty ? [example(row)] : row.examples
    ) { (arguments) throws(Exit) in
      let isFileGiven = row.inPlaceOfFile.contains(where: arguments.has)
      guard arguments.operands.count >= needed.count - (isFileGiven ? 1 : 0) else {
        throw .usage("\(needed[arguments.operands.count]) is missing: postrider \(row.name) \(usage)")
      }
      return try APIRun(row.instead?(arguments) ?? row, arguments).run()
    }
  }

  /// What operands look like, by their names in the API.
  static let samples = [
    "activity": "order-17", "app": "demo", "channel": "2", "device": "12", "key": "3", "kid": "K9f3Qw2x",
    "message": "7c9e6679-7425-40de-944b-e07fc1f90ae7", "name": "welcome", "person": "3", "push": "7", "request": "5",
    "schedule": "4", "segment": "loyal", "session": "9",
    "token": "80a1b2c3d4e5f607", "user": "alice", "vendor": "onesignal", "webhook": "2",
  ]

  /// The shortest line that does the row's work, for rows whose options need no explanation.
  private static func example(_ row: APIRow) -> String {
    var words = ["postrider", row.name] + (row.pathOperands + row.operands).map { samples[$0] ?? $0.uppercased() }
    switch row.body {
    case .file(_, true), .upload: words.append("\(row.name.split(separator: " ")[0]).json")
    case .file, .members: break
    }
    if row.takesApp { words.append("--app demo") }
    return words.joined(separator: " ")
  }

  /// What the row takes, what its kind takes, and what all take.
  private static func options(_ row: APIRow) -> [Option] {
    var options: [Option] = []
    if row.takesApp || row.pathInApp != nil {
      let help = row.takesApp ? "The app; POSTRIDER_APP or the configured one unless given." : "Only this app."
      options.append(Option(name: "--app", value: "NAME", help: help, offers: .records(.apps)))
    }
    options += row.fields.map(\.option)
    switch row.shows {
    case .list: options += row.isPaged ? APIRun.pageOptions : []
    case .file: options += APIDownload.options
    case .watch: options.append(PushWatch.timeout)
    case .details, .done: break
    }
    if case .upload = row.body { options.append(DeviceUpload.format) }
    if row.isWatchable { options += [PushWatch.watch, PushWatch.timeout] }
    if row.method == "POST" { options.append(APIRun.idempotencyKey) }
    if case .file = row.shows {} else { options.append(APIRun.json) }
    return options + APISettings.options
  }
}
