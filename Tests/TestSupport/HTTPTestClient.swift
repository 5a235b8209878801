import Glibc

/// A client that writes and reads bytes on a TCP connection, so that tests can be as impolite as they like.
public final class HTTPTestClient: Sendable {
  /// Why no answer came.
  public struct Failure: Error, CustomStringConvertible {
    /// What was tried and what came instead.
    public let description: String
  }

  /// A response.
  public struct Answer: Sendable, Equatable {
    /// The status code.
    public var status: Int
    /// The header fields, names in lower case.
    public var headers: [String: String]
    /// The body as text.
    public var body: String
  }

  private let socket: Int32
  /// TLS on the connection; nil for a plain one.
  public let tls: TestTLS?
  /// No wait in a test is longer; under a sanitizer everything takes several times as long.
  public static let patienceSeconds = Files.environment("POSTRIDER_SANITIZE") == nil ? 20 : 120

  /// Connects to a port on this machine, from one of its addresses 127.0.0.0/8; by TLS when there are `authorities`, PEM,
  /// to vouch for the server.
  public init(
    port: UInt16, from source: UInt32 = 0x7F00_0001, authorities: String? = nil, alpn: [String] = []
  ) throws {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    do {
      try Self.connect(socket, to: port, from: source)
      tls = try authorities.map { try TestTLS(socket: socket, authorities: $0, alpn: alpn) }
    } catch {
      close(socket)
      throw error
    }
    self.socket = socket
  }

  private static func connect(_ socket: Int32, to port: UInt16, from source: UInt32) throws {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var patience = timeval(tv_sec: Self.patienceSeconds, tv_usec: 0)
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    if source != 0x7F00_0001 {
      var own = sockaddr_in()
      own.sin_family = sa_family_t(AF_INET)
      own.sin_addr.s_addr = source.bigEndian
      let status = withUnsafePointer(to: &own) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      guard status == 0 else { throw Failure(description: "bind: \(String(cString: strerror(errno)))") }
    }
    let status = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard status == 0 else { throw Failure(description: "connect: \(String(cString: strerror(errno)))") }
  }

  deinit { close(socket) }

  /// Whether something has arrived that was not read, or the other side has closed.
  public var hasInput: Bool {
    var watched = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    return poll(&watched, 1, 0) > 0
  }

  /// Writes all of the text; `false` when the other side does not take it.
  @discardableResult
  public func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  /// Writes all of the bytes; `false` when the other side does not take them.
  @discardableResult
  public func send(_ bytes: [UInt8]) -> Bool {
    if let tls { return tls.send(bytes) }
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(socket, $0.baseAddress.map { $0 + sent }, bytes.count - sent, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  /// At most `count` bytes; empty at the end or after a reset.
  public func receive(_ count: Int = 65_536) -> [UInt8] {
    if let tls { return tls.receive(count) }
    var bytes = [UInt8](repeating: 0, count: count)
    let received = recv(socket, &bytes, count, 0)
    return received > 0 ? Array(bytes[..<received]) : []
  }

  /// Everything until the other side closes the connection, as text.
  public func receiveAll() -> String {
    var bytes: [UInt8] = []
    while case let more = receive(), !more.isEmpty { bytes += more }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Sends nothing more, and still receives.
  public func endSending() { shutdown(socket, Int32(SHUT_WR)) }

  /// Whether the other side has closed the connection, after everything it sent was thrown away.
  public func isClosedByPeer() -> Bool {
    var byte = [UInt8](repeating: 0, count: 4096)
    while true {
      let received = recv(socket, &byte, byte.count, 0)
      if received == 0 { return true }
      if received < 0 { return errno == ECONNRESET }
    }
  }

  private func readLine() throws -> String {
    var line: [UInt8] = []
    while true {
      guard let byte = receive(1).first else {
        throw Failure(description: "closed after \(line.count) bytes of a line")
      }
      if byte == UInt8(ascii: "\n") { break }
      if byte != UInt8(ascii: "\r") { line.append(byte) }
    }
    return String(decoding: line, as: UTF8.self)
  }

  private func read(exactly count: Int) throws -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      let more = receive(count - bytes.count)
      guard !more.isEmpty else { throw Failure(description: "closed after \(bytes.count) of \(count) bytes of body") }
      bytes += more
    }
    return bytes
  }

  /// Reads one response, its body by `Content-Length` or in chunks.
  public func readAnswer(toHead: Bool = false) throws -> Answer {
    let statusLine = try readLine().split(separator: " ")
    guard statusLine.count >= 2, statusLine[0] == "HTTP/1.1", let status = Int(statusLine[1]) else {
      throw Failure(description: "bad status line \(statusLine)")
    }
    var answer = Answer(status: status, headers: [:], body: "")
    while true {
      let line = try readLine()
      if line.isEmpty { break }
      let parts = line.split(separator: ":", maxSplits: 1)
      answer.headers[parts[0].lowercased()] = String(parts.count > 1 ? parts[1].drop { $0 == " " } : "")
    }
    if status == 100 { return try readAnswer(toHead: toHead) }
    if toHead { return answer }
    if answer.headers["transfer-encoding"] == "chunked" {
      while let size = Int(try readLine(), radix: 16), size > 0 {
        answer.body += String(decoding: try read(exactly: size), as: UTF8.self)
        _ = try readLine()
      }
      _ = try readLine()
    } else if let length = answer.headers["content-length"].flatMap({ Int($0) }) {
      answer.body = String(decoding: try read(exactly: length), as: UTF8.self)
    }
    return answer
  }

  /// A request and its answer.
  public func exchange(_ text: String) throws -> Answer {
    send(text)
    return try readAnswer()
  }

  /// A GET request and its answer.
  public func get(_ path: String) throws -> Answer { try exchange("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n") }

  /// A POST request and its answer.
  public func post(_ path: String, _ body: String) throws -> Answer {
    try exchange("POST \(path) HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
  }
}
