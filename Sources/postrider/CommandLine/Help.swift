/// The text of `--help`, made from the declarations that parse the command line.
enum Help {
  /// The list of commands.
  static func overview(of commands: [Command]) -> String {
    """
    Postrider writes, checks, previews, delivers and records push notifications.

    Usage: postrider COMMAND [OPTIONS]

    Commands:
    \(list(commands.filter(\.subcommands.isEmpty)))

    Commands that ask a running server (“postrider config” tells them which):
    \(list(commands.filter { !$0.subcommands.isEmpty }))

    “postrider COMMAND --help” explains one command. Exit status: 0 fine; 1 the input was understood and is not
    legal; 2 usage; 3 the input cannot be read; 4 network or provider failure; 70 a bug in Postrider.

    """
  }

  private static func list(_ commands: [Command]) -> String {
    let width = commands.map(\.name.count).max() ?? 0
    return commands.map { "  \(padded($0.name, to: width))  \($0.summary)" }.joined(separator: "\n")
  }

  /// The manual of one command, or of a group.
  static func manual(of command: Command) -> String {
    var sections = ["\(command.summary)\n\nUsage: postrider \(usage(of: command))"]
    if command.subcommands.isEmpty {
      sections.append("Options:\n" + options(command.options))
    } else {
      sections.append("Commands:\n" + list(command.subcommands))
      sections.append("“postrider \(command.name) COMMAND --help” explains one command.")
    }
    if !command.details.isEmpty { sections.append(command.details) }
    if !command.examples.isEmpty {
      sections.append("Examples:\n" + command.examples.map { "  \($0)" }.joined(separator: "\n"))
    }
    return sections.joined(separator: "\n\n") + "\n"
  }

  private static func options(_ options: [Option]) -> String {
    let rows = options.map { (option: $0, label: label(of: $0)) }
    let width = (rows.map(\.label.count) + ["--help".count]).max() ?? 0
    let lines = rows.map { row in
      let choices = row.option.choices.isEmpty ? "" : " (\(row.option.choices.joined(separator: ", ")))"
      return "  \(padded(row.label, to: width))  \(row.option.help)\(choices)"
    }
    return (lines + ["  \(padded("--help", to: width))  Shows this text."]).joined(separator: "\n")
  }

  private static func usage(of command: Command) -> String {
    [command.name, command.subcommands.isEmpty ? "[OPTIONS]" : "", command.operands].filter { !$0.isEmpty }.joined(
      separator: " ")
  }

  private static func label(of option: Option) -> String {
    option.value.isEmpty ? option.name : "\(option.name) \(option.value)"
  }

  private static func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}
