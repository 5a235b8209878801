internal import CNGHTTP2
internal import System

/// A request that came in.
///
/// Confined to its connection's loop, and valid until it is answered or its stream ends: the object is used again for
/// another request. To answer later keep `responder`, and copies of what is needed.
public final class HTTP2ServerRequest {
  /// Where one field lies in `bytes`: name, then value.
  struct Field {
    let start: Int32
    let nameEnd: Int32
    let end: Int32
  }

  /// The connection that it came on.
  public unowned let connection: HTTP2ServerConnection
  /// The stream's id.
  public internal(set) var streamID: Int32 = 0
  // `@exclusivity(unchecked)` here and below saves a tenth of the server's time. It is sound: the object is confined to
  // one loop, and each access is one append or one read that calls nothing which could reach the property again.
  /// The body, up to the configured limit.
  @exclusivity(unchecked) public internal(set) var body: [UInt8] = []
  /// How many bytes of body were sent, kept or not.
  public internal(set) var bodyLength = 0

  @exclusivity(unchecked) var bytes: [UInt8] = []
  @exclusivity(unchecked) var fields: [Field] = []
  var answered = false
  var isOpen = false
  var tooLarge = false
  @exclusivity(unchecked) var answer: [UInt8] = []
  var template: HTTP2ResponseTemplate?
  var answerSent = 0

  init(connection: HTTP2ServerConnection) { self.connection = connection }

  /// The `:method`.
  public var method: ArraySlice<UInt8> { header(":method") ?? [] }

  /// The `:path`.
  public var path: ArraySlice<UInt8> { header(":path") ?? [] }

  /// The `:authority`, or the `host` header when there is none.
  public var authority: ArraySlice<UInt8>? { header(":authority") ?? header("host") }

  /// The first value of a header, by its lower-case name.
  public func header(_ name: StaticString) -> ArraySlice<UInt8>? {
    let wanted = unsafe UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    let found = unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe fields.firstIndex { field in
        unsafe Int(field.nameEnd - field.start) == wanted.count
          && bytes.baseAddress.map { unsafe FieldRules.equal($0 + Int(field.start), wanted) } == true
      }
    }
    return found.map { unsafe value(of: fields[$0]) }
  }

  /// All header fields in order, pseudo-headers included.
  public var headers: [(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)] {
    unsafe fields.map { unsafe (bytes[Int($0.start)..<Int($0.nameEnd)], value(of: $0)) }
  }

  private func value(of field: Field) -> ArraySlice<UInt8> { unsafe bytes[Int(field.nameEnd)..<Int(field.end)] }

  /// Answers from any thread, now or later.
  public var responder: HTTP2Responder { HTTP2Responder(connection: connection, streamID: streamID) }

  /// Answers with a template: its constant headers, `values` for its variable ones (in order, `nil` for none), and
  /// `body`, or the template's body when `nil`.
  public func respond(_ template: HTTP2ResponseTemplate, values: [ArraySlice<UInt8>?] = [], body: [UInt8]? = nil) {
    connection.session?.respond(self, template, values, body)
  }

  /// Answers.
  public func respond(status: Int, headers: [HTTP2Header] = [], body: [UInt8] = []) {
    connection.session?.respond(self, status, headers, body)
  }

  /// Gives the request back after `delay`, on this loop, unless its stream has ended: to answer it then needs no copy of what
  /// it says.
  public func resume(after delay: Duration, _ answer: @escaping (HTTP2ServerRequest) -> Void) {
    let stream = streamID
    let due = MonotonicTime.time(MonotonicTime.now(), plus: MonotonicTime.nanoseconds(delay))
    // The connection is held for the time of the wait: a request does not hold it.
    _ = connection.loop.addTimer(at: due) { [self, connection] in
      guard connection.session != nil, streamID == stream, isOpen, !answered else { return }
      answer(self)
    }
  }

  /// Ends the stream with RST_STREAM.
  public func reset(_ code: HTTP2ErrorCode) { connection.session?.reset(self, code) }

  func reuse(for stream: Int32) {
    streamID = stream
    unsafe body.removeAll(keepingCapacity: true)
    bodyLength = 0
    unsafe bytes.removeAll(keepingCapacity: true)
    unsafe fields.removeAll(keepingCapacity: true)
    answered = false
    isOpen = true
    tooLarge = false
  }

  /// The bytes of the answer's body.
  func withAnswer<R>(_ use: (UnsafeBufferPointer<UInt8>) -> R) -> R {
    if let template { return unsafe use(UnsafeBufferPointer(start: template.body.start, count: template.body.count)) }
    return unsafe answer.withUnsafeBufferPointer(use)
  }
}

/// Answers one request from any thread, once; further answers, and answers to a stream that has ended, do nothing.
public struct HTTP2Responder: Sendable {
  let connection: HTTP2ServerConnection
  let streamID: Int32

  /// Answers after `delay`.
  public func respond(status: Int, headers: [HTTP2Header] = [], body: [UInt8] = [], after delay: Duration = .zero) {
    connection.later(streamID, delay) { $0.respond(status: status, headers: headers, body: body) }
  }

  /// Answers with a template after `delay`.
  public func respond(
    _ template: HTTP2ResponseTemplate, values: [[UInt8]?] = [], body: [UInt8]? = nil, after delay: Duration = .zero
  ) {
    connection.later(streamID, delay) { request in
      request.respond(template, values: values.map { value in value.map { $0[...] } }, body: body)
    }
  }

  /// Ends the stream with RST_STREAM after `delay`.
  public func reset(_ code: HTTP2ErrorCode, after delay: Duration = .zero) {
    connection.later(streamID, delay) { $0.reset(code) }
  }
}

/// What many responses have in common, in stable memory: status, constant headers, the names of headers that differ,
/// and a body.
public final class HTTP2ResponseTemplate: Sendable {
  let block: HeaderBlock
  let body: StableBytes

  /// Builds a template.
  /// - Parameters:
  ///   - status: the `:status`.
  ///   - headers: constant headers, lower-case names.
  ///   - variableHeaders: names whose values each response gives, in this order.
  ///   - body: the body of each response that gives none of its own.
  /// - Throws: ``HTTP2HeaderError`` when a name or a value is invalid in HTTP/2.
  public init(status: Int, headers: [HTTP2Header] = [], variableHeaders: [String] = [], body: [UInt8] = [])
    throws(HTTP2HeaderError)
  {
    block = try HeaderBlock(
      pseudo: [HTTP2Header(":status", String(status))], path: false, headers: headers, variable: variableHeaders)
    self.body = StableBytes(body)
  }
}
