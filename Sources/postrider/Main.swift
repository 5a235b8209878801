import Glibc

/// The entry point: finds the command, takes its words apart, runs it, and turns the result into an exit status.
@main
enum Main {
  /// Every command, in the order in which help lists them.
  static let commands: [Command] = [
    .render, .parse, .preview, .strings, .check, .contracts, .explain, .send, .channels, .emulate, .phone,
    .serve, .backup, .restore,
  ]

  static func main() {
    // A reader that goes away shows as a failed write, which ends the program quietly, not as a signal.
    signal(SIGPIPE, SIG_IGN)
    exit(run(CommandLine.arguments.dropFirst()).rawValue)
  }

  private static func run(_ words: ArraySlice<String>) -> ExitStatus {
    guard let name = words.first else {
      Terminal.print(Help.overview(of: commands))
      return .usage
    }
    if name == "--version" {
      Terminal.print("postrider \(Version.current)\n")
      return .fine
    }
    if name == "--help" || name == "-h" || name == "help" {
      let asked = words.dropFirst().first.flatMap { word in commands.first { $0.name == word } }
      Terminal.print(asked.map(Help.manual) ?? Help.overview(of: commands))
      return .fine
    }
    guard let command = commands.first(where: { $0.name == name }) else {
      let nearest = Nearest.match(name, among: commands.map(\.name))
      Terminal.complain(
        "unknown command “\(name)”" + (nearest.map { "; did you mean “\($0)”?" } ?? "; see postrider --help"))
      return .usage
    }
    return run(command, words.dropFirst())
  }

  private static func run(_ command: Command, _ words: ArraySlice<String>) -> ExitStatus {
    if words.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) {
      Terminal.print(Help.manual(of: command))
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
