internal import CNGHTTP2
internal import System

/// The callbacks of a session to its owner, called while it is fed.
///
/// The owner must not end the session inside these calls.
protocol ClientSessionOwner: AnyObject {
  func sessionSettingsChanged(_ settings: HTTP2Settings)
  func sessionGoingAway(_ frame: HTTP2GoAway)
  func sessionPong()
}

/// The HTTP/2 side of a client connection: nghttp2, and a slot for each request that it knows.
///
/// Confined to one loop.
///
/// Invariants:
/// 1. A slot is taken when a request is submitted and freed when nghttp2 closes the stream, never earlier: nghttp2 may
///    hold a pointer into the request's batch until then.
/// 2. Each submitted request adds exactly one result; `finished` says that it has.
///
/// `@safe`: the object owns the session from `init` to `deinit`, and the session calls back only while the object
/// calls it.
@safe final class ClientSession {
  let slots: StreamSlots
  private let memory = SessionMemory()
  private let writer = FrameWriter()
  private let collector: ResultCollector
  private let wantedNames: [StableBytes]
  private let bodyLimit: Int
  private let encoder = HPACKEncoder()
  private var session: OpaquePointer?
  weak var owner: (any ClientSessionOwner)?

  private(set) var settings = HTTP2Settings()
  private(set) var goAway: HTTP2GoAway?
  /// No submitted request has an earlier deadline.
  private(set) var earliestDeadline = MonotonicTime.never
  private var firstFrame = FirstFrameReader()
  private var budget: FrameBudget
  private var requestsLeft: Int
  /// Why this side ended the connection: what its own GOAWAY says, or why nghttp2 failed.
  private var problem: String?
  /// nghttp2's last words about a frame, until it names the stream that they belong to.
  private var words = ""
  /// What is wrong with the responses of slots that are marked as broken.
  private var slotProblems: [Int: String] = [:]
  private var cachedStream: Int32 = 0
  private var cachedSlot = 0

  /// The flow-control window of the whole connection, in bytes; far more than 1000 small responses need, so that
  /// window updates are rare.
  private static let connectionWindow: Int32 = 16 * 1024 * 1024
  /// The most bytes of header fields that a response may have, as SETTINGS_MAX_HEADER_LIST_SIZE counts them.
  private static let headerListLimit: Int32 = 65_536
  /// What each field counts beside its name and value (RFC 9113 section 6.5.2).
  private static let fieldOverhead = 32
  /// How much of nghttp2's words about one frame is kept, in bytes.
  private static let wordsMax = 200
  /// A request's headers fit in one frame of the smallest size that every server takes, in bytes.
  private static let headersLimit = 16_384

  /// The response body that is kept at most, in bytes, whatever the configuration says.
  private static let bodyLimitMax = 1 << 28

  init(configuration: HTTP2ClientConfiguration, collector: ResultCollector, now: Int64) {
    self.collector = collector
    budget = FrameBudget(now: now)
    wantedNames = configuration.wantedHeaders.prefix(HTTP2ClientConfiguration.wantedHeaderLimit)
      .map { StableBytes(Array($0.utf8)) }
    bodyLimit = max(0, min(configuration.responseBodyLimit, ClientSession.bodyLimitMax))
    requestsLeft = min(configuration.requestLimit, HTTP2ClientConfiguration.requestLimitMax)
    slots = StreamSlots(wanted: wantedNames.count)
    var option: OpaquePointer?
    unsafe nghttp2_option_new(&option)
    defer { unsafe nghttp2_option_del(option) }
    unsafe nghttp2_option_set_peer_max_concurrent_streams(option, UInt32(clamping: configuration.initialStreamLimit))
    unsafe nghttp2_option_set_no_closed_streams(option, 1)
    unsafe nghttp2_option_set_max_reserved_remote_streams(option, 0)
    unsafe nghttp2_option_set_max_outbound_ack(option, FrameBudget.burst)
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe nghttp2_session_client_new3(&session, ClientCallbacks.table, context, option, &memory.table)
    announce(bodyLimit: bodyLimit)
  }

  deinit {
    unsafe nghttp2_session_del(session)
  }

  private func announce(bodyLimit: Int) {
    let own =
      HTTP2Settings(
        initialWindowSize: UInt32(min(max(65_535, bodyLimit * 2), 1 << 20)),
        maxHeaderListSize: UInt32(ClientSession.headerListLimit)
      ).entries + [nghttp2_settings_entry(settings_id: Int32(NGHTTP2_SETTINGS_ENABLE_PUSH.rawValue), value: 0)]
    unsafe nghttp2_submit_settings(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), own, own.count)
    unsafe nghttp2_session_set_local_window_size(
      session, UInt8(NGHTTP2_FLAG_NONE.rawValue), 0, ClientSession.connectionWindow)
  }

  /// How many requests nghttp2 knows.
  var open: Int { slots.used }

  /// Whether the session neither expects nor has anything more.
  var isDone: Bool { unsafe nghttp2_session_want_read(session) == 0 && nghttp2_session_want_write(session) == 0 }

  /// How the server broke the protocol.
  var complaint: String { problem ?? "the connection was ended for a protocol error" }

  /// Whether all requests have their result; some of their streams may still have to be closed.
  var isIdle: Bool {
    for slotIndex in 0..<slots.capacity
    where unsafe slots.slots[slotIndex].streamID != 0 && !slots.slots[slotIndex].finished {
      return false
    }
    return true
  }

  /// When no stream ids are left, drains as after a graceful GOAWAY, so that another connection takes over.
  func leaveIfUsedUp() {
    guard requestsLeft <= 0, goAway == nil else { return }
    let frame = HTTP2GoAway(
      lastStreamID: Int32.max, code: .noError, debugData: Array("this connection has carried its last request".utf8))
    goAway = frame
    owner?.sessionGoingAway(frame)
  }

  // MARK: Requests

  /// Submits one request; `false` when the session takes none any more, and the request has no result then.
  func submit(_ batch: BatchStorage, _ index: Int, deadline: Int64) -> Bool {
    let entry = unsafe batch.entries[index]
    let template = unsafe batch.templates[Int(entry.template)]
    if let problem = problem(entry, batch, template.block) {
      collector.fail(entry.id, HTTP2Failure(.notProcessed, .invalidRequest(problem)))
      return true
    }
    let slotIndex = slots.take()
    let slot = unsafe slots.slots + slotIndex
    unsafe prepare(slot, slotIndex, index, batch, deadline)
    var provider = unsafe nghttp2_data_provider()
    unsafe provider.source.fd = Int32(slotIndex)
    unsafe provider.read_callback = unsafe ClientCallbacks.readBody
    let user = unsafe UnsafeMutableRawPointer(bitPattern: slotIndex + 1)
    // Only `:method`, the first field: it decides how nghttp2 reads the response. The frame on the wire has the
    // encoder's bytes instead of nghttp2's.
    let fields = unsafe template.block.fields
    let id =
      unsafe slot.pointee.bodyLeft > 0
      ? nghttp2_submit_request(session, nil, fields, 1, &provider, user)
      : nghttp2_submit_request(session, nil, fields, 1, nil, user)
    guard id > 0 else {
      slots.free(slotIndex)
      problem = problem ?? sessionErrorText(id)
      return false
    }
    unsafe slot.pointee.streamID = id
    requestsLeft -= 1
    if deadline < earliestDeadline { earliestDeadline = deadline }
    return true
  }

  private func prepare(
    _ slot: UnsafeMutablePointer<StreamSlot>, _ slotIndex: Int, _ index: Int, _ batch: BatchStorage, _ deadline: Int64
  ) {
    let entry = unsafe batch.entries[index]
    let template = unsafe batch.templates[Int(entry.template)]
    unsafe slot.pointee.entry = Int32(index)
    unsafe slot.pointee.batch = unsafe Unmanaged.passRetained(batch)
    unsafe slot.pointee.id = entry.id
    unsafe slot.pointee.deadline = deadline
    unsafe slot.pointee.body =
      unsafe entry.hasBody ? UnsafePointer(batch.bytes + entry.bodyStart) : UnsafePointer(template.body.start)
    unsafe slot.pointee.bodyLeft = entry.hasBody ? Int(entry.bodyLength) : template.body.count
    unsafe slot.pointee.status = 0
    unsafe slot.pointee.bodyStart = 0
    unsafe slot.pointee.responseCount = 0
    unsafe slot.pointee.headerBytes = 0
    unsafe slot.pointee.finished = false
    unsafe slot.pointee.sent = false
    unsafe slot.pointee.ended = false
    unsafe slot.pointee.bodyTruncated = false
    unsafe slot.pointee.broken = false
    unsafe slot.pointee.wasReset = false
    slots.clearHeaders(of: slotIndex)
  }

  /// Why a request cannot be sent, if so.
  private func problem(_ entry: BatchStorage.Entry, _ batch: BatchStorage, _ block: HeaderBlock) -> String? {
    var next = unsafe UnsafePointer(batch.bytes + entry.start)
    guard unsafe FieldRules.isPath(next, Int(entry.pathLength)) else { return "the path has illegal characters" }
    unsafe next += Int(entry.pathLength)
    let first = Int(entry.firstLength)
    for length in unsafe batch.valueLengths[first..<(first + Int(entry.valueCount))] where length != BatchStorage.absent
    {
      guard unsafe FieldRules.isValue(next, Int(length)) else { return "a header value has illegal characters" }
      unsafe next += Int(length)
    }
    let values = unsafe next - UnsafePointer(batch.bytes + entry.start) - Int(entry.pathLength)
    guard HPACKEncoder.bound(block, path: Int(entry.pathLength), values: values) <= ClientSession.headersLimit else {
      return "its headers take more than \(ClientSession.headersLimit) bytes"
    }
    return nil
  }

  /// Ends the requests whose deadline has passed.
  func expire(at now: Int64) -> Int {
    guard now >= earliestDeadline else { return 0 }
    earliestDeadline = MonotonicTime.never
    var count = 0
    for slotIndex in 0..<slots.capacity
    where unsafe slots.slots[slotIndex].streamID != 0 && !slots.slots[slotIndex].finished {
      let slot = unsafe slots.slots + slotIndex
      guard unsafe slot.pointee.deadline <= now else {
        earliestDeadline = unsafe min(earliestDeadline, slot.pointee.deadline)
        continue
      }
      count += 1
      unsafe fail(slot, slot.pointee.sent ? .unknown : .notProcessed, .deadline)
      unsafe cancel(slot.pointee.streamID)
    }
    return count
  }

  private func cancel(_ stream: Int32) {
    unsafe nghttp2_submit_rst_stream(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream, NGHTTP2_CANCEL.rawValue)
  }

  /// Ends all requests, because the connection has ended.
  func failAll(_ reason: HTTP2CloseReason) {
    for slotIndex in 0..<slots.capacity
    where unsafe slots.slots[slotIndex].streamID != 0 && !slots.slots[slotIndex].finished {
      let slot = unsafe slots.slots + slotIndex
      if unsafe failAboveGoAway(slot) { continue }
      unsafe fail(slot, slot.pointee.sent ? .unknown : .notProcessed, .connectionClosed(reason))
    }
  }

  /// Ends a request that a GOAWAY leaves out; `false` when none does.
  ///
  /// The server has not processed it (RFC 9113 section 6.8), unless it has begun to answer it all the same.
  private func failAboveGoAway(_ slot: UnsafeMutablePointer<StreamSlot>) -> Bool {
    guard let goAway, unsafe slot.pointee.streamID > goAway.lastStreamID else { return false }
    unsafe fail(slot, slot.pointee.hasAnswer ? .unknown : .notProcessed, .goAway(goAway))
    return true
  }

  private func fail(
    _ slot: UnsafeMutablePointer<StreamSlot>, _ processing: HTTP2Failure.Processing, _ reason: HTTP2FailureReason
  ) {
    guard unsafe !slot.pointee.finished else { return }
    unsafe slot.pointee.finished = true
    unsafe collector.fail(slot.pointee.id, HTTP2Failure(processing, reason))
  }

  func ping() { unsafe nghttp2_submit_ping(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), nil) }

  /// Says good-bye with GOAWAY.
  func leave() { unsafe nghttp2_session_terminate_session(session, NGHTTP2_NO_ERROR.rawValue) }

  // MARK: Bytes

  /// Takes bytes from the server; a reason when the connection cannot go on.
  ///
  /// - Parameter channel: takes the GOAWAY that names a violation of the protocol.
  func feed(_ bytes: UnsafeBufferPointer<UInt8>, at now: Int64, from channel: SecureChannel) -> HTTP2CloseReason? {
    switch unsafe firstFrame.read(bytes) {
    case .passing: return unsafe pass(bytes, now, channel)
    case .waiting: return nil
    case .settled(let held): return unsafe held.withUnsafeBufferPointer { unsafe pass($0, now, channel) }
    case .goAway(let frame):
      goAway = frame
      owner?.sessionGoingAway(frame)
      return .goAway(frame)
    }
  }

  private func pass(_ bytes: UnsafeBufferPointer<UInt8>, _ now: Int64, _ channel: SecureChannel) -> HTTP2CloseReason? {
    if let flood = unsafe budget.read(bytes, at: now) {
      leave(NGHTTP2_ENHANCE_YOUR_CALM, flood)
    } else {
      let result = unsafe nghttp2_session_mem_recv(session, bytes.baseAddress, bytes.count)
      if result < 0 { leave(error: Int32(result)) }
    }
    guard problem != nil || hasTerminated else { return nil }
    // The GOAWAY is next to be written, and it names the violation.
    if let session = unsafe session { _ = unsafe writer.write(session, to: channel, frames: self, always: true) }
    return .protocolError(complaint)
  }

  /// Whether nghttp2 has ended the session for a violation: it sends no request any more.
  private var hasTerminated: Bool {
    unsafe goAway == nil && nghttp2_session_check_request_allowed(session) == 0
  }

  /// Ends the session for an error that nghttp2 has no GOAWAY for.
  private func leave(error: Int32) {
    let text = sessionErrorText(error)
    guard isFlood(error) else { return leave(NGHTTP2_INTERNAL_ERROR, text) }
    leave(NGHTTP2_ENHANCE_YOUR_CALM, "ENHANCE_YOUR_CALM: \(text)")
  }

  private func leave(_ code: nghttp2_error_code, _ why: String) {
    problem = why
    unsafe nghttp2_submit_goaway(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), 0, code.rawValue, why, why.utf8.count)
  }

  /// Writes what is ready; `false` when nghttp2 failed.
  func write(to channel: SecureChannel) -> Bool {
    guard let session = unsafe session else { return false }
    return unsafe writer.write(session, to: channel, frames: self)
  }

  // MARK: Called by nghttp2

  private func slotIndex(_ stream: Int32) -> Int? {
    if stream == cachedStream { return cachedSlot }
    guard let user = unsafe nghttp2_session_get_stream_user_data(session, stream) else { return nil }
    cachedStream = stream
    cachedSlot = Int(bitPattern: user) - 1
    return cachedSlot
  }

  func received(_ frame: UnsafePointer<nghttp2_frame>) {
    let header = unsafe frame.pointee.hd
    switch nghttp2_frame_type(rawValue: UInt32(header.type)) {
    case NGHTTP2_HEADERS, NGHTTP2_DATA:
      if header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0 { endResponse(header.stream_id) }
    case NGHTTP2_SETTINGS:
      guard header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) == 0 else { return }
      unsafe settings.apply(frame.pointee.settings)
      if let limit = settings.headerTableSize { encoder.announce(limit: limit) }
      owner?.sessionSettingsChanged(settings)
    case NGHTTP2_RST_STREAM:
      if let index = slotIndex(header.stream_id) { unsafe slots.slots[index].wasReset = true }
    case NGHTTP2_PING:
      if header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0 { owner?.sessionPong() }
    case NGHTTP2_GOAWAY:
      let body = unsafe frame.pointee.goaway
      let data = unsafe UnsafeBufferPointer(start: body.opaque_data, count: body.opaque_data_len)
      let goAway = unsafe HTTP2GoAway(
        lastStreamID: body.last_stream_id, code: HTTP2ErrorCode(rawValue: body.error_code),
        debugData: Array(data.prefix(HTTP2GoAway.debugDataLimit)))
      self.goAway = goAway
      owner?.sessionGoingAway(goAway)
    default: break
    }
  }

  private func endResponse(_ stream: Int32) {
    guard let index = slotIndex(stream) else { return }
    let slot = unsafe slots.slots + index
    unsafe slot.pointee.ended = true
    // The server answered before it had the whole body: nothing more needs to be sent.
    if unsafe slot.pointee.bodyLeft > 0 { cancel(stream) }
  }

  /// Takes a header field; `false` when the response breaks a limit and its stream has to be reset.
  func header(_ stream: Int32, _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let index = slotIndex(stream), let start = unsafe value.baseAddress ?? name.baseAddress else { return true }
    let slot = unsafe slots.slots + index
    unsafe slot.pointee.headerBytes &+= Int32(
      truncatingIfNeeded: name.count + value.count + ClientSession.fieldOverhead)
    guard unsafe slot.pointee.headerBytes <= ClientSession.headerListLimit else {
      return refuse(index, "its headers have more than \(ClientSession.headerListLimit) bytes")
    }
    if unsafe name.first == UInt8(ascii: ":") {
      // Only `:status` exists; one after another means that the first was informational (RFC 9110 section 15.2).
      unsafe slot.pointee.status = unsafe value.reduce(0) { $0 &* 10 &+ Int32($1 &- 48) }
      unsafe slot.pointee.responseCount = 0
      unsafe slot.pointee.headerBytes = 0
      slots.clearHeaders(of: index)
      guard unsafe slot.pointee.status >= 100 else {
        return refuse(index, unsafe "its :status is \(slot.pointee.status)")
      }
      return true
    }
    unsafe keepIfWanted(index, name, value, start)
    return true
  }

  /// Marks the response as broken: nghttp2 resets its stream and names no reason.
  private func refuse(_ index: Int, _ why: String) -> Bool {
    unsafe slots.slots[index].broken = true
    slotProblems[index] = why
    return false
  }

  private func keepIfWanted(
    _ index: Int, _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, _ start: UnsafePointer<UInt8>
  ) {
    let slot = unsafe slots.slots + index
    for (column, wanted) in wantedNames.enumerated()
    where unsafe wanted.count == name.count && FieldRules.equal(wanted.start, name) {
      let range = unsafe slots.headers(of: index) + column
      // The first value counts; what comes after the body are trailers.
      guard unsafe range.pointee.start < 0, unsafe slot.pointee.bodyStart == slot.pointee.responseCount else { return }
      unsafe range.pointee = unsafe (slot.pointee.responseCount, slot.pointee.responseCount + Int32(value.count))
      unsafe slots.append(index, start, value.count)
      unsafe slot.pointee.bodyStart = unsafe slot.pointee.responseCount
      return
    }
  }

  func data(_ stream: Int32, _ bytes: UnsafePointer<UInt8>, _ count: Int) {
    guard let index = slotIndex(stream) else { return }
    let slot = unsafe slots.slots + index
    let room = unsafe bodyLimit - Int(slot.pointee.responseCount - slot.pointee.bodyStart)
    if count > room { unsafe slot.pointee.bodyTruncated = true }
    if room > 0 { unsafe slots.append(index, bytes, min(room, count)) }
  }

  func closed(_ stream: Int32, _ code: UInt32) {
    guard let index = slotIndex(stream) else { return }
    let slot = unsafe slots.slots + index
    cachedStream = 0
    budget.earn()
    if unsafe !slot.pointee.finished {
      if unsafe slot.pointee.ended && slot.pointee.status >= 200 && !slot.pointee.broken {
        unsafe slot.pointee.finished = true
        unsafe collector.respond(slot, slots.headers(of: index))
      } else {
        failClosed(index, HTTP2ErrorCode(rawValue: code))
      }
    }
    if unsafe slot.pointee.broken { slotProblems[index] = nil }
    slots.free(index)
  }

  private func failClosed(_ index: Int, _ code: HTTP2ErrorCode) {
    let slot = unsafe slots.slots + index
    if unsafe slot.pointee.broken {
      unsafe fail(slot, .unknown, .invalidResponse(slotProblems[index] ?? "\(code)"))
    } else if unsafe failAboveGoAway(slot) {
      return
    } else if unsafe slot.pointee.wasReset {
      // A server that has begun to answer has processed the request, whatever its code says.
      let isRefusal = unsafe code == .refusedStream && !slot.pointee.hasAnswer
      unsafe fail(slot, isRefusal ? .notProcessed : .unknown, .reset(code))
    } else {
      // This side has reset the stream because of what the server sent.
      unsafe fail(slot, slot.pointee.sent ? .unknown : .notProcessed, .invalidResponse("\(code)"))
    }
  }

  /// nghttp2 did not send the HEADERS of a request; `closed` follows.
  func notSent(_ stream: Int32, _ error: Int32) {
    guard let index = slotIndex(stream) else { return }
    let slot = unsafe slots.slots + index
    if unsafe failAboveGoAway(slot) { return }
    let closing = HTTP2FailureReason.connectionClosed(.protocolError(problem ?? sessionErrorText(error)))
    unsafe fail(slot, .notProcessed, goAway.map { .goAway($0) } ?? closing)
  }

  /// nghttp2 refused a frame; when it belongs to a stream, that is reset.
  func invalid(_ stream: Int32, _ error: Int32) {
    defer { words = "" }
    // A response that is complete stays what it is.
    guard let index = slotIndex(stream), unsafe !slots.slots[index].ended else { return }
    unsafe slots.slots[index].broken = true
    if slotProblems[index] == nil { slotProblems[index] = words.isEmpty ? sessionErrorText(error) : words }
  }

  /// Takes nghttp2's words about a frame.
  ///
  /// They may quote the server, so they are cut and stripped of what is not printable.
  func complain(_ text: UnsafeRawBufferPointer) {
    let printable = unsafe text.prefix(ClientSession.wordsMax).map {
      (0x20..<0x7F).contains($0) ? $0 : UInt8(ascii: "?")
    }
    words = String(decoding: printable, as: UTF8.self)
  }

  /// Gives nghttp2 the length of the next piece of a body; the bytes follow in `sendBody`.
  func nextBody(_ slotIndex: Int, _ limit: Int, _ flags: UnsafeMutablePointer<UInt32>) -> Int {
    let slot = unsafe slots.slots + slotIndex
    let count = unsafe min(limit, slot.pointee.bodyLeft)
    unsafe flags.pointee |= NGHTTP2_DATA_FLAG_NO_COPY.rawValue
    if unsafe count == slot.pointee.bodyLeft { unsafe flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
    return count
  }

  func sendBody(_ slotIndex: Int, _ header: UnsafePointer<UInt8>, _ count: Int) -> Int32 {
    guard writer.hasRoom else { return NGHTTP2_ERR_WOULDBLOCK.rawValue }
    let slot = unsafe slots.slots + slotIndex
    guard let body = unsafe slot.pointee.body else { return NGHTTP2_ERR_CALLBACK_FAILURE.rawValue }
    unsafe writer.append(header, 9)
    unsafe writer.append(body, count)
    unsafe slot.pointee.body = unsafe body + count
    unsafe slot.pointee.bodyLeft -= count
    return 0
  }
}

extension ClientSession: FrameAuthor {
  func wroteGoAway(_ frame: UnsafeBufferPointer<UInt8>) {
    guard problem == nil, frame.count >= 17 else { return }
    let code = unsafe frame[13..<17].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    let name = HTTP2ErrorCode(rawValue: code).description
    let reason = unsafe String(decoding: frame[17...], as: UTF8.self)
    problem = reason.isEmpty ? name : "\(name): \(reason)"
  }

  func writeHeaders(_ frame: UnsafePointer<UInt8>, to out: UnsafeMutablePointer<UInt8>) -> Int? {
    let stream = (5..<9).reduce(Int32(0)) { unsafe $0 << 8 | Int32(frame[$1]) }
    guard let index = slotIndex(stream), let batch = unsafe slots.slots[index].batch else { return nil }
    unsafe slots.slots[index].sent = true
    return unsafe batch._withUnsafeGuaranteedRef { batch in
      let entry = unsafe batch.entries[Int(slots.slots[index].entry)]
      let start = unsafe UnsafePointer(batch.bytes + entry.start)
      let first = Int(entry.firstLength)
      let end = unsafe encoder.encode(
        batch.templates[Int(entry.template)].block,
        path: UnsafeBufferPointer(start: start, count: Int(entry.pathLength)),
        values: start + Int(entry.pathLength), lengths: batch.valueLengths[first..<(first + Int(entry.valueCount))],
        to: out + 9)
      // The flags and the stream stay; the length is ours.
      unsafe out.update(from: frame, count: 9)
      let count = unsafe end - out - 9
      unsafe out[0] = UInt8(truncatingIfNeeded: count >> 16)
      unsafe out[1] = UInt8(truncatingIfNeeded: count >> 8)
      unsafe out[2] = UInt8(truncatingIfNeeded: count)
      return unsafe end - out
    }
  }
}
