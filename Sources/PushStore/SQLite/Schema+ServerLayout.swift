extension Schema {
  /// A version in which only the tables of a database server change (see ``PostgresSchema``); the numbers are the same for both.
  static let serverLayout = ""
  /// The same.
  static let serverRefusals = ""
}
