internal import CLinux
internal import Glibc

/// Why a call had no answer.
public struct HTTPCallError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What went wrong, with the address.
  public let description: String
}

/// One HTTP/1.1 request to a server on a trusted network, without TLS; it blocks the calling thread until the answer.
///
/// For tools that call Postrider's own servers. Requests to providers use `HTTP2`.
public struct HTTPCall: Sendable {
  /// The method.
  public var method: String
  /// The host, as a name or an address.
  public var host: String
  /// The port.
  public var port: UInt16
  /// The path with its query.
  public var path: String
  /// Further header fields.
  public var headers: [(name: String, value: String)]
  /// The body; JSON.
  public var body: [UInt8]
  /// How long each step may take, in seconds.
  public var timeoutSeconds = 10

  /// The largest answer that is read, in bytes.
  public static let answerBytesMax = 64 * 1024 * 1024

  /// A call to a path below an address such as `http://127.0.0.1:8787`.
  ///
  /// - Throws: ``HTTPCallError`` when the address is no `http` address.
  public init(
    _ method: String, base: String, path: String, headers: [(name: String, value: String)] = [], body: [UInt8] = []
  ) throws(HTTPCallError) {
    guard base.hasPrefix("http://") else {
      throw HTTPCallError(description: "“\(base)” is no address here: expected http://HOST:PORT")
    }
    var rest = base.dropFirst("http://".count)
    if let slash = rest.firstIndex(of: "/") { rest = rest[..<slash] }
    var host = String(rest)
    var port: UInt16 = 80
    if let colon = rest.lastIndex(of: ":"), rest.last != "]" {
      guard let number = UInt16(rest[rest.index(after: colon)...]) else {
        throw HTTPCallError(description: "“\(base)” has no port: expected http://HOST:PORT")
      }
      port = number
      host = String(rest[..<colon])
    }
    let texts = [host, path, method] + headers.flatMap { [$0.name, $0.value] }
    for text in texts where text.utf8.contains(where: { $0 < 0x21 && $0 != 0x20 || $0 == 0x7F }) {
      throw HTTPCallError(description: "the address or a header holds a control character")
    }
    self.method = method
    self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    self.port = port
    self.path = path
    self.headers = headers
    self.body = body
  }

  /// Sends the request and reads the answer.
  ///
  /// - Throws: ``HTTPCallError`` when there is no connection, no answer in time, or none that can be read.
  public func run() throws(HTTPCallError) -> (status: Int, body: [UInt8]) {
    let descriptor = try connected()
    defer { close(descriptor) }
    try send(descriptor)
    return try read(descriptor)
  }

  private func connected() throws(HTTPCallError) -> Int32 {
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard unsafe getaddrinfo(host, "\(port)", &hints, &list) == 0 else {
      throw HTTPCallError(description: "there is no host \(host)")
    }
    defer { unsafe freeaddrinfo(list) }
    var next = unsafe list
    var problem: Int32 = 0
    while let entry = unsafe next {
      let info = unsafe entry.pointee
      unsafe next = unsafe info.ai_next
      let descriptor = unsafe socket(info.ai_family, info.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), info.ai_protocol)
      guard descriptor >= 0 else { continue }
      var limit = timeval(tv_sec: timeoutSeconds, tv_usec: 0)
      let size = socklen_t(MemoryLayout<timeval>.size)
      unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
      unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
      if unsafe connect(descriptor, info.ai_addr, info.ai_addrlen) == 0 { return descriptor }
      problem = errno
      close(descriptor)
    }
    throw HTTPCallError(description: unsafe "cannot connect to \(host):\(port): \(String(cString: strerror(problem)))")
  }

  private func send(_ descriptor: Int32) throws(HTTPCallError) {
    var text = "\(method) \(path) HTTP/1.1\r\nHost: \(host):\(port)\r\nConnection: close\r\n"
    for (name, value) in headers { text += "\(name): \(value)\r\n" }
    if !body.isEmpty { text += "Content-Type: application/json\r\n" }
    let bytes = Array((text + "Content-Length: \(body.count)\r\n\r\n").utf8) + body
    var sent = 0
    while sent < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { buffer in
        unsafe Glibc.send(
          descriptor, buffer.baseAddress.map { unsafe $0 + sent }, bytes.count - sent, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else {
        if errno == EINTR { continue }
        throw HTTPCallError(description: "\(host):\(port) does not take the request")
      }
      sent += count
    }
  }

  private func read(_ descriptor: Int32) throws(HTTPCallError) -> (status: Int, body: [UInt8]) {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
      if count == 0 { break }
      guard count > 0 else {
        if errno == EINTR { continue }
        throw HTTPCallError(description: "\(host):\(port) gives no answer within \(timeoutSeconds) s")
      }
      bytes.append(contentsOf: buffer[..<count])
      guard bytes.count <= Self.answerBytesMax else {
        throw HTTPCallError(description: "the answer of \(host):\(port) is larger than \(Self.answerBytesMax) bytes")
      }
    }
    return try Self.parse(bytes, from: "\(host):\(port)")
  }

  /// The status and the body of a whole answer.
  static func parse(_ bytes: [UInt8], from peer: String) throws(HTTPCallError) -> (status: Int, body: [UInt8]) {
    let unreadable = HTTPCallError(description: "\(peer) gives no answer in HTTP/1.1")
    let mark = Array("\r\n\r\n".utf8)
    var end = 0
    while end + 4 <= bytes.count, Array(bytes[end..<end + 4]) != mark { end += 1 }
    guard end + 4 <= bytes.count else { throw unreadable }
    let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n")
    let words = lines.first?.split(separator: " ") ?? []
    guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else { throw unreadable }
    var body = Array(bytes[(end + 4)...])
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2, parts[0].lowercased() == "content-length" else { continue }
      let digits = parts[1].split(separator: " ").first ?? ""
      guard let length = Int(digits), (0...body.count).contains(length) else { throw unreadable }
      body = Array(body[..<length])
    }
    return (status, body)
  }
}
