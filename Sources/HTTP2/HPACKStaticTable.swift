/// The static table of header compression (RFC 7541 appendix A).
enum HPACKStaticTable {
  /// Row 0 is index 1.
  static let rows: [(name: String, value: String)] = [
    (":authority", ""), (":method", "GET"), (":method", "POST"), (":path", "/"), (":path", "/index.html"),
    (":scheme", "http"), (":scheme", "https"), (":status", "200"), (":status", "204"), (":status", "206"),
    (":status", "304"), (":status", "400"), (":status", "404"), (":status", "500"), ("accept-charset", ""),
    ("accept-encoding", "gzip, deflate"), ("accept-language", ""), ("accept-ranges", ""), ("accept", ""),
    ("access-control-allow-origin", ""), ("age", ""), ("allow", ""), ("authorization", ""), ("cache-control", ""),
    ("content-disposition", ""), ("content-encoding", ""), ("content-language", ""), ("content-length", ""),
    ("content-location", ""), ("content-range", ""), ("content-type", ""), ("cookie", ""), ("date", ""), ("etag", ""),
    ("expect", ""), ("expires", ""), ("from", ""), ("host", ""), ("if-match", ""), ("if-modified-since", ""),
    ("if-none-match", ""), ("if-range", ""), ("if-unmodified-since", ""), ("last-modified", ""), ("link", ""),
    ("location", ""), ("max-forwards", ""), ("proxy-authenticate", ""), ("proxy-authorization", ""), ("range", ""),
    ("referer", ""), ("refresh", ""), ("retry-after", ""), ("server", ""), ("set-cookie", ""),
    ("strict-transport-security", ""), ("transfer-encoding", ""), ("user-agent", ""), ("vary", ""), ("via", ""),
    ("www-authenticate", ""),
  ]

  /// The index of a whole field, and of a field with the same name; 0 for none.
  static func find(_ name: String, _ value: String) -> (field: Int, name: Int) {
    guard let first = firstRows[name] else { return (0, 0) }
    for index in first..<rows.count {
      if rows[index].name != name { break }
      if rows[index].value == value { return (index + 1, index + 1) }
    }
    return (0, first + 1)
  }

  /// Rows of one name follow each other; this is where they start.
  private static let firstRows: [String: Int] = Dictionary(
    rows.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
}
