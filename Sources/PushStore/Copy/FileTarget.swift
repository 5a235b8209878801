internal import Glibc
internal import SQLiteEngine
internal import StoreModel

/// A database file that is being filled.
///
/// The file has its name from the beginning, so that a server finds it and its mark, and makes no empty one beside it.
final class FileTarget: CopyTarget {
  private let path: String
  private let db: Connection
  private let lock: FileLock
  /// Rows and bytes since the last commit.
  private var waiting = (rows: 0, bytes: 0)

  init(_ path: String) throws(StoreError) {
    self.path = path
    lock = try FileLock(path: path + ".lock")
    var info = stat()
    if unsafe stat(path, &info) != 0 || info.st_size == 0 { try Self.create(path) }
    db = try Connection(path: path, access: .readWrite)
    guard try db.integer("PRAGMA application_id") == Schema.unfinishedCopyID else {
      throw CopyTargets.notEmpty(path, advice: "name a folder without a database")
    }
    let version = Int(try db.integer("PRAGMA user_version") ?? 0)
    guard version == Schema.migrations.count else {
      throw StoreError(
        .conflict,
        "\(path) is an unfinished copy of schema version \(version), this program has \(Schema.migrations.count)",
        advice: "remove the file, and begin anew")
    }
    try db.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -32768")
  }

  /// Makes the tables in a file that takes its name when it has the mark.
  private static func create(_ path: String) throws(StoreError) {
    let partial = path + ".partial"
    for suffix in ["", "-journal"] { unsafe unlink(partial + suffix) }
    do {
      let db = try Connection(path: partial, access: .readWriteCreate)
      try Schema.migrate(db)
      for table in try CopiedTable.all() { try db.execute("DELETE FROM \"\(table.name)\"") }
      try db.execute("PRAGMA application_id = \(Schema.unfinishedCopyID)")
    }
    for suffix in ["-wal", "-shm"] { unsafe unlink(path + suffix) }
    guard unsafe rename(partial, path) == 0 else {
      throw StoreError(
        .ioFailure, unsafe "cannot name the file \(path): \(String(cString: strerror(errno)))",
        advice: "check the disk and its permissions")
    }
  }

  func read<Output>(_ body: (borrowing Connection) throws(StoreError) -> Output) throws(StoreError) -> Output {
    try body(db)
  }

  func write(_ page: borrowing RowBuffer, to table: CopiedTable) throws(StoreError) {
    if !db.isInTransaction { try db.beginWriting() }
    let insert = try db.prepare(parts: table.insertion)
    for row in 0..<page.count {
      try page.forEachValue(of: row) { (column, value) throws(StoreError) in
        value.bind(to: insert, at: Int32(column + 1))
      }
      try insert.run()
    }
    waiting = (waiting.rows + page.count, waiting.bytes + page.bytes.count)
    if waiting.rows >= CopyTargets.rowsMax || waiting.bytes >= CopyTargets.bytesMax { try flush() }
  }

  func flush() throws(StoreError) {
    guard db.isInTransaction else { return }
    try db.commit()
    waiting = (0, 0)
    // The hook of the connection has replaced SQLite's own checkpoints.
    try db.checkpoint()
  }

  func empty(_ table: CopiedTable) throws(StoreError) { try db.execute("DELETE FROM \"\(table.name)\"") }

  func setLastKey(_ key: Int64, of table: String, _ column: String) throws(StoreError) {
    try db.execute("DELETE FROM sqlite_sequence WHERE name = '\(table)'")
    guard key > 0 else { return }
    try db.execute("INSERT INTO sqlite_sequence(name, seq) VALUES ('\(table)', \(key))")
  }

  func finish() throws(StoreError) {
    try flush()
    try db.execute("ANALYZE; PRAGMA application_id = \(Schema.applicationID)")
    try db.checkpoint(truncate: true)
  }
}
