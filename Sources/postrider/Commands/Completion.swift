extension Command {
  /// Scripts for shells.
  static let completion = Command(
    name: "completion", summary: "Prints a script that completes commands and options in a shell.",
    operands: "SHELL", operandsMax: 2,
    options: [Option(name: "--app", value: "NAME", help: "With values segments: whose segments.")]
      + APISettings.options,
    details: """
      SHELL is bash, zsh or fish. The script is made from the same declarations as --help.
        bash  source <(postrider completion bash)        in ~/.bashrc
        zsh   source <(postrider completion zsh)         in ~/.zshrc, behind compinit
        fish  postrider completion fish | source         in ~/.config/fish/config.fish
      Names of apps and segments are asked of the server when the Tab key is pressed, with the key and the address that
      commands use: “completion values apps” and “completion values segments” print what is offered.
      """,
    examples: ["source <(postrider completion bash)"]
  ) { (arguments) throws(Exit) in
    if arguments.operands.first == "values" {
      guard arguments.operands.count == 2, let kind = CompletionValues.Kind(rawValue: arguments.operands[1]) else {
        throw .usage(
          "say which values: \(CompletionValues.Kind.allCases.map(\.rawValue).joined(separator: " or "))")
      }
      Terminal.print(CompletionValues.names(kind, arguments).map { $0 + "\n" }.joined())
      return .fine
    }
    guard arguments.operands.count < 2 else { throw .usage("say for which shell: bash, zsh or fish") }
    let shells: [String: @Sendable ([CompletionEntry]) -> String] = [
      "bash": BashCompletion.script, "zsh": ZshCompletion.script, "fish": FishCompletion.script,
    ]
    guard let word = arguments.operands.first, let script = shells[word] else {
      throw .usage("say for which shell: bash, zsh or fish")
    }
    Terminal.print(script(CompletionEntry.all(Main.commands)))
    return .fine
  }
}
