internal import Signing
internal import StoreModel

/// Reads a table from its first row to its last in pages, in the order of its key.
///
/// Each page is a statement of its own, so that no transaction stays open; nobody writes meanwhile.
struct TableReader {
  private let table: CopiedTable
  private let isServer: Bool
  private var last: [RowValue]?
  private var limit: Int
  private var isAtEnd = false

  /// Rows of a page, and the bytes that it should have: a page of a server is in memory twice.
  private static let rows = 16...4_096
  private static let bytes = 512 * 1_024...2 * 1_024 * 1_024

  /// Begins behind a key, or at the first row.
  init(_ table: CopiedTable, in db: borrowing Connection, behind key: [RowValue]? = nil) {
    self.table = table
    isServer = db.postgres != nil
    last = key
    limit = table.hasLargeValues ? Self.rows.lowerBound : Self.rows.upperBound / 4
  }

  /// Replaces what is in `page` by the next rows; false when there are none.
  mutating func read(from db: borrowing Connection, into page: inout RowBuffer) throws(StoreError) -> Bool {
    page.removeAll()
    guard !isAtEnd else { return false }
    let select = try db.prepare(parts: table.selection(isBehindKey: last != nil, isServer: isServer))
    var index: Int32 = 1
    for value in last ?? [] {
      value.bind(to: select, at: index)
      index += 1
    }
    select.bind(index, limit)
    while try select.step() { page.append(select, of: table) }
    // A table without a key has one row.
    isAtEnd = page.count < limit || table.key.isEmpty
    guard !page.isEmpty else { return false }
    if !isAtEnd { last = try page.key(of: page.count - 1, table) }
    if page.bytes.count < Self.bytes.lowerBound { limit = min(limit * 2, Self.rows.upperBound) }
    if page.bytes.count > Self.bytes.upperBound { limit = max(limit / 2, Self.rows.lowerBound) }
    return true
  }

  /// The key of the last row, nil when there is none.
  static func lastKey(of table: CopiedTable, in db: borrowing Connection) throws(StoreError) -> [RowValue]? {
    let select = try db.prepareOnce(table.lastSelection(isServer: db.postgres != nil))
    guard try select.step() else { return nil }
    var page = RowBuffer()
    page.append(select, of: table)
    return try page.key(of: 0, table)
  }
}

/// The count of a table's rows and the digest of every value in them, which are the same on both engines.
struct TableDigest: Equatable {
  private(set) var rows = 0
  /// Of the rows up to here: the digest of the one before and the row, so that it depends on no size of a page.
  private(set) var bytes = [UInt8](repeating: 0, count: SHA256.digestBytes)
  private var message: [UInt8] = []

  static func == (one: TableDigest, other: TableDigest) -> Bool { one.rows == other.rows && one.bytes == other.bytes }

  mutating func add(_ page: borrowing RowBuffer) {
    for row in 0..<page.count {
      message.removeAll(keepingCapacity: true)
      message += bytes
      message += page.bytes[page.range(of: row)]
      bytes = SHA256.digest(message)
    }
    rows += page.count
  }

  /// Reads a table whole; `progress` is called with the rows of each page.
  static func of(
    _ table: CopiedTable, in db: borrowing Connection, _ progress: (Int) -> Void
  ) throws(StoreError) -> TableDigest {
    var digest = TableDigest()
    var reader = TableReader(table, in: db)
    var page = RowBuffer()
    while try reader.read(from: db, into: &page) {
      digest.add(page)
      progress(page.count)
    }
    return digest
  }
}
