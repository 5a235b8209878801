import TestSupport
import Testing

@testable import postrider

@Suite("completion") struct CompletionTests {
  /// What bash completes the last of the words to.
  private static func complete(_ lines: [[String]]) throws -> [String] {
    let folder = try TemporaryFolder()
    var script = try Postrider.run("completion", "bash").outputText
    // Outside of an interactive shell there are no completion options to set.
    script += "compopt() { COMPREPLY=(\"<files>\"); files=1; }\n"
    // What a server would answer.
    script += """
      postrider() {
        case "$*" in
          'completion values apps') echo shop; echo shelf ;;
          'completion values segments --app shop') echo pro ;;
          *) return 1 ;;
        esac
      }

      """
    for words in lines {
      let quoted = words.map { "'\($0)'" }.joined(separator: " ")
      script += "files=; COMP_WORDS=(\(quoted)); COMP_CWORD=\(words.count - 1); _postrider\n"
      script += "[[ -n $files ]] && echo '<files>' || echo \"${COMPREPLY[*]}\"\n"
    }
    let path = "\(folder.path)/completion.bash"
    try Files.write(Array(script.utf8), to: path)
    let result = try Subprocess.run("bash", [path])
    #expect(result.status == 0 && result.errorText == "", "\(result.errorText)")
    return result.outputText.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }

  @Test("bash completes commands, subcommands, options, choices and files")
  func bash() throws {
    let rows: [(words: [String], expected: String)] = [
      (["postrider", "dev"], "devices"), (["postrider", "re"], "render restore retention"),
      (["postrider", "devices", ""], "list show timeline register update delete import imports export"),
      (["postrider", "devices", "im"], "import imports"),
      (["postrider", "devices", "list", "--st"], "--state"),
      (["postrider", "deliveries", "list", "--provider", ""], "apns fcm web hms"),
      (["postrider", "deliveries", "list", "--provider", "=", "f"], "fcm"),
      (["postrider", "deliveries", "list", "7", "--js"], "--json"),
      (["postrider", "render", "--contract", "am"], "amba"),
      (["postrider", "devices", "import", ""], "<files>"), (["postrider", "im"], "import"),
      (["postrider", "import", ""], "onesignal pinpoint firebase powerauth"),
      (["postrider", "import", "powerauth", "--v"], "--vendor-app"),
      (["postrider", "import", "onesignal", "--environment", ""], "production development"),
      (["postrider", "import", "pinpoint", ""], "<files>"),
      (["postrider", "apps", "list", "--key-file", ""], "<files>"),
      (["postrider", "push", "send", "--title", ""], ""),
      (["postrider", "push", "send", "--app", "sh"], "shop shelf"),
      (["postrider", "push", "send", "--app", "shop", "--segment", ""], "pro"),
      (["postrider", "push", "send", "--segment", ""], ""),
      (["postrider", "check", "--explain", "apns-unknown-k"], "apns-unknown-key"),
      (["postrider", "check", "--rule", "apns-unknown-k"], "apns-unknown-key=off"),
      (["postrider", "completion", "--h"], "--help"), (["postrider", "--v"], "--version"),
      (["postrider", "nonsense", "--"], "--help --version"),
    ]
    let answers = try Self.complete(rows.map(\.words))
    #expect(answers == rows.map(\.expected))
  }

  @Test("every command and every option is in every script", arguments: ["bash", "zsh", "fish"])
  func complete(shell: String) throws {
    let script = try Postrider.run("completion", shell).outputText
    for entry in CompletionEntry.all(Main.commands) {
      for word in entry.next.map(\.word) { #expect(script.contains(word), "\(shell) \(entry.words) \(word)") }
      for option in entry.options {
        let text = shell == "fish" ? "-l \(option.name.dropFirst(2))" : option.name
        #expect(script.contains(text), "\(shell) \(entry.words) \(option.name)")
      }
    }
    // No option takes a key as its value, so no shell's history is led to have one.
    for entry in CompletionEntry.all(Main.commands)
    where entry.words.first.map({ APICommand.groups.map(\.name).contains($0) }) == true {
      #expect(!entry.options.map(\.name).contains("--key"), "\(entry.words)")
    }
  }

  @Test("values that cannot be asked are none, and others a usage error")
  func values() throws {
    let nobody = try Postrider.run("completion", "values", "apps", "--url", "http://127.0.0.1:9")
    #expect(nobody.status == 0 && nobody.outputText.isEmpty && nobody.errorText.isEmpty)
    let unknown = try Postrider.run("completion", "values", "phones")
    #expect(unknown.status == 2 && unknown.errorText.contains("say which values: apps or segments"))
  }

  @Test("another shell is a usage error")
  func otherShell() throws {
    let result = try Postrider.run("completion", "tcsh")
    #expect(result.status == 2)
    #expect(result.errorText.hasPrefix("postrider: completion: say for which shell: bash, zsh or fish\n"))
  }
}
