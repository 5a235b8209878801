public import StoreModel

/// Copies a store from one engine to the other, with everything in it, and proves that both have the same.
///
/// Tables are written in the order of their keys, each batch as one transaction, so that a copy that was broken off goes on behind
/// the last key that it finds. Every table is then read on both sides, and counted and digested; one that differs, because the
/// original was used in between, is written once more. Leases are copied as they are: what was on the wire when the server was
/// killed is recovered by the first server that starts on the copy, as on the original.
public enum StoreCopy {
  /// How far it is.
  public struct Progress: Sendable {
    /// The table that is worked on.
    public let table: String
    /// Whether rows are compared, not written.
    public let isVerifying: Bool
    /// Rows that were written or compared.
    public let done: Int
    /// Rows that will be.
    public let total: Int
  }

  /// A table of both sides.
  public struct Table: Sendable, Hashable {
    /// Its name.
    public let name: String
    /// Its rows.
    public let rows: Int
    /// Of every value in the order of the key, the same for both engines.
    public let digest: [UInt8]
  }

  /// What was copied.
  public struct Summary: Sendable, Hashable {
    /// Every table, by name.
    public fileprivate(set) var tables: [Table] = []
    /// Rows that this run has written.
    public fileprivate(set) var written = 0
    /// Rows that were there from a run that was broken off.
    public fileprivate(set) var found = 0
    /// All rows.
    public var rows: Int { tables.reduce(0) { $0 + $1.rows } }
  }

  /// Copies everything, or what a copy that was broken off lacks.
  ///
  /// - Parameters:
  ///   - source: a store that no server has open, of this program's schema version.
  ///   - target: an empty target, or an unfinished copy; of another schema version it is refused.
  ///   - progress: called after each page of rows.
  /// - Throws: `locked` when a server uses either side, `conflict` when the target is not empty, `newerSchema`, `notADatabase`,
  ///   `invalid` for a text that the target cannot keep, and what reading and writing throw; the target stays marked then.
  public static func run(
    from source: CopyLocation, to target: CopyLocation, progress: @escaping (Progress) -> Void
  ) throws(StoreError) -> Summary {
    let original = try CopySource(source)
    let copy = try CopyTargets.open(target, from: source.name)
    let tables = try CopiedTable.all()
    var counts: [Int] = []
    for table in tables {
      try original.checkKinds(of: table)
      counts.append(try original.count(table))
    }
    var run = Run(counts.reduce(0, +), progress)
    for table in tables { try run.write(table, original, copy) }
    run.beginVerifying()
    for table in tables { try run.verify(table, original, copy) }
    try continueKeys(tables, original, copy)
    try copy.finish()
    return run.summary
  }

  /// Keys that are given by themselves go on behind the last one, also where its row is gone.
  private static func continueKeys(
    _ tables: [CopiedTable], _ original: borrowing CopySource, _ copy: any CopyTarget
  ) throws(StoreError) {
    let isServer = original.db.postgres != nil
    let columns =
      isServer
      ? try original.db.identityColumns()
      : try copy.read { (db) throws(StoreError) in try db.identityColumns() }
    let remembering = Set(tables.filter(\.remembersKeys).map(\.name))
    for (table, column) in columns where !isServer || remembering.contains(table) {
      let last = try original.lastGivenKey(table, column)
      try copy.setLastKey(last, of: table, column)
      let found = try copy.read { (db) throws(StoreError) in try db.lastGivenKey(table, column) }
      guard found == last else {
        throw StoreError(
          .bug, "\(table): the last key is \(last), and \(found) in the copy", advice: "report this as a bug")
      }
    }
  }

  /// What a run has done so far.
  private struct Run {
    var summary = Summary()
    private let rows: Int
    private let progress: (Progress) -> Void
    private var done = 0
    private var isVerifying = false

    init(_ rows: Int, _ progress: @escaping (Progress) -> Void) {
      self.rows = rows
      self.progress = progress
    }

    private mutating func note(_ count: Int, _ table: CopiedTable) {
      done += count
      progress(Progress(table: table.name, isVerifying: isVerifying, done: done, total: rows))
    }

    mutating func beginVerifying() {
      isVerifying = true
      done = 0
    }

    mutating func write(
      _ table: CopiedTable, _ original: borrowing CopySource, _ copy: any CopyTarget
    ) throws(StoreError) {
      var last: [RowValue]?
      if table.key.isEmpty {
        try copy.empty(table)
      } else {
        last = try copy.read { (db) throws(StoreError) in try TableReader.lastKey(of: table, in: db) }
      }
      if last != nil {
        let found = try copy.read { (db) throws(StoreError) in
          Int(try db.integer("SELECT count(*) FROM \"\(table.name)\"") ?? 0)
        }
        summary.found += found
        note(found, table)
      }
      var reader = TableReader(table, in: original.db, behind: last)
      var page = RowBuffer()
      while try reader.read(from: original.db, into: &page) {
        try copy.write(page, to: table)
        summary.written += page.count
        note(page.count, table)
      }
      try copy.flush()
    }

    mutating func verify(
      _ table: CopiedTable, _ original: borrowing CopySource, _ copy: any CopyTarget
    ) throws(StoreError) {
      let expected = try TableDigest.of(table, in: original.db) { _ in }
      var found = try copy.read { (db) throws(StoreError) in try TableDigest.of(table, in: db) { _ in } }
      if found != expected, summary.found > 0 {
        // What an earlier run has written was changed in the original since.
        try copy.empty(table)
        try write(table, original, copy)
        found = try copy.read { (db) throws(StoreError) in try TableDigest.of(table, in: db) { _ in } }
      }
      guard found == expected else {
        throw StoreError(
          .corrupted,
          "the copy of the table \(table.name) differs from the original: \(found.rows) rows, and \(expected.rows) there",
          advice: "nobody may write to either side meanwhile; begin anew with an empty target")
      }
      note(expected.rows, table)
      summary.tables.append(Table(name: table.name, rows: expected.rows, digest: expected.bytes))
    }
  }
}
