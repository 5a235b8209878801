/// A vendor whose file can be imported, as data: its columns and kinds, and the forms its files have.
struct ImportVendor: Sendable {
  /// How a file is laid out.
  enum Form: Sendable, Hashable {
    /// A header and rows (RFC 4180).
    case csv
    /// A JSON object in each line.
    case ndjson
    /// A token in each line.
    case lines
    /// A dump of PostgreSQL that contains this table as a `COPY`.
    case copy(table: String)
  }

  /// The word on the command line.
  let name: String
  /// What the vendor calls itself.
  let title: String
  let summary: String
  /// The file, as the usage line shows it.
  let operand: String
  /// The forms that are recognized; a file in no other form is read as CSV.
  let forms: [Form]
  let columns: [ImportColumn]
  let kinds: [ImportKind]
  /// The kind of rows that name none; nil when they are left out.
  var kindDefault: ImportKind.Meaning?
  var details = ""
  let example: String

  static let all = [oneSignal, pinpoint, firebase, powerAuth]

  /// The position of the column with a target.
  func column(_ target: ImportColumn.Target) -> Int? { columns.firstIndex { $0.target == target } }
}
