/// One connection of a server, with its faults. All functions may be called from any thread unless said otherwise.
public final class HTTP2ServerConnection: Sendable {
  /// A number that no other connection of this process has.
  public let id: UInt64
  /// The client's address and port.
  public let peer: String

  init() {
    id = 0
    peer = ""
  }

  /// Sends GOAWAY. Streams above `lastStreamID` are dropped without an answer.
  /// - Parameters:
  ///   - lastStreamID: the last stream that counts as processed; `nil` for the last one that came in.
  ///   - closing: whether the connection is closed once the remaining streams are answered.
  public func goAway(
    lastStreamID: Int32? = nil, code: HTTP2ErrorCode = .noError, debugData: [UInt8] = [], closing: Bool = true
  ) {}

  /// Announces other SETTINGS; values that are absent stay as they are.
  public func update(_ settings: HTTP2Settings) {}

  /// Resets the TCP connection at once.
  public func closeAbruptly() {}

  /// Reads nothing and writes nothing from now on: the client sees silence.
  public func fallSilent() {}

  /// Stops reading, or starts again; answers are still written.
  public func pauseReading(_ paused: Bool) {}

  /// Writes bytes as they are into the stream of frames, for broken or unusual frames.
  public func writeRaw(_ bytes: [UInt8]) {}
}
