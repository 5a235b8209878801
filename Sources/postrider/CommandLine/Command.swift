/// One command of `postrider`, as data: what it takes, what it says of itself, and what it does.
struct Command: Sendable {
  /// What the user types after `postrider`: one word, or for a command of a group two.
  let name: String
  /// One line for the list of commands.
  let summary: String
  /// The operands, as the usage line shows them, such as `[FILE]`.
  var operands = ""
  /// How many operands may be given at most.
  var operandsMax = 0
  /// The options, in the order in which help lists them.
  var options: [Option] = []
  /// Paragraphs shown below the options.
  var details = ""
  /// Lines a reader can paste.
  var examples: [String] = []
  /// The commands of a group; empty when this is a command itself.
  var subcommands: [Command] = []
  /// Does the work.
  let run: @Sendable (Arguments) throws(Exit) -> ExitStatus
}

extension Command {
  /// A group of commands about one subject: `postrider devices list`.
  static func group(_ name: String, _ summary: String, _ subcommands: [Command]) -> Command {
    let words = subcommands.map(\.lastWord).joined(separator: ", ")
    return Command(name: name, summary: summary, operands: "COMMAND", subcommands: subcommands) {
      (_) throws(Exit) in throw .usage("say what to do: \(words)")
    }
  }

  /// The word that tells it from the others of its group.
  var lastWord: String { name.split(separator: " ").last.map(String.init) ?? name }
}

/// One option of a command.
struct Option: Sendable {
  /// The long name, with its dashes: `--topic`.
  let name: String
  /// The word for the value in help; empty for a switch that takes none.
  var value = ""
  /// What the option does.
  let help: String
  /// The values that are accepted; empty when any is.
  var choices: [String] = []
  /// What to do about values that other commands take, and this option does not.
  var pointers: [String: String] = [:]
  /// Whether the option may be given more than once.
  var repeats = false
  /// What a shell offers as its value, where any is accepted; nil for nothing.
  var offers: OfferedValues?
}

/// Values that a shell offers, and that are not all there are.
enum OfferedValues: Sendable, Equatable {
  /// What the server has of this kind, asked when the Tab key is pressed.
  case records(CompletionValues.Kind)
  /// These.
  case words([String])
}

/// What a process says of its work by the way it ends (design of the command line; README lists them).
enum ExitStatus: Int32, Sendable {
  case fine = 0
  /// The input was understood and is not legal.
  case invalid = 1
  case usage = 2
  /// The input cannot be read.
  case unreadable = 3
  /// A network or provider failure.
  case failure = 4
  /// A bug in Postrider.
  case bug = 70
}

/// A reason to stop: what a person reads, and the status.
struct Exit: Error {
  let status: ExitStatus
  let message: String

  /// The command was typed wrongly.
  static func usage(_ message: String) -> Exit { Exit(status: .usage, message: message) }
  /// A file or standard input cannot be read or understood.
  static func unreadable(_ message: String) -> Exit { Exit(status: .unreadable, message: message) }
  /// A network, a provider, or the system refused.
  static func failure(_ message: String) -> Exit { Exit(status: .failure, message: message) }
}
