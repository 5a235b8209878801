import Glibc
import WireJSON

extension Command {
  /// What commands over the API remember.
  static let config = Command.group(
    "config", "Which server, key and app the commands below use.", [configShow, configSet, configUnset])

  private static let precedence = """
    Each value is taken from the first source that has it: a flag (--url, --key-file, --app, --ca), the environment
    (POSTRIDER_URL, POSTRIDER_KEY, POSTRIDER_APP, POSTRIDER_CA), the config file. The file is
    $XDG_CONFIG_HOME/postrider/config or ~/.config/postrider/config, with lines NAME = VALUE; while it holds a key and
    others may read it, it is refused.
    """
  private static let names = ConfigFile.Name.allCases.map(\.rawValue).joined(separator: ", ")

  private static let configShow = Command(
    name: "config show", summary: "Shows what applies now and where it comes from; the key's beginning only.",
    options: [Option(name: "--json", help: "Prints one JSON document.")] + APISettings.options
      + [Option(name: "--app", value: "NAME", help: "The app.")],
    details: precedence, run: runConfigShow)

  private static let configSet = Command(
    name: "config set", summary: "Keeps a value in the config file; a key is read from standard input, never typed.",
    operands: "NAME [VALUE]", operandsMax: 2,
    options: [Option(name: "--key-file", value: "FILE", help: "With “key”: the file whose first line is the key.")],
    details: """
      NAME is one of \(names). A key would be in the history of the shell and in the list of processes, so it has no
      VALUE: it is asked for, or read from standard input or from --key-file.

      \(precedence)
      """,
    examples: [
      "postrider config set url https://push.example.com", "postrider config set app demo", "postrider config set key",
    ], run: runConfigSet)

  private static let configUnset = Command(
    name: "config unset", summary: "Takes a value out of the config file.", operands: "NAME", operandsMax: 1
  ) { (arguments) throws(Exit) in
    let name = try name(arguments)
    var file = try ConfigFile()
    try file.set(name, nil)
    return .fine
  }

  private static func name(_ arguments: Arguments) throws(Exit) -> ConfigFile.Name {
    guard let word = arguments.operands.first else { throw .usage("NAME is missing: one of \(names)") }
    guard let name = ConfigFile.Name(rawValue: word) else {
      throw .usage("“\(word)” is nothing to configure; there are \(names)")
    }
    return name
  }

  private static func runConfigSet(_ arguments: Arguments) throws(Exit) -> ExitStatus {
    let name = try name(arguments)
    let words = arguments.operands.dropFirst()
    guard name == .key || !arguments.has("--key-file") else { throw .usage("--key-file goes with “config set key”") }
    var value: String
    if name == .key {
      guard words.isEmpty else {
        throw .usage(
          "a key is not taken from the command line, where others can see it; leave it out, and type or pipe it in")
      }
      if let path = arguments.value("--key-file") {
        value = try APISettings.key(inFile: path)
      } else {
        value = try HiddenInput.line(asking: "API key: ")
      }
    } else {
      guard let word = words.first else {
        throw .usage("VALUE is missing: postrider config set \(name.rawValue) VALUE")
      }
      value = word
    }
    try ConfigFile.check(name, value, from: "config set \(name.rawValue)")
    if name == .ca {
      // The file is used from any folder.
      guard let whole = unsafe realpath(value, nil) else {
        throw .unreadable("cannot find \(value): \(Terminal.lastError())")
      }
      defer { unsafe free(whole) }
      value = unsafe String(cString: whole)
    }
    var file = try ConfigFile()
    try file.set(name, value)
    if Terminal.isInteractive { Terminal.print("Saved in \(file.path).\n") }
    return .fine
  }

  private static func runConfigShow(_ arguments: Arguments) throws(Exit) -> ExitStatus {
    let settings = try APISettings(arguments)
    var rows: [[String]] = []
    var object = JSONObject()
    for name in ConfigFile.Name.allCases {
      guard let setting = settings[name] else { continue }
      let value = name == .key ? redacted(setting.value) : setting.value
      rows.append([name.rawValue, value, setting.source.text])
      object[name.rawValue] = ["value": .string(value), "from": .string(setting.source.text)]
    }
    if arguments.has("--json") {
      Terminal.print(JSON.minified(.object(object)) + [UInt8(ascii: "\n")])
    } else {
      Terminal.print(Table(header: ["name", "value", "from"], rows: rows).text(width: Terminal.width))
    }
    return .fine
  }

  /// As much of a key as the server's own lists show.
  private static func redacted(_ key: String) -> String {
    key.hasPrefix("prk_") && key.count > 20 ? "\(key.prefix(10))…" : "…"
  }
}

/// A line that a person types without being overlooked, or that another program writes.
enum HiddenInput {
  /// Asks when a person is there, with the echo switched off meanwhile.
  static func line(asking question: String) throws(Exit) -> String {
    guard isatty(STDIN_FILENO) == 1 else { return try APISettings.key(inFile: "-") }
    var settings = termios()
    guard unsafe tcgetattr(STDIN_FILENO, &settings) == 0 else {
      throw .unreadable("cannot ask on this terminal: \(Terminal.lastError())")
    }
    var hidden = settings
    hidden.c_lflag &= ~tcflag_t(ECHO)
    Terminal.status(question)
    unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
    let line = readLine() ?? ""
    unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
    Terminal.status("\n")
    return line[...].trimmed
  }
}
