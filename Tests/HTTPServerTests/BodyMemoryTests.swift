import Glibc
import HTTPServer
import Synchronization
import TestSupport
import Testing

/// What the bodies of requests may take of the server's memory.
@Suite(.timeLimit(.minutes(1))) struct BodyMemoryTests {
  /// `/closed` is refused on its head; the rest is materialized.
  struct Handler: HTTPHandler {
    func upload(for head: HTTPRequestHead) -> HTTPBodyHandling {
      switch head.target.path {
      case "/closed": .refused(HTTPResponse(status: 401, bytes: Array("no".utf8)))
      case "/tiny":
        .handled(maxBytes: 4) { body, responder in
          responder.respond(HTTPResponse(status: 200, bytes: Array("tiny ".utf8) + body))
        }
      default: .buffered
      }
    }

    func maxBodyBytes(for head: HTTPRequestHead) -> Int? { 4 * 1024 * 1024 }

    func handle(_ request: HTTPRequest, _ responder: HTTPResponder) {
      responder.respond(HTTPResponse(status: 200, bytes: Array("\(request.body.count)".utf8)))
    }
  }

  func server(memory: Int) throws -> HTTPServer {
    var limits = HTTPLimits()
    limits.maxBufferedBodyBytes = memory
    return try HTTPServer(HTTPServerConfiguration(limits: limits), handler: Handler())
  }

  func eventually(_ condition: () -> Bool) -> Bool {
    for _ in 0..<5_000 {
      if condition() { return true }
      usleep(1_000)
    }
    return condition()
  }

  func head(_ path: String, _ length: Int) -> String {
    "POST \(path) HTTP/1.1\r\nHost: h\r\nContent-Length: \(length)\r\n\r\n"
  }

  /// A head that announces 4 MiB takes nothing until they come.
  @Test func announcedBytesTakeNoMemory() throws {
    let server = try server(memory: 1_000_000)
    let clients = try (0..<100).map { _ in try HTTPTestClient(port: server.port) }
    for client in clients { client.send(head("/", 4 * 1024 * 1024) + "x") }
    #expect(eventually { server.bodyBytes == 100 })
    #expect(try HTTPTestClient(port: server.port).post("/", "hello").body == "5")
  }

  @Test func aRefusedRequestsBodyIsDroppedAsItComes() throws {
    let server = try server(memory: 1_000_000)
    let body = String(repeating: "x", count: 4 * 1024 * 1024)
    let client = try HTTPTestClient(port: server.port)
    // The answer comes before the body.
    client.send(head("/closed", body.utf8.count))
    #expect(try client.readAnswer().status == 401)
    #expect(server.bodyBytes == 0)
    client.send(body)
    #expect(try client.get("/next").status == 200)
    #expect(server.bodyBytes == 0)
    #expect(try client.exchange(head("/tiny", 4) + "abcd").body == "tiny abcd")
    #expect(try client.exchange(head("/tiny", 5) + "abcde").status == 413)
  }

  /// All bodies together have a bound; small ones have a part of it to themselves.
  @Test func bodiesTogetherHaveABound() throws {
    let server = try server(memory: 1_000_000)
    let piece = String(repeating: "x", count: 500_000)
    let first = try HTTPTestClient(port: server.port)
    first.send(head("/", 600_000) + piece)
    #expect(eventually { server.bodyBytes >= 500_000 })
    let second = try HTTPTestClient(port: server.port)
    second.send(head("/", 600_000) + piece)
    let refused = try second.readAnswer()
    #expect(refused.status == 503)
    #expect(refused.headers["retry-after"] == "1")
    #expect(refused.body.contains("the request bodies being received fill the memory set aside for them"))
    #expect(try HTTPTestClient(port: server.port).post("/", String(repeating: "y", count: 60_000)).body == "60000")
    first.send(String(repeating: "x", count: 100_000))
    #expect(try first.readAnswer().body == "600000")
    #expect(eventually { server.bodyBytes == 0 })
    // The refused connection goes on where its body ends.
    second.send(String(repeating: "x", count: 100_000))
    #expect(try second.post("/", piece).body == "500000")
  }

  /// A handler that is still at work holds the bytes, although its client was answered that its time is up.
  @Test func memoryIsHeldUntilTheHandlerIsDone() throws {
    let handler = Holding()
    var limits = HTTPLimits()
    limits.maxBufferedBodyBytes = 1_000_000
    limits.answerTimeout = .milliseconds(100)
    let server = try HTTPServer(HTTPServerConfiguration(limits: limits), handler: handler)
    do {
      let client = try HTTPTestClient(port: server.port)
      client.send(head("/", 500_000) + String(repeating: "x", count: 500_000))
      #expect(try client.readAnswer().status == 503)
    }
    #expect(eventually { server.connectionCount == 0 })
    #expect(handler.held.withLock { $0.count } == 1)
    #expect(server.bodyBytes >= 500_000)
    let second = try HTTPTestClient(port: server.port)
    second.send(head("/", 500_000) + String(repeating: "x", count: 300_000))
    #expect(try second.readAnswer().body.contains("fill the memory"))
    handler.held.withLock { $0.removeAll() }
    #expect(eventually { server.bodyBytes == 0 })
  }

  /// Answers nothing while the test holds on to the request.
  final class Holding: HTTPHandler {
    let held = Mutex<[(request: HTTPRequest, responder: HTTPResponder)]>([])

    func handle(_ request: HTTPRequest, _ responder: HTTPResponder) {
      held.withLock { $0.append((request, responder)) }
    }
  }

  @Test func aClientThatGoesAwayGivesItsMemoryBack() throws {
    let server = try server(memory: 1_000_000)
    for chunked in [false, true] {
      do {
        let client = try HTTPTestClient(port: server.port)
        client.send(
          chunked
            ? "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2710\r\n"
            : head("/", 600_000))
        client.send(String(repeating: "x", count: 9_000))
        #expect(eventually { server.bodyBytes >= 9_000 })
      }
      #expect(eventually { server.bodyBytes == 0 && server.connectionCount == 0 })
    }
  }
}

/// Clients that read slowly.
@Suite(.timeLimit(.minutes(1))) struct SlowReaderTests {
  final class Endless: HTTPHandler {
    let released = Atomic<Int>(0)

    final class Token: Sendable {
      let owner: Endless
      init(_ owner: Endless) { self.owner = owner }
      deinit { owner.released.add(1, ordering: .relaxed) }
    }

    func handle(_ request: HTTPRequest, _ responder: HTTPResponder) {
      let token = Token(self)
      let bytes = [UInt8](repeating: 120, count: 16_384)
      if request.path == "/bytes" {
        return _ = responder.respond(
          HTTPResponse(status: 200, bytes: [UInt8](repeating: 120, count: 64 * 1024 * 1024)))
      }
      responder.respond(
        HTTPResponse(
          status: 200,
          body: .produced { piece in
            withExtendedLifetime(token) { piece += bytes }
            return true
          }))
    }
  }

  func server(_ handler: Endless) throws -> HTTPServer {
    var limits = HTTPLimits()
    limits.readTimeout = .milliseconds(200)
    limits.minBodyBytesPerSecond = 10_000
    return try HTTPServer(HTTPServerConfiguration(limits: limits), handler: handler)
  }

  func eventually(_ condition: () -> Bool) -> Bool {
    for _ in 0..<5_000 {
      if condition() { return true }
      usleep(1_000)
    }
    return condition()
  }

  @Test(arguments: ["/", "/bytes"]) func whoReadsNothingIsCutOff(_ path: String) throws {
    let handler = Endless()
    let server = try server(handler)
    let client = try HTTPTestClient(port: server.port)
    client.send("GET \(path) HTTP/1.1\r\nHost: h\r\n\r\n")
    #expect(eventually { handler.released.load(ordering: .relaxed) == 1 && server.connectionCount == 0 })
    _ = client
  }

  /// Slower than the kernel's buffers are emptied, and still fast enough.
  @Test func whoReadsSteadilyIsServed() throws {
    let handler = Endless()
    let server = try server(handler)
    let client = try HTTPTestClient(port: server.port)
    client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
    for _ in 0..<40 {
      #expect(!client.receive(65_536).isEmpty)
      usleep(25_000)
    }
    #expect(server.connectionCount == 1)
    #expect(handler.released.load(ordering: .relaxed) == 0)
  }
}
