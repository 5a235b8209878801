/// What a server does with requests.
///
/// Called on the server's threads, several at once.
public protocol HTTPHandler: Sendable {
  /// The body limit for a request whose head has arrived. The default is the server's ``HTTPLimits/maxBodyBytes``.
  func maxBodyBytes(for head: HTTPRequestHead) -> Int?

  /// How to receive the body of a request whose head has arrived. The default buffers it.
  func upload(for head: HTTPRequestHead) -> HTTPBodyHandling

  /// Answers a request, at once or later, from any thread, through `responder`. Must not block for long: the thread
  /// serves other connections too.
  func handle(_ request: HTTPRequest, _ responder: HTTPResponder)

  /// Whether a request is served even when all connections are in use: for health checks and metrics. The default is no.
  func isEssential(_ head: HTTPRequestHead) -> Bool

  /// Runs a thread that serves: calls `serve`, which returns when the server stops. For what is to hold on such threads.
  func onServingThread(_ serve: () -> Void)

  /// The response for what the server itself refuses. The default is a short `application/problem+json` (RFC 9457).
  ///
  /// - Parameter head: the request's head; nil when it could not be read.
  func response(to fault: HTTPFault, id: HTTPRequestID, head: HTTPRequestHead?) -> HTTPResponse
}

extension HTTPHandler {
  /// No limit of its own.
  public func maxBodyBytes(for head: HTTPRequestHead) -> Int? { nil }

  /// Bodies are buffered.
  public func upload(for head: HTTPRequestHead) -> HTTPBodyHandling { .buffered }

  /// Nothing is served beyond the limit of connections.
  public func isEssential(_ head: HTTPRequestHead) -> Bool { false }

  /// Nothing special holds on serving threads.
  public func onServingThread(_ serve: () -> Void) { serve() }

  /// A short problem document.
  public func response(to fault: HTTPFault, id: HTTPRequestID, head: HTTPRequestHead?) -> HTTPResponse {
    fault.problemResponse
  }
}
