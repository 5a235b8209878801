internal import CZlib
internal import HTTPServer

/// Compression of answers that are worth it.
enum Gzip {
  /// Shorter answers gain nothing.
  static let bytesMin = 1_024
  /// Fast: an answer is made once and read once.
  static let fast: Int32 = 1
  /// zlib's own choice between time and size, for what is compressed once and read often.
  static let thorough: Int32 = 6

  /// The bytes in gzip's form (RFC 1952), or nil when they cannot be compressed.
  static func compress(_ bytes: [UInt8], level: Int32 = fast) -> [UInt8]? {
    var stream = unsafe z_stream()
    guard unsafe czlib_deflate_init_gzip(&stream, level) == Z_OK else { return nil }
    defer { unsafe deflateEnd(&stream) }
    var input = bytes
    let room = unsafe Int(deflateBound(&stream, UInt(input.count)))
    var isWhole = false
    let output = unsafe [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
      unsafe input.withUnsafeMutableBufferPointer { source in
        unsafe stream.next_in = source.baseAddress
        unsafe stream.avail_in = UInt32(source.count)
        unsafe stream.next_out = buffer.baseAddress
        unsafe stream.avail_out = UInt32(buffer.count)
        isWhole = unsafe deflate(&stream, Z_FINISH) == Z_STREAM_END
      }
      count = unsafe room - Int(stream.avail_out)
    }
    return isWhole ? output : nil
  }

  /// Whether a client takes gzip (RFC 9110 section 12.5.3): named, or meant by the star, and not with the weight zero.
  static func isTaken(_ header: String?) -> Bool {
    var star = false
    for part in (header ?? "").split(separator: ",") {
      let pieces = part.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
      guard let coding = pieces.first else { continue }
      let weight = pieces.dropFirst().first { $0.hasPrefix("q=") }?.dropFirst(2)
      let isRefused = weight.map { $0.allSatisfy { $0 == "0" || $0 == "." } } ?? false
      if coding == "gzip" || coding == "x-gzip" { return !isRefused }
      if coding == "*" { star = !isRefused }
    }
    return star
  }
}

extension HTTPResponse {
  /// The response for this client: compressed when the client accepts that and it saves enough.
  func encoded(for request: HTTPRequest) -> HTTPResponse {
    guard case .bytes(let bytes) = body, bytes.count >= Gzip.bytesMin, status != 304,
      !headers.contains(where: { $0.name == "Content-Encoding" })
    else { return self }
    var response = self
    response.headers.append(("Vary", "Accept-Encoding"))
    guard Gzip.isTaken(request.headers.first("Accept-Encoding")), let shorter = Gzip.compress(bytes) else {
      return response
    }
    response.body = .bytes(shorter)
    response.headers.append(("Content-Encoding", "gzip"))
    for index in response.headers.indices where response.headers[index].name == "ETag" {
      response.headers[index].value = EntityTag.gzipped(response.headers[index].value)
    }
    return response
  }
}
