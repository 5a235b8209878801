internal import CMicroHTTPD
import Glibc
import Synchronization

/// What the library's callbacks work on: the rules of a request's way in, and the responses' way out.
final class ServerCore: Sendable {
  let limits: HTTPLimits
  let handler: any HTTPHandler
  let registry = ConnectionRegistry()
  let stopping = Atomic<Bool>(false)
  /// Requests between their request line and the end of their response.
  let active = Atomic<Int>(0)
  private let lastID = Atomic<UInt64>(UInt64.random(in: 0...UInt64.max))
  private let idleNs: Int64
  private let requestNs: Int64
  private let answerNs: Int64

  init(limits: HTTPLimits, handler: any HTTPHandler) {
    self.limits = limits
    self.handler = handler
    idleNs = limits.idleTimeout.nanoseconds
    requestNs = limits.requestTimeout.nanoseconds
    answerNs = limits.answerTimeout.nanoseconds
  }

  func connectionOpened(socket: Int32) -> Connection {
    let connection = Connection(socket: socket, closeBy: monotonicNow() + idleNs + requestNs)
    registry.insert(connection)
    return connection
  }

  /// The request line has arrived.
  func begin(target: UnsafePointer<CChar>, on connection: Connection, handle: ConnectionHandle) -> Exchange {
    active.add(1, ordering: .relaxed)
    connection.closeBy.store(monotonicNow() + requestNs, ordering: .relaxed)
    let bytes = UnsafeRawBufferPointer(start: target, count: strlen(target))
    let parsed = bytes.withMemoryRebound(to: UInt8.self) { buffer -> Result<HTTPTarget, HTTPTargetError> in
      do throws(HTTPTargetError) { return .success(try HTTPTarget(parsing: buffer.span)) } catch {
        return .failure(error)
      }
    }
    let id = HTTPRequestID(number: lastID.add(1, ordering: .relaxed).newValue)
    let exchange = Exchange(id: id, target: parsed, connection: connection, handle: handle, handler: handler)
    connection.exchange.withLock { $0 = exchange }
    return exchange
  }

  /// The response is out, or the connection is gone.
  func end(_ exchange: Exchange) {
    exchange.connection.exchange.withLock { $0 = nil }
    exchange.state.withLock { $0.upload.take() }?.abort()
    exchange.connection.answerBy.store(Connection.never, ordering: .relaxed)
    exchange.connection.closeBy.store(monotonicNow() + idleNs + requestNs, ordering: .relaxed)
    active.subtract(1, ordering: .relaxed)
  }

  /// The library's step for a request: head complete, a piece of body, body complete, or woken after a suspension.
  func advance(_ exchange: Exchange, method: UnsafePointer<CChar>, piece: UnsafeRawBufferPointer) -> MHD_Result {
    switch exchange.state.withLock({ $0.phase }) {
    case .head: return acceptHead(exchange, method: method)
    case .receiving: return piece.isEmpty ? handle(exchange) : receive(exchange, piece)
    case .discarding: return piece.isEmpty ? send(exchange) : discard(exchange, piece)
    case .handling, .suspended:
      return exchange.suspendUnlessAnswered(answerBy: monotonicNow() + answerNs) ? .YES : send(exchange)
    case .answered: return send(exchange)
    case .queued: return .NO
    }
  }

  // MARK: - The way in

  private func acceptHead(_ exchange: Exchange, method: UnsafePointer<CChar>) -> MHD_Result {
    let headers = readHeaders(exchange.handle)
    exchange.state.withLock { $0.bodyStart = monotonicNow() }
    if stopping.load(ordering: .acquiring) { return refuse(exchange, .stopping, headers) }
    let target: HTTPTarget
    switch exchange.target {
    case .success(let parsed): target = parsed
    case .failure(let error): return refuse(exchange, .badTarget(error), headers)
    }
    let hasChunks = headers.valueBytes("Transfer-Encoding") != nil
    let lengths = headers.occurrences(of: "Content-Length")
    if lengths > 1 || (hasChunks && lengths > 0) { return refuseNow(exchange, .ambiguousLength) }
    let head = HTTPRequestHead(
      id: exchange.id, method: HTTPMethod(rawValue: String(cString: method)), target: target, headers: headers,
      peer: exchange.connection.peer)
    let limit: Int
    var upload: (any HTTPUpload)?
    switch handler.upload(for: head) {
    case .gathered: limit = handler.maxBodyBytes(for: head) ?? limits.maxBodyBytes
    case .streamed(let taker, let maxBytes): (upload, limit) = (taker, maxBytes)
    case .refused(let response):
      exchange.answer(response)
      return discardBody(exchange, headers)
    }
    let declared = headers.first("Content-Length").flatMap { Int($0) } ?? 0
    if declared > limit {
      upload?.abort()
      return refuse(exchange, .bodyTooLarge(limit: limit), headers)
    }
    exchange.state.withLock { state in
      state.phase = .receiving
      state.upload = upload
      state.head = head
      state.bodyLimit = limit
      if upload == nil { state.body.reserveCapacity(declared) }
    }
    return .YES
  }

  /// Reads the body and throws it away before the answer, so that the client is there to read it; a body too long for
  /// that, or one that waits for permission, is refused at once and the connection closed.
  private func refuse(_ exchange: Exchange, _ fault: HTTPFault, _ headers: HTTPHeaders) -> MHD_Result {
    exchange.answer(fault: fault)
    return discardBody(exchange, headers)
  }

  private func discardBody(_ exchange: Exchange, _ headers: HTTPHeaders) -> MHD_Result {
    let declared = headers.first("Content-Length").map { Int($0) ?? Int.max } ?? 0
    if declared > limits.maxDiscardedBytes || headers.valueBytes("Expect") != nil {
      return send(exchange, closing: true)
    }
    exchange.state.withLock { $0.phase = .discarding }
    return .YES
  }

  private func refuseNow(_ exchange: Exchange, _ fault: HTTPFault) -> MHD_Result {
    exchange.answer(fault: fault)
    return send(exchange, closing: true)
  }

  private func receive(_ exchange: Exchange, _ piece: UnsafeRawBufferPointer) -> MHD_Result {
    if exchange.state.withLock({ $0.upload != nil }) { return pass(exchange, piece) }
    let limit = exchange.state.withLock { state -> Int? in
      guard state.body.count + piece.count <= state.bodyLimit else {
        state.body = []
        state.phase = .discarding
        return state.bodyLimit
      }
      state.body.append(contentsOf: piece)
      extendTime(exchange.connection, since: state.bodyStart, received: state.body.count)
      return nil
    }
    if let limit { exchange.answer(fault: .bodyTooLarge(limit: limit)) }
    return .YES
  }

  /// Hands a piece to the upload, and lets the connection sleep when that is full.
  private func pass(_ exchange: Exchange, _ piece: UnsafeRawBufferPointer) -> MHD_Result {
    let (upload, tooLong) = exchange.state.withLock { state -> ((any HTTPUpload)?, Int?) in
      if state.aborted { return (nil, nil) }
      state.received += piece.count
      extendTime(exchange.connection, since: state.bodyStart, received: state.received)
      state.madeRoom = false
      guard state.received > state.bodyLimit else { return (state.upload, nil) }
      state.phase = .discarding
      return (state.upload.take(), state.bodyLimit)
    }
    guard let upload else { return .NO }
    if let tooLong {
      upload.abort()
      exchange.answer(fault: .bodyTooLarge(limit: tooLong))
    } else if !upload.receive(Array(piece), HTTPUploadRoom(exchange: exchange)) {
      exchange.pauseUpload(now: monotonicNow())
    }
    return .YES
  }

  private func discard(_ exchange: Exchange, _ piece: UnsafeRawBufferPointer) -> MHD_Result {
    exchange.state.withLock { state in
      state.discarded += piece.count
      extendTime(exchange.connection, since: state.bodyStart, received: state.discarded)
      return state.discarded <= limits.maxDiscardedBytes ? .YES : .NO
    }
  }

  private func extendTime(_ connection: Connection, since start: Int64, received: Int) {
    let allowance = Int64(received) * 1_000_000_000 / Int64(max(1, limits.minBodyBytesPerSecond))
    connection.closeBy.store(start + 2 * requestNs + allowance, ordering: .relaxed)
  }

  private func handle(_ exchange: Exchange) -> MHD_Result {
    exchange.connection.closeBy.store(Connection.never, ordering: .relaxed)
    if let upload = exchange.state.withLock({ $0.upload.take() }) {
      exchange.state.withLock { $0.phase = .handling }
      upload.finish(HTTPResponder(exchange))
      return exchange.suspendUnlessAnswered(answerBy: monotonicNow() + answerNs) ? .YES : send(exchange)
    }
    let request = exchange.state.withLock { state -> HTTPRequest? in
      state.phase = .handling
      return state.head.take().map { HTTPRequest(head: $0, body: state.takeBody()) }
    }
    guard let request else { return .NO }
    handler.handle(request, HTTPResponder(exchange))
    return exchange.suspendUnlessAnswered(answerBy: monotonicNow() + answerNs) ? .YES : send(exchange)
  }

  // MARK: - The way out

  private func send(_ exchange: Exchange, closing: Bool = false) -> MHD_Result {
    let taken = exchange.state.withLock { state -> HTTPResponse? in
      state.phase = .queued
      return state.response.take()
    }
    guard let taken, let response = makeResponse(taken, exchange) else { return .NO }
    defer { MHD_destroy_response(response) }
    for header in taken.headers { MHD_add_response_header(response, header.name, header.value) }
    if closing || stopping.load(ordering: .acquiring) { MHD_add_response_header(response, "Connection", "close") }
    return MHD_queue_response(exchange.handle.pointer, UInt32(taken.status), response)
  }

  private func makeResponse(_ response: HTTPResponse, _ exchange: Exchange) -> OpaquePointer? {
    switch response.body {
    case .bytes(let bytes):
      let allowance = Int64(bytes.count) * 1_000_000_000 / Int64(max(1, limits.minBodyBytesPerSecond))
      exchange.connection.closeBy.store(monotonicNow() + idleNs + allowance, ordering: .relaxed)
      return bytes.withUnsafeBytes { buffer in
        MHD_create_response_from_buffer(
          buffer.count, UnsafeMutableRawPointer(mutating: buffer.baseAddress), .RESPMEM_MUST_COPY)
      }
    case .produced(let producer): return BodyReader.response(producing: producer, for: exchange)
    case .stream(let stream): return BodyReader.response(streaming: stream, for: exchange)
    }
  }

  private func readHeaders(_ handle: ConnectionHandle) -> HTTPHeaders {
    var headers = HTTPHeaders()
    headers.reserve(fields: 8, bytes: 256)
    withUnsafeMutablePointer(to: &headers) { pointer in
      _ = MHD_get_connection_values_n(
        handle.pointer, .HEADER_KIND,
        { context, _, name, nameSize, value, valueSize in
          guard let headers = context?.assumingMemoryBound(to: HTTPHeaders.self) else { return .NO }
          let nameBytes = UnsafeRawBufferPointer(start: name, count: name == nil ? 0 : nameSize)
          let valueBytes = UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : valueSize)
          nameBytes.withMemoryRebound(to: UInt8.self) { name in
            valueBytes.withMemoryRebound(to: UInt8.self) { value in
              headers.pointee.append(name: name.span, value: value.span)
            }
          }
          return .YES
        }, pointer)
    }
    return headers
  }
}

extension Exchange.State {
  fileprivate mutating func takeBody() -> [UInt8] {
    let taken = body
    body = []
    return taken
  }
}
