/// The text of `--help`, made from the declarations that parse the command line.
struct Help {
  /// The columns that lines are wrapped at.
  let width: Int

  /// The width when none is known, as in a pipe.
  static let widthUsual = 80
  /// Lines that are longer are hard to read, however wide the terminal is.
  static let widthMax = 120
  /// Texts beside a column of names keep at least this much; below it they are under the name.
  private static let textMin = 30

  /// - Parameter width: the terminal's, if any.
  init(width: Int? = Terminal.width) {
    self.width = min(max(width ?? Help.widthUsual, Help.textMin), Help.widthMax)
  }

  /// The list of commands.
  func overview(of commands: [Command]) -> String {
    [
      wrapped("Postrider writes, checks, previews, delivers and records push notifications."),
      "Usage: postrider COMMAND [OPTIONS]",
      "Commands:\n" + list(commands.filter(\.subcommands.isEmpty)),
      wrapped("Commands that ask a running server (“postrider config” shows which):") + "\n"
        + list(commands.filter { !$0.subcommands.isEmpty }),
      wrapped(
        "“postrider COMMAND --help” explains one command. Exit status: 0 fine; 1 the input was understood and is not "
          + "legal; 2 usage; 3 the input cannot be read; 4 network or provider failure; 70 a bug in Postrider."),
    ].joined(separator: "\n\n") + "\n"
  }

  private func list(_ commands: [Command]) -> String { rows(commands.map { ($0.name, $0.summary) }) }

  /// The manual of one command, or of a group.
  func manual(of command: Command) -> String {
    var sections = [wrapped(command.summary), "Usage: postrider \(usage(of: command))"]
    if command.subcommands.isEmpty {
      sections.append("Options:\n" + options(command.options))
    } else {
      sections.append("Commands:\n" + list(command.subcommands))
      sections.append(wrapped("“postrider \(command.name) COMMAND --help” explains one command."))
    }
    if !command.details.isEmpty { sections.append(paragraphs(command.details)) }
    if !command.examples.isEmpty {
      // Whole, however long they are: they are there to be pasted.
      sections.append("Examples:\n" + command.examples.map { "  \($0)" }.joined(separator: "\n"))
    }
    return sections.joined(separator: "\n\n") + "\n"
  }

  private func options(_ options: [Option]) -> String {
    rows(
      options.map { option in
        let choices = option.choices.isEmpty ? "" : " (\(option.choices.joined(separator: ", ")))"
        return (label(of: option), option.help + choices)
      } + [("--help", "Shows this text.")])
  }

  private func usage(of command: Command) -> String {
    [command.name, command.subcommands.isEmpty ? "[OPTIONS]" : "", command.operands].filter { !$0.isEmpty }.joined(
      separator: " ")
  }

  private func label(of option: Option) -> String {
    option.value.isEmpty ? option.name : "\(option.name) \(option.value)"
  }

  /// Names with what they mean beside them, or below them where there is no room.
  private func rows(_ rows: [(name: String, text: String)]) -> String {
    let column = (rows.map { Cell.width($0.name) }.max() ?? 0) + 4
    let isBeside = width - column >= Help.textMin
    let indent = isBeside ? column : 6
    let blank = String(repeating: " ", count: indent)
    return rows.map { row in
      let lines = self.lines(of: row.text, width: width - indent)
      let name = "  \(row.name)"
      guard isBeside, let first = lines.first else {
        return ([name] + lines.map { blank + $0 }).joined(separator: "\n")
      }
      let gap = String(repeating: " ", count: column - Cell.width(name))
      return ([name + gap + first] + lines.dropFirst().map { blank + $0 }).joined(separator: "\n")
    }.joined(separator: "\n")
  }

  /// Details: paragraphs are filled; lines that are set in keep their breaks, as in the manual pages.
  private func paragraphs(_ details: String) -> String {
    var parts: [String] = []
    var paragraph: [Substring] = []
    func end() {
      if !paragraph.isEmpty { parts.append(wrapped(paragraph.joined(separator: " "))) }
      paragraph = []
    }
    for line in details.split(separator: "\n", omittingEmptySubsequences: false) {
      guard line.isEmpty || line.hasPrefix(" ") else {
        paragraph.append(line)
        continue
      }
      end()
      parts.append(String(line))
    }
    end()
    return parts.joined(separator: "\n")
  }

  private func wrapped(_ text: String) -> String { lines(of: text, width: width).joined(separator: "\n") }

  /// A text in lines that are no wider; a longer word has a line of its own.
  private func lines(of text: String, width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if !line.isEmpty, Cell.width(line) + 1 + Cell.width(String(word)) > width {
        lines.append(line)
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    return line.isEmpty ? lines : lines + [line]
  }
}
