import Glibc
import Synchronization

// The way in: bytes to heads, bodies, and the handler.
extension ClientConnection {
  /// Reads once and uses what came; nil when nothing can be done now.
  func receive() -> Int? {
    guard !isPaused else { return nil }
    if !pending.isEmpty, let used = feedPending() { return used }
    guard phase != .closed, isReadable else { return nil }
    let room = unsafe phase == .head ? Self.headReadBytes : loop.scratch.count
    switch read(room) {
    case .bytes(let count): return unsafe use(UnsafeRawBufferPointer(rebasing: loop.scratch[..<count]))
    case .nothing: return 0
    case .blocked:
      isReadable = false
      return nil
    case .ended:
      close()
      return nil
    }
  }

  private static let headReadBytes = 16 * 1024

  /// Uses what was just read, after what had been read before.
  private func use(_ bytes: UnsafeRawBufferPointer) -> Int {
    if pending.isEmpty {
      let used = unsafe feed(bytes)
      if used < bytes.count, phase != .closed { unsafe pending.append(contentsOf: bytes[used...]) }
    } else {
      unsafe pending.append(contentsOf: bytes)
      _ = feedPending()
    }
    return bytes.count
  }

  /// Uses what was read before; nil when that takes more input.
  private func feedPending() -> Int? {
    let bytes = pending
    pending = []
    let before = phase
    let used = unsafe bytes.withUnsafeBytes { unsafe feed($0) }
    if used < bytes.count, phase != .closed { pending = used == 0 ? bytes : Array(bytes[used...]) }
    return used > 0 || phase != before || isPaused ? used : nil
  }

  /// Uses as many bytes as the phase can use.
  private func feed(_ bytes: UnsafeRawBufferPointer) -> Int {
    var used = 0
    while used < bytes.count {
      let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[used...])
      let count: Int
      switch phase {
      case .head: count = unsafe feedHead(rest)
      case .body, .draining: count = unsafe isPaused ? 0 : feedBody(rest)
      case .lingering: count = unsafe drop(rest)
      case .handling, .sending, .closed: return used
      }
      if count == 0, phase == .head || isPaused { return used }
      used += count
    }
    return used
  }

  // MARK: - The head

  private func feedHead(_ bytes: UnsafeRawBufferPointer) -> Int {
    if !headStarted {
      // An empty line before a request is left over from the one before (RFC 9112 section 2.2).
      if !skippedEmptyLine, unsafe bytes[0] == ASCII.cr {
        guard bytes.count >= 2 else { return 0 }
        guard unsafe bytes[1] == ASCII.lf else { return refuse(head: .badRequestLine, bytes.count) }
        skippedEmptyLine = true
        return 2
      }
      guard unsafe ASCII.isToken(bytes[0]) else { return refuse(head: .badRequestLine, bytes.count) }
      headStarted = true
      closeBy = loop.now.addingSaturated(core.requestNs)
    }
    switch unsafe Self.endOfHead(bytes, from: scanned) {
    case .bareLF: return refuse(head: .bareLineEnd, bytes.count)
    case .end(let end) where end > core.limits.maxHeadBytes:
      return refuse(head: .headTooLong(limit: core.limits.maxHeadBytes), bytes.count)
    case .end(let end):
      scanned = 0
      unsafe begin(UnsafeRawBufferPointer(rebasing: bytes[..<end]), hasMore: end < bytes.count)
      return end
    case .none:
      scanned = bytes.count
      guard bytes.count >= core.limits.maxHeadBytes else { return 0 }
      let hasLine = unsafe bytes.contains(ASCII.lf)
      return refuse(
        head: hasLine ? .headTooLong(limit: core.limits.maxHeadBytes) : .targetTooLong, bytes.count)
    }
  }

  private enum HeadEnd {
    case end(Int)
    case bareLF
    case none
  }

  /// Looks for the empty line that ends a head, from where it was not found before.
  private static func endOfHead(_ bytes: UnsafeRawBufferPointer, from start: Int) -> HeadEnd {
    var index = start
    while index < bytes.count, let base = bytes.baseAddress,
      let found = unsafe memchr(base + index, Int32(ASCII.lf), bytes.count - index)
    {
      let at = unsafe found - UnsafeMutableRawPointer(mutating: base)
      guard at > 0, unsafe bytes[at - 1] == ASCII.cr else { return .bareLF }
      if at >= 3, unsafe bytes[at - 2] == ASCII.lf { return .end(at + 1) }
      index = at + 1
    }
    return .none
  }

  private func begin(_ bytes: UnsafeRawBufferPointer, hasMore: Bool) {
    guard entry.enter(.busy, now: loop.now) else { return close() }
    let parsed: RequestHead
    do throws(HTTPFault) { parsed = try unsafe Self.parse(bytes) } catch {
      return refuse(error, closing: true)
    }
    let exchange = startExchange()
    request = parsed
    keepsAlive = parsed.keepsAlive && !entry.isReserved
    start(parsed, exchange, hasMore: hasMore)
  }

  private static func parse(_ bytes: UnsafeRawBufferPointer) throws(HTTPFault) -> RequestHead {
    let text = unsafe bytes.assumingMemoryBound(to: UInt8.self)
    return try unsafe RequestHead(parsing: text.span)
  }

  private func startExchange() -> Exchange {
    core.active.add(1, ordering: .acquiringAndReleasing)
    let exchange = Exchange(id: core.nextID(), connection: handle, handler: core.handler)
    self.exchange = exchange
    return exchange
  }

  /// Asks the handler what to do with the request, and gets ready for its body.
  private func start(_ parsed: RequestHead, _ exchange: Exchange, hasMore: Bool) {
    setFraming(parsed.framing)
    let isStopping = core.stopping.load(ordering: .acquiring)
    let target: HTTPTarget
    switch parsed.target {
    case .success(let found): target = found
    case .failure(let error): return refuse(isStopping ? .stopping : .badTarget(error))
    }
    let client = core.forwarding.client(of: entry.peer, parsed.headers)
    if !core.forwarding.proxies.isEmpty { core.table.assign(entry, to: client) }
    let head = HTTPRequestHead(
      id: exchange.id, method: parsed.method, target: target, headers: parsed.headers, peer: client,
      isSecure: tls != nil)
    self.head = head
    if isStopping { return refuse(.stopping) }
    if entry.isReserved, !core.handler.isEssential(head) { return refuse(.full, closing: true) }
    bodyHandling = core.handler.upload(for: head)
    if case .refused(let response) = bodyHandling {
      exchange.answer(response)
      return refuseBody()
    }
    bodyLimit = limit(of: bodyHandling, head)
    if case .length(let count) = parsed.framing, count > bodyLimit { return refuse(.bodyTooLarge(limit: bodyLimit)) }
    if isUnread { expectBody(parsed, hasMore: hasMore) } else { bodyEnded() }
  }

  private func setFraming(_ framing: BodyFraming) {
    (remaining, chunks, received, dropped) = (0, nil, 0, 0)
    switch framing {
    case .none: isUnread = false
    case .length(let count):
      remaining = count
      isUnread = count > 0
    case .chunked:
      chunks = ChunkDecoder()
      isUnread = true
    }
  }

  private func limit(of bodyHandling: HTTPBodyHandling, _ head: HTTPRequestHead) -> Int {
    switch bodyHandling {
    case .buffered: core.handler.maxBodyBytes(for: head) ?? core.limits.maxBodyBytes
    case .handled(let maxBytes, _): maxBytes ?? core.limits.maxBodyBytes
    case .streamed(_, let maxBytes): maxBytes
    case .refused: 0
    }
  }

  private func expectBody(_ parsed: RequestHead, hasMore: Bool) {
    guard entry.enter(.receiving, now: loop.now) else { return close() }
    phase = .body
    closeBy = loop.now.addingSaturated(core.requestNs)
    // The client has sent the body already, or does not wait for 100 Continue.
    guard parsed.expectsContinue, !hasMore, !parsed.isHTTP10 else { return }
    let permission: StaticString = "HTTP/1.1 100 Continue\r\n\r\n"
    // The kernel's buffer is empty: every response before has been written out.
    _ = permission.withUTF8Buffer { unsafe write(UnsafeRawBufferPointer($0), hasMore: false) }
  }

  // MARK: - The body

  private func feedBody(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard chunks != nil else {
      let count = min(remaining, bytes.count)
      remaining -= count
      unsafe take(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
      if remaining == 0, phase == .body || phase == .draining, !isPaused { bodyEnded() }
      return count
    }
    return unsafe feedChunks(bytes)
  }

  private func feedChunks(_ bytes: UnsafeRawBufferPointer) -> Int {
    let text = unsafe bytes.assumingMemoryBound(to: UInt8.self)
    var index = 0
    while phase == .body || phase == .draining, !isPaused {
      let step: ChunkDecoder.Step?
      do throws(HTTPFault) { step = try unsafe chunks?.next(text.span, &index) } catch {
        refuseChunks(error)
        return bytes.count
      }
      switch step {
      case .piece(let range): unsafe take(UnsafeRawBufferPointer(rebasing: bytes[range]))
      case .end: bodyEnded()
      case .more, nil: return index
      }
    }
    return index
  }

  /// After a malformed chunk the start of the next request cannot be found.
  private func refuseChunks(_ fault: HTTPFault) {
    if phase == .draining { close() } else { refuse(fault, closing: true) }
  }

  private func take(_ piece: UnsafeRawBufferPointer) {
    guard unsafe !piece.isEmpty else { return }
    // A client earns time with what it sends, but cannot save more than a head may take.
    closeBy = min(
      loop.now.addingSaturated(core.requestNs), closeBy.addingSaturated(core.allowance(piece.count)))
    if phase == .draining {
      dropped += piece.count
      if dropped > core.limits.maxDiscardedBytes { close() }
      return
    }
    received += piece.count
    guard received <= bodyLimit else { return refuse(.bodyTooLarge(limit: bodyLimit)) }
    if case .streamed(let upload, _) = bodyHandling { return unsafe pass(piece, to: upload) }
    if unsafe !body.append(piece, upTo: expectedBytes, from: core.bodies) { refuse(.bodiesTooLarge) }
  }

  /// The length of the body as far as it is known: a buffer never grows beyond it.
  private var expectedBytes: Int { chunks == nil ? received + remaining : bodyLimit }

  private func pass(_ piece: UnsafeRawBufferPointer, to upload: any HTTPUpload) {
    guard let exchange else { return }
    exchange.beginPiece()
    guard unsafe !upload.receive(Array(piece), HTTPUploadRoom(exchange: exchange)), exchange.pauseUpload() else {
      return
    }
    isPaused = true
    closeBy = Self.never
  }

  /// The whole body has arrived: the request goes to the handler, or the next one may come.
  func bodyEnded() {
    isUnread = false
    if phase == .draining { return nextRequest() }
    guard let exchange, let head, entry.enter(.busy, now: loop.now) else { return close() }
    phase = .handling
    closeBy = Self.never
    exchange.beginHandling()
    let responder = HTTPResponder(exchange)
    let present = bodyHandling
    bodyHandling = .buffered
    switch present {
    case .streamed(let upload, _): upload.finish(responder)
    case .handled(_, let handle): handle(takeBody(exchange), responder)
    case .buffered, .refused: core.handler.handle(HTTPRequest(head: head, body: takeBody(exchange)), responder)
    }
    answerBy = loop.now.addingSaturated(core.answerNs)
  }

  private func takeBody(_ exchange: Exchange) -> [UInt8] {
    let (bytes, share) = body.take(from: core.bodies)
    exchange.keep(share)
    return bytes
  }

  private func drop(_ bytes: UnsafeRawBufferPointer) -> Int {
    dropped += bytes.count
    if dropped > core.limits.maxDiscardedBytes { close() }
    return bytes.count
  }

  // MARK: - Refusals

  private func refuse(head fault: HTTPFault, _ count: Int) -> Int {
    guard entry.enter(.busy, now: loop.now) else {
      close()
      return count
    }
    refuse(fault, closing: true)
    return count
  }

  /// Answers with a fault, without waiting for the rest of the request.
  private func refuse(_ fault: HTTPFault, closing: Bool = false) {
    let exchange = exchange ?? startExchange()
    if case .streamed(let upload, _) = bodyHandling { upload.abort() }
    bodyHandling = .buffered
    body.release(to: core.bodies)
    exchange.answer(fault: fault, to: head)
    if closing {
      isUnread = true
      keepsAlive = false
    }
    refuseBody()
  }

  /// The response is there before the body: it is sent at once, and the body dropped, when that is worth it.
  private func refuseBody() {
    guard entry.enter(.busy, now: loop.now) else { return close() }
    let rest = chunks == nil ? remaining : 0
    // A client that waits for 100 Continue may or may not send the body, so the start of the next request is unknown.
    let isDropped = rest <= core.limits.maxDiscardedBytes && request?.expectsContinue != true
    if isUnread, !isDropped { keepsAlive = false }
    phase = .handling
    exchange?.beginHandling()
  }
}
