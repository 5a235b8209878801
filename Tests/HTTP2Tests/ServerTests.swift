import Glibc
import HTTP2
import Synchronization
import TLS
import Testing

@Suite(.timeLimit(.minutes(1))) struct ServerTests {
  @Test func hostMayStandInForAuthority() throws {
    let pair = try Pair(answer: { request in
      let hasPseudo = request.header(":authority") != nil
      request.respond(status: hasPseudo ? 500 : 200, body: Array(request.authority ?? []))
    })
    let recorder = Recorder()
    let connection = pair.connect(recorder)
    let template = try HTTP2RequestTemplate(authority: "", headers: [HTTP2Header("host", "api.example")])
    var batch = HTTP2RequestBatch()
    batch.append(template, id: 0, path: "/")
    connection.submit(batch)
    #expect(recorder.endings(1) == [.response(200, "api.example")])
    connection.close()
  }

  /// A client that is slow to read and still writes gets all that was written before the end, and not a reset.
  @Test func whatWasWrittenBeforeTheEndArrives() throws {
    let count = 4 << 20
    let pair = try Pair(answer: { request in
      request.connection.writeRaw([UInt8](repeating: 0x41, count: count))
      request.connection.close()
    })
    let client = try RawClient(port: pair.server.port)
    let request: [UInt8] = [0x82, 0x87, 0x84, 0x01, 1, 97]
    #expect(client.send(Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + Raw.settings() + Raw.frame(1, 5, 1, request)))
    usleep(100_000)
    #expect(client.send(Raw.frame(6, 0, 0, [0, 0, 0, 0, 0, 0, 0, 0])))
    let text = try #require(client.readToEnd())
    #expect(text.utf8.filter { $0 == 0x41 }.count == count)
  }

  @Test func tooManyHeadersAreAnsweredWith431() throws {
    let pair = try Pair(server: { $0.requestHeaderLimit = 2000 })
    let recorder = Recorder()
    let connection = pair.connect(recorder)
    var batch = HTTP2RequestBatch()
    for (id, count) in [100, 1800, 3000].enumerated() {
      batch.append(pair.template, id: UInt64(id), path: "x", values: [String(repeating: "v", count: count)])
    }
    connection.submit(batch)
    #expect(recorder.endings(3) == [.response(200, ""), .response(200, ""), .response(431, "")])
    connection.close()
  }

  @Test func answersComeLaterAndFromOtherThreadsOnce() throws {
    let responders = Mutex<[HTTP2Responder]>([])
    let pair = try Pair(answer: { request in
      let responder = request.responder
      responders.withLock { $0.append(responder) }
    })
    let recorder = Recorder()
    let connection = pair.connect(recorder)
    connection.submit(pair.batch(10))
    for _ in 0..<5000 where responders.withLock({ $0.count }) < 10 { usleep(1000) }
    let template = try HTTP2ResponseTemplate(status: 201, variableHeaders: ["apns-id"])
    for responder in responders.withLock({ $0 }) {
      responder.respond(template, values: [Array("id".utf8)], body: Array("once".utf8))
      responder.respond(status: 500)
      responder.reset(.cancel, after: .milliseconds(1))
    }
    #expect(recorder.endings(10) == Array(repeating: .response(201, "once"), count: 10))
    connection.close()
  }

  @Test func variableHeadersOfAnswers() throws {
    let template = try HTTP2ResponseTemplate(
      status: 200, headers: [HTTP2Header("content-type", "text/plain")], variableHeaders: ["apns-id", "retry-after"],
      body: Array("shared".utf8))
    let pair = try Pair(answer: { request in
      request.respond(template, values: [nil, request.header("apns-id")])
    })
    pair.configuration.wantedHeaders = ["apns-id", "retry-after", "content-type"]
    let recorder = Recorder(wanted: 3)
    let connection = pair.connect(recorder)
    connection.submit(pair.batch(1))
    #expect(recorder.endings(1) == [.response(200, "shared")])
    #expect(recorder.record.withLock { $0.headers[0] } == [nil, "id-0", "text/plain"])
    connection.close()
  }

  @Test func connectionsAboveTheLimitAreClosed() throws {
    let pair = try Pair(server: { $0.connectionLimit = 2 })
    let recorders = (0..<2).map { _ in Recorder() }
    let open = recorders.map { pair.connect($0) }
    for recorder in recorders { #expect(recorder.wait { $0.streams != nil }) }
    let third = Recorder()
    let refused = pair.connect(third)
    #expect(third.closing() != nil)
    open[0].close()
    _ = recorders[0].closing()
    _ = refused
    // The server notices the end a moment later than the client.
    var accepted = false
    for _ in 0..<200 where !accepted {
      let again = Recorder()
      let connection = pair.connect(again)
      accepted = again.wait { $0.streams != nil || $0.closed != nil } && again.record.withLock { $0.streams != nil }
      connection.close()
    }
    #expect(accepted)
    open[1].close()
  }

  @Test func aStopLetsOpenRequestsEnd() throws {
    let pair = try Pair(answer: { $0.responder.respond(status: 200, after: .milliseconds(100)) })
    let recorder = Recorder()
    let connection = pair.connect(recorder)
    connection.submit(pair.batch(5))
    for _ in 0..<5000 where pair.handler.handled.withLock({ $0 }) < 5 { usleep(1000) }
    pair.server.stop()
    #expect(recorder.endings(5) == Array(repeating: .response(200, ""), count: 5))
    guard case .goAway = recorder.closing() else {
      Issue.record("\(String(describing: recorder.closing()))")
      return
    }
  }

  @Test func aClientThatStopsReadingBlocksNobody() throws {
    let pair = try Pair(answer: { $0.respond(status: 200, body: Array(repeating: 65, count: 60_000)) })
    pair.configuration.responseBodyLimit = 60_000
    let recorder = Recorder()
    let connection = pair.connect(recorder)
    connection.submit(pair.batch(1))
    _ = recorder.endings(1)
    pair.serverConnection()?.pauseReading(true)
    connection.submit(pair.batch(500, first: 1))
    let other = Recorder()
    let second = pair.connect(other)
    second.submit(pair.batch(5))
    #expect(other.endings(5).count == 5)
    pair.handler.connections.withLock { $0.first }?.pauseReading(false)
    #expect(recorder.endings(501).count == 501)
    connection.close()
    second.close()
  }

  @Test func severalLoopsShareTheConnections() throws {
    let loops = try (0..<3).map { try EventLoop(name: "server-\($0)") }
    let names = Mutex<Set<ObjectIdentifier>>([])
    let handler = TestHandler(answer: { request in
      let loop = ObjectIdentifier(request.connection.loop)
      #expect(request.connection.loop.isCurrent)
      names.withLock { _ = $0.insert(loop) }
      request.respond(status: 200)
    })
    let configuration = HTTP2ServerConfiguration(tls: try .server(identity: TestCertificate.shared.identity))
    let server = try HTTP2Server(configuration: configuration, loops: loops, handler: handler)
    let pair = try Pair()
    pair.configuration.port = server.port
    let recorders = (0..<6).map { _ in Recorder() }
    let connections = recorders.map { pair.connect($0) }
    for connection in connections { connection.submit(pair.batch(20)) }
    for recorder in recorders { #expect(recorder.endings(20).count == 20) }
    #expect(names.withLock { $0.count } == 3)
    server.stop(abruptly: true)
    for recorder in recorders { #expect(recorder.closing() != nil) }
    for loop in loops { loop.shutdown() }
  }

  /// Timers count from when something happens, not from the loop's turn before, which may be long ago.
  @Test func aServerThatWasIdleGivesTheFullHandshakeTime() throws {
    let pair = try Pair(server: { $0.handshakeTimeout = .seconds(1) })
    let parked = Recorder()
    let connection = pair.connect(parked)
    #expect(parked.wait { $0.streams != nil })
    usleep(2_500_000)
    let recorder = Recorder()
    let second = pair.connect(recorder)
    second.submit(pair.batch(1))
    #expect(recorder.endings(1) == [.response(200, "")])
    connection.close()
    second.close()
  }

  @Test func aPortInUseIsNamed() throws {
    let pair = try Pair()
    var configuration = HTTP2ServerConfiguration(tls: try .server(identity: TestCertificate.shared.identity))
    configuration.port = pair.server.port
    let error = #expect(throws: SystemError.self) {
      try HTTP2Server(configuration: configuration, loops: [pair.serverLoop], handler: pair.handler)
    }
    #expect(error?.description == "cannot listen on 127.0.0.1:\(pair.server.port): Address already in use")
  }
}
