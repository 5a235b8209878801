import PostriderServer
import WireJSON

/// What the server says about the HTTP API, in the words of the command line: its commands and options.
struct CommandWords: Sendable {
  private let row: APIRow
  private let arguments: Arguments
  /// Whether members of the request may come from a file, where options have no part in them.
  private let hasFile: Bool

  init(_ row: APIRow, _ arguments: Arguments) {
    self.row = row
    self.arguments = arguments
    let isFile =
      switch row.body {
      case .file, .upload: true
      case .members: false
      }
    hasFile = isFile && arguments.operands.count > row.pathOperands.count + row.operands.count
  }

  /// The option or operand that sets a member of the request; the member's own path where there is none.
  func field(_ path: String) -> String {
    let leading = row.element.map { "\($0)[0]." } ?? ""
    let path = path.hasPrefix(leading) ? String(path.dropFirst(leading.count)) : path
    if row.operands.contains(path) { return path.uppercased() }
    // What is wrong with a message is reported by its path in the message.
    let setting = row.fields.filter { $0.sets(path) } + row.fields.filter { $0.sets("message.\(path)") }
    let field = setting.first { arguments.has($0.option.name) } ?? (hasFile ? nil : setting.first)
    return field?.option.name ?? path
  }

  /// A text of the server's in the command's words: its operations are commands, and parts of the query, such as
  /// `?listeners=ignore`, are options.
  func said(_ text: String) -> String {
    let words = CommandWords.text(text).split(separator: " ", omittingEmptySubsequences: false)
    return words.map { word in
      guard word.hasPrefix("?") else { return String(word) }
      let name = word.dropFirst().prefix { $0.isLetter || $0 == "_" }
      guard let field = row.fields.first(where: { $0.asks(String(name)) }) else { return String(word) }
      let rest = word.dropFirst(1 + name.count)
      return field.option.name + (rest.hasPrefix("=") ? " \(rest.dropFirst())" : String(rest))
    }.joined(separator: " ")
  }

  /// A text in which each operation of the API that has a command, such as `GET /v1/apps`, is replaced by the command.
  static func text(_ text: String) -> String {
    var words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    var index = 0
    while index + 1 < words.count {
      let (path, rest) = ending(words[index + 1])
      if let command = command(words[index], path) {
        words.replaceSubrange(index...(index + 1), with: ["“postrider \(command)”\(rest)"])
      }
      index += 1
    }
    return words.joined(separator: " ")
  }

  /// A path, and the punctuation that ends the clause it is in.
  private static func ending(_ word: String) -> (path: String, rest: String) {
    var path = Substring(word)
    while let last = path.last, ",.;:)".contains(last) { path.removeLast() }
    return (String(path), String(word[path.endIndex...]))
  }

  private static func command(_ method: String, _ path: String) -> String? {
    guard path.hasPrefix("/v1/") else { return nil }
    let parts = path.split(separator: "/")
    var best: (name: String, parameters: Int)?
    for row in APITable.subjects.flatMap(\.rows) where row.method == method {
      for pattern in [row.path, row.pathInApp].compactMap({ $0 }) {
        // `devices/imports` is a path of its own, and not the device `imports`.
        guard let parameters = parameters(of: parts, in: pattern), parameters < best?.parameters ?? .max else {
          continue
        }
        best = (row.name, parameters)
      }
    }
    return best?.name
  }

  /// How many parts of a path are parameters of a pattern; nil when it does not match.
  private static func parameters(of parts: [Substring], in pattern: String) -> Int? {
    let pattern = pattern.split(separator: "/")
    guard parts.count == pattern.count else { return nil }
    let parameters = zip(parts, pattern).count { part, name in name.hasPrefix("{") || part != name }
    return zip(parts, pattern).allSatisfy { $0 == $1 || $1.hasPrefix("{") } ? parameters : nil
  }
}

extension APIField {
  /// Whether the option is a parameter of the query.
  fileprivate func asks(_ name: String) -> Bool {
    if case .query(name) = location { true } else { false }
  }

  /// Whether the option sets the member at a path, or a part of it.
  fileprivate func sets(_ path: String) -> Bool {
    guard case .member(let own) = location, path.hasPrefix(own) else { return false }
    let rest = path.dropFirst(own.count)
    return rest.isEmpty || rest.hasPrefix("[") || (kind == .pairs && rest.hasPrefix("."))
  }
}
