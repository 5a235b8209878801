import Glibc
import PushCore

/// The entry point: finds the command, takes its words apart, runs it, and turns the result into an exit status.
@main
enum Main {
  /// Every command, in the order in which help lists them.
  static let commands: [Command] =
    [
      .render, .parse, .preview, .strings, .check, .contracts, .explain, .liquid, .send, .channels, .emulate, .phone,
      .serve, .doctor, .backup, .restore, .ledger, .store, .mcp, .completion, .manual, .version, .config, .vapid,
    ] + [ImportCommand.group] + APICommand.groups

  static func main() {
    // A reader that goes away shows as a failed write, which ends the program quietly, not as a signal.
    signal(SIGPIPE, SIG_IGN)
    exit(run(CommandLine.arguments.dropFirst()).rawValue)
  }

  private static func run(_ words: ArraySlice<String>) -> ExitStatus {
    guard let name = words.first else {
      Terminal.print(Help().overview(of: commands))
      return .usage
    }
    if name == "--version" { return run(.version, []) }
    if name == "--help" || name == "-h" || name == "help" {
      let asked = try? find(words.dropFirst(), in: commands).command
      Terminal.print(asked.map(Help().manual) ?? Help().overview(of: commands))
      return .fine
    }
    do {
      let (command, rest) = try find(words, in: commands)
      return run(command, rest)
    } catch {
      Terminal.complain(error.message)
      return error.status
    }
  }

  /// The command that the first words name, and the words behind it.
  private static func find(
    _ words: ArraySlice<String>, in commands: [Command], of group: Command? = nil
  ) throws(Exit) -> (command: Command, rest: ArraySlice<String>) {
    let word = words.first ?? ""
    guard let command = commands.first(where: { $0.lastWord == word }) else {
      let nearest = Nearest.match(word, among: commands.map(\.lastWord))
      let name = (group.map { "\($0.name) " } ?? "")
      throw .usage(
        "unknown command “\(name)\(word)”"
          + (nearest.map { "; did you mean “\(name)\($0)”?" } ?? "; see postrider \(name)--help"))
    }
    let rest = words.dropFirst()
    guard !command.subcommands.isEmpty, let next = rest.first, !next.hasPrefix("-") else { return (command, rest) }
    return try find(rest, in: command.subcommands, of: command)
  }

  private static func run(_ command: Command, _ words: ArraySlice<String>) -> ExitStatus {
    if words.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) {
      Terminal.print(Help().manual(of: command))
      return .fine
    }
    do {
      return try command.run(Arguments(words, for: command))
    } catch {
      Terminal.complain("\(command.name): \(error.message)")
      if error.status == .usage { Terminal.complain("see postrider \(command.name) --help") }
      return error.status
    }
  }
}
