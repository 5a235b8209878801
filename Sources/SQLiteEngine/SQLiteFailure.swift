internal import CSQLite
internal import StoreModel

/// Turns SQLite's result codes into the store's errors.
enum SQLiteFailure {
  /// One row per primary code: the kind, the words for what happened, the advice.
  private static let rows: [Int32: (code: StoreError.Code, what: String, advice: String)] = [
    SQLITE_FULL: (
      .diskFull, "the disk or the allowed size is used up",
      "free space on the volume (or raise its quota); nothing of this operation was saved"
    ),
    SQLITE_READONLY: (
      .readOnly, "the database cannot be written",
      "check that the data folder is writable by this user and that the volume is mounted read-write"
    ),
    SQLITE_CORRUPT: (
      .corrupted, "the database file is damaged",
      "stop the server, keep a copy of the file, and restore the last backup"
    ),
    SQLITE_NOTADB: (
      .notADatabase, "the file is not a SQLite database",
      "point the data folder somewhere else, or restore the last backup over this file"
    ),
    SQLITE_BUSY: (
      .locked, "another process holds the database",
      "stop the other process, or let it finish, and try again"
    ),
    SQLITE_LOCKED: (.locked, "a table is held by another statement", "try again"),
    SQLITE_CANTOPEN: (
      .cannotOpen, "the database file cannot be opened",
      "check that the data folder exists and is readable and writable by this user"
    ),
    SQLITE_IOERR: (
      .ioFailure, "the operating system failed to read or write the file",
      "check the disk and the kernel log; nothing of this operation was acknowledged"
    ),
    SQLITE_PERM: (.readOnly, "access to the file was refused", "check the owner and the mode of the file"),
    SQLITE_NOMEM: (.ioFailure, "memory ran out", "give the process more memory"),
    SQLITE_CONSTRAINT: (.conflict, "a uniqueness rule was broken", "use another name, or update what exists"),
    SQLITE_TOOBIG: (.invalid, "a value is larger than SQLite takes", "send less in one piece"),
  ]

  /// The error for `code`; `action` says what was being done, and where.
  static func error(_ code: Int32, _ action: String, detail: String? = nil) -> StoreError {
    guard let row = rows[code & 0xff] else {
      let words = unsafe detail ?? String(cString: sqlite3_errstr(code))
      return StoreError(.bug, "\(action): \(words)", advice: "report this as a bug", engineCode: "SQLite \(code)")
    }
    return StoreError(row.code, "\(action): \(row.what)", advice: row.advice, engineCode: "SQLite \(code)")
  }
}
