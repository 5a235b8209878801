internal import Glibc
internal import SQLiteEngine
public import StoreModel

/// What has been done of a copy; tests end the process in between.
package enum CopyStep: String, Sendable, CaseIterable, Codable {
  case copied, checked, held, flushed, named
}

extension SQLStore {
  /// Makes a backup of a database, as of one instant, in a new file, and checks it; a server may go on using the original.
  ///
  /// Or brings one back.
  ///
  /// The copy has its name only when it is whole: readable to its last page, with a ledger that balances, and flushed to disk.
  ///
  /// - Parameters:
  ///   - path: the database.
  ///   - target: the file to create.
  ///   - restoring: when given, the copy takes the original's position: before it has its name, its unfinished pushes are marked
  ///     as restored, because what it says is waiting may have been sent since it was copied.
  /// - Throws: `notFound` when there is no database, `conflict` when `target` exists, `corrupted`, `notADatabase`,
  ///   `newerSchema`, `diskFull`, `readOnly`, `ioFailure`.
  public static func copy(
    _ path: String, to target: String, restoring: Restoring? = nil
  ) throws(StoreError) -> CopySummary {
    try copy(path, to: target, restoring: restoring) { _ in }
  }

  /// As above; `done` is called after each step.
  package static func copy(
    _ path: String, to target: String, restoring: Restoring?, done: (CopyStep) -> Void
  ) throws(StoreError) -> CopySummary {
    guard unsafe access(path, F_OK) == 0 else {
      throw StoreError(
        .notFound, "there is no database \(path)",
        advice:
          "name the folder that holds one; PostgreSQL's own tools copy what serve --store keeps (pg_dump, docs/scale.md)"
      )
    }
    guard unsafe access(target, F_OK) != 0 else {
      throw StoreError(.conflict, "\(target) exists already", advice: "name a new file for the copy")
    }
    let partial = target + ".partial"
    removeDatabase(partial)
    do throws(StoreError) {
      try copyPages(path, to: partial)
      done(.copied)
      var summary = try check(partial)
      done(.checked)
      if let restoring { summary.held = try settle(partial, restoring) }
      try mark(partial, isBackup: restoring == nil)
      done(.held)
      try settle(partial, as: target, done)
      done(.named)
      return summary
    } catch {
      removeDatabase(partial)
      throw error
    }
  }

  private static func copyPages(_ path: String, to target: String) throws(StoreError) {
    // Not read-only: a reader of a log that no writer has open must be able to make the log's index.
    let source = try Connection(path: path, access: .readWrite)
    try source.execute("PRAGMA query_only = ON")
    let mark = try source.integer("PRAGMA application_id")
    guard mark == Schema.applicationID || mark == Schema.backupID else {
      throw StoreError(.notADatabase, "\(path) is not a Postrider database", advice: "name a data folder or a backup")
    }
    let copy = try Connection(path: target, access: .readWriteCreate)
    try source.copy(to: copy)
  }

  /// Reads every page and recounts the ledger.
  private static func check(_ path: String) throws(StoreError) -> CopySummary {
    let store = try SQLStore(path: path, options: Options(allowsBackup: true))
    defer { store.close() }
    var summary = try store.readers.read { (db) throws(StoreError) in
      let verdict = try db.text("PRAGMA integrity_check(1)")
      guard verdict == "ok" else {
        throw StoreError(
          .corrupted, "the copy of the database is damaged: \(verdict ?? "no answer")",
          advice: "check the disk, and take the newest backup that is whole")
      }
      var summary = CopySummary()
      summary.apps = Int(try db.integer("SELECT count(*) FROM apps") ?? 0)
      summary.devices = Int(try db.integer("SELECT count(*) FROM devices") ?? 0)
      summary.pushes = Int(try db.integer("SELECT count(*) FROM pushes") ?? 0)
      summary.deliveries = Int(try db.integer("SELECT count(*) FROM deliveries") ?? 0)
      return summary
    }
    // A schedule that counts its runs wrong breaks no push, and must not cost its owner the backup.
    if let fault = try store.verifyLedger(push: nil).first(where: { !$0.isOfSchedule }) {
      throw StoreError(
        .corrupted, "the ledger of the copy does not balance: \(fault.description)",
        advice: "take the newest backup that is whole")
    }
    var info = stat()
    if unsafe stat(path, &info) == 0 { summary.bytes = Int(info.st_size) }
    return summary
  }

  private static func settle(_ path: String, _ restoring: Restoring) throws(StoreError) -> HeldCounts {
    let store = try SQLStore(path: path, options: Options(allowsBackup: true))
    defer { store.close() }
    return try store.settleRestored(since: restoring.at, isHolding: restoring.isHolding)
  }

  /// Says in the file whether a server may start from it.
  private static func mark(_ path: String, isBackup: Bool) throws(StoreError) {
    let db = try Connection(path: path, access: .readWrite)
    try db.execute("PRAGMA application_id = \(isBackup ? Schema.backupID : Schema.applicationID)")
  }

  private static func settle(
    _ partial: String, as target: String, _ done: (CopyStep) -> Void
  ) throws(StoreError) {
    // Closing a database moves its log into it; what were still in the log would be lost with the name.
    var log = stat()
    guard unsafe stat(partial + "-wal", &log) != 0 || log.st_size == 0 else {
      throw StoreError(
        .ioFailure, "\(partial) could not be closed whole: its log is still there",
        advice: "check the disk, and try again")
    }
    try flush(partial)
    done(.flushed)
    guard unsafe rename(partial, target) == 0 else { throw failure("name the copy \(target)") }
    let folder = target.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(target[..<$0]) } ?? "."
    try flush(folder.isEmpty ? "/" : folder)
    removeDatabase(partial)
  }

  private static func flush(_ path: String) throws(StoreError) {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure("open \(path)") }
    defer { Glibc.close(descriptor) }
    guard fsync(descriptor) == 0 else { throw failure("flush \(path)") }
  }

  /// Removes a database and the files beside it.
  private static func removeDatabase(_ path: String) {
    for suffix in ["", "-wal", "-shm", "-journal", ".lock"] { unsafe unlink(path + suffix) }
  }

  private static func failure(_ action: String) -> StoreError {
    StoreError(
      errno == ENOSPC ? .diskFull : .ioFailure, unsafe "cannot \(action): \(String(cString: strerror(errno)))",
      advice: "check the disk and its permissions")
  }
}
