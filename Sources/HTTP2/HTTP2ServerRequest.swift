/// A request that came in. Confined to its connection's loop, and valid until it is answered or its stream ends; keep
/// `responder` and copies of what is needed to answer later.
public final class HTTP2ServerRequest {
  /// The connection that it came on.
  public let connection: HTTP2ServerConnection
  /// The stream's id.
  public let streamID: Int32

  init(connection: HTTP2ServerConnection, streamID: Int32) {
    self.connection = connection
    self.streamID = streamID
  }

  /// The `:method`.
  public var method: ArraySlice<UInt8> { [] }
  /// The `:path`.
  public var path: ArraySlice<UInt8> { [] }
  /// The `:authority`, or the `host` header when there is none.
  public var authority: ArraySlice<UInt8>? { nil }
  /// The first value of a header, by its lower-case name.
  public func header(_ name: StaticString) -> ArraySlice<UInt8>? { nil }
  /// All header fields in order, pseudo-headers included.
  public var headers: [(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)] { [] }
  /// The body, up to the configured limit.
  public var body: [UInt8] { [] }
  /// How many bytes of body were sent, kept or not.
  public var bodyLength: Int { 0 }

  /// Answers from any thread, now or later.
  public var responder: HTTP2Responder { HTTP2Responder(connection: connection, streamID: streamID) }

  /// Answers with a template: its constant headers, `values` for its variable ones (in order, `nil` for none), and
  /// `body`, or the template's body when `nil`.
  public func respond(_ template: HTTP2ResponseTemplate, values: [ArraySlice<UInt8>?] = [], body: [UInt8]? = nil) {}

  /// Answers.
  public func respond(status: Int, headers: [HTTP2Header] = [], body: [UInt8] = []) {}

  /// Ends the stream with RST_STREAM.
  public func reset(_ code: HTTP2ErrorCode) {}
}

/// Answers one request from any thread, once; further answers, and answers to a stream that has ended, do nothing.
public struct HTTP2Responder: Sendable {
  let connection: HTTP2ServerConnection
  let streamID: Int32

  /// Answers after `delay`.
  public func respond(status: Int, headers: [HTTP2Header] = [], body: [UInt8] = [], after delay: Duration = .zero) {}

  /// Answers with a template after `delay`.
  public func respond(
    _ template: HTTP2ResponseTemplate, values: [[UInt8]?] = [], body: [UInt8]? = nil, after delay: Duration = .zero
  ) {}

  /// Ends the stream with RST_STREAM after `delay`.
  public func reset(_ code: HTTP2ErrorCode, after delay: Duration = .zero) {}
}

/// What many responses have in common, in stable memory: status, constant headers, the names of headers that differ,
/// and a body.
public final class HTTP2ResponseTemplate: Sendable {
  let block: HeaderBlock
  let body: StableBytes

  /// Builds a template.
  /// - Parameters:
  ///   - headers: constant headers, lower-case names.
  ///   - variableHeaders: names whose values each response gives, in this order.
  ///   - body: the body of each response that gives none of its own.
  /// - Throws: ``HTTP2HeaderError`` when a name or a value is not legal in HTTP/2.
  public init(status: Int, headers: [HTTP2Header] = [], variableHeaders: [String] = [], body: [UInt8] = [])
    throws(HTTP2HeaderError)
  {
    block = try HeaderBlock(
      pseudo: [HTTP2Header(":status", String(status))], path: false, headers: headers, variable: variableHeaders)
    self.body = StableBytes(body)
  }
}
