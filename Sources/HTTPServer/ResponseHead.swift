import Glibc

/// Writes the status line and header fields of a response.
enum ResponseHead {
  /// How the end of the body is known.
  enum Framing: Sendable, Hashable {
    case length(Int)
    case chunked
    /// By the end of the connection; for HTTP/1.0, which knows no chunks.
    case close
    /// There is none, by the meaning of the status.
    case none
  }

  static func write(
    _ response: HTTPResponse, _ framing: Framing, keepsAlive: Bool, isHTTP10: Bool, date: [UInt8],
    into bytes: inout [UInt8]
  ) {
    bytes += "HTTP/1.1 "
    append(response.status, to: &bytes)
    bytes.append(ASCII.space)
    bytes += phrase(response.status)
    bytes += "\r\nDate: "
    bytes += date
    switch framing {
    case .length(let count):
      bytes += "\r\nContent-Length: "
      append(count, to: &bytes)
    case .chunked: bytes += "\r\nTransfer-Encoding: chunked"
    case .close, .none: break
    }
    if !keepsAlive {
      bytes += "\r\nConnection: close"
    } else if isHTTP10 {
      bytes += "\r\nConnection: keep-alive"
    }
    for header in response.headers where isSound(header) {
      bytes += "\r\n"
      bytes += header.name.utf8
      bytes += ": "
      bytes += header.value.utf8
    }
    bytes += "\r\n\r\n"
  }

  /// Whether a field cannot end its line or contradict what the server itself says of the body.
  private static func isSound(_ header: (name: String, value: String)) -> Bool {
    guard !header.name.isEmpty, header.name.utf8.allSatisfy(ASCII.isToken),
      header.value.utf8.allSatisfy(ASCII.isFieldByte)
    else { return false }
    return !["content-length", "transfer-encoding", "connection", "date"].contains(header.name.lowercased())
  }

  static func append(_ number: Int, to bytes: inout [UInt8], radix: Int = 10) {
    bytes += String(number, radix: radix).utf8
  }

  private static func phrase(_ status: Int) -> StaticString {
    switch status {
    case 200: "OK"
    case 201: "Created"
    case 202: "Accepted"
    case 204: "No Content"
    case 206: "Partial Content"
    case 301: "Moved Permanently"
    case 302: "Found"
    case 303: "See Other"
    case 304: "Not Modified"
    case 307: "Temporary Redirect"
    case 308: "Permanent Redirect"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 408: "Request Timeout"
    case 409: "Conflict"
    case 410: "Gone"
    case 412: "Precondition Failed"
    case 413: "Content Too Large"
    case 414: "URI Too Long"
    case 415: "Unsupported Media Type"
    case 417: "Expectation Failed"
    case 422: "Unprocessable Content"
    case 429: "Too Many Requests"
    case 431: "Request Header Fields Too Large"
    case 500: "Internal Server Error"
    case 501: "Not Implemented"
    case 502: "Bad Gateway"
    case 503: "Service Unavailable"
    case 504: "Gateway Timeout"
    case 505: "HTTP Version Not Supported"
    // The phrase may be empty (RFC 9112 section 4).
    default: ""
    }
  }
}

extension [UInt8] {
  fileprivate static func += (bytes: inout [UInt8], text: StaticString) {
    text.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
  }
}

/// The text of the `Date` header (RFC 9110 section 5.6.7), made once a second.
struct DateText {
  private var second: time_t = -1
  private(set) var bytes: [UInt8] = []

  mutating func update() {
    let now = time(nil)
    guard now != second else { return }
    second = now
    var (instant, parts) = unsafe (now, tm())
    unsafe gmtime_r(&instant, &parts)
    let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let clock = unsafe [parts.tm_hour, parts.tm_min, parts.tm_sec].map(Self.twoDigits).joined(separator: ":")
    let date = unsafe "\(Self.twoDigits(parts.tm_mday)) \(months[Int(parts.tm_mon)]) \(1900 + Int(parts.tm_year))"
    bytes = Array(unsafe "\(days[Int(parts.tm_wday)]), \(date) \(clock) GMT".utf8)
  }

  private static func twoDigits(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
