import HTTPServer

extension FuzzTarget {
  /// The head of a request, as a client sends it to the API.
  static let heads = FuzzTarget(
    name: "heads", about: "request heads: what is taken has one reading only, and a second reader agrees about it"
  ) { (bytes) throws(FuzzFailure) in
    guard let head = try? RequestHead(parsing: bytes.span) else { return }
    let text = String(decoding: bytes, as: UTF8.self)
    guard let end = find("\r\n\r\n", in: bytes) else { throw FuzzFailure("a head without its empty line is taken") }
    let lines = split(bytes[..<end])
    try expect(
      !bytes[..<end].contains(0) && lines.allSatisfy { !$0.contains(13) && !$0.contains(10) },
      "a NUL or a bare line end is taken: \(text)")
    try expect(lines.count - 1 == head.headers.count, "\(lines.count - 1) lines, \(head.headers.count) fields")
    let fields = lines.dropFirst().map(Field.init)
    try expect(fields.allSatisfy(\.isNameToken), "a name that is no token is taken")
    let lengths = fields.filter { $0.name == "content-length" }
    let codings = fields.filter { $0.name == "transfer-encoding" }
    let framing: BodyFraming =
      codings.isEmpty ? lengths.first.flatMap { Int($0.value) }.map { .length($0) } ?? .none : .chunked
    try expect(lengths.count + codings.count <= 1, "two ways to find the end of the body")
    try expect(head.framing == framing, "the body is framed as \(head.framing), a second reader says \(framing)")
    try expect(codings.allSatisfy { $0.value.lowercased() == "chunked" }, "another coding than chunked is taken")
    let hosts = fields.count { $0.name == "host" }
    try expect(hosts == 1 || head.isHTTP10 && hosts == 0, "\(hosts) hosts")
    if case .success(let target) = head.target { try check(target) }
  }

  /// A path's segments and a query's pairs hold no NUL, and written anew they are read alike.
  private static func check(_ target: HTTPTarget) throws(FuzzFailure) {
    let parts = target.segments + target.query.pairs.flatMap { [$0.name, $0.value] }
    try expect(parts.allSatisfy { !$0.utf8.contains(0) }, "a NUL in a decoded part")
    let path = target.segments.map { "/" + escaped($0) }.joined()
    let query = target.query.pairs.map { escaped($0.name) + "=" + escaped($0.value) }.joined(separator: "&")
    let written = Array(((path.isEmpty ? "/" : path) + "?" + query).utf8)
    guard let again = try? HTTPTarget(parsing: written.span) else { throw FuzzFailure("what was read is refused") }
    // An empty last segment is dropped: `/a//` and `/a/` differ, `/a/` and `/a` do not.
    var segments = target.segments
    if segments.last == "" { segments.removeLast() }
    try expect(again.segments == segments, "\(target.segments) written anew reads \(again.segments)")
    try expect(again.query == target.query, "\(target.query) written anew reads \(again.query)")
  }

  private static func escaped(_ text: String) -> String {
    text.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        String(Unicode.Scalar(byte))
      default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }
    }.joined()
  }

  /// A header line, read in the plainest way.
  private struct Field {
    let name: String
    let value: String
    let isNameToken: Bool

    init(_ line: ArraySlice<UInt8>) {
      let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
      name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
      let blanks: [UInt8] = [0x20, 0x09]
      var rest = line[colon...].dropFirst().drop { blanks.contains($0) }
      while let last = rest.last, blanks.contains(last) { rest.removeLast() }
      value = String(decoding: rest, as: UTF8.self)
      let separators = Array("()<>@,;:\\\"/[]?={} \t".utf8)
      isNameToken =
        colon > line.startIndex && line[..<colon].allSatisfy { $0 > 0x20 && $0 < 0x7F && !separators.contains($0) }
    }
  }

  private static func split(_ bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var lines: [ArraySlice<UInt8>] = []
    var start = bytes.startIndex
    for index in bytes.indices.dropLast() where bytes[index] == 13 && bytes[index + 1] == 10 {
      lines.append(bytes[start..<index])
      start = index + 2
    }
    return lines + [bytes[start...]]
  }

  private static func find(_ text: String, in bytes: [UInt8]) -> Int? {
    let wanted = Array(text.utf8)
    guard bytes.count >= wanted.count else { return nil }
    return (0...bytes.count - wanted.count).first { bytes[$0..<$0 + wanted.count].elementsEqual(wanted) }
  }
}

extension FuzzTarget {
  /// The first byte is the size of the pieces, the rest a chunked body.
  static let chunks = FuzzTarget(
    name: "chunks", about: "chunked bodies: pieces do not matter, and what is written in chunks is read back"
  ) { (bytes) throws(FuzzFailure) in
    guard let first = bytes.first else { return }
    let input = Array(bytes.dropFirst())
    let whole = body(input, piece: max(1, input.count))
    try expect(whole == body(input, piece: Int(first) % 13 + 1), "the pieces' size changes the body")
    try expect(whole.bytes.count <= input.count, "more came out than went in")
    let written = chunked(input, size: Int(first) % 37 + 1)
    let read = body(written, piece: Int(first) % 7 + 1)
    try expect(read.bytes == input && read.end == "end", "what was written in chunks reads \(read)")
  }

  private struct DecodedBody: Equatable {
    var bytes: [UInt8] = []
    var end = "more"
  }

  private static func body(_ input: [UInt8], piece: Int) -> DecodedBody {
    var (decoder, found) = (ChunkDecoder(), DecodedBody())
    for start in stride(from: 0, to: input.count, by: piece) {
      let part = Array(input[start..<min(input.count, start + piece)])
      var index = 0
      do throws(HTTPFault) {
        reading: while true {
          switch try decoder.next(part.span, &index) {
          case .piece(let range): found.bytes += part[range]
          case .more: break reading
          case .end:
            found.end = "end"
            return found
          }
        }
      } catch {
        found.end = error.detail
        return found
      }
    }
    return found
  }

  private static func chunked(_ body: [UInt8], size: Int) -> [UInt8] {
    var written: [UInt8] = []
    for start in stride(from: 0, to: body.count, by: size) {
      let part = body[start..<min(body.count, start + size)]
      written += Array(String(part.count, radix: 16).utf8) + [13, 10] + part + [13, 10]
    }
    return written + Array("0\r\n\r\n".utf8)
  }
}
