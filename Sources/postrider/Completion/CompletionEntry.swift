/// What can be typed behind some words: the next words of a group, or the options of a command.
struct CompletionEntry: Sendable {
  /// The words before: empty for the first word, `devices`, `devices list`.
  let words: [String]
  /// What may follow, each with its line of help.
  let next: [(word: String, help: String)]
  let options: [Option]

  /// Every node in the tree of commands, the first word first.
  static func all(_ commands: [Command]) -> [CompletionEntry] {
    let top = CompletionEntry(words: [], next: commands.map { ($0.lastWord, $0.summary) }, options: switches)
    return [top] + commands.flatMap { command in [entry(command)] + command.subcommands.map(entry) }
  }

  private static let switches = [
    Option(name: "--help", help: "Shows the commands."), Option(name: "--version", help: "Shows the version."),
  ]

  private static func entry(_ command: Command) -> CompletionEntry {
    CompletionEntry(
      words: command.name.split(separator: " ").map(String.init),
      next: command.subcommands.map { ($0.lastWord, $0.summary) },
      options: command.options + [Option(name: "--help", help: "Shows the command's manual.")])
  }
}

/// Text for shells.
enum ShellText {
  /// In single quotes, so that no shell reads anything into it.
  static func quoted(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
  }
}
