internal import Glibc
internal import PostgresEngine
internal import StoreModel

/// A database that a copy is made of, or into.
extension PostgresSchema {
  /// What a copy adds to the version of its database until it is whole: also a program that knows nothing of copies refuses it.
  private static let unfinished = 1_000_000

  /// Refuses a database that a server uses, and keeps servers from starting on it, as long as the connection is open.
  static func keepServersAway(_ db: borrowing Connection) throws(StoreError) {
    let inUse = StoreError(
      .locked, "a server uses \(db.path)",
      advice: "stop every Postrider that is connected to it, and try again")
    // What was stopped a moment ago may still be leaving.
    for attempt in 0...Self.leavingAttempts {
      if try takeLocks(db) { return }
      if attempt < Self.leavingAttempts { usleep(100_000) }
    }
    throw inUse
  }

  private static let leavingAttempts = 50

  private static func takeLocks(_ db: borrowing Connection) throws(StoreError) -> Bool {
    // Until the connection ends; one that is taken twice is the same.
    for lock in [PostgresConnection.writerLock, schemaLock]
    where try db.integer("SELECT pg_try_advisory_lock(\(lock))::int") != 1 {
      return false
    }
    return try db.integer(
      """
      SELECT count(*) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'postrider' AND pid <> pg_backend_pid()
      """) == 0
  }

  /// Throws unless the schema is this program's and of its version.
  static func requireCurrent(_ db: borrowing Connection) throws(StoreError) {
    guard try !isUnfinishedCopy(db) else { throw Schema.unfinished(db.path) }
    let found = try version(db)
    guard found != 0 else {
      throw StoreError(
        .notFound, "\(db.path) has no tables yet", advice: "name the database of a server, or start one on it first")
    }
    guard found == version else { throw Schema.otherVersion(db.path, found, version) }
  }

  /// Whether a copy into this database was not finished.
  static func isUnfinishedCopy(_ db: borrowing Connection) throws(StoreError) -> Bool {
    try db.integer(
      "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'postrider_copy'") == 1
  }

  /// Makes the tables of an empty database, without rows, or finds a copy that was broken off.
  static func beginCopy(_ db: borrowing Connection, from origin: String) throws(StoreError) {
    if try isUnfinishedCopy(db) {
      let found = Int(try db.integer("SELECT version FROM postrider") ?? 0) - unfinished
      guard found == version else {
        throw StoreError(
          .conflict, "\(db.path) is an unfinished copy of schema version \(found), this program has \(version)",
          advice: "drop and create the database, and begin anew")
      }
      return
    }
    guard try version(db) == 0 else {
      throw CopyTargets.notEmpty(
        db.path, advice: "create a new database and name that; a start of serve makes tables and a key in an empty one")
    }
    let tables = try CopiedTable.all()
    do throws(StoreError) {
      try db.execute("BEGIN")
      try createCurrent(db)
      for table in tables { try db.execute("DELETE FROM \"\(table.name)\"") }
      try db.execute(
        """
        CREATE TABLE postrider_copy(origin text NOT NULL);
        UPDATE postrider SET version = version + \(unfinished)
        """)
      let insert = try db.prepareOnce("INSERT INTO postrider_copy VALUES (?1)")
      insert.bind(1, origin)
      try insert.run()
      try db.commit()
    } catch {
      db.rollBack()
      throw error.code == .readOnly ? rights(db, error) : error
    }
  }

  /// Takes the mark away.
  static func finishCopy(_ db: borrowing Connection) throws(StoreError) {
    do throws(StoreError) {
      try db.execute("BEGIN; DROP TABLE postrider_copy; UPDATE postrider SET version = version - \(unfinished)")
      try db.commit()
    } catch {
      db.rollBack()
      throw error
    }
  }
}
