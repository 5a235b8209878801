internal import CLinux
import Glibc

// The socket: plain, or under TLS.
extension ClientConnection {
  /// What a read or a write came to.
  enum Transfer {
    case bytes(Int)
    /// Interrupted; nothing has changed.
    case nothing
    /// The socket has nothing, or takes nothing, until the kernel reports a change.
    case blocked
    case ended
  }

  /// Reads up to `room` bytes into the loop's buffer.
  func read(_ room: Int) -> Transfer {
    let buffer = unsafe UnsafeMutableRawBufferPointer(rebasing: loop.scratch[..<room])
    if let tls { return unsafe read(tls, into: buffer) }
    let count = unsafe recv(socket, buffer.baseAddress, room, 0)
    guard count > 0 else { return count == 0 ? .ended : Self.failure() }
    if count < room, !isHalfClosed { isReadable = false }
    return .bytes(count)
  }

  /// Writes as much as the socket takes; `hasMore` when more follows at once.
  func write(_ bytes: UnsafeRawBufferPointer, hasMore: Bool) -> Transfer {
    if let tls { return unsafe transfer(tls.write(bytes)) }
    let count = unsafe send(
      socket, bytes.baseAddress, bytes.count, (hasMore ? Int32(MSG_MORE) : 0) | Int32(MSG_NOSIGNAL))
    return count >= 0 ? .bytes(count) : Self.failure()
  }

  private static func failure() -> Transfer {
    if errno == EINTR { return .nothing }
    return errno == EAGAIN || errno == EWOULDBLOCK ? .blocked : .ended
  }

  private func read(_ tls: TLSSession, into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
    let wasOpen = tls.isOpen
    if !tls.hasBegun, let first = firstByte() {
      tls.hasBegun = true
      // A method begins with a letter, a TLS handshake with the byte 22.
      if (UInt8(ascii: "A")...UInt8(ascii: "z")).contains(first) {
        refusePlain()
        return .ended
      }
    }
    let outcome = unsafe tls.read(into: buffer)
    // Until the handshake is done a client has no longer than for a request.
    if !wasOpen, tls.isOpen { closeBy = loop.now.addingSaturated(core.idleNs) }
    return transfer(outcome)
  }

  private func transfer(_ outcome: TLSSession.Outcome) -> Transfer {
    switch outcome {
    case .bytes(let count): return .bytes(count)
    case .blocked: return .blocked
    case .ended: return .ended
    }
  }

  /// The next byte of the socket, which stays there.
  private func firstByte() -> UInt8? {
    var byte: UInt8 = 0
    return unsafe recv(socket, &byte, 1, Int32(MSG_PEEK)) == 1 ? byte : nil
  }

  private func refusePlain() {
    _ = Self.plainRefusal.withUTF8Buffer { unsafe send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    shutdown(socket, Int32(SHUT_WR))
    // What is left unread would make the kernel reset the connection, and the client might not see the refusal.
    unsafe recv(socket, loop.scratch.baseAddress, loop.scratch.count, 0)
  }

  private static let plainRefusal: StaticString = """
    HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 58\r\nConnection: close\r\n\r
    This port speaks HTTPS only: use https:// in the address.\n
    """
}
