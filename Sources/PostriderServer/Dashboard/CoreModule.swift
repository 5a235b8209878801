internal import HTTPServer
internal import Signing

/// The contract core as a WebAssembly module (docs/core.md), which the dashboard's composer runs in the browser.
public struct CoreModule: Sendable {
  /// Where the dashboard fetches it.
  static let path = "/dashboard/postrider.wasm"
  /// The most bytes that a module may have.
  public static let bytesMax = 16 << 20
  /// `\0asm` and version 1 of the binary format.
  private static let preamble: [UInt8] = [0x00, 0x61, 0x73, 0x6D, 0x01, 0x00, 0x00, 0x00]

  private let bytes: [UInt8]
  private let compressed: [UInt8]?
  private let tag: String

  /// A module from the bytes of its file.
  ///
  /// - Throws: ``PostriderServerError`` when they are no WebAssembly module, or too many.
  public init(bytes: [UInt8]) throws(PostriderServerError) {
    guard bytes.starts(with: Self.preamble) else {
      throw PostriderServerError("the core module is not a WebAssembly module; script/core wasm builds one")
    }
    guard bytes.count <= Self.bytesMax else {
      throw PostriderServerError(
        "the core module has more than \(Self.bytesMax >> 20) MiB; script/core wasm builds one")
    }
    self.bytes = bytes
    // Once for all browsers, and so with more effort than an answer that is read once.
    compressed = Gzip.compress(bytes, level: Gzip.thorough)
    tag = EntityTag.of(bytes)
  }

  /// The module for a client; a server without one has nothing for it, which is no error.
  static func response(_ module: CoreModule?, to request: HTTPRequest) -> HTTPResponse {
    guard let module else { return HTTPResponse(status: 204, headers: [("Cache-Control", "no-cache")]) }
    let isCompressed = module.compressed != nil && Gzip.isTaken(request.headers.first("Accept-Encoding"))
    let tag = isCompressed ? EntityTag.gzipped(module.tag) : module.tag
    var headers = [("ETag", tag), ("Cache-Control", "no-cache"), ("Vary", "Accept-Encoding")]
    if let known = request.headers.first("If-None-Match"), Dashboard.matches(known, tag) {
      return HTTPResponse(status: 304, headers: headers)
    }
    headers.append(("Content-Type", "application/wasm"))
    guard isCompressed, let compressed = module.compressed else {
      return HTTPResponse(status: 200, headers: headers, bytes: module.bytes)
    }
    return HTTPResponse(status: 200, headers: headers + [("Content-Encoding", "gzip")], bytes: compressed)
  }
}
