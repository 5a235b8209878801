internal import CLinux
import Glibc
import Synchronization

/// Where the rest of a response's body comes from.
enum BodySource {
  case producer(@Sendable (inout [UInt8]) throws -> Bool)
  case stream(HTTPStream)

  func close() { if case .stream(let stream) = self { stream.close() } }
}

// Output: responses to bytes.
extension ClientConnection {
  /// Bytes of a body that are sent together with the head.
  private static let smallBytes = 16 * 1024
  /// Bytes read from a source for one chunk.
  private static let chunkBytes = 16 * 1024

  /// Begins to send the response; false when it is not there yet.
  func beginResponse() -> Bool {
    guard let exchange, let response = exchange.takeResponse() else { return false }
    phase = .sending
    answerBy = Self.never
    credit = core.readNs
    closeBy = Self.never
    if core.stopping.load(ordering: .acquiring) { keepsAlive = false }
    let isHTTP10 = request?.isHTTP10 == true
    let framing = framing(of: response, isHTTP10: isHTTP10)
    if framing == .close { keepsAlive = false }
    isChunked = framing == .chunked
    loop.date.update()
    ResponseHead.write(
      response, framing, keepsAlive: keepsAlive, isHTTP10: isHTTP10, date: loop.date.bytes, into: &output)
    attach(response.body, isSent: request?.method != .head && framing != .none)
    return true
  }

  private func framing(of response: HTTPResponse, isHTTP10: Bool) -> ResponseHead.Framing {
    if response.status < 200 || response.status == 204 || response.status == 304 { return .none }
    if case .bytes(let bytes) = response.body { return .length(bytes.count) }
    return isHTTP10 ? .close : .chunked
  }

  private func attach(_ body: HTTPResponseBody, isSent: Bool) {
    switch body {
    case .bytes(let bytes):
      guard isSent else { return }
      if bytes.count <= Self.smallBytes { output += bytes } else { large = bytes }
    case .produced(let producer): if isSent { source = .producer(producer) }
    case .stream(let stream): if isSent { source = .stream(stream) } else { stream.close() }
    }
  }

  // MARK: - Writing

  /// Writes once; nil when nothing can be written now.
  func flush() -> Int? {
    if sent < output.count {
      let count = write(output, from: sent, hasMore: !large.isEmpty)
      sent += count ?? 0
      return count
    }
    if largeSent < large.count {
      let count = write(large, from: largeSent, hasMore: false)
      largeSent += count ?? 0
      return count
    }
    if source != nil { return refill() }
    responseEnded()
    return 0
  }

  private func write(_ bytes: [UInt8], from start: Int, hasMore: Bool) -> Int? {
    guard isWritable else { return nil }
    let transfer = unsafe bytes.withUnsafeBytes {
      unsafe write(UnsafeRawBufferPointer(rebasing: $0[start...]), hasMore: hasMore)
    }
    switch transfer {
    case .bytes(let count):
      credit = min(core.readNs, credit.addingSaturated(core.allowance(count)))
      return count
    case .nothing: return 0
    case .blocked:
      blocked()
      return nil
    case .ended:
      close()
      return nil
    }
  }

  /// The client leaves no room.
  private func blocked() {
    isWritable = false
    blockedAt = loop.now
    closeBy = loop.now.addingSaturated(credit)
    unacknowledged = postrider_unacknowledged_bytes(socket)
  }

  /// The client has made room.
  func unblocked() {
    isWritable = true
    guard let since = blockedAt.take() else { return }
    credit = max(0, credit - (loop.now - since))
    closeBy = Self.never
  }

  /// Whether a client that keeps us waiting has read on, less than makes the kernel report room: that gives it time.
  func hasProgressed() -> Bool {
    guard phase == .sending, blockedAt != nil else { return false }
    let left = postrider_unacknowledged_bytes(socket)
    let read = Int(unacknowledged) - Int(left)
    guard read > 0 else { return false }
    unacknowledged = left
    blockedAt = loop.now
    credit = min(core.readNs, core.allowance(read))
    closeBy = loop.now.addingSaturated(credit)
    return true
  }

  // MARK: - Bodies that come bit by bit

  /// Fetches more of the body; nil when there is none now.
  private func refill() -> Int? {
    output.removeAll(keepingCapacity: true)
    sent = 0
    switch source {
    case .producer(let producer): return produce(producer)
    case .stream(let stream): return fetch(stream)
    case nil: return 0
    }
  }

  private func produce(_ producer: @Sendable (inout [UInt8]) throws -> Bool) -> Int? {
    var piece: [UInt8] = []
    var hasMore = true
    do {
      while hasMore, piece.count < Self.chunkBytes { hasMore = try producer(&piece) }
    } catch {
      // Without its last chunk the client can detect that the body is incomplete.
      close()
      return nil
    }
    appendChunk(piece)
    if !hasMore { endSource() }
    return piece.count
  }

  private func fetch(_ stream: HTTPStream) -> Int? {
    switch stream.take(Self.chunkBytes, for: handle) {
    case .bytes(let bytes):
      appendChunk(bytes)
      return bytes.count
    case .nothing: return nil
    case .end:
      endSource()
      return 0
    case .brokenOff:
      close()
      return nil
    }
  }

  private func appendChunk(_ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return }
    if isChunked {
      ResponseHead.append(bytes.count, to: &output, radix: 16)
      output += [ASCII.cr, ASCII.lf]
    }
    output += bytes
    if isChunked { output += [ASCII.cr, ASCII.lf] }
  }

  private func endSource() {
    if isChunked { output += Array("0\r\n\r\n".utf8) }
    source?.close()
    source = nil
  }

  // MARK: - After the response

  private func responseEnded() {
    output.removeAll(keepingCapacity: output.capacity <= 4 * Self.smallBytes)
    (sent, largeSent, large) = (0, 0, [])
    endExchange()
    if !keepsAlive { tls?.finish() }
    if !keepsAlive { return isUnread || !pending.isEmpty ? linger() : close() }
    guard isUnread else { return nextRequest() }
    phase = .draining
    dropped = 0
    closeBy = loop.now.addingSaturated(core.requestNs)
    // A drained body is worth less than anybody's connection.
    if !entry.enter(.waiting, now: loop.now) { close() }
  }

  func nextRequest() {
    phase = .head
    (scanned, headStarted, skippedEmptyLine, isUnread, chunks) = (0, false, false, false, nil)
    closeBy = loop.now.addingSaturated(core.idleNs)
    if !entry.enter(.waiting, now: loop.now) { close() }
  }

  private func linger() {
    guard entry.enter(.waiting, now: loop.now) else { return close() }
    shutdown(socket, Int32(SHUT_WR))
    phase = .lingering
    (pending, dropped) = ([], 0)
    closeBy = loop.now.addingSaturated(Self.lingerNs)
  }
}
