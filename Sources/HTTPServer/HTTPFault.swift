/// A request the server refuses by itself, or one that found no answer.
public struct HTTPFault: Error, Sendable, Hashable {
  /// The status code of the answer.
  public let status: Int
  /// The standard phrase of the status.
  public let title: String
  /// What is wrong; plain ASCII without quotes or backslashes.
  public let detail: String
  /// The seconds after which the request may be sent again; nil when that is not known to help.
  public var retryAfterSeconds: Int?

  /// The fault as `application/problem+json`.
  public var problemResponse: HTTPResponse {
    let text = #"{"type":"about:blank","title":"\#(title)","status":\#(status),"detail":"\#(detail)"}"#
    var response = HTTPResponse(status: status, contentType: "application/problem+json", bytes: Array(text.utf8))
    if let retryAfterSeconds { response.headers.append(("Retry-After", String(retryAfterSeconds))) }
    return response
  }

  private static func bad(_ detail: String) -> HTTPFault {
    HTTPFault(status: 400, title: "Bad Request", detail: detail)
  }

  private static func unavailable(_ detail: String, retryAfter seconds: Int? = nil) -> HTTPFault {
    HTTPFault(status: 503, title: "Service Unavailable", detail: detail, retryAfterSeconds: seconds)
  }
}

// MARK: - The head and its framing

extension HTTPFault {
  static let bareLineEnd = bad("a line of the request ends without CR LF, or holds one of them alone")
  static let badRequestLine = bad("the request line must read: METHOD /path HTTP/1.1")
  static let badTargetForm = bad("the request target must start with a slash, or with http:// and a host")
  static let foldedLine = bad("a header line starts with a space; continued lines are not accepted")
  static let badFieldName = bad(
    "a header line must start with a name of letters, digits and -, and a colon right after it")
  static let badFieldValue = bad("a header value holds a control character")
  static let hostCount = bad("the request must have one Host header")
  static let badHost = bad("the Host header is not a host with an optional port")
  static let otherHost = bad("the Host header names another host than the request target")
  static let badLength = bad("the Content-Length must be one number in decimal digits")
  static let ambiguousLength = bad(
    "the request has more than one length: send either one Content-Length or Transfer-Encoding: chunked")
  static let badCoding = bad("the Transfer-Encoding must be chunked and nothing else")
  static let badChunk = bad("the chunked body is malformed")
  static let unknownCoding = HTTPFault(
    status: 501, title: "Not Implemented", detail: "the only Transfer-Encoding accepted is chunked")
  static let unknownVersion = HTTPFault(
    status: 505, title: "HTTP Version Not Supported", detail: "this port speaks HTTP/1.1")
  static let unknownExpectation = HTTPFault(
    status: 417, title: "Expectation Failed", detail: "the only expectation accepted is 100-continue")
  static let targetTooLong = HTTPFault(
    status: 414, title: "URI Too Long", detail: "the request line is longer than the limit of a head")
  static func headTooLong(limit: Int) -> HTTPFault {
    HTTPFault(
      status: 431, title: "Request Header Fields Too Large",
      detail: "the request line and headers are longer than the limit of \(limit) bytes")
  }
  static let tooManyFields = HTTPFault(
    status: 431, title: "Request Header Fields Too Large",
    detail: "the request has more than \(HTTPLimits.fieldsMax) header lines")
  static func badTarget(_ error: HTTPTargetError) -> HTTPFault { bad(error.description) }
}

// MARK: - Limits and time

extension HTTPFault {
  static func bodyTooLarge(limit: Int) -> HTTPFault {
    HTTPFault(
      status: 413, title: "Content Too Large", detail: "the request body is longer than the limit of \(limit) bytes")
  }
  static let bodiesTooLarge = unavailable(
    "the request bodies being received fill the memory set aside for them; send the request again", retryAfter: 1)
  static let full = unavailable("all connections are in use; send the request again", retryAfter: 1)
  static let stopping = unavailable("the server is stopping; send the request again later")
  static let noAnswerInTime = unavailable("the request took too long to answer; its outcome is not known")
  static let noAnswer = HTTPFault(
    status: 500, title: "Internal Server Error", detail: "the request was dropped without an answer")
}
