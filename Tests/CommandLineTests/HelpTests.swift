import Testing

@testable import postrider

/// What `--help` prints: at the width of the terminal, with every word of the declarations.
@Suite("Help texts") struct HelpTests {
  private static let all = Main.commands + Main.commands.flatMap(\.subcommands)

  @Test("no line is wider than the terminal, but a long word, a usage line and an example", arguments: [40, 80, 100])
  func wraps(_ width: Int) {
    let help = Help(width: width)
    for command in Self.all {
      let manual = help.manual(of: command)
      let text = manual.components(before: "\nExamples:\n")
      for line in text.split(separator: "\n") where !line.hasPrefix("Usage: ") && !Self.isSetIn(line, command) {
        let words = line.split(separator: " ")
        // A name and the first word behind it, or a word alone, may be too long to break.
        #expect(Cell.width(String(line)) <= width || words.count <= 2, "\(command.name) at \(width): \(line)")
      }
    }
    for line in help.overview(of: Main.commands).split(separator: "\n") {
      #expect(Cell.width(String(line)) <= width, "\(line)")
    }
  }

  /// Whether the author of the command has set the line in, so that it keeps its breaks.
  private static func isSetIn(_ line: Substring, _ command: Command) -> Bool {
    line.hasPrefix(" ") && command.details.split(separator: "\n").contains(line)
  }

  @Test("every word is there, at any width", arguments: [30, 80, 500]) func loses(_ width: Int) {
    for command in Self.all {
      let words = Set(Help(width: width).manual(of: command).split { " \n".contains($0) })
      let options = command.subcommands.isEmpty ? command.options.map { "\($0.name) \($0.value) \($0.help)" } : []
      let texts = [command.summary, command.details] + options + command.examples + command.subcommands.map(\.summary)
      for word in texts.flatMap({ $0.split { " \n".contains($0) } }) {
        #expect(words.contains(word), "\(command.name) at \(width) has lost “\(word)”")
      }
    }
  }

  @Test("every option and its text stand beside each other where there is room") func beside() {
    let option = Option(name: "--tag", value: "TEXT", help: "One two three four five six seven eight nine ten.")
    let command = Command(name: "x", summary: "Does.", options: [option]) { (_) throws(Exit) in .fine }
    #expect(
      Help(width: 44).manual(of: command).contains(
        """
          --tag TEXT  One two three four five six
                      seven eight nine ten.
          --help      Shows this text.
        """))
    #expect(
      Help(width: 40).manual(of: command).contains(
        """
          --tag TEXT
              One two three four five six seven
              eight nine ten.
          --help
              Shows this text.
        """))
    // In a pipe nobody knows the width.
    #expect(Help(width: nil).width == 80 && Help(width: 500).width == 120)
  }

  @Test("every command over the API has an example, which names its operands and options that it has")
  func examples() throws {
    let rows = APITable.subjects.flatMap(\.rows)
    for row in rows where row.examples.isEmpty {
      for name in row.pathOperands + row.operands {
        #expect(APICommand.samples[name] != nil, "\(row.name): no sample of \(name)")
      }
    }
    // Of “push resume” and “push resume-all” the longer one is meant where it fits.
    let commands = APITable.subjects.flatMap(\.commands).sorted { $0.name.count > $1.name.count }
    for command in commands {
      #expect(command.examples.contains { $0.contains("postrider \(command.name)") }, "\(command.name)")
      #expect(!command.examples.isEmpty, "\(command.name)")
      for example in command.examples {
        // A row may show what to do before it.
        let named = try #require(
          commands.first { example.contains("postrider \($0.name) ") || example.hasSuffix($0.name) })
        let words = ShellWords.split(try #require(example.components(after: "postrider \(named.name)")))
        #expect(throws: Never.self, "\(example)") { try Arguments(words[...], for: named) }
      }
    }
  }
}

/// The words of a line, as a shell takes them apart.
private enum ShellWords {
  static func split(_ line: Substring) -> [String] {
    var words: [String] = []
    var word: String?
    var quote: Character?
    for character in line {
      switch character {
      case quote: quote = nil
      case "\"" where quote == nil, "'" where quote == nil:
        quote = character
        word = word ?? ""
      case " " where quote == nil:
        if let done = word { words.append(done) }
        word = nil
      default: word = (word ?? "") + String(character)
      }
    }
    return words + (word.map { [$0] } ?? [])
  }
}

extension String {
  /// What is behind a part of it; nil where the part is missing.
  fileprivate func components(after part: String) -> Substring? { firstRange(of: part).map { self[$0.upperBound...] } }
  /// What is before a part of it; all of it where the part is missing.
  fileprivate func components(before part: String) -> Substring {
    firstRange(of: part).map { self[..<$0.lowerBound] } ?? self[...]
  }
}
