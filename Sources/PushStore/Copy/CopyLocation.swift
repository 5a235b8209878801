public import PostgresEngine
internal import StoreModel

/// Where a store is copied from, or to.
public enum CopyLocation: Sendable {
  /// The database file of a data folder.
  case file(String)
  /// A PostgreSQL database.
  case server(PostgresOptions)

  /// For messages.
  var name: String {
    switch self {
    case .file(let path): path
    case .server(let options): options.name
    }
  }
}

extension Schema {
  /// Marks a copy that is not whole ("PSTC"): a server that started from it would have a part of the ledger.
  static let unfinishedCopyID: Int64 = 0x5053_5443

  /// Why a copy that is not whole is not used.
  static func unfinished(_ name: String) -> StoreError {
    StoreError(
      .conflict, "\(name) is a copy that was not finished",
      advice: "finish it with postrider store copy and the same --from and --to, or remove it and begin anew")
  }

  static func otherVersion(_ name: String, _ found: Int, _ known: Int) -> StoreError {
    guard found <= known else {
      return StoreError(
        .newerSchema, "\(name) has schema version \(found), this program knows up to \(known)",
        advice: "use the newer program; an older one cannot read what it wrote")
    }
    return StoreError(
      .conflict, "\(name) has schema version \(found), this program has \(known)",
      advice: "start and stop postrider serve of this version on it, which moves it forward, and try again")
  }
}
