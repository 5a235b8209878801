internal import CNGHTTP2

/// A checked list of header fields in stable memory, laid out as an `nghttp2_nv` array.
///
///     [pseudo-headers] [:path, when asked for] [constant headers] [variable headers, values filled in per message]
///
/// `@unchecked Sendable`: the memory is written in `init` only, read afterwards, and freed in `deinit`.
final class HeaderBlock: @unchecked Sendable {
  let fields: UnsafeMutablePointer<nghttp2_nv>
  let count: Int
  /// The place of `:path`, when the block has one.
  let pathIndex: Int?
  /// The place of the first variable header; they are the last ones.
  let firstVariable: Int
  /// For each field the index of the same field, and of one with the same name, in the static table; 0 for none.
  let staticFields: [Int]
  let staticNames: [Int]
  private let bytes: StableBytes

  /// The length of all names and values.
  var byteCount: Int { bytes.count }

  var variableCount: Int { count - firstVariable }

  init(pseudo: [HTTP2Header], path: Bool, headers: [HTTP2Header], variable: [String]) throws(HTTP2HeaderError) {
    for header in pseudo { try HeaderBlock.check(header) }
    for header in headers { try HeaderBlock.checkRegular(header) }
    for name in variable { try HeaderBlock.checkRegular(HTTP2Header(name, "")) }
    guard variable.count <= HTTP2RequestTemplate.variableHeaderLimit else {
      throw HTTP2HeaderError(
        name: variable.last ?? "",
        problem: "is one variable header too many; \(HTTP2RequestTemplate.variableHeaderLimit) are allowed")
    }
    let rows =
      pseudo + (path ? [HTTP2Header(":path", "", indexed: false)] : []) + headers
      + variable.map { HTTP2Header($0, "", indexed: false) }
    bytes = StableBytes(rows.flatMap { Array($0.name.utf8) + Array($0.value.utf8) })
    let found = rows.map { HPACKStaticTable.find($0.name, $0.value) }
    staticFields = found.map(\.field)
    staticNames = found.map(\.name)
    fields = .allocate(capacity: max(1, rows.count))
    count = rows.count
    pathIndex = path ? pseudo.count : nil
    firstVariable = rows.count - variable.count
    fill(rows)
  }

  deinit { fields.deallocate() }

  /// Whether header compression may remember the field.
  func isIndexed(_ index: Int) -> Bool { fields[index].flags & UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue) == 0 }

  private func fill(_ rows: [HTTP2Header]) {
    var next = bytes.start
    for (index, row) in rows.enumerated() {
      let nameLength = row.name.utf8.count
      let valueLength = row.value.utf8.count
      var flags = NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue | NGHTTP2_NV_FLAG_NO_COPY_VALUE.rawValue
      if !row.indexed { flags |= NGHTTP2_NV_FLAG_NO_INDEX.rawValue }
      (fields + index).initialize(
        to: nghttp2_nv(
          name: next, value: next + nameLength, namelen: nameLength, valuelen: valueLength, flags: UInt8(flags)))
      next += nameLength + valueLength
    }
  }

  private static func checkRegular(_ header: HTTP2Header) throws(HTTP2HeaderError) {
    guard !header.name.utf8.starts(with: [UInt8(ascii: ":")]) else {
      throw HTTP2HeaderError(name: header.name, problem: "is a pseudo-header; those come from the other arguments")
    }
    try check(header)
  }

  private static func check(_ header: HTTP2Header) throws(HTTP2HeaderError) {
    let name = Array(header.name.utf8)
    guard nghttp2_check_header_name(name, name.count) != 0 else {
      throw HTTP2HeaderError(name: header.name, problem: "is not a lower-case HTTP/2 header name")
    }
    let value = Array(header.value.utf8)
    guard nghttp2_check_header_value_rfc9113(value, value.count) != 0 else {
      throw HTTP2HeaderError(
        name: header.name,
        problem: "has a value with control characters, or with white space at its start or end")
    }
  }
}
