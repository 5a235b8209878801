/// A body that is processed piece by piece as it arrives, instead of being buffered: for bodies too large for memory.
///
/// Called on a server thread, one call at a time.
public protocol HTTPUpload: Sendable {
  /// Takes the next piece.
  ///
  /// - Returns: false to pause; no further piece comes until `room.resume()`, which must then be called, from any
  ///   thread.
  func receive(_ piece: [UInt8], _ room: HTTPUploadRoom) -> Bool
  /// The body was whole; answers through `responder`, at once or later.
  func finish(_ responder: HTTPResponder)
  /// The client went away, sent too much, or the server stops; nothing more comes.
  func abort()
}

/// What becomes of a request's body.
public enum HTTPBodyHandling: Sendable {
  /// It is buffered, up to the limit, and delivered with the request.
  case buffered
  /// It is buffered, up to so many bytes (nil means ``HTTPLimits/maxBodyBytes``), and passed to this closure instead of
  /// ``HTTPHandler/handle(_:_:)``.
  case handled(maxBytes: Int?, by: @Sendable (_ body: [UInt8], HTTPResponder) -> Void)
  /// It is taken as it arrives, up to so many bytes.
  case streamed(any HTTPUpload, maxBytes: Int)
  /// It is not read; this is the answer.
  case refused(HTTPResponse)
}

/// How an upload that was full says that it can take more.
public struct HTTPUploadRoom: Sendable {
  let exchange: Exchange

  /// Resumes reading from the client.
  public func resume() { exchange.resumeUpload() }
}
