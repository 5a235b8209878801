/// Completion for fish 3 and later.
enum FishCompletion {
  @Sendable static func script(_ entries: [CompletionEntry]) -> String {
    let groups = entries.filter { $0.words.count == 1 && !$0.next.isEmpty }.map { $0.words[0] }
    return """
      # Completion of postrider for fish; made by “postrider completion fish”.
      # The command: the words without a dash in front, two of them below a group.
      function __postrider_at
        set -l words
        for word in (commandline -opc)[2..]
          string match -q -- '-*' $word; and break
          set -a words $word
          contains -- $words[1] \(groups.joined(separator: " ")); or break
          test (count $words) -ge 2; and break
        end
        test "$words" = "$argv"
      end
      # Names of the server: of the app that the line names, else of the configured one.
      function __postrider_values
        set -l words (commandline -opc)
        set -l app
        for index in (seq 2 (count $words))
          if test "$words[$index]" = --app; and test $index -lt (count $words)
            set app --app $words[(math $index + 1)]
          end
        end
        postrider completion values $argv[1] $app 2>/dev/null </dev/null
      end
      complete -c postrider -f
      \(entries.map(lines).joined(separator: "\n"))

      """
  }

  private static func lines(_ entry: CompletionEntry) -> String {
    let at = ShellText.quoted("__postrider_at \(entry.words.joined(separator: " "))")
    let next = entry.next.map { "complete -c postrider -n \(at) -a \($0.word) -d \(ShellText.quoted($0.help))" }
    let options = entry.options.map { option in
      var line = "complete -c postrider -n \(at) -l \(option.name.dropFirst(2)) -d \(ShellText.quoted(option.help))"
      if !option.value.isEmpty {
        line += option.takesFile ? " -r -F" : option.choices.isEmpty ? " -x" : ""
        switch option.offers {
        case .records(let kind): line += " -a \(ShellText.quoted("(__postrider_values \(kind.rawValue))"))"
        case .words(let words): line += " -a \(ShellText.quoted(words.joined(separator: " ")))"
        case nil: break
        }
        if !option.choices.isEmpty { line += " -x -a \(ShellText.quoted(option.choices.joined(separator: " ")))" }
      }
      return line
    }
    // A command takes files as operands; a group takes its words only.
    let files = entry.next.isEmpty ? ["complete -c postrider -n \(at) -F"] : []
    return (next + options + files).joined(separator: "\n")
  }
}
