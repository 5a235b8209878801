/// Pages for man(1), made from the declarations that parse the command line.
enum ManualPages {
  /// The file name and the text of every page: one for the program, one for each command.
  static func all(_ commands: [Command]) -> [(file: String, text: String)] {
    [("postrider.1", overview(commands))]
      + commands.map { ("postrider-\($0.name).1", page($0)) }
  }

  private static func overview(_ commands: [Command]) -> String {
    var page = head("postrider", "push-notification server, library and toolkit")
    page += ".SH SYNOPSIS\n.B postrider\n.I COMMAND\n.RI [ OPTIONS ]\n.SH DESCRIPTION\n"
    page += text("Postrider writes, checks, previews, delivers and records push notifications.") + "\n.SH COMMANDS\n"
    for command in commands {
      page += ".TP\n.BR postrider\\-\(text(command.name)) (1)\n\(text(command.summary))\n"
    }
    page += exitStatus + environment
    return page + ".SH SEE ALSO\n" + text("The documents in /usr/share/doc/postrider.") + "\n"
  }

  private static func page(_ command: Command) -> String {
    var page = head("postrider-\(command.name)", command.summary)
    page += ".SH SYNOPSIS\n" + synopsis(command)
    for subcommand in command.subcommands { page += ".br\n" + synopsis(subcommand) }
    page += ".SH DESCRIPTION\n\(text(command.summary))\n"
    page += paragraphs(command.details)
    if command.subcommands.isEmpty { page += ".SH OPTIONS\n" + options(command) }
    for subcommand in command.subcommands { page += section(subcommand) }
    if !command.examples.isEmpty { page += ".SH EXAMPLES\n" + verbatim(command.examples.joined(separator: "\n")) }
    return page + exitStatus + ".SH SEE ALSO\n.BR postrider (1)\n"
  }

  /// A command of a group, within the group's page.
  private static func section(_ command: Command) -> String {
    var section = ".SH \(text(command.name.uppercased()))\n\(text(command.summary))\n"
    section += options(command)
    section += paragraphs(command.details)
    if !command.examples.isEmpty { section += ".PP\nExamples:\n" + verbatim(command.examples.joined(separator: "\n")) }
    return section
  }

  private static func synopsis(_ command: Command) -> String {
    ".B postrider \(text(command.name))\n" + (command.operands.isEmpty ? "" : ".I \(text(command.operands))\n")
      + (command.subcommands.isEmpty ? ".RI [ OPTIONS ]\n" : "")
  }

  private static func options(_ command: Command) -> String {
    let help = Option(name: "--help", help: "Shows the manual.")
    return (command.options + [help]).map { option in
      let value = option.value.isEmpty ? "" : " \\fI\(text(option.value))\\fR"
      let choices = option.choices.isEmpty ? "" : " (\(option.choices.joined(separator: ", ")))"
      return ".TP\n\\fB\(text(option.name))\\fR\(value)\n\(text(option.help + choices))\n"
    }.joined()
  }

  private static func head(_ name: String, _ summary: String) -> String {
    """
    .TH \(text(name.uppercased())) 1 "" "postrider \(Version.current)" "Postrider"
    .SH NAME
    \(text(name)) \\- \(text(summary))

    """
  }

  private static let exitStatus = """
    .SH EXIT STATUS
    0 fine; 1 the input is invalid; 2 usage; 3 the input cannot be read; 4 network or provider
    failure; 70 a bug in Postrider.

    """

  private static var environment: String {
    let variables = ConfigFile.Name.allCases.map { name in
      ".TP\n.B \(name.variable)\n\(text("Takes precedence over “\(name.rawValue)” of postrider config."))\n"
    }
    return ".SH ENVIRONMENT\n" + variables.joined()
  }

  /// Details as paragraphs that fill the page; lines that are set in keep their breaks.
  private static func paragraphs(_ details: String) -> String {
    var page = ""
    var wasSetIn: Bool?
    for line in details.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.isEmpty {
        wasSetIn = nil
        continue
      }
      let isSetIn = line.hasPrefix(" ")
      if isSetIn != wasSetIn {
        if wasSetIn == true { page += ".fi\n" }
        page += isSetIn ? ".nf\n" : ".PP\n"
      }
      wasSetIn = isSetIn
      page += (isSetIn ? "\\&" : "") + text(String(line)) + "\n"
    }
    return page + (wasSetIn == true ? ".fi\n" : "")
  }

  /// Lines that keep their breaks.
  private static func verbatim(_ lines: String) -> String {
    ".nf\n"
      + lines.split(separator: "\n", omittingEmptySubsequences: false).map { text(String($0)) }.joined(separator: "\n")
      + "\n.fi\n"
  }

  /// Text in which roff sees no escape and no request (groff_char(7), groff(7)).
  private static func text(_ text: String) -> String {
    var escaped = ""
    for character in text {
      switch character {
      case "\\": escaped += "\\e"
      case "-": escaped += "\\-"
      case "'": escaped += "\\(aq"
      case "`": escaped += "\\(ga"
      case "^": escaped += "\\(ha"
      case "~": escaped += "\\(ti"
      default: escaped.append(character)
      }
    }
    return escaped.hasPrefix(".") ? "\\&" + escaped : escaped
  }
}
