/// What a server does with requests.
///
/// Called on the server's threads, several at once.
public protocol HTTPHandler: Sendable {
  /// The body limit for a request whose head has arrived. The default is the server's ``HTTPLimits/maxBodyBytes``.
  func maxBodyBytes(for head: HTTPRequestHead) -> Int?

  /// What becomes of the body of a request whose head has arrived. The default gathers it.
  func upload(for head: HTTPRequestHead) -> HTTPUploadPlan

  /// Answers a request, at once or later, from any thread, through `responder`. Must not block for long: the thread
  /// serves other connections too.
  func handle(_ request: HTTPRequest, _ responder: HTTPResponder)

  /// The response for what the server itself refuses. The default is a short `application/problem+json` (RFC 9457).
  func response(to fault: HTTPFault, id: HTTPRequestID) -> HTTPResponse
}

extension HTTPHandler {
  /// No limit of its own.
  public func maxBodyBytes(for head: HTTPRequestHead) -> Int? { nil }

  /// Bodies are gathered.
  public func upload(for head: HTTPRequestHead) -> HTTPUploadPlan { .gathered }

  /// A short problem document.
  public func response(to fault: HTTPFault, id: HTTPRequestID) -> HTTPResponse { fault.problemResponse }
}

/// A request the server refuses by itself, or one that found no answer.
public struct HTTPFault: Sendable, Hashable {
  /// The status code of the answer.
  public let status: Int
  /// The standard phrase of the status.
  public let title: String
  /// What is wrong; plain ASCII without quotes or backslashes.
  public let detail: String

  /// The fault as `application/problem+json`.
  public var problemResponse: HTTPResponse {
    let text = #"{"type":"about:blank","title":"\#(title)","status":\#(status),"detail":"\#(detail)"}"#
    return HTTPResponse(status: status, contentType: "application/problem+json", bytes: Array(text.utf8))
  }

  static func badTarget(_ error: HTTPTargetError) -> HTTPFault {
    HTTPFault(status: 400, title: "Bad Request", detail: error.description)
  }
  static let ambiguousLength = HTTPFault(
    status: 400, title: "Bad Request",
    detail: "the request has more than one length: send either one Content-Length or Transfer-Encoding: chunked")
  static func bodyTooLarge(limit: Int) -> HTTPFault {
    HTTPFault(
      status: 413, title: "Content Too Large", detail: "the request body is longer than the limit of \(limit) bytes")
  }
  static let stopping = HTTPFault(
    status: 503, title: "Service Unavailable", detail: "the server is stopping; send the request again later")
  static let noAnswerInTime = HTTPFault(
    status: 503, title: "Service Unavailable", detail: "the request took too long to answer; its outcome is not known")
  static let noAnswer = HTTPFault(
    status: 500, title: "Internal Server Error", detail: "the request was dropped without an answer")
}
