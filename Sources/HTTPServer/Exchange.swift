import Synchronization

/// What a request shares with the threads that answer it.
///
/// ```
/// receiving ──▶ handling ──▶ suspended ──▶ answered ──▶ taken
///     │             └── answered at once ────▲
///     └── refused before the body ───────────┘
/// ```
///
/// 1. `receiving` and `handling` change on the connection's thread only.
/// 2. A response is stored once; the store and the change to `suspended` exclude each other through the lock, so that a
///    connection that waits is woken exactly once.
final class Exchange: Sendable {
  private enum Phase: Sendable {
    case receiving, handling, suspended, answered, taken
  }

  private struct State: Sendable {
    var phase = Phase.receiving
    var response: HTTPResponse?
    /// The connection is not read from until the upload has room.
    var isUploadPaused = false
    /// What the body takes of the shared memory: held as long as this exchange, so by the connection and by whoever can still
    /// answer, also after the client has gone.
    var body: BodyShare?
    /// Room was made since the upload was last given something, so that it need not pause.
    var madeRoom = false
  }

  let id: HTTPRequestID
  private let connection: ConnectionHandle
  private let handler: any HTTPHandler
  private let state = Mutex(State())

  init(id: HTTPRequestID, connection: ConnectionHandle, handler: any HTTPHandler) {
    self.id = id
    self.connection = connection
    self.handler = handler
  }

  /// Stores the response and wakes the connection when it waits for one; false when there is one already.
  @discardableResult
  func answer(_ response: HTTPResponse) -> Bool {
    let (isStored, isAwaited) = state.withLock { state in
      guard state.response == nil, state.phase != .taken else { return (false, false) }
      state.response = response
      let isAwaited = state.phase == .suspended
      if isAwaited || state.phase == .handling { state.phase = .answered }
      return (true, isAwaited)
    }
    if isAwaited { connection.wake() }
    return isStored
  }

  /// - Parameter head: the request's head, where it is known.
  func answer(fault: HTTPFault, to head: HTTPRequestHead?) {
    let isOpen = state.withLock { $0.response == nil && $0.phase != .taken }
    if isOpen { answer(handler.response(to: fault, id: id, head: head)) }
  }

  /// The connection's thread, for tasks.
  var executor: any TaskExecutor { connection.mailbox }

  // MARK: - On the connection's thread

  /// The request is complete and goes to the handler.
  func beginHandling() { state.withLock { $0.phase = .handling } }

  /// Passes the body's memory to the handler, which uses it until it releases the responder.
  func keep(_ body: BodyShare?) { state.withLock { $0.body = body } }

  /// The response, when there is one; otherwise the next one wakes the connection.
  func takeResponse() -> HTTPResponse? {
    state.withLock { state in
      guard let response = state.response.take() else {
        if state.phase == .handling { state.phase = .suspended }
        return nil
      }
      state.phase = .taken
      return response
    }
  }

  /// The answer is no longer needed.
  func end() {
    state.withLock { state in
      state.phase = .taken
      state.response = nil
    }
  }

  // MARK: - Uploads

  /// The upload is given a piece.
  func beginPiece() { state.withLock { $0.madeRoom = false } }

  /// The upload was full after a piece; false when it has made room since.
  func pauseUpload() -> Bool {
    state.withLock { state in
      state.isUploadPaused = !state.madeRoom
      return state.isUploadPaused
    }
  }

  var isUploadPaused: Bool { state.withLock { $0.isUploadPaused } }

  /// The upload has room again.
  func resumeUpload() {
    let isAwaited = state.withLock { state in
      state.madeRoom = true
      defer { state.isUploadPaused = false }
      return state.isUploadPaused
    }
    if isAwaited { connection.wake() }
  }
}
