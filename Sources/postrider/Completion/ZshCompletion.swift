/// Completion for zsh.
enum ZshCompletion {
  @Sendable static func script(_ entries: [CompletionEntry]) -> String {
    """
    #compdef postrider
    # Completion of postrider for zsh; made by “postrider completion zsh”.
    _postrider() {
      local place="" i
      local -a next options
      # The command is the words without a dash in front, at most two.
      for i in "${(@)words[2,CURRENT-1]}"; do
        [[ $i == -* ]] && break
        case "$place${place:+ }$i" in
    \(contexts(entries))
          (*) break ;;
        esac
      done
      case "$place" in
    \(entries.map(branch).joined(separator: "\n"))
      esac
      if (( ${#next} )) && [[ ${words[CURRENT]} != -* ]]; then
        _describe -t commands command next
      else
        # The command itself counts as one word from here on.
        local -a at=(${=place})
        (( CURRENT -= ${#at} )) && shift ${#at} words
        _arguments -S : "$options[@]" '*:file:_files'
      fi
    }
    # Names of the server: of the app that the line names, else of the configured one.
    _postrider_values() {
      local -a app found
      local -i at=${words[(I)--app]}
      (( at && at + 1 < CURRENT )) && app=(--app "${words[at+1]}")
      found=(${(f)"$(postrider completion values $1 $app 2>/dev/null </dev/null)"})
      compadd -a found
    }
    # As a file of fpath this is the body of the function, the first time that it completes.
    if [[ $funcstack[1] == _postrider ]]; then _postrider "$@"; else compdef _postrider postrider; fi

    """
  }

  private static func contexts(_ entries: [CompletionEntry]) -> String {
    let words = entries.filter { !$0.words.isEmpty }.map { ShellText.quoted($0.words.joined(separator: " ")) }
    return "      (\(words.joined(separator: "|"))) place+=\"${place:+ }$i\" ;;"
  }

  private static func branch(_ entry: CompletionEntry) -> String {
    let next = entry.next.map { ShellText.quoted("\($0.word):\($0.help)") }.joined(separator: " ")
    let options = entry.options.map { ShellText.quoted(specification($0)) }.joined(separator: "\n        ")
    return """
          (\(ShellText.quoted(entry.words.joined(separator: " "))))
            next=(\(next))
            options=(
              \(options)
            ) ;;
      """
  }

  /// `--state[Only those in this state]:STATE:(a b)`.
  private static func specification(_ option: Option) -> String {
    let star = option.repeats ? "*" : ""
    let help = escaped(option.help)
    guard !option.value.isEmpty else { return "\(star)\(option.name)[\(help)]" }
    let action =
      switch option.offers {
      // With a space in front it is called as it is written, without what a description would add.
      case .records(let kind): " _postrider_values \(kind.rawValue)"
      case .words(let words): "(\(words.joined(separator: " ")))"
      case nil:
        option.choices.isEmpty ? (option.takesFile ? "_files" : " ") : "(\(option.choices.joined(separator: " ")))"
      }
    return "\(star)\(option.name)[\(help)]:\(escaped(option.value)):\(action)"
  }

  private static func escaped(_ text: String) -> String {
    text.reduce(into: "") { escaped, character in
      if "[]:\\".contains(character) { escaped += "\\" }
      escaped.append(character)
    }
  }
}
