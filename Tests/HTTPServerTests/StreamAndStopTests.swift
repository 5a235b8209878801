import Glibc
import HTTPServer
import Synchronization
import TestSupport
import Testing

/// Hands every request to a closure.
struct ClosureHandler: HTTPHandler {
  let body: @Sendable (HTTPRequest, HTTPResponder) -> Void

  func handle(_ request: HTTPRequest, _ responder: HTTPResponder) { body(request, responder) }
}

@Suite(.timeLimit(.minutes(1))) struct HTTPStreamTests {
  @Test func sendsEventsAsTheyCome() throws {
    let stream = HTTPStream()
    let server = try HTTPServer(
      HTTPServerConfiguration(),
      handler: ClosureHandler { _, responder in
        responder.respond(
          HTTPResponse(status: 200, headers: [("Content-Type", "text/event-stream")], body: .stream(stream)))
      })
    let client = try HTTPTestClient(port: server.port)
    client.send("GET /events HTTP/1.1\r\nHost: h\r\n\r\n")
    #expect(stream.send(Array("data: 1\n\n".utf8)) == .taken)
    var text = ""
    while !text.hasSuffix("9\r\ndata: 1\n\n\r\n") { text += String(decoding: client.receive(), as: UTF8.self) }
    #expect(stream.send(Array("data: 2\n\n".utf8)) == .taken)
    #expect(String(decoding: client.receive(), as: UTF8.self) == "9\r\ndata: 2\n\n\r\n")
    stream.finish()
    #expect(String(decoding: client.receive(), as: UTF8.self) == "0\r\n\r\n")
    #expect(stream.send([1]) == .closed)
  }

  @Test func holdsBackWhenTheClientIsSlow() throws {
    let room = Atomic<Int>(0)
    let closed = Atomic<Int>(0)
    let stream = HTTPStream(
      capacity: 100_000, onRoom: { room.add(1, ordering: .relaxed) },
      onClose: { closed.add(1, ordering: .relaxed) })
    let server = try HTTPServer(
      HTTPServerConfiguration(),
      handler: ClosureHandler { _, responder in responder.respond(HTTPResponse(status: 200, body: .stream(stream))) })
    let client = try HTTPTestClient(port: server.port)
    client.send("GET /events HTTP/1.1\r\nHost: h\r\n\r\n")
    let piece = [UInt8](repeating: 7, count: 10_000)
    var taken = 0
    while stream.send(piece) == .taken || room.load(ordering: .relaxed) > taken { taken += 1 }
    // The sockets' buffers and ours are full: a bounded amount was taken.
    #expect(taken < 10_000)
    while room.load(ordering: .relaxed) == 0 { _ = client.receive() }
    stream.finish()
    while closed.load(ordering: .relaxed) == 0 { _ = client.receive() }
    #expect(stream.isClosed)
  }

  @Test func tellsWhenTheClientIsGone() throws {
    let closed = Atomic<Int>(0)
    let stream = HTTPStream(onClose: { closed.add(1, ordering: .relaxed) })
    let server = try HTTPServer(
      HTTPServerConfiguration(),
      handler: ClosureHandler { _, responder in responder.respond(HTTPResponse(status: 200, body: .stream(stream))) })
    do {
      let client = try HTTPTestClient(port: server.port)
      client.send("GET /events HTTP/1.1\r\nHost: h\r\n\r\n")
      #expect(stream.send([1]) == .taken)
      #expect(!client.receive().isEmpty)
    }
    var attempts = 0
    while stream.send([1]) != .closed && attempts < 5_000 {
      attempts += 1
      usleep(1_000)
    }
    #expect(closed.load(ordering: .relaxed) == 1)
    withExtendedLifetime(server) {}
  }
}

@Suite(.timeLimit(.minutes(1))) struct HTTPServerStopTests {
  @Test func letsRequestsFinishAndRefusesNewOnes() throws {
    let waiting = EchoHandler.Waiting()
    let server = try HTTPServer(
      HTTPServerConfiguration(),
      handler: ClosureHandler { _, responder in waiting.responders.withLock { $0.append(responder) } })
    let busy = try HTTPTestClient(port: server.port)
    busy.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
    while waiting.responders.withLock({ $0.isEmpty }) { usleep(1_000) }
    try withThread({ server.stop(drainingFor: .seconds(20)) }) {
      var refused = false
      for _ in 0..<5_000 where !refused {
        refused = (try? HTTPTestClient(port: server.port)) == nil
        usleep(1_000)
      }
      #expect(refused)
      waiting.answerAll("finished")
      let answer = try busy.readAnswer()
      #expect(answer.body == "finished")
      #expect(answer.headers["connection"] == "close")
      #expect(busy.isClosedByPeer())
    }
    #expect(server.connectionCount == 0)
  }

  @Test func stopsWithinTheBoundWhateverHangs() throws {
    let waiting = EchoHandler.Waiting()
    let stream = HTTPStream()
    let server = try HTTPServer(
      HTTPServerConfiguration(),
      handler: ClosureHandler { request, responder in
        if request.path == "/stream" {
          responder.respond(HTTPResponse(status: 200, body: .stream(stream)))
        } else {
          waiting.responders.withLock { $0.append(responder) }
        }
      })
    let waiter = try HTTPTestClient(port: server.port)
    waiter.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
    let reader = try HTTPTestClient(port: server.port)
    reader.send("GET /stream HTTP/1.1\r\nHost: h\r\n\r\n")
    let idle = try HTTPTestClient(port: server.port)
    let half = try HTTPTestClient(port: server.port)
    half.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\nabc")
    _ = reader.receive()
    while waiting.responders.withLock({ $0.isEmpty }) { usleep(1_000) }
    server.stop(drainingFor: .milliseconds(50))
    #expect(stream.send([1]) == .closed)
    for client in [idle, half, reader, waiter] { #expect(client.isClosedByPeer()) }
    #expect(server.connectionCount == 0)
    // Too late, and harmless.
    #expect(waiting.responders.withLock { $0[0].respond(HTTPResponse(status: 200)) } == false)
    server.stop()
  }

  @Test func stopsAgainAndAgainUnderLoad() throws {
    for _ in 0..<10 {
      let server = try HTTPServer(
        HTTPServerConfiguration(), handler: ClosureHandler { $1.respond(HTTPResponse(status: 204)) })
      let port = server.port
      try withThread({
        while let client = try? HTTPTestClient(port: port), (try? client.get("/"))?.status == 204 {}
      }) {
        let answer = try HTTPTestClient(port: port).get("/")
        #expect(answer.status == 204)
        server.stop(drainingFor: .seconds(1))
      }
    }
  }
}

@Suite struct HTTPServerStartTests {
  func start(host: String = "127.0.0.1", port: UInt16) -> HTTPServerError? {
    do throws(HTTPServerError) {
      _ = try HTTPServer(
        HTTPServerConfiguration(host: host, port: port),
        handler: ClosureHandler { $1.respond(HTTPResponse(status: 204)) })
      return nil
    } catch { return error }
  }

  @Test func namesAPortInUse() throws {
    let server = try HTTPServer(
      HTTPServerConfiguration(), handler: ClosureHandler { $1.respond(HTTPResponse(status: 204)) })
    let error = start(port: server.port)
    #expect(error?.code == .portInUse)
    #expect(
      error?.description
        == "cannot listen on 127.0.0.1 port \(server.port): the port is in use;"
        + " stop the other program or choose another port")
  }

  @Test func namesABadHost() {
    let error = start(host: "no such host", port: 0)
    #expect(error?.code == .badHost)
    #expect(error?.description.hasPrefix("cannot listen on host \"no such host\": ") == true)
    #expect(start(host: "192.0.2.1", port: 0)?.code == .badHost)
  }

  @Test func takesAPortAgainAfterAStop() throws {
    let server = try HTTPServer(
      HTTPServerConfiguration(), handler: ClosureHandler { $1.respond(HTTPResponse(status: 204)) })
    let client = try HTTPTestClient(port: server.port)
    #expect(try client.get("/").status == 204)
    server.stop()
    #expect(start(port: server.port) == nil)
  }
}
