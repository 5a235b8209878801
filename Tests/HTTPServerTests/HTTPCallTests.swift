import Glibc
import HTTPServer
import Testing

/// Answers of servers that tools call, as no server should give them.
@Suite("Calls to any server", .timeLimit(.minutes(1)))
struct HTTPCallTests {
  /// A server that answers one connection with these bytes.
  private static func answering(_ text: String, _ body: (UInt16) throws -> Void) throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let port = try withUnsafeMutablePointer(to: &address) { pointer in
      try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic -> UInt16 in
        try #require(bind(listener, generic, size) == 0 && listen(listener, 1) == 0)
        try #require(getsockname(listener, generic, &size) == 0)
        return UInt16(bigEndian: pointer.pointee.sin_port)
      }
    }
    let thread = Thread(listener: listener, answer: Array(text.utf8))
    thread.start()
    try body(port)
    thread.join()
  }

  /// Accepts one connection, reads what comes first, and answers.
  private final class Thread {
    private let listener: Int32
    private let answer: [UInt8]
    private var id = pthread_t()

    init(listener: Int32, answer: [UInt8]) {
      self.listener = listener
      self.answer = answer
    }

    func start() {
      pthread_create(
        &id, nil,
        { argument in
          guard let argument else { return nil }
          let thread = Unmanaged<Thread>.fromOpaque(argument).takeRetainedValue()
          let connection = accept(thread.listener, nil, nil)
          var request = [UInt8](repeating: 0, count: 4096)
          _ = recv(connection, &request, request.count, 0)
          _ = send(connection, thread.answer, thread.answer.count, Int32(MSG_NOSIGNAL))
          close(connection)
          return nil
        }, Unmanaged.passRetained(self).toOpaque())
    }

    func join() { pthread_join(id, nil) }
  }

  @Test(
    "a length that no body has is an error",
    arguments: ["-1", "-9223372036854775808", "3", "9223372036854775807", "9223372036854775808", "x", ""])
  func wrongLength(length: String) throws {
    try Self.answering("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\nhi") { port in
      let call = try HTTPCall("GET", base: "http://127.0.0.1:\(port)", path: "/")
      #expect(throws: HTTPCallError.self) { _ = try call.run() }
    }
  }

  @Test("a length within the body cuts it")
  func length() throws {
    try Self.answering("HTTP/1.1 201 Created\r\ncontent-length: 1\r\n\r\nhi") { port in
      let answer = try HTTPCall("GET", base: "http://127.0.0.1:\(port)", path: "/").run()
      #expect(answer.status == 201 && answer.body == [0x68])
    }
  }
}
