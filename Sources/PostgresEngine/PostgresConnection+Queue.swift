internal import CPQ
package import StoreModel

/// Statements whose results nobody needs now: they go to the server one behind the other, without a wait between them
/// (libpq's pipeline mode).
extension PostgresConnection {
  /// Runs a statement that returns nothing without waiting for the server, where that is possible; false where it is not.
  ///
  /// Statements that follow one another in a transaction are then one message each way instead of one for each. One that fails
  /// ends the transaction, and is reported by whatever next needs a result: a query, the number of changes, or the commit.
  func queue(
    _ statement: PostgresStatement, _ values: [UnsafePointer<CChar>?], _ lengths: [Int32], _ formats: [Int32]
  ) throws(StoreError) -> Bool {
    guard isWriting || isReading, !statement.name.isEmpty else { return false }
    try flushRows()
    if let failure { throw failure }
    if unsafe PQpipelineStatus(link) == PQ_PIPELINE_OFF, unsafe PQenterPipelineMode(link) == 0 { throw lost() }
    try unsafe send(statement, values, lengths, formats)
    if queuedBytes >= Self.partBytesMax { try endPart() }
    if queuedStatements >= Self.queuedMax { unsafe PQclear(try collect()) }
    if let failure { throw failure }
    return true
  }

  /// Sends a statement behind those that are queued.
  func send(
    _ statement: PostgresStatement, _ values: [UnsafePointer<CChar>?], _ lengths: [Int32], _ formats: [Int32]
  ) throws(StoreError) {
    guard
      unsafe PQsendQueryPrepared(link, statement.name, statement.parameterCount, values, lengths, formats, 1) == 1
    else { throw lost() }
    queued.append(statement.sql)
    queuedStatements += 1
    queuedBytes += lengths.reduce(Self.statementBytes) { $0 + Int($1) + 6 }
  }

  /// Tells the server that a part of what is queued ends; it answers that, too, which is not waited for.
  func endPart() throws(StoreError) {
    guard unsafe PQpipelineSync(link) == 1 else { throw lost() }
    queued.append(nil)
    queuedBytes = 0
  }

  /// Notes that a command begins, so that what it changed can be distinguished from what those before it did.
  package func markCommand() {
    queuedBeforeMark = queuedStatements
    rowsBeforeMark = pendingRows
    changesAtMark = countedChanges
  }

  /// Whether something was changed since ``markCommand()``.
  package var hasChangedSinceMark: Bool {
    settle()
    return failure != nil || countedChanges != changesAtMark + Int64(rowsBeforeMark)
  }

  /// Why a queued statement failed, if one did.
  package var queuedFailure: StoreError? {
    settle()
    return failure
  }

  /// Waits for what is queued, and leaves the mode in which statements can be; throws when one of them failed.
  func finishQueued() throws(StoreError) {
    settle()
    if let failure { throw failure }
    if unsafe PQpipelineStatus(link) != PQ_PIPELINE_OFF, unsafe PQexitPipelineMode(link) == 0 { throw lost() }
  }

  /// Waits for what is queued; a failure is kept.
  func settle() {
    guard !queued.isEmpty || pendingRows > 0 else { return }
    do throws(StoreError) {
      try flushRows()
      unsafe PQclear(try collect())
    } catch { failure = failure ?? error }
  }

  /// Waits for the results of everything that was sent; the last one, when all were successful, is the caller's to clear.
  func collect() throws(StoreError) -> OpaquePointer? {
    var last: OpaquePointer?
    do throws(StoreError) {
      defer {
        queued.removeAll(keepingCapacity: true)
        (queuedStatements, queuedBytes) = (0, 0)
      }
      if queuedBytes > 0 { try endPart() }
      for sent in queued {
        // Each has the time of a statement, as when it is sent alone.
        let deadline = self.deadline
        try wait(until: deadline)
        guard let result = unsafe PQgetResult(link) else { throw lost() }
        guard let action = sent else {
          defer { unsafe PQclear(result) }
          guard unsafe PQresultStatus(result) == PGRES_PIPELINE_SYNC else { throw lost() }
          continue
        }
        unsafe PQclear(last)
        unsafe last = unsafe result
        unsafe take(result, of: action)
        // Each statement's results end with none.
        try wait(until: deadline)
        guard unsafe PQgetResult(link) == nil else { throw lost() }
      }
    } catch {
      unsafe PQclear(last)
      throw error
    }
    return unsafe last
  }

  private func take(_ result: OpaquePointer, of action: String) {
    switch unsafe PQresultStatus(result) {
    case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: unsafe note(result)
    // What follows one that failed is not run.
    case PGRES_PIPELINE_ABORTED: break
    default:
      if failure == nil {
        let error = unsafe refusal(result, action)
        failure = unsafe PQstatus(link) == CONNECTION_OK ? error : lost()
      }
    }
    if queuedBeforeMark > 0 {
      queuedBeforeMark -= 1
      if queuedBeforeMark == 0 { changesAtMark = countedChanges }
    }
  }
}
