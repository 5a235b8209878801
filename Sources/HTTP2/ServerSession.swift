internal import CNGHTTP2

/// The HTTP/2 side of a server's connection: nghttp2, and a request object for each open stream.
///
/// Confined to one loop.
///
/// Request objects stay with the session and are used again, so that pointers to them, which nghttp2 holds as user
/// data, are good as long as the session lives.
///
/// `@safe`: the object owns the session from `init` to `deinit`, and the session calls back only while the object
/// calls it.
@safe final class ServerSession {
  private let memory = SessionMemory()
  private let writer = FrameWriter()
  private unowned let connection: HTTP2ServerConnection
  private let bodyLimit: Int
  private let headerLimit: Int
  private var session: OpaquePointer?
  private var all: [HTTP2ServerRequest] = []
  // Unchecked for speed; sound as in `HTTP2ServerRequest`.
  @exclusivity(unchecked) private var free: [HTTP2ServerRequest] = []
  /// Requests that are whole and have not been handled yet, with their streams: an object whose stream is reset before
  /// that may already serve another one.
  @exclusivity(unchecked) private var whole: [(request: HTTP2ServerRequest, stream: Int32)] = []
  private let scratch: UnsafeMutablePointer<nghttp2_nv>
  private(set) var lastStreamID: Int32 = 0
  /// What a GOAWAY named; streams above it are not handled.
  private var lastAllowed = Int32.max
  private var budget: FrameBudget

  private static let scratchFields = 128
  private static let connectionWindow: Int32 = 16 * 1024 * 1024
  /// What a client sends before its first frame (RFC 9113 section 3.4), in bytes.
  private static let prefaceBytes = 24

  init(connection: HTTP2ServerConnection, settings: HTTP2Settings, bodyLimit: Int, headerLimit: Int) {
    self.connection = connection
    budget = FrameBudget(preface: ServerSession.prefaceBytes, now: connection.loop.now)
    self.bodyLimit = bodyLimit
    self.headerLimit = headerLimit
    unsafe scratch = .allocate(capacity: ServerSession.scratchFields)
    var option: OpaquePointer?
    unsafe nghttp2_option_new(&option)
    defer { unsafe nghttp2_option_del(option) }
    unsafe nghttp2_option_set_no_closed_streams(option, 1)
    unsafe nghttp2_option_set_max_outbound_ack(option, FrameBudget.burst)
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe nghttp2_session_server_new3(&session, ServerCallbacks.table, context, option, &memory.table)
    update(settings)
    unsafe nghttp2_session_set_local_window_size(
      session, UInt8(NGHTTP2_FLAG_NONE.rawValue), 0, ServerSession.connectionWindow)
  }

  deinit {
    unsafe nghttp2_session_del(session)
    unsafe scratch.deallocate()
  }

  /// How many requests have not been answered to the end.
  var open: Int { unsafe all.count - free.count }

  var isDone: Bool { unsafe nghttp2_session_want_read(session) == 0 && nghttp2_session_want_write(session) == 0 }

  func update(_ settings: HTTP2Settings) {
    let entries = settings.entries
    unsafe nghttp2_submit_settings(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), entries, entries.count)
  }

  /// Leaves: streams above `last`, or above what an earlier GOAWAY named, are not handled any more.
  func goAway(_ last: Int32, _ code: HTTP2ErrorCode, _ data: [UInt8]) {
    lastAllowed = min(lastAllowed, last)
    unsafe nghttp2_submit_goaway(
      session, UInt8(NGHTTP2_FLAG_NONE.rawValue), lastAllowed, code.rawValue, data, data.count)
  }

  /// Takes bytes from the client; `false` when the connection cannot go on, and the GOAWAY that says why is ready.
  func feed(_ bytes: UnsafeBufferPointer<UInt8>, at now: Int64) -> Bool {
    if let flood = unsafe budget.read(bytes, at: now) {
      goAway(lastStreamID, .enhanceYourCalm, Array(flood.utf8))
      return false
    }
    let result = unsafe nghttp2_session_mem_recv(session, bytes.baseAddress, bytes.count)
    if result >= 0 { return true }
    let error = Int32(truncatingIfNeeded: result)
    goAway(lastStreamID, isFlood(error) ? .enhanceYourCalm : .protocolError, Array(sessionErrorText(error).utf8))
    return false
  }

  /// Hands over the requests that are whole.
  func handleWhole(_ handler: any HTTP2ServerHandler) {
    // The handler may write, which may end streams; none is added meanwhile.
    let count = unsafe whole.count
    for index in 0..<count {
      let (request, stream) = unsafe whole[index]
      guard request.isOpen, request.streamID == stream, !request.answered, stream <= lastAllowed else { continue }
      if request.tooLarge { request.respond(status: 431) } else { handler.handle(request) }
    }
    unsafe whole.removeAll(keepingCapacity: true)
  }

  /// Writes what is ready; `false` when nghttp2 failed.
  ///
  /// - Parameter always: one block is written even when the channel is full.
  func write(to channel: SecureChannel, always: Bool = false) -> Bool {
    guard let session = unsafe session else { return false }
    return unsafe writer.write(session, to: channel, always: always)
  }

  func request(_ stream: Int32) -> HTTP2ServerRequest? {
    guard let user = unsafe nghttp2_session_get_stream_user_data(session, stream) else { return nil }
    return unsafe Unmanaged<HTTP2ServerRequest>.fromOpaque(user).takeUnretainedValue()
  }

  // MARK: Answers

  func respond(
    _ request: HTTP2ServerRequest, _ template: HTTP2ResponseTemplate, _ values: [ArraySlice<UInt8>?],
    _ body: [UInt8]?
  ) {
    guard request.isOpen, !request.answered else { return }
    let block = template.block
    unsafe scratch.update(from: block.fields, count: block.firstVariable)
    // The values are copied by nghttp2, so they need to live only until it is called: one block holds them all.
    var held: [UInt8] = []
    for value in values { if let value { held += value } }
    request.template = body == nil ? template : nil
    if let body { unsafe request.answer = body }
    unsafe held.withUnsafeBufferPointer { bytes in
      let count = unsafe layVariable(block, values, bytes.baseAddress)
      submit(request, count)
    }
  }

  /// Adds the variable fields that have values; gives the count of all fields.
  private func layVariable(_ block: HeaderBlock, _ values: [ArraySlice<UInt8>?], _ start: UnsafePointer<UInt8>?)
    -> Int
  {
    var count = block.firstVariable
    var next = unsafe start
    for (index, value) in values.prefix(block.variableCount).enumerated() {
      guard let value, let bytes = unsafe next else { continue }
      unsafe scratch[count] = unsafe block.fields[block.firstVariable + index]
      unsafe scratch[count].value = unsafe UnsafeMutablePointer(mutating: bytes)
      unsafe scratch[count].valuelen = value.count
      unsafe scratch[count].flags &= ~UInt8(NGHTTP2_NV_FLAG_NO_COPY_VALUE.rawValue)
      unsafe next = unsafe bytes + value.count
      count += 1
    }
    return count
  }

  func respond(_ request: HTTP2ServerRequest, _ status: Int, _ headers: [HTTP2Header], _ body: [UInt8]) {
    guard request.isOpen, !request.answered else { return }
    guard let template = try? HTTP2ResponseTemplate(status: status, headers: headers, body: body),
      template.block.count <= ServerSession.scratchFields
    else {
      // The handler's own mistake; the client sees a server that failed.
      return reset(request, .internalError)
    }
    respond(request, template, [], nil)
  }

  private func submit(_ request: HTTP2ServerRequest, _ count: Int) {
    request.answered = true
    request.answerSent = 0
    budget.earn()
    var provider = unsafe nghttp2_data_provider()
    unsafe provider.source.ptr = unsafe Unmanaged.passUnretained(request).toOpaque()
    unsafe provider.read_callback = unsafe ServerCallbacks.readBody
    let hasBody = unsafe request.withAnswer { !$0.isEmpty }
    let result =
      unsafe hasBody
      ? nghttp2_submit_response(session, request.streamID, scratch, count, &provider)
      : nghttp2_submit_response(session, request.streamID, scratch, count, nil)
    if result != 0 { sendReset(request, .internalError) }
    connection.askFlush()
  }

  func reset(_ request: HTTP2ServerRequest, _ code: HTTP2ErrorCode) {
    guard request.isOpen, !request.answered else { return }
    request.answered = true
    sendReset(request, code)
    connection.askFlush()
  }

  private func sendReset(_ request: HTTP2ServerRequest, _ code: HTTP2ErrorCode) {
    unsafe nghttp2_submit_rst_stream(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), request.streamID, code.rawValue)
  }

  // MARK: Called by nghttp2

  func begin(_ stream: Int32) {
    let request = unsafe free.popLast() ?? makeRequest()
    request.reuse(for: stream)
    lastStreamID = max(lastStreamID, stream)
    unsafe nghttp2_session_set_stream_user_data(session, stream, Unmanaged.passUnretained(request).toOpaque())
  }

  private func makeRequest() -> HTTP2ServerRequest {
    let request = HTTP2ServerRequest(connection: connection)
    all.append(request)
    return request
  }

  func header(_ stream: Int32, _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
    withRequest(stream) { request in
      guard unsafe request.bytes.count + name.count + value.count <= headerLimit else {
        request.tooLarge = true
        return
      }
      let start = unsafe Int32(request.bytes.count)
      unsafe request.bytes.append(contentsOf: name)
      unsafe request.bytes.append(contentsOf: value)
      unsafe request.fields.append(
        HTTP2ServerRequest.Field(
          start: start, nameEnd: start + Int32(name.count), end: start + Int32(name.count + value.count)))
    }
  }

  func data(_ stream: Int32, _ bytes: UnsafeBufferPointer<UInt8>) {
    withRequest(stream) { request in
      request.bodyLength += bytes.count
      let room = unsafe bodyLimit - request.body.count
      if room > 0 { unsafe request.body.append(contentsOf: bytes.prefix(room)) }
    }
  }

  func ended(_ stream: Int32) { withRequest(stream) { unsafe whole.append(($0, stream)) } }

  func closed(_ stream: Int32) {
    guard let request = request(stream) else { return }
    request.isOpen = false
    request.template = nil
    unsafe free.append(request)
  }

  private func withRequest(_ stream: Int32, _ use: (HTTP2ServerRequest) -> Void) {
    guard let user = unsafe nghttp2_session_get_stream_user_data(session, stream) else { return }
    unsafe user.withObject(HTTP2ServerRequest.self, use)
  }

  func sendBody(_ request: HTTP2ServerRequest, _ header: UnsafePointer<UInt8>, _ count: Int) -> Int32 {
    guard writer.hasRoom else { return NGHTTP2_ERR_WOULDBLOCK.rawValue }
    unsafe writer.append(header, 9)
    unsafe request.withAnswer { body in
      if let start = body.baseAddress { unsafe writer.append(start + request.answerSent, count) }
    }
    request.answerSent += count
    return 0
  }
}

/// nghttp2's callbacks of a server session; each hands over to the session behind the user data.
enum ServerCallbacks {
  // Safe: made once, by the initializer of a static property, and only read by nghttp2, which copies it.
  nonisolated(unsafe) static let table: OpaquePointer? = {
    var table: OpaquePointer?
    unsafe nghttp2_session_callbacks_new(&table)
    unsafe nghttp2_session_callbacks_set_on_begin_headers_callback(table) { _, frame, user in
      guard let frame = unsafe frame, let user = unsafe user, unsafe frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST
      else { return 0 }
      unsafe user.withObject(ServerSession.self) { unsafe $0.begin(frame.pointee.hd.stream_id) }
      return 0
    }
    unsafe nghttp2_session_callbacks_set_on_header_callback(table) {
      _, frame, name, nameCount, value, valueCount, _, user in
      guard let frame = unsafe frame, let user = unsafe user else { return 0 }
      unsafe user.withObject(ServerSession.self) {
        unsafe $0.header(
          frame.pointee.hd.stream_id, UnsafeBufferPointer(start: name, count: nameCount),
          UnsafeBufferPointer(start: value, count: valueCount))
      }
      return 0
    }
    unsafe nghttp2_session_callbacks_set_on_data_chunk_recv_callback(table) { _, _, stream, bytes, count, user in
      unsafe user?.withObject(ServerSession.self) {
        unsafe $0.data(stream, UnsafeBufferPointer(start: bytes, count: count))
      }
      return 0
    }
    unsafe nghttp2_session_callbacks_set_on_frame_recv_callback(table) { _, frame, user in
      guard let frame = unsafe frame, let user = unsafe user else { return 0 }
      let header = unsafe frame.pointee.hd
      let carriesEnd =
        header.type == UInt8(NGHTTP2_HEADERS.rawValue) || header.type == UInt8(NGHTTP2_DATA.rawValue)
      if carriesEnd, header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0 {
        unsafe user.withObject(ServerSession.self) { $0.ended(header.stream_id) }
      }
      return 0
    }
    unsafe nghttp2_session_callbacks_set_on_stream_close_callback(table) { _, stream, _, user in
      unsafe user?.withObject(ServerSession.self) { $0.closed(stream) }
      return 0
    }
    unsafe nghttp2_session_callbacks_set_send_data_callback(table) { _, _, header, count, source, user in
      guard let header = unsafe header, let request = unsafe source?.pointee.ptr, let user = unsafe user else {
        return NGHTTP2_ERR_CALLBACK_FAILURE.rawValue
      }
      return unsafe user.withObject(ServerSession.self) { session in
        unsafe request.withObject(HTTP2ServerRequest.self) { unsafe session.sendBody($0, header, count) }
      }
    }
    unsafe SessionCallbacks.refuseInvalidFields(table)
    return unsafe table
  }()

  /// The length of the next piece of a response's body; the bytes follow in `sendBody`.
  static let readBody: nghttp2_data_source_read_callback = { _, _, _, limit, flags, source, _ in
    guard let flags = unsafe flags, let request = unsafe source?.pointee.ptr else {
      return Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue)
    }
    return unsafe request.withObject(HTTP2ServerRequest.self) { request in
      let left = unsafe request.withAnswer { $0.count } - request.answerSent
      let count = min(limit, left)
      unsafe flags.pointee |= NGHTTP2_DATA_FLAG_NO_COPY.rawValue
      if count == left { unsafe flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
      return count
    }
  }
}
