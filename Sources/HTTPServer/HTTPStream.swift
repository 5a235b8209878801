import Synchronization

/// A response body that is written piece by piece from any thread, with a bound on the bytes queued for a slow client.
public final class HTTPStream: Sendable {
  /// The result of sending a piece.
  public enum SendResult: Sendable, Hashable {
    /// It will be sent.
    case taken
    /// Too much is waiting already; nothing of the piece was taken. `onRoom` is called once there is room again.
    case full
    /// The client is gone, or the stream was finished.
    case closed
  }

  private enum Phase: Sendable { case open, finished, closed }

  private struct State: Sendable {
    var phase = Phase.open
    var aborted = false
    var waiting: [UInt8] = []
    var sent = 0
    var refused = false
    var suspended: ConnectionHandle?
  }

  private let capacity: Int
  private let onRoom: @Sendable () -> Void
  private let onClose: @Sendable () -> Void
  private let state = Mutex(State())

  /// A stream that holds at most `capacity` bytes for the client.
  ///
  /// - Parameters:
  ///   - capacity: bytes that may wait; a single piece may be larger when nothing waits.
  ///   - onRoom: called on a server thread when half the capacity is free again after a piece was refused.
  ///   - onClose: called once, when the client is gone or everything has been sent.
  public init(
    capacity: Int = 256 * 1024, onRoom: @escaping @Sendable () -> Void = {},
    onClose: @escaping @Sendable () -> Void = {}
  ) {
    self.capacity = capacity
    self.onRoom = onRoom
    self.onClose = onClose
  }

  /// Hands over a piece.
  public func send(_ bytes: [UInt8]) -> SendResult {
    let (result, wake) = state.withLock { state -> (SendResult, ConnectionHandle?) in
      guard state.phase == .open, !state.aborted else { return (.closed, nil) }
      let pending = state.waiting.count - state.sent
      guard pending == 0 || pending + bytes.count <= capacity else {
        state.refused = true
        return (.full, nil)
      }
      if pending == 0 {
        state.waiting.removeAll(keepingCapacity: state.waiting.count <= capacity)
        state.sent = 0
      }
      state.waiting.append(contentsOf: bytes)
      return (.taken, bytes.isEmpty ? nil : state.suspended.take())
    }
    wake?.wake()
    return result
  }

  /// Ends the body after what waits has been sent.
  public func finish() {
    let wake = state.withLock { state -> ConnectionHandle? in
      if state.phase == .open { state.phase = .finished }
      return state.suspended.take()
    }
    wake?.wake()
  }

  /// Whether the client no longer reads.
  public var isClosed: Bool { state.withLock { $0.phase == .closed || $0.aborted } }

  /// Aborts the body, so that the client can detect that it is incomplete.
  func abort() {
    let wake = state.withLock { state -> ConnectionHandle? in
      state.aborted = true
      return state.suspended.take()
    }
    wake?.wake()
  }

  /// The next piece for a connection.
  enum Piece: Sendable {
    case bytes([UInt8])
    /// There is nothing now; the connection is woken when there is.
    case nothing
    case end
    case brokenOff
  }

  /// At most `limit` bytes of what waits.
  ///
  /// Called on the connection's thread.
  func take(_ limit: Int, for connection: ConnectionHandle) -> Piece {
    let (piece, hasRoom) = state.withLock { state -> (Piece, Bool) in
      if state.aborted { return (.brokenOff, false) }
      let pending = state.waiting.count - state.sent
      if pending == 0 {
        if state.phase != .open { return (.end, false) }
        state.suspended = connection
        return (.nothing, false)
      }
      let count = min(pending, limit)
      let bytes = Array(state.waiting[state.sent..<state.sent + count])
      state.sent += count
      let hasRoom = state.refused && pending - count <= capacity / 2
      if hasRoom { state.refused = false }
      return (.bytes(bytes), hasRoom)
    }
    if hasRoom { onRoom() }
    return piece
  }

  /// The connection needs the stream no more.
  func close() {
    state.withLock { state in
      state.phase = .closed
      state.waiting = []
      state.sent = 0
    }
    onClose()
  }
}
