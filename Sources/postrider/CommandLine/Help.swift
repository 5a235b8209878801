/// The text of `--help`, made from the declarations that parse the command line.
enum Help {
  /// The list of commands.
  static func overview(of commands: [Command]) -> String {
    let width = commands.map(\.name.count).max() ?? 0
    let rows = commands.map { "  \(padded($0.name, to: width))  \($0.summary)" }
    return """
      Postrider writes, checks, previews, delivers and records push notifications.

      Usage: postrider COMMAND [OPTIONS]

      Commands:
      \(rows.joined(separator: "\n"))

      “postrider COMMAND --help” explains one command. Exit status: 0 fine; 1 the input was understood and is not
      legal; 2 usage; 3 the input cannot be read; 4 network or provider failure; 70 a bug in Postrider.

      """
  }

  /// The manual of one command.
  static func manual(of command: Command) -> String {
    var sections = ["\(command.summary)\n\nUsage: postrider \(usage(of: command))"]
    let rows = command.options.map { (option: $0, label: label(of: $0)) }
    let width = (rows.map(\.label.count) + ["--help".count]).max() ?? 0
    let lines = rows.map { row in
      let choices = row.option.choices.isEmpty ? "" : " (\(row.option.choices.joined(separator: ", ")))"
      return "  \(padded(row.label, to: width))  \(row.option.help)\(choices)"
    }
    sections.append(
      "Options:\n" + (lines + ["  \(padded("--help", to: width))  Shows this text."]).joined(separator: "\n"))
    if !command.details.isEmpty { sections.append(command.details) }
    if !command.examples.isEmpty {
      sections.append("Examples:\n" + command.examples.map { "  \($0)" }.joined(separator: "\n"))
    }
    return sections.joined(separator: "\n\n") + "\n"
  }

  private static func usage(of command: Command) -> String {
    [command.name, "[OPTIONS]", command.operands].filter { !$0.isEmpty }.joined(separator: " ")
  }

  private static func label(of option: Option) -> String {
    option.value.isEmpty ? option.name : "\(option.name) \(option.value)"
  }

  private static func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}
