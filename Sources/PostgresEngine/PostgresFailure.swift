internal import CPQ
internal import StoreModel

/// Turns what a PostgreSQL server answers into the store's errors.
enum PostgresFailure {
  /// One row per SQLSTATE or, with two letters, per class of them: the kind, the words for what happened, the advice.
  private static let rows: [String: (code: StoreError.Code, what: String, advice: String)] = [
    "23505": (.conflict, "a uniqueness rule was broken", "use another name, or update what exists"),
    "22021": (.invalid, "a text holds a character that PostgreSQL cannot keep", "leave out the character U+0000"),
    "22P05": (.invalid, "a text holds a character that PostgreSQL cannot keep", "leave out the character U+0000"),
    readOnlyTransaction: (
      .readOnly, "the server takes no writes: it is a standby, or was made read-only",
      "name every host in the URL and let target_session_attrs=read-write find the primary"
    ),
    "25P03": (
      .unavailable, "this node was stopped within a transaction, which the server has aborted",
      "try again; nothing of it was saved"
    ),
    "42501": (
      .readOnly, "this role may not do that",
      "make the role the owner of the database, or give it the right: GRANT CREATE, USAGE ON SCHEMA public TO the role"
    ),
    "53100": (.diskFull, "the server's disk is full", "free space on it; nothing of this operation was saved"),
    "53300": (.unavailable, "it has no connection left", "raise max_connections, or stop other clients"),
    "53": (.unavailable, "it is out of a resource", "look at the server's log"),
    "55P03": (.unavailable, "another node writes", "try again; look for a node that hangs"),
    "57014": (.unavailable, "the statement took too long", "try again; look at what else the server does"),
    "57": (.unavailable, "it ends or starts", "wait for it"),
    "08": (.unavailable, "the connection was lost", "check the server and the network"),
    "40": (.unavailable, "it gave up the transaction in favor of another", "try again"),
    "58": (.ioFailure, "its operating system failed to read or write", "look at the server's log and its disk"),
    "XX": (.corrupted, "it says that its data is damaged", "stop the server, and restore the last backup"),
  ]

  /// The SQLSTATE of what a server says that takes no writes.
  static let readOnlyTransaction = "25006"

  /// The SQLSTATE of a transaction that was left alone for too long.
  static let idleTransaction = "25P03"

  /// The SQLSTATE of a result; empty for what the library says by itself.
  static func state(_ result: OpaquePointer?) -> String { unsafe field(67, of: result) }

  /// `ERROR`, or more, in English.
  static func severity(_ result: OpaquePointer?) -> String { unsafe field(86, of: result) }

  /// One of the server's fields, by the letter of the protocol.
  private static func field(_ letter: Int32, of result: OpaquePointer?) -> String {
    unsafe PQresultErrorField(result, letter).map { unsafe String(cString: $0) } ?? ""
  }

  /// The error that a result holds; `action` is the statement, whose text names tables and columns only.
  static func error(_ result: OpaquePointer?, _ action: String, in name: String) -> StoreError {
    let state = unsafe state(result)
    let what = "“\(oneLine(action).prefix(60))…” in \(name)"
    if let row = rows[state] ?? rows[String(state.prefix(2))] {
      // What a caller sent is to blame, who has no use for the statement.
      if row.code == .invalid { return StoreError(.invalid, row.what, advice: row.advice) }
      // Which right is missing, and on what; objects are named, no values.
      let words = state == "42501" ? unsafe ", \(field(77, of: result))" : ""
      return StoreError(row.code, "\(what): \(row.what)\(words) (\(state))", advice: row.advice)
    }
    // Messages of other kinds are about the statement; they do not repeat the values of parameters.
    let words = unsafe field(77, of: result)
    return StoreError(.bug, "\(what): \(words) (\(state))", advice: "report this as a bug")
  }

  static func unavailable(_ name: String, _ words: String) -> StoreError {
    StoreError(
      .unavailable, "\(name) cannot be reached" + (words.isEmpty ? "" : ": \(words)"),
      advice:
        "check that the server runs and the network leads to it; while Postrider runs, work resumes by itself once it does"
    )
  }

  /// Words of the library, which breaks its lines.
  static func oneLine(_ words: String) -> String {
    words.split(whereSeparator: { $0.isWhitespace }).joined(separator: " ")
  }
}

extension PostgresFailure {
  private static let outOfConnections =
    "end other clients, or raise max_connections or the CONNECTION LIMIT of the role or the database; while Postrider runs, work goes"
    + " on by itself then"

  /// What a refused connection says, which comes without a SQLSTATE: the words of the server, and a remedy for those it uses.
  private static let refusals: [(words: String, code: StoreError.Code, advice: String)] = [
    (
      "password authentication failed", .cannotOpen,
      "check the user in the URL and the password in POSTRIDER_STORE_PASSWORD or its file"
    ),
    ("no password supplied", .cannotOpen, "give the password in POSTRIDER_STORE_PASSWORD or in a file"),
    ("peer authentication failed", .cannotOpen, "name the role of this system user in the URL, or use a password"),
    ("no pg_hba.conf entry", .cannotOpen, "let this role and address in by a line in the server's pg_hba.conf"),
    ("not currently accepting connections", .unavailable, "let connections to it in again"),
    ("is not permitted to log in", .cannotOpen, "let it: ALTER ROLE … LOGIN, or name another user in the URL"),
    ("permission denied for database", .cannotOpen, "let the role in: GRANT CONNECT ON DATABASE … TO …"),
    ("too many connections for", .unavailable, outOfConnections),
    ("too many clients", .unavailable, outOfConnections),
    ("remaining connection slots", .unavailable, outOfConnections),
    ("role \"", .cannotOpen, "create the role, or name another user in the URL"),
    ("permission denied", .cannotOpen, "make the role the owner of the database"),
    (
      "session is read-only", .readOnly,
      "the server is a standby: name every host in the URL, so that the primary is found among them; or the server, the"
        + " database or the role is set to default_transaction_read_only: switch that off"
    ),
    ("certificate", .cannotOpen, "name the authority of its certificate in sslrootcert of the URL"),
    ("does not support SSL", .cannotOpen, "switch TLS on at the server"),
  ]

  /// The name in “database "…" does not exist”.
  private static func missingDatabase(_ words: String) -> String? {
    guard words.hasSuffix("\" does not exist"), let mark = words.firstRange(of: "database \"") else { return nil }
    return words[mark.upperBound...].split(separator: "\"").first.map(String.init)
  }

  /// Why no connection could be opened: refused for good, or not answered now.
  static func connecting(_ name: String, _ message: String) -> StoreError {
    let words = oneLine(message)
    // The library finds out only now that it does not know the value of an option.
    if words.hasPrefix("invalid ") {
      return StoreError(
        .invalid, "the store's URL cannot be used: \(words)", advice: "correct what follows ? in it")
    }
    if let database = missingDatabase(words) {
      return StoreError(
        .cannotOpen, "\(name) refuses the connection: \(words)",
        advice:
          "name the database that is meant; or create it, for the role of the URL: CREATE DATABASE \(database) OWNER …"
          + " TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'")
    }
    guard let row = refusals.first(where: { words.contains($0.words) }) else { return unavailable(name, words) }
    return StoreError(row.code, "\(name) refuses the connection: \(words)", advice: row.advice)
  }
}
