import Glibc
import HTTPServer
import Synchronization
import TestSupport
import Testing

/// Answers with what it was sent; special paths wait, stream or stay silent.
struct EchoHandler: HTTPHandler {
  final class Waiting: Sendable {
    let responders = Mutex<[HTTPResponder]>([])

    func answerAll(_ text: String) {
      let taken = responders.withLock { list in
        let all = list
        list = []
        return all
      }
      for responder in taken { responder.respond(HTTPResponse(status: 200, bytes: Array(text.utf8))) }
    }
  }

  let waiting = Waiting()

  func maxBodyBytes(for head: HTTPRequestHead) -> Int? { head.target.path == "/small" ? 10 : nil }

  func handle(_ request: HTTPRequest, _ responder: HTTPResponder) {
    switch request.path {
    case "/wait": waiting.responders.withLock { $0.append(responder) }
    case "/drop": break
    case "/long":
      let left = Mutex(1000)
      responder.respond(
        HTTPResponse(
          status: 200,
          body: .produced { piece in
            piece += Array(repeating: UInt8(ascii: "x"), count: 1000)
            return left.withLock { left in
              left -= 1
              return left > 0
            }
          }))
    default:
      let query = request.query.pairs.map { "\($0.name)=\($0.value);" }.joined()
      let text = "\(request.method) \(request.segments) \(query) \(request.headers.first("x-test") ?? "-") "
      responder.respond(
        HTTPResponse(status: 200, headers: [("X-Id", request.id.description)], bytes: Array(text.utf8) + request.body))
    }
  }
}

@Suite(.timeLimit(.minutes(1))) struct HTTPServerTests {
  let handler = EchoHandler()

  func server(_ change: (inout HTTPLimits) -> Void = { _ in }) throws -> HTTPServer {
    var limits = HTTPLimits()
    change(&limits)
    return try HTTPServer(HTTPServerConfiguration(limits: limits), handler: handler)
  }

  /// Waits for something that another thread brings about, with a bound.
  func eventually(_ condition: () -> Bool) -> Bool {
    for _ in 0..<10_000 {
      if condition() { return true }
      usleep(1_000)
    }
    return condition()
  }

  @Test func answersWithHeadersQueryAndBodyOnOneConnection() throws {
    let server = try server()
    let client = try HTTPTestClient(port: server.port)
    for round in 0..<3 {
      let answer = try client.exchange(
        "POST /a%20b/c?x=1&y=%7E HTTP/1.1\r\nHost: h\r\nX-TEST: t\(round)\r\nContent-Length: 5\r\n\r\nhello")
      #expect(answer.status == 200)
      #expect(answer.body == #"POST ["a b", "c"] x=1;y=~; t\#(round) hello"#)
      #expect(answer.headers["x-id"]?.utf8.count == 16)
    }
    #expect(server.connectionCount == 1)
  }

  @Test func answersPipelinedRequestsInOrder() throws {
    let server = try server()
    let client = try HTTPTestClient(port: server.port)
    client.send((0..<20).map { "GET /p\($0) HTTP/1.1\r\nHost: h\r\n\r\n" }.joined())
    for index in 0..<20 {
      #expect(try client.readAnswer().body == #"GET ["p\#(index)"]  - "#)
    }
  }

  @Test func readsChunkedBodies() throws {
    let server = try server()
    let client = try HTTPTestClient(port: server.port)
    let answer = try client.exchange(
      "POST /c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n")
    #expect(answer.body == #"POST ["c"]  - hello world"#)
  }

  @Test func answersHeadWithoutBody() throws {
    let server = try server()
    let client = try HTTPTestClient(port: server.port)
    client.send("HEAD /x HTTP/1.1\r\nHost: h\r\n\r\n")
    let answer = try client.readAnswer(toHead: true)
    #expect(answer.status == 200)
    #expect(answer.headers["content-length"] == "14")
    #expect(try client.get("/y").status == 200)
  }

  @Test func answersLaterFromOtherThreads() throws {
    let server = try server()
    let clients = try (0..<50).map { _ in try HTTPTestClient(port: server.port) }
    for client in clients { client.send("GET /wait HTTP/1.1\r\nHost: h\r\n\r\n") }
    #expect(eventually { handler.waiting.responders.withLock { $0.count } == clients.count })
    // The server is free for others meanwhile.
    #expect(try HTTPTestClient(port: server.port).get("/now").status == 200)
    handler.waiting.answerAll("done")
    for client in clients { #expect(try client.readAnswer().body == "done") }
    // And the connections live on.
    for client in clients { #expect(try client.get("/again").status == 200) }
  }

  @Test func answersFromAnotherThreadWhileTheHandlerReturns() throws {
    // The answer races with the suspension; many rounds meet both orders.
    let server = try server()
    let stop = Atomic<Bool>(false)
    let handler = handler
    try withThread({ while !stop.load(ordering: .relaxed) { handler.waiting.answerAll("raced") } }) {
      defer { stop.store(true, ordering: .relaxed) }
      let client = try HTTPTestClient(port: server.port)
      for _ in 0..<2_000 { #expect(try client.get("/wait").body == "raced") }
    }
  }

  @Test func answersADroppedRequestWith500() throws {
    let server = try server()
    let client = try HTTPTestClient(port: server.port)
    let answer = try client.get("/drop")
    #expect(answer.status == 500)
    #expect(
      answer.body
        == #"{"type":"about:blank","title":"Internal Server Error","status":500,"#
        + #""detail":"the request was dropped without an answer"}"#)
    #expect(try client.get("/next").status == 200)
  }

  @Test func answersAForgottenRequestWith503InTime() throws {
    let server = try server { $0.answerTimeout = .milliseconds(100) }
    let client = try HTTPTestClient(port: server.port)
    let answer = try client.get("/wait")
    #expect(answer.status == 503)
    #expect(answer.body.contains("the request took too long to answer; its outcome is not known"))
    #expect(handler.waiting.responders.withLock { $0[0].respond(HTTPResponse(status: 200)) } == false)
    #expect(try client.get("/next").status == 200)
  }

  @Test func producesLongBodies() throws {
    let server = try server()
    let answer = try HTTPTestClient(port: server.port).get("/long")
    #expect(answer.status == 200)
    #expect(answer.body.utf8.count == 1_000_000)
  }

  @Test(arguments: [1024 * 1024 + 1, 3_000_000])
  func refusesAnOversizeBodyOnALiveConnection(_ size: Int) throws {
    let server = try server()
    let client = try HTTPTestClient(port: server.port)
    let answer = try client.post("/big", String(repeating: "x", count: size))
    #expect(answer.status == 413)
    #expect(answer.body.contains("the request body is longer than the limit of 1048576 bytes"))
    #expect(try client.get("/next").status == 200)
  }

  @Test func takesABodyOfExactlyTheLimit() throws {
    let server = try server()
    let client = try HTTPTestClient(port: server.port)
    #expect(try client.post("/small", String(repeating: "x", count: 10)).status == 200)
    #expect(try client.post("/small", String(repeating: "x", count: 11)).status == 413)
  }

  @Test func refusesAnOversizeChunkedBody() throws {
    let server = try server { $0.maxBodyBytes = 8 }
    let client = try HTTPTestClient(port: server.port)
    let answer = try client.exchange(
      "POST /c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n")
    #expect(answer.status == 413)
    #expect(try client.get("/next").status == 200)
  }

  @Test func refusesAHugeBodyBeforeItIsSent() throws {
    let server = try server()
    let client = try HTTPTestClient(port: server.port)
    let answer = try client.exchange("POST /big HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999\r\n\r\n")
    #expect(answer.status == 413)
    #expect(client.isClosedByPeer())
  }

  @Test func cutsOffAHugeChunkedBody() throws {
    let server = try server {
      $0.maxBodyBytes = 8
      $0.maxDiscardedBytes = 100_000
    }
    let client = try HTTPTestClient(port: server.port)
    client.send("POST /c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
    let chunk = "2710\r\n" + String(repeating: "x", count: 10_000) + "\r\n"
    for _ in 0..<1_000 where !client.send(chunk) { break }
    #expect(client.isClosedByPeer())
  }

  @Test func letsAClientAskBeforeSendingABody() throws {
    let server = try server()
    let client = try HTTPTestClient(port: server.port)
    client.send("POST /e HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
    #expect(String(decoding: client.receive(25), as: UTF8.self) == "HTTP/1.1 100 Continue\r\n\r\n")
    client.send("ok")
    #expect(try client.readAnswer().body == #"POST ["e"]  - ok"#)
    client.send("POST /e HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2000000\r\n\r\n")
    #expect(try client.readAnswer().status == 413)
  }

  @Test(arguments: [
    "", "GET / HT", "GET / HTTP/1.1\r\nHost: h\r\n", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\n12",
  ])
  func survivesClientsThatLeave(_ text: String) throws {
    let server = try server {
      $0.requestTimeout = .milliseconds(100)
      $0.idleTimeout = .seconds(1)
    }
    do {
      let client = try HTTPTestClient(port: server.port)
      client.send(text)
    }
    #expect(try HTTPTestClient(port: server.port).get("/").status == 200)
    #expect(eventually { server.connectionCount == 0 })
  }

  @Test(arguments: ["GET /slow HTTP/1.1\r\nX: ", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9999\r\n\r\n", ""])
  func cutsOffAClientThatDripsBytes(_ start: String) throws {
    let server = try server {
      $0.requestTimeout = .milliseconds(150)
      $0.idleTimeout = .seconds(1)
      $0.minBodyBytesPerSecond = 1_000_000
    }
    let client = try HTTPTestClient(port: server.port)
    client.send(start)
    var dripped = 0
    while dripped < 1_000, client.send("a") {
      dripped += 1
      usleep(10_000)
    }
    #expect(dripped < 1_000)
  }

  /// A client that ends its side is gone at once, also when the kernel reports its last bytes and its end in one event:
  /// the serving thread is held until both have arrived.
  @Test func closesWhenTheEndComesWithTheLastBytes() throws {
    let entered = Atomic(false)
    let gate = Mutex(())
    var limits = HTTPLimits()
    limits.requestTimeout = .seconds(600)
    let server = try HTTPServer(
      HTTPServerConfiguration(threads: 1, limits: limits),
      handler: ClosureHandler { request, responder in
        if request.path == "/held" {
          entered.store(true, ordering: .releasing)
          gate.withLock { _ in }
        }
        responder.respond(HTTPResponse(status: 200))
      })
    defer { server.stop(drainingFor: .zero) }
    let client = try HTTPTestClient(port: server.port)
    #expect(try client.get("/").status == 200)
    let holder = try HTTPTestClient(port: server.port)
    gate.withLock { _ in
      holder.send("GET /held HTTP/1.1\r\nHost: h\r\n\r\n")
      while !entered.load(ordering: .acquiring) { usleep(1_000) }
      client.send("GET / HT")
      client.endSending()
    }
    #expect(client.isClosedByPeer())
  }
}

/// Runs `work` on a second thread while `body` runs here.
func withThread(_ work: @escaping @Sendable () -> Void, _ body: () throws -> Void) rethrows {
  final class Box: Sendable {
    let work: @Sendable () -> Void
    init(_ work: @escaping @Sendable () -> Void) { self.work = work }
  }
  var thread = pthread_t()
  pthread_create(
    &thread, nil,
    { context in
      if let context { Unmanaged<Box>.fromOpaque(context).takeRetainedValue().work() }
      return nil
    }, Unmanaged.passRetained(Box(work)).toOpaque())
  defer { pthread_join(thread, nil) }
  try body()
}
