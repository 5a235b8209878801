extension Command {
  /// Scripts for shells.
  static let completion = Command(
    name: "completion", summary: "Prints a script that completes commands and options in a shell.",
    operands: "SHELL", operandsMax: 1,
    details: """
      SHELL is bash, zsh or fish. The script is made from the same declarations as --help.
        bash  source <(postrider completion bash)        in ~/.bashrc
        zsh   source <(postrider completion zsh)         in ~/.zshrc, behind compinit
        fish  postrider completion fish | source         in ~/.config/fish/config.fish
      """,
    examples: ["source <(postrider completion bash)"]
  ) { (arguments) throws(Exit) in
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
