internal import CMicroHTTPD
import Synchronization

/// One request on its way from the request line to the end of the response.
///
/// ```
/// head ──▶ receiving ──▶ handling ──▶ suspended ──▶ answered ──▶ queued
///  │           │             └── answered at once ────▲
///  │           └─▶ discarding ── body read ────────────┤     (refused, body thrown away)
///  └── refused before the body ────────────────────────┘
/// ```
///
/// 1. `head`, `receiving`, `discarding` and `handling` change on the connection's own thread only.
/// 2. A response is stored once; the store and the change to `suspended` exclude each other through the lock, so a
///    connection is resumed exactly once for each time it was suspended.
/// 3. After `abort`, nothing is suspended any more.
final class Exchange: Sendable {
  enum Phase: Sendable {
    case head, receiving, discarding, handling, suspended, answered, queued
  }

  struct State: Sendable {
    var phase = Phase.head
    var head: HTTPRequestHead?
    var body: [UInt8] = []
    var bodyLimit = 0
    var discarded = 0
    var bodyStart: Int64 = 0
    var response: HTTPResponse?
    var stream: HTTPStream?
    var aborted = false
    /// Takes the body as it arrives, instead of `body`.
    var upload: (any HTTPUpload)?
    var received = 0
    /// The connection sleeps until the upload has room.
    var isUploadPaused = false
    /// Room was made since the upload was last handed something, so that it must not fall asleep over that.
    var madeRoom = false
    var pausedAt: Int64 = 0
  }

  let id: HTTPRequestID
  let target: Result<HTTPTarget, HTTPTargetError>
  let connection: Connection
  let handle: ConnectionHandle
  let handler: any HTTPHandler
  let state = Mutex(State())

  init(
    id: HTTPRequestID, target: Result<HTTPTarget, HTTPTargetError>, connection: Connection, handle: ConnectionHandle,
    handler: any HTTPHandler
  ) {
    self.id = id
    self.target = target
    self.connection = connection
    self.handle = handle
    self.handler = handler
  }

  /// Stores the response and wakes the connection when it waits for one.
  @discardableResult
  func answer(_ response: HTTPResponse) -> Bool {
    let (stored, wake) = state.withLock { state in
      guard state.response == nil, state.phase != .queued else { return (false, false) }
      state.response = response
      let wake = state.phase == .suspended
      if wake || state.phase == .handling { state.phase = .answered }
      return (true, wake)
    }
    if wake {
      connection.answerBy.store(Connection.never, ordering: .relaxed)
      handle.resume()
    }
    return stored
  }

  func answer(fault: HTTPFault) {
    let open = state.withLock { $0.response == nil && $0.phase != .queued }
    if open { answer(handler.response(to: fault, id: id)) }
  }

  /// The handler took too long.
  func expire() {
    guard state.withLock({ $0.phase == .suspended }) else { return }
    answer(fault: .noAnswerInTime)
  }

  /// The server stops now: a waiting request is refused, a stream ends.
  func abort() {
    let (stream, wake) = state.withLock { state in
      state.aborted = true
      let wake = state.isUploadPaused
      state.isUploadPaused = false
      return (state.stream, wake)
    }
    stream?.abort()
    if wake { handle.resume() }
    if state.withLock({ $0.phase == .suspended }) { answer(fault: .stopping) }
  }

  /// Lets the connection sleep until the upload has room, unless it has some already.
  ///
  /// Runs on the connection's thread.
  func pauseUpload(now: Int64) {
    state.withLock { state in
      // Of a chunked body the library hands over what it has already read, also while the connection sleeps.
      guard !state.isUploadPaused, !state.madeRoom, !state.aborted else { return }
      state.isUploadPaused = true
      state.pausedAt = now
      connection.closeBy.store(Connection.never, ordering: .relaxed)
      MHD_suspend_connection(handle.pointer)
    }
  }

  /// The upload has room again.
  func resumeUpload() {
    let wake = state.withLock { state in
      state.madeRoom = true
      guard state.isUploadPaused else { return false }
      state.isUploadPaused = false
      // Time spent asleep is not held against the client.
      let asleep = monotonicNow() - state.pausedAt
      state.bodyStart += asleep
      connection.closeBy.store(monotonicNow() + Self.afterPauseNs, ordering: .relaxed)
      return true
    }
    if wake { handle.resume() }
  }

  /// How long a client may take to go on after it was made to wait.
  private static let afterPauseNs: Int64 = 30_000_000_000

  /// Lets the connection sleep until the answer is there.
  ///
  /// Runs on the connection's thread, after the handler returned.
  ///
  /// - Returns: `false` when the answer is already there, or must be given now.
  func suspendUnlessAnswered(answerBy: Int64) -> Bool {
    let suspended = state.withLock { state in
      guard state.phase == .handling, !state.aborted else { return false }
      state.phase = .suspended
      connection.answerBy.store(answerBy, ordering: .relaxed)
      MHD_suspend_connection(handle.pointer)
      return true
    }
    // Only a stop leaves a handled request unanswered here; `answer` ignores this when a response came meanwhile.
    if !suspended { answer(fault: .stopping) }
    return suspended
  }
}
