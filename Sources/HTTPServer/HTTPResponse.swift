/// A response: status, header fields, body.
///
/// `Date`, `Content-Length` and `Connection` are the server's own business.
public struct HTTPResponse: Sendable {
  /// The status code, 200…599.
  public var status: Int
  /// The header fields, sent in this order.
  ///
  /// A name or value with a control character is left out.
  public var headers: [(name: String, value: String)]
  /// What follows the header.
  public var body: HTTPResponseBody

  /// A response with any body.
  public init(status: Int, headers: [(name: String, value: String)] = [], body: HTTPResponseBody) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// A response whose body is at hand.
  public init(status: Int, headers: [(name: String, value: String)] = [], bytes: [UInt8] = []) {
    self.init(status: status, headers: headers, body: .bytes(bytes))
  }

  /// A response with a media type and a body at hand.
  public init(status: Int, contentType: String, bytes: [UInt8]) {
    self.init(status: status, headers: [("Content-Type", contentType)], body: .bytes(bytes))
  }

  /// A JSON response (`application/json`).
  public static func json(_ bytes: [UInt8], status: Int = 200) -> HTTPResponse {
    HTTPResponse(status: status, contentType: "application/json", bytes: bytes)
  }
}

/// The body of a response.
public enum HTTPResponseBody: Sendable {
  /// All bytes at hand; sent with `Content-Length`.
  case bytes([UInt8])
  /// Bytes produced on demand, on a server thread, only when the client has room: suitable for a long export. The
  /// closure appends one piece per call and returns `false` when there is no more; it must not block for long. It is
  /// called by one thread at a time. When it throws, the connection is cut, so that the client can detect that the body
  /// is incomplete.
  case produced(@Sendable (inout [UInt8]) throws -> Bool)
  /// Bytes pushed from other threads as they are produced (server-sent events).
  case stream(HTTPStream)
}
