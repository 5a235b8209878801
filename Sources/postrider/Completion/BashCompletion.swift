/// Completion for bash 4 and later.
enum BashCompletion {
  @Sendable static func script(_ entries: [CompletionEntry]) -> String {
    """
    # Completion of postrider for bash; made by “postrider completion bash”.
    _postrider() {
      local word="${COMP_WORDS[COMP_CWORD]}" before="" next="" options="" choices="" place="" i
      # "=" is a word of its own for bash: --state=a and --state a complete alike.
      local -a words=()
      for ((i = 1; i < COMP_CWORD; i++)); do
        [[ ${COMP_WORDS[i]} == "=" ]] || words+=("${COMP_WORDS[i]}")
      done
      [[ $word == "=" ]] && word=""
      (( ${#words[@]} > 0 )) && before="${words[-1]}"
      # The command is the words without a dash in front, at most two.
      for i in "${words[@]}"; do
        [[ $i == -* ]] && break
        case "$place${place:+ }$i" in
    \(contexts(entries))
          *) break ;;
        esac
      done
      case "$place" in
    \(entries.map(branch).joined(separator: "\n"))
      esac
      if [[ $before == -* ]]; then
        case "$place $before" in
    \(entries.map(values).filter { !$0.isEmpty }.joined(separator: "\n"))
        esac
      fi
      if [[ -n $choices ]]; then
        [[ $choices == "<file>" ]] && { compopt -o default; COMPREPLY=(); return; }
        [[ $choices == "<text>" ]] && { COMPREPLY=(); return; }
        if [[ $choices == "<"*">" ]]; then
          # Names of the server: of the app that the line names, else of the configured one.
          local -a app=()
          for ((i = 0; i + 1 < ${#words[@]}; i++)); do
            [[ ${words[i]} == --app ]] && app=(--app "${words[i+1]}")
          done
          choices="${choices:1:-1}"
          choices="$(postrider completion values "$choices" "${app[@]}" 2>/dev/null </dev/null)"
          [[ -n $choices ]] || { COMPREPLY=(); return; }
        fi
        COMPREPLY=($(compgen -W "$choices" -- "$word"))
      elif [[ $word == -* ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$word"))
      elif [[ -n $next ]]; then
        COMPREPLY=($(compgen -W "$next" -- "$word"))
      else
        compopt -o default
        COMPREPLY=()
      fi
    }
    complete -F _postrider postrider

    """
  }

  /// Every command's words, so that operands are not taken for commands.
  private static func contexts(_ entries: [CompletionEntry]) -> String {
    let words = entries.filter { !$0.words.isEmpty }.map { ShellText.quoted($0.words.joined(separator: " ")) }
    return "      \(words.joined(separator: " | "))) place+=\"${place:+ }$i\" ;;"
  }

  private static func branch(_ entry: CompletionEntry) -> String {
    let next = entry.next.map(\.word).joined(separator: " ")
    let options = entry.options.map(\.name).joined(separator: " ")
    return "    \(ShellText.quoted(entry.words.joined(separator: " ")))) next=\(ShellText.quoted(next)) "
      + "options=\(ShellText.quoted(options)) ;;"
  }

  /// What may follow the options that take a value.
  private static func values(_ entry: CompletionEntry) -> String {
    entry.options.filter { !$0.value.isEmpty }.map { option in
      let context = (entry.words + [option.name]).joined(separator: " ")
      let choices =
        switch option.offers {
        case .records(let kind): "<\(kind.rawValue)>"
        case .words(let words): words.joined(separator: " ")
        case nil:
          option.choices.isEmpty ? (option.takesFile ? "<file>" : "<text>") : option.choices.joined(separator: " ")
        }
      return "      \(ShellText.quoted(context))) choices=\(ShellText.quoted(choices)) ;;"
    }.joined(separator: "\n")
  }
}

extension Option {
  /// Whether the value is the name of a file or a folder.
  var takesFile: Bool { value == "FILE" || value == "DIR" }
}
