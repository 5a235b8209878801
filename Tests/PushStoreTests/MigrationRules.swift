/// What a migration of PostgreSQL's schema may do while nodes of the version before still work on the database: add.
///
/// A statement that takes something away, or that an older node's statements would break at, is a contraction. It comes a version
/// later than what replaced it, behind a line `-- contract: NN`, the version whose nodes must be gone.
enum MigrationRules {
  /// What is wrong with a migration to `version`, one sentence for each statement.
  static func faults(_ migration: String, version: Int) -> [String] {
    statements(migration).compactMap { statement in
      if let gone = statement.gone {
        return gone < version
          ? nil : "“\(statement.head)” contracts version \(gone), and is in version \(version) itself"
      }
      return isAddition(statement.text) ? nil : "“\(statement.head)” does not only add"
    }
  }

  private struct Statement {
    var text: String
    var gone: Int?
    var head: String { String(text.prefix(60)) }
  }

  /// The statements, without comments and in upper case, spaces made one; function bodies in quotation marks are left whole.
  private static func statements(_ migration: String) -> [Statement] {
    var all: [Statement] = []
    var (text, gone, isQuoted) = ("", Int?.none, false)
    for line in migration.split(separator: "\n") {
      let words = line.split(whereSeparator: \.isWhitespace)
      if !isQuoted, words.first == "--" {
        if words.count == 3, words[1] == "contract:" { gone = Int(words[2]) }
        continue
      }
      text += text.isEmpty ? "" : " "
      for character in words.joined(separator: " ") {
        if character == "'" { isQuoted.toggle() }
        guard character == ";", !isQuoted else {
          text.append(character)
          continue
        }
        all.append(Statement(text: text.trimmed.uppercased(), gone: gone))
        (text, gone) = ("", nil)
      }
    }
    if !text.trimmed.isEmpty { all.append(Statement(text: text.trimmed.uppercased(), gone: gone)) }
    return all
  }

  private static func isAddition(_ statement: String) -> Bool {
    let beginnings = [
      "CREATE TABLE ", "CREATE INDEX ", "CREATE FUNCTION ", "CREATE SEQUENCE ", "INSERT INTO ", "COMMENT ON ",
      "SELECT SETVAL(",
    ]
    if beginnings.contains(where: statement.hasPrefix) { return true }
    // A unique index is a new rule, which what an older node writes may break, unless its table is new.
    guard statement.hasPrefix("ALTER TABLE ") else { return false }
    let actions = statement.split(separator: " ").dropFirst(3).joined(separator: " ")
    return actions.split(separator: ",").allSatisfy { action in
      let action = String(action).trimmed
      if action.hasPrefix("SET (") || action.hasPrefix("AUTOVACUUM") || action.hasPrefix("TOAST") { return true }
      guard action.hasPrefix("ADD COLUMN ") else { return false }
      // An older node's INSERT names no such column.
      return !action.contains("NOT NULL") || action.contains("DEFAULT")
    }
  }
}

extension String {
  fileprivate var trimmed: String {
    let rest = drop { $0.isWhitespace }
    return String(rest.prefix(rest.reversed().drop { $0.isWhitespace }.count))
  }
}
