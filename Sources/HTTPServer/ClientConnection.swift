internal import CLinux
import Glibc
import Synchronization

/// One open connection: reads requests, one after the other, and writes their responses.
///
/// ```
///   ┌───────────────────────── next request ──────────────────────────┐
///   ▼                                                                 │
/// head ──▶ body ──▶ handling ──▶ sending ──▶ (draining a refused body) ┘
///   │        │                      ▲  └──▶ lingering ──▶ closed
///   └────────┴── refused ───────────┘
/// ```
///
/// Touched by the thread of its loop only; other threads reach it through its ``Exchange``.
final class ClientConnection {
  enum Phase {
    case head, body, handling, sending
    /// The response is out, and the rest of the refused body is read and dropped.
    case draining
    /// Our side is closed; what the client still sends is dropped, so that it gets to read the last response.
    case lingering
    case closed
  }

  /// No bound.
  static let never = Int64.max
  /// Bytes moved before other connections have their turn.
  static let bytesPerTurn = 256 * 1024
  /// How long a client may continue to send after a last response.
  static let lingerNs: Int64 = 2_000_000_000
  /// How long a client may take to go on after it was made to wait.
  static let afterPauseNs: Int64 = 30_000_000_000

  let entry: ConnectionEntry
  let handle: ConnectionHandle
  let core: ServerCore
  unowned let loop: ServingLoop
  var socket: Int32 { entry.socket }
  /// Nil on a plain connection.
  let tls: TLSSession?

  var phase = Phase.head
  /// When the connection is closed.
  var closeBy: Int64
  /// The deadline for the handler's answer; after it the client gets a 503.
  var answerBy = never
  /// Whether a read or write may find something; false after one that did not, until the kernel reports a change.
  var isReadable = true
  var isWritable = true
  /// The client sends nothing more: after what is still to be read comes the end, which the kernel reports only once.
  var isHalfClosed = false

  // Input
  var pending: [UInt8] = []
  /// Bytes of `pending` in which no end of a head was found.
  var scanned = 0
  var skippedEmptyLine = false
  var headStarted = false

  // The request
  var exchange: Exchange?
  var request: RequestHead?
  var head: HTTPRequestHead?
  var bodyHandling = HTTPBodyHandling.buffered
  var bodyLimit = 0
  var body = BufferedBody()
  var remaining = 0
  var chunks: ChunkDecoder?
  var received = 0
  var dropped = 0
  /// The upload is full, and nothing is read.
  var isPaused = false

  // The response
  var output: [UInt8] = []
  var sent = 0
  /// A long body, which follows `output`.
  var large: [UInt8] = []
  var largeSent = 0
  var source: BodySource?
  var isChunked = false
  var keepsAlive = true
  /// The body of the request has not arrived as a whole.
  var isUnread = false
  /// How long the client may still keep us waiting.
  var credit: Int64
  var blockedAt: Int64?
  var unacknowledged: Int32 = 0

  init(_ entry: ConnectionEntry, _ handle: ConnectionHandle, _ loop: ServingLoop, _ tls: TLSSession?) {
    self.entry = entry
    self.handle = handle
    self.loop = loop
    core = loop.core
    credit = loop.core.readNs
    self.tls = tls
    closeBy = loop.now.addingSaturated(tls == nil ? loop.core.idleNs : loop.core.requestNs)
  }

  /// Does what can be done without waiting; true when there is more to do after others had their turn.
  func advance() -> Bool {
    var left = Self.bytesPerTurn
    while left > 0 {
      let moved: Int?
      switch phase {
      case .closed: return false
      case .handling: moved = beginResponse() ? 0 : nil
      case .sending: moved = flush()
      case .head, .body, .draining, .lingering: moved = receive()
      }
      guard let moved else { return false }
      left -= max(moved, Self.stepCost)
    }
    return phase != .closed
  }

  /// What a step counts at least, so that many small requests give others their turn too.
  private static let stepCost = 1024

  /// The kernel reports a change.
  func changed(_ events: UInt32) {
    if events & (EPOLLIN.rawValue | EPOLLRDHUP.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 {
      isReadable = true
    }
    if events & EPOLLRDHUP.rawValue != 0 { isHalfClosed = true }
    // Under TLS a read may have waited for room to write.
    if tls != nil { isReadable = true }
    if events & EPOLLOUT.rawValue != 0, !isWritable { unblocked() }
    // Both directions are closed: no answer can be delivered.
    let isGone = events & (EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0
    if isGone, phase == .handling || phase == .sending || isPaused { close() }
  }

  /// Another thread has an answer, more of a stream, or room for an upload.
  func woken() {
    guard isPaused, exchange?.isUploadPaused == false else { return }
    isPaused = false
    closeBy = loop.now.addingSaturated(Self.afterPauseNs)
    if phase == .body, chunks == nil, remaining == 0 { bodyEnded() }
  }

  func enforceDeadlines() {
    if answerBy <= loop.now {
      answerBy = Self.never
      exchange?.answer(fault: .noAnswerInTime, to: head)
    }
    if closeBy <= loop.now, !hasProgressed() { close() }
  }

  /// Ends the connection at once.
  func close() {
    guard phase != .closed else { return }
    // Between requests nothing was cut off.
    if phase == .head, !headStarted { tls?.finish() }
    phase = .closed
    endExchange()
    core.table.remove(entry)
    Glibc.close(socket)
    loop.forget(self)
  }

  /// Ends what a request holds, whether it was answered or not.
  func endExchange() {
    guard let exchange else { return }
    exchange.end()
    self.exchange = nil
    if case .streamed(let upload, _) = bodyHandling { upload.abort() }
    bodyHandling = .buffered
    head = nil
    request = nil
    body.release(to: core.bodies)
    source?.close()
    source = nil
    isPaused = false
    answerBy = Self.never
    core.active.subtract(1, ordering: .acquiringAndReleasing)
  }

  /// The server stops: what waits is refused, and as much of it is sent as the kernel takes.
  func stop() {
    if phase == .handling {
      exchange?.answer(fault: .stopping, to: head)
      _ = advance()
    }
    if case .stream(let stream) = source { stream.abort() }
    close()
  }
}

extension Int64 {
  /// A sum that ends at the largest number, which no clock reaches.
  func addingSaturated(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
