internal import Ledger
internal import StoreModel

/// What the store's SQL says by names, in the words of each engine.
///
/// `#refused(state)` follows the columns that a statement sets when it gives a delivery a state which may be `rejected`: a
/// server's index of these is over a column of their keys (see ``PostgresSchema/layout``), a file's is over their state.
enum EngineWords {
  @Sendable static func file(_ sql: String) throws(StoreError) -> String {
    try StateSymbols.resolved(sql, own: ["refused": { $0.count == 1 ? "" : nil }])
  }

  @Sendable static func server(_ sql: String) throws(StoreError) -> String {
    try StateSymbols.resolved(sql, own: ["refused": { $0.count == 1 ? refused($0[0]) : nil }])
  }

  /// The parameter has one type in a statement: that of the column `state`.
  private static func refused(_ state: Substring) -> String {
    ", refused = CASE WHEN CAST(\(state) AS smallint) = #delivery.rejected THEN id END"
  }
}
