internal import CNGHTTP2
internal import System

/// A checked list of header fields in stable memory, laid out as an `nghttp2_nv` array.
///
///     [pseudo-headers] [:path, when requested] [constant headers] [variable headers, values filled in per message]
///
/// `@unchecked Sendable`: the memory is written in `init` only, read afterwards, and freed in `deinit`.
///
/// `@safe`: the fields point into memory that lives as long as the object.
@safe final class HeaderBlock: @unchecked Sendable {
  let fields: UnsafeMutablePointer<nghttp2_nv>
  let count: Int
  /// The index of `:path`, when the block has one.
  let pathIndex: Int?
  /// The index of the first variable header; they are the last ones.
  let firstVariable: Int
  /// For each field the index of the same field, and of one with the same name, in the static table; 0 for none.
  let staticFields: [Int]
  let staticNames: [Int]
  private let bytes: StableBytes

  /// The length of all names and values.
  var byteCount: Int { bytes.count }

  var variableCount: Int { count - firstVariable }

  init(pseudo: [HTTP2Header], path: Bool, headers: [HTTP2Header], variable: [String]) throws(HTTP2HeaderError) {
    for header in pseudo { try HeaderBlock.check(header.name, header.value) }
    for header in headers { try HeaderBlock.checkRegular(header.name, header.value) }
    for name in variable { try HeaderBlock.checkRegular(name, "") }
    guard variable.count <= HTTP2RequestTemplate.variableHeaderLimit else {
      throw HTTP2HeaderError(
        name: variable.last ?? "",
        problem: "is one variable header too many; \(HTTP2RequestTemplate.variableHeaderLimit) are allowed")
    }
    // A push to one device is laid out once for that one send, so this takes no detours.
    var rows: [HTTP2Header] = []
    rows.reserveCapacity(pseudo.count + headers.count + variable.count + 1)
    rows += pseudo
    if path { rows.append(HTTP2Header(":path", "", indexed: false)) }
    rows += headers
    for name in variable { rows.append(HTTP2Header(name, "", indexed: false)) }
    count = rows.count
    pathIndex = path ? pseudo.count : nil
    firstVariable = rows.count - variable.count
    var staticFields: [Int] = []
    var staticNames: [Int] = []
    var length = 0
    staticFields.reserveCapacity(count)
    staticNames.reserveCapacity(count)
    for row in rows {
      let found = HPACKStaticTable.find(row.name, row.value)
      staticFields.append(found.field)
      staticNames.append(found.name)
      length += row.name.utf8.count + row.value.utf8.count
    }
    self.staticFields = staticFields
    self.staticNames = staticNames
    bytes = StableBytes(count: length)
    unsafe fields = .allocate(capacity: max(1, rows.count))
    fill(rows)
  }

  deinit { unsafe fields.deallocate() }

  /// Whether header compression may remember the field.
  func isIndexed(_ index: Int) -> Bool { unsafe fields[index].flags & UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue) == 0 }

  private func fill(_ rows: [HTTP2Header]) {
    var next = unsafe bytes.start
    for (index, row) in rows.enumerated() {
      let name = unsafe next
      let nameLength = unsafe HeaderBlock.copy(row.name, to: name)
      let value = unsafe name + nameLength
      let valueLength = unsafe HeaderBlock.copy(row.value, to: value)
      var flags = NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue | NGHTTP2_NV_FLAG_NO_COPY_VALUE.rawValue
      if !row.indexed { flags |= NGHTTP2_NV_FLAG_NO_INDEX.rawValue }
      unsafe (fields + index).initialize(
        to: nghttp2_nv(name: name, value: value, namelen: nameLength, valuelen: valueLength, flags: UInt8(flags)))
      unsafe next = unsafe value + valueLength
    }
  }

  /// Copies the text's bytes, for which there is room, and says how many they are.
  private static func copy(_ text: String, to target: UnsafeMutablePointer<UInt8>) -> Int {
    unsafe withBytes(of: text) { source in
      if let base = source.baseAddress { unsafe target.update(from: base, count: source.count) }
      return source.count
    }
  }

  private static func withBytes<Value>(of text: String, _ body: (UnsafeBufferPointer<UInt8>) -> Value) -> Value {
    unsafe text.utf8.withContiguousStorageIfAvailable(body) ?? Array(text.utf8).withUnsafeBufferPointer(body)
  }

  private static func checkRegular(_ name: String, _ value: String) throws(HTTP2HeaderError) {
    guard name.utf8.first != UInt8(ascii: ":") else {
      throw HTTP2HeaderError(name: name, problem: "is a pseudo-header; those come from the other arguments")
    }
    try check(name, value)
  }

  private static func check(_ name: String, _ value: String) throws(HTTP2HeaderError) {
    guard unsafe withBytes(of: name, { unsafe nghttp2_check_header_name($0.baseAddress, $0.count) }) != 0 else {
      throw HTTP2HeaderError(name: name, problem: "is not a lower-case HTTP/2 header name")
    }
    guard unsafe withBytes(of: value, { unsafe nghttp2_check_header_value_rfc9113($0.baseAddress, $0.count) }) != 0
    else {
      throw HTTP2HeaderError(
        name: name, problem: "has a value with control characters, or with white space at its start or end")
    }
  }
}
