internal import CPQ
package import StoreModel

/// Rows that are written by COPY, which costs a fraction of a statement for each.
extension PostgresConnection {
  /// What comes before the rows of COPY's binary form: its name, flags and the length of an extension.
  private static let header = Array("PGCOPY\n".utf8) + [0xff, 13, 10, 0] + [UInt8](repeating: 0, count: 8)
  /// What comes behind them.
  private static let trailer: [UInt8] = [0xff, 0xff]

  /// Copies rows in binary form into columns of a table, all or none; they count as changes.
  package func copy(_ rows: [UInt8], to target: String) throws(StoreError) {
    try finishQueued()
    let text = "COPY \(target) FROM STDIN (FORMAT binary)"
    guard sendText(text) == 1 else { throw lost() }
    try wait(until: deadline)
    let started = unsafe PQgetResult(link)
    let status = unsafe PQresultStatus(started)
    guard status == PGRES_COPY_IN else {
      let failure = unsafe refusal(started, text)
      unsafe PQclear(started)
      // What else the server has to say ends the statement.
      _ = try? unsafe answer(to: 1, text)
      throw unsafe PQstatus(link) == CONNECTION_OK ? failure : lost()
    }
    unsafe PQclear(started)
    for piece in [Self.header, rows, Self.trailer] { try put(piece) }
    guard unsafe PQputCopyEnd(link, nil) == 1 else { throw lost() }
    unsafe PQclear(try answer(to: 1, text))
  }

  /// Hands bytes to the library, which keeps what cannot be sent at once.
  private func put(_ bytes: [UInt8]) throws(StoreError) {
    let put = unsafe bytes.withUnsafeBytes { raw in
      unsafe PQputCopyData(link, raw.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(raw.count))
    }
    guard put == 1 else { throw lost() }
  }
}
