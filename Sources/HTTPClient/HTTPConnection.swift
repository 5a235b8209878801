internal import CCurl
internal import Glibc

/// Why a request had no answer, or not the whole of it; one sentence without secrets.
public struct HTTPConnectionError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What went wrong.
  public let description: String
  /// Whether the server may have had the request, and may have done what it asks for.
  public let mayHaveArrived: Bool
  /// Whether the cause is the server's certificate: no trusted authority issued it, or it is for another host.
  public let isAboutTrust: Bool

  init(_ description: String, mayHaveArrived: Bool = false, isAboutTrust: Bool = false) {
    self.description = description
    self.mayHaveArrived = mayHaveArrived
    self.isAboutTrust = isAboutTrust
  }
}

/// What is sent with a request.
///
/// `@safe`: the buffer that the source of a stream is given is the library's, for that one call.
@safe public enum HTTPBody {
  /// Nothing.
  case none
  /// Bytes of a media type.
  case bytes([UInt8], type: String)
  /// Bytes that are read while they are sent: `next` fills a buffer and says how much it has, 0 at the end, nil to give up.
  ///
  /// `length` is their number when it is known.
  case stream(length: Int?, type: String, next: (UnsafeMutableRawBufferPointer) -> Int?)
}

/// Bounds on the waits of a connection.
public struct HTTPConnectionLimits: Sendable, Hashable {
  /// Time to connect, TLS included, in seconds.
  public var connectSeconds = 10
  /// Time without a byte in either direction after which a request is given up, in seconds.
  ///
  /// A server of ours answers within 60 s, or says that it cannot.
  public var quietSeconds = 90

  /// The defaults.
  public init() {}
}

/// Requests to one server after another, in turn, on the calling thread: for command lines and tools.
///
/// HTTP/1.1, over TLS where the address says so; certificates and names are verified, redirects not followed, proxies of
/// the environment not used. The connection is kept from one request to the next.
///
/// `@safe`: the object owns the handle from `init` to `deinit`.
@safe public final class HTTPConnection {
  private let easy: UnsafeMutableRawPointer
  private let limits: HTTPConnectionLimits
  private let authorities: String?

  /// Prepares the library; nil when it cannot be had.
  ///
  /// - Parameter authorities: a PEM file with the authorities that may vouch for servers; nil means the system's.
  public init?(limits: HTTPConnectionLimits = HTTPConnectionLimits(), authorities: String? = nil) {
    guard HTTPClient.library, let easy = unsafe curl_easy_init() else { return nil }
    unsafe self.easy = unsafe easy
    self.limits = limits
    self.authorities = authorities
  }

  deinit { unsafe curl_easy_cleanup(easy) }

  /// Sends a request and hands over the body of the answer piece by piece; returns the status.
  ///
  /// - Parameters:
  ///   - method: such as `GET`.
  ///   - url: an `http` or `https` address.
  ///   - headers: header fields, in order.
  ///   - body: what is sent with it.
  ///   - seconds: the bound on the whole of it.
  ///   - receive: takes the status and a piece of the answer's body; false breaks the request off.
  /// - Throws: ``HTTPConnectionError`` when there is no connection, or no whole answer in time.
  public func exchange(
    _ method: String, _ url: String, headers: [(name: String, value: String)] = [], body: HTTPBody = .none,
    seconds: Int, receive: @escaping (_ status: Int, _ piece: UnsafeRawBufferPointer) -> Bool
  ) throws(HTTPConnectionError) -> Int {
    var headers = headers
    // Without "Expect:" the library would wait for permission before a long body.
    headers.append(("Expect", ""))
    switch body {
    case .none: break
    case .bytes(_, let type), .stream(_, let type, _): headers.append(("Content-Type", type))
    }
    guard headers.allSatisfy({ Transfer.isPlain($0.name) && Transfer.isPlain($0.value) }) else {
      throw HTTPConnectionError("a header holds a control character")
    }
    var list: UnsafeMutablePointer<curl_slist>?
    for (name, value) in headers {
      unsafe list = unsafe curl_slist_append(list, value.isEmpty ? "\(name):" : "\(name): \(value)")
    }
    defer { unsafe curl_slist_free_all(list) }
    let exchange = unsafe Exchange(easy: easy, body: body, receive: receive)
    unsafe curl_easy_reset(easy)
    guard unsafe configure(method, url, body, list, seconds: seconds, exchange) else {
      throw HTTPConnectionError("the address is none that can be asked")
    }
    let result = withExtendedLifetime(exchange) { unsafe curl_easy_perform(easy) }
    guard result == CURLE_OK else { throw error(result, seconds) }
    return unsafe ccurl_status(easy)
  }

  private func configure(
    _ method: String, _ url: String, _ body: HTTPBody, _ list: UnsafeMutablePointer<curl_slist>?, seconds: Int,
    _ exchange: Exchange
  ) -> Bool {
    let longs: [(CURLoption, Int)] = [
      (CURLOPT_NOSIGNAL, 1), (CURLOPT_FOLLOWLOCATION, 0), (CURLOPT_SSL_VERIFYPEER, 1), (CURLOPT_SSL_VERIFYHOST, 2),
      (CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2), (CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1),
      (CURLOPT_CONNECTTIMEOUT, limits.connectSeconds), (CURLOPT_TIMEOUT, seconds),
      (CURLOPT_LOW_SPEED_LIMIT, 1), (CURLOPT_LOW_SPEED_TIME, limits.quietSeconds),
    ]
    var texts: [(CURLoption, String)] = [
      (CURLOPT_URL, url), (CURLOPT_PROXY, ""), (CURLOPT_PROTOCOLS_STR, "https,http"), (CURLOPT_CUSTOMREQUEST, method),
    ]
    if let authorities { texts.append((CURLOPT_CAINFO, authorities)) }
    let context = unsafe Unmanaged.passUnretained(exchange).toOpaque()
    return unsafe longs.allSatisfy { unsafe ccurl_set_long(easy, $0.0, $0.1) == CURLE_OK }
      && texts.allSatisfy { unsafe ccurl_set_text(easy, $0.0, $0.1) == CURLE_OK }
      && ccurl_set_list(easy, list) == CURLE_OK && setBody(body, context)
      && ccurl_set_reader(
        easy,
        { bytes, size, count, context in
          guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
          return unsafe Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue().take(bytes, size * count)
        }, unsafe context) == CURLE_OK
  }

  private func setBody(_ body: HTTPBody, _ context: UnsafeMutableRawPointer) -> Bool {
    switch body {
    case .none: return true
    case .bytes(let bytes, _):
      return unsafe bytes.withUnsafeBytes { buffer in
        unsafe buffer.withMemoryRebound(to: CChar.self) {
          unsafe ccurl_set_body(easy, $0.baseAddress, $0.count) == CURLE_OK
        }
      }
    case .stream(let length, _, _):
      return unsafe ccurl_set_long(easy, CURLOPT_UPLOAD, 1) == CURLE_OK
        && ccurl_set_upload_size(easy, Int64(length ?? -1)) == CURLE_OK
        && ccurl_set_source(
          easy,
          { bytes, size, count, context in
            guard let bytes = unsafe bytes, let context = unsafe context else { return ccurl_source_abort() }
            return unsafe Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue().fill(bytes, size * count)
          }, unsafe context) == CURLE_OK
    }
  }

  private func error(_ result: CURLcode, _ seconds: Int) -> HTTPConnectionError {
    var uploaded = 0
    var connected = 0.0
    _ = unsafe ccurl_get_long(easy, CURLINFO_REQUEST_SIZE, &uploaded)
    _ = unsafe ccurl_get_double(easy, CURLINFO_PRETRANSFER_TIME, &connected)
    let text =
      switch result {
      case CURLE_OPERATION_TIMEDOUT where connected == 0: "no connection within \(limits.connectSeconds) s"
      case CURLE_OPERATION_TIMEDOUT:
        "no whole answer in time (\(limits.quietSeconds) s without a byte, \(seconds) s in all)"
      case CURLE_WRITE_ERROR, CURLE_ABORTED_BY_CALLBACK: "it was broken off here"
      case CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_GOT_NOTHING: "the answer was cut off"
      case CURLE_PEER_FAILED_VERIFICATION: "no known authority vouches for its certificate, or it is another server's"
      default: unsafe String(cString: curl_easy_strerror(result))
      }
    return HTTPConnectionError(
      text, mayHaveArrived: uploaded > 0, isAboutTrust: result == CURLE_PEER_FAILED_VERIFICATION)
  }
}

/// One request while it is under way.
///
/// `@safe`: the connection that owns the handle waits until the exchange is over.
@safe private final class Exchange {
  private let easy: UnsafeMutableRawPointer
  private let receive: (Int, UnsafeRawBufferPointer) -> Bool
  private let next: ((UnsafeMutableRawBufferPointer) -> Int?)?

  init(easy: UnsafeMutableRawPointer, body: HTTPBody, receive: @escaping (Int, UnsafeRawBufferPointer) -> Bool) {
    unsafe self.easy = unsafe easy
    unsafe self.receive = unsafe receive
    unsafe next = if case .stream(_, _, let next) = body { unsafe next } else { nil }
  }

  func take(_ bytes: UnsafeMutablePointer<CChar>, _ count: Int) -> Int {
    unsafe receive(ccurl_status(easy), UnsafeRawBufferPointer(start: bytes, count: count)) ? count : 0
  }

  func fill(_ bytes: UnsafeMutablePointer<CChar>, _ count: Int) -> Int {
    unsafe next?(UnsafeMutableRawBufferPointer(start: bytes, count: count)) ?? ccurl_source_abort()
  }
}
