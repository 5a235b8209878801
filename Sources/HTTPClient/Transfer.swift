internal import Basics
internal import CCurl
internal import Glibc
internal import TLS

/// One request while it is under way; used on the client's thread only.
///
/// `@safe`: the handle and the list live from `init` to `deinit`; the library calls back only while the transfer is
/// under way.
@safe final class Transfer {
  let order: HTTPClient.Order
  let easy: UnsafeMutableRawPointer
  private let headers: UnsafeMutablePointer<curl_slist>?
  private let proxyHeaders: UnsafeMutablePointer<curl_slist>?
  private let answerBytesMax: Int
  private var answerBytes = 0
  private var body: [UInt8] = []
  private var isRefused = false

  /// Nil when the library does not take the request: an address that is none, a header with a line break.
  init?(_ order: HTTPClient.Order, _ limits: HTTPClientLimits, authorities: String?) {
    guard let easy = unsafe curl_easy_init() else { return nil }
    var list: UnsafeMutablePointer<curl_slist>?
    // Without "Expect:" the library would wait for permission before a long body.
    var lines = order.post.headers.map { "\($0.name): \($0.value)" } + ["Expect:"]
    // The library names a type of its own for a body without one.
    if !order.post.headers.contains(where: { $0.name.lowercased() == "content-type" }) { lines.append("Content-Type:") }
    for line in lines {
      unsafe list = unsafe curl_slist_append(list, line)
    }
    self.order = order
    unsafe self.easy = unsafe easy
    unsafe headers = unsafe list
    unsafe proxyHeaders = unsafe order.post.proxy?.authorization.flatMap {
      unsafe curl_slist_append(nil, "Proxy-Authorization: \($0)")
    }
    answerBytesMax = limits.answerBytesMax
    guard configure(limits) else { return nil }
    guard trust(order.post.trust ?? authorities.map(TLSTrust.file) ?? .system) else { return nil }
  }

  private func trust(_ trust: TLSTrust) -> Bool {
    switch trust {
    case .system: true
    case .file(let path): unsafe ccurl_set_text(easy, CURLOPT_CAINFO, path) == CURLE_OK
    case .pem(let text):
      unsafe text.withUnsafeBytes { unsafe ccurl_set_authorities(easy, $0.baseAddress, $0.count) == CURLE_OK }
    }
  }

  deinit {
    unsafe curl_easy_cleanup(easy)
    unsafe curl_slist_free_all(headers)
    unsafe curl_slist_free_all(proxyHeaders)
  }

  private func configure(_ limits: HTTPClientLimits) -> Bool {
    let post = order.post
    guard post.headers.allSatisfy({ Self.isPlain($0.name) && Self.isPlain($0.value) }) else { return false }
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    let longs: [(CURLoption, Int)] = [
      (CURLOPT_NOSIGNAL, 1), (CURLOPT_FOLLOWLOCATION, 0), (CURLOPT_SSL_VERIFYPEER, 1), (CURLOPT_SSL_VERIFYHOST, 2),
      (CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2),
      (CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1),
      (CURLOPT_CONNECTTIMEOUT_MS, limits.connectMs), (CURLOPT_TIMEOUT_MS, limits.requestMs),
      (CURLOPT_HTTPPROXYTUNNEL, post.proxy == nil ? 0 : 1),
    ]
    var isFine = longs.allSatisfy { unsafe ccurl_set_long(easy, $0.0, $0.1) == CURLE_OK }
    var texts: [(CURLoption, String)] = [
      // No proxy of the environment, and none of its exceptions.
      (CURLOPT_URL, post.url), (CURLOPT_PROXY, post.proxy?.url ?? ""), (CURLOPT_NOPROXY, ""),
      (CURLOPT_PROTOCOLS_STR, post.allowsPrivate ? "https,http" : "https"),
    ]
    if post.method != "POST" { texts.append((CURLOPT_CUSTOMREQUEST, post.method)) }
    isFine = isFine && texts.allSatisfy { unsafe ccurl_set_text(easy, $0.0, $0.1) == CURLE_OK }
    isFine =
      unsafe isFine
      && post.body.withUnsafeBytes { bytes in
        unsafe bytes.withMemoryRebound(to: CChar.self) {
          unsafe ccurl_set_body(easy, $0.baseAddress, $0.count) == CURLE_OK
        }
      }
    isFine =
      unsafe isFine && ccurl_set_list(easy, headers) == CURLE_OK && ccurl_set_proxy_list(easy, proxyHeaders) == CURLE_OK
    isFine =
      unsafe isFine
      && ccurl_set_reader(
        easy,
        { bytes, size, count, context in
          guard let context = unsafe context else { return 0 }
          return unsafe Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue().take(bytes, size * count)
        }, unsafe context) == CURLE_OK
    return unsafe isFine
      && ccurl_set_dialer(
        easy,
        { context, _, address in
          guard let context = unsafe context, let address = unsafe address else { return -1 }
          return unsafe Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue().dial(address)
        }, unsafe context) == CURLE_OK
  }

  /// Takes a piece of the answer; less than it was given breaks the transfer off.
  private func take(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
    answerBytes += count
    guard answerBytes <= answerBytesMax else { return 0 }
    if order.keepsBody, let bytes = unsafe bytes {
      unsafe body.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: count))
    }
    return count
  }

  /// Opens a socket to an address that the name was resolved to, or refuses it.
  private func dial(_ address: UnsafeMutablePointer<curl_sockaddr>) -> Int32 {
    // The operator has named the proxy; what is behind it the proxy looks up.
    if !order.post.allowsPrivate, order.post.proxy == nil, unsafe !Self.isPublic(address) {
      isRefused = true
      return -1
    }
    return unsafe socket(
      address.pointee.family, address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue), address.pointee.protocol)
  }

  private static func isPublic(_ address: UnsafeMutablePointer<curl_sockaddr>) -> Bool {
    guard let raw = unsafe ccurl_address(address).map(UnsafeRawPointer.init) else { return false }
    switch unsafe address.pointee.family {
    case AF_INET:
      return unsafe PublicAddress.isPublic(v4: UInt32(bigEndian: raw.load(as: sockaddr_in.self).sin_addr.s_addr))
    case AF_INET6:
      return unsafe PublicAddress.isPublic(
        v6: withUnsafeBytes(of: raw.load(as: sockaddr_in6.self).sin6_addr) { unsafe Array($0) })
    default: return false
    }
  }

  static func isPlain(_ text: String) -> Bool { text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }

  func answer(_ result: CURLcode) -> HTTPPostAnswer {
    if result == CURLE_OK {
      let retryAfter = unsafe ccurl_retry_after(easy)
      var fields: [String: String] = [:]
      for name in order.post.answerFields {
        fields[name] = unsafe ccurl_header(easy, name).map { unsafe String(cString: $0) }
      }
      return unsafe .answer(
        HTTPAnswer(
          status: ccurl_status(easy), body: body,
          location: ccurl_header(easy, "Location").map { unsafe String(cString: $0) },
          retryAfter: retryAfter > 0 ? retryAfter : nil, fields: fields))
    }
    if isRefused { return .unsent("the address is loopback, private or reserved, which is not allowed") }
    if answerBytes > answerBytesMax { return .failed("the answer is longer than \(answerBytesMax) bytes") }
    var said = 0
    if unsafe ccurl_get_long(easy, CURLINFO_HTTP_CONNECTCODE, &said) == CURLE_OK, said != 0, !(200..<300).contains(said)
    {
      return .unsent("the proxy did not open the tunnel: it answered \(said)")
    }
    let why = unsafe String(cString: curl_easy_strerror(result))
    let isUnsent = [CURLE_COULDNT_CONNECT, CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY].contains(result)
    return isUnsent ? .unsent(why) : .failed(why)
  }
}
