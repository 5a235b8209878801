internal import HTTPServer
internal import StoreModel
internal import WireJSON

/// Pages of long lists: `limit` rows after a cursor, and the cursor of the next page.
enum Paging {
  static let limitMax = 1_000
  static let limitDefault = 100

  static let query: [Route.Query] = [
    Route.Query(
      name: "limit",
      schema: .integer(1...limitMax, "Rows on the page; \(limitDefault) by default.", example: 100)),
    Route.Query(
      name: "cursor",
      schema: .string("\"next\" of the page before.", max: 19).documented(["pattern": "^[1-9][0-9]{0,18}$"])),
  ]

  static func limit(_ call: Call) -> Int { call.http.query["limit"].flatMap { Int($0) } ?? limitDefault }

  /// The row the page comes after; nil for the first page.
  static func cursor<Record>(_ call: Call) throws(Problem) -> RowID<Record>? {
    guard let text = call.http.query["cursor"] else { return nil }
    guard let id = RowID<Record>(text) else {
      throw Problem(.badRequest, "?cursor: expected \"next\" of the page before, found \"\(text.prefix(40))\"")
    }
    return id
  }

  /// A page: the rows, and where the next one begins when there may be one.
  static func page<Row, Record>(
    _ name: String, _ rows: [Row], limit: Int, id: (Row) -> RowID<Record>, json: (Row) -> JSONValue
  ) -> Reply {
    var object: JSONObject = [name: .array(rows.prefix(limit).map(json))]
    if rows.count > limit { object["next"] = .string(id(rows[limit - 1]).description) }
    return Reply(200, .object(object))
  }

  static func schema(_ name: String, of row: Schema) -> Schema {
    .object([
      .required(name, .array(of: row, max: limitMax)),
      .optional("next", .string("The cursor of the next page; absent on the last.", max: 40)),
    ])
  }
}
