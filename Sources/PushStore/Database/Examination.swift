internal import SQLiteEngine
public import StoreModel
internal import Synchronization

extension SQLStore {
  /// Reads every page and recounts the ledger while the server runs.
  ///
  /// It proceeds table by table and push by push, so that neither the log nor other readers wait for it.
  /// ``checkReadiness()`` reports its findings from then on.
  ///
  /// - Parameter isCancelled: called periodically; true ends the examination early.
  /// - Throws: when the file cannot be opened, or was moved meanwhile; damage inside it is a result.
  public func examine(isCancelled: @escaping @Sendable () -> Bool = { false }) throws(StoreError) -> Examination {
    var found = Examination()
    // A folder that is moved while it is read looks like a failing disk: what is found counts when it is found twice.
    for isLast in [false, true] {
      found = Examination()
      do throws(StoreError) {
        // A server keeps checksums of its pages and looks at them itself.
        if server == nil { try checkPages(&found, isCancelled) }
        if found.pageFaults.isEmpty { try recount(&found, isCancelled) }
      } catch {
        guard !isCancelled() else { return found }
        found.pageFaults.append(error.message)
        if isLast, !meansDamage(error) { throw error }
      }
      if found.isSound { break }
      try file?.check()
    }
    found.isComplete = !isCancelled()
    note(found)
    return found
  }

  /// A file that cannot be read is as good as lost; a database server says itself what is damaged.
  private func meansDamage(_ error: StoreError) -> Bool {
    error.code == .corrupted || server == nil && [.notADatabase, .ioFailure].contains(error.code)
  }

  private func checkPages(
    _ found: inout Examination, _ isCancelled: @escaping @Sendable () -> Bool
  ) throws(StoreError) {
    let db = try Connection(path: path, access: .readWrite)
    try db.execute("PRAGMA query_only = ON; PRAGMA cache_size = -4096")
    db.interrupts(when: isCancelled)
    // The first statement opens the log.
    guard !isCancelled() else { return }
    var tables: [String] = ["sqlite_schema"]
    do {
      let select = try db.prepareOnce("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
      while try select.step() { tables.append(select.text(0)) }
    }
    for table in tables where !isCancelled() && found.pageFaults.count < Examination.faultsMax {
      // Names of tables are the program's own.
      let check = try db.prepareOnce("PRAGMA integrity_check('\(table)')")
      while try check.step(), found.pageFaults.count < Examination.faultsMax {
        let verdict = check.text(0)
        if verdict != "ok" { found.pageFaults.append("\(table): \(verdict)") }
      }
    }
  }

  private func recount(_ found: inout Examination, _ isCancelled: () -> Bool) throws(StoreError) {
    var last = PushID(rawValue: 0)
    while !isCancelled(), found.ledgerFaults.count < Examination.faultsMax, let next = try push(after: last) {
      found.ledgerFaults += try verifyLedger(push: next)
      found.pushes += 1
      last = next
    }
    found.ledgerFaults += try readers.view { (db) throws(StoreError) in try db.faultyLeases() + db.faultySchedules() }
  }

  private func push(after id: PushID) throws(StoreError) -> PushID? {
    try readers.read { (db) throws(StoreError) in
      let select = try db.prepare("SELECT id FROM pushes WHERE id > ?1 ORDER BY id LIMIT 1")
      select.bind(1, id)
      return try select.step() ? select.id(0) : nil
    }
  }

  /// A fault stays until the server is started anew.
  private func note(_ found: Examination) {
    let words: String? =
      found.pageFaults.first ?? found.ledgerFaults.first.map { "the ledger of push \($0.push): \($0)" }
    guard let words else { return }
    damage.withLock {
      $0 = StoreError(
        .corrupted, "\(path) is damaged: \(words)",
        advice: server == nil
          ? "stop the server, keep a copy of the file, and restore the last backup; postrider ledger check lists all"
          : "postrider ledger check lists all; stop the nodes, keep a copy, and restore the database's last backup")
    }
  }
}
