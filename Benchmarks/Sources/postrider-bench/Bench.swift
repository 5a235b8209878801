import Glibc

/// A benchmark that can be asked for by name.
struct Subcommand: Sendable {
  let name: String
  /// One line for the list of subcommands.
  let summary: String
  /// Measures and prints one line of JSON; gets the arguments behind the name.
  let run: @Sendable ([String]) throws -> Void
}

@main
struct Bench {
  static let subcommands: [Subcommand] = [
    Subcommand(
      name: "json-read", summary: "reading a payload, against JSONSerialization and JSONDecoder", run: jsonRead),
    Subcommand(
      name: "json-write", summary: "writing a payload, against JSONSerialization and JSONEncoder", run: jsonWrite),
    Subcommand(
      name: "contracts-write", summary: "writing a message by its contract, against JSONEncoder", run: contractsWrite),
  ]

  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst()
    guard let name = arguments.first, let command = subcommands.first(where: { $0.name == name }) else {
      print("usage: postrider-bench SUBCOMMAND [options]   (build with -c release)\n")
      for command in subcommands { print("  \(command.name): \(command.summary)") }
      exit(arguments.isEmpty ? 0 : 2)
    }
    try command.run(Array(arguments.dropFirst()))
  }
}
