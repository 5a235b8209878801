import Glibc
import HTTP2
import Synchronization
import Testing

private final class Count: Sendable {
  let value = Atomic(0)
}

/// A way in which a connection dies with requests on the wire, and the name it must get.
struct Loss: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let strike: @Sendable (HTTP2ServerConnection) -> Void
  let expected: [String]

  static let all: [Loss] = [
    Loss(
      testDescription: "TLS close without GOAWAY", strike: { $0.close() },
      expected: ["the server closed the connection without GOAWAY"]),
    Loss(
      testDescription: "TCP reset", strike: { $0.closeAbruptly() },
      expected: ["the connection broke: Connection reset by peer"]),
    Loss(
      testDescription: "silence, found out by PING", strike: { $0.fallSilent() },
      expected: ["the server did not answer a PING in time"]),
    Loss(
      testDescription: "frames that are not HTTP/2", strike: { $0.writeRaw(Array(repeating: 0xFF, count: 64)) },
      expected: ["the connection broke", "the server broke HTTP/2"]),
  ]
}

@Suite(.timeLimit(.minutes(1))) struct ConnectionLossTests {
  /// Trap 1 of the peers: a connection that dies, with or without a frame, ends every request.
  @Test(arguments: Loss.all) func trap1AConnectionThatDiesEndsEveryRequest(row: Loss) throws {
    // The first is answered; the others never.
    let pair = try Pair(answer: { request in
      if request.path.elementsEqual("/3/device/0".utf8) { request.respond(status: 200) }
    })
    pair.configuration.pingAfterIdle = .milliseconds(150)
    pair.configuration.pingTimeout = .milliseconds(150)
    let recorder = Recorder()
    let connection = pair.connect(recorder)
    connection.submit(pair.batch(50))
    #expect(recorder.endings(1) == [.response(200, "")])
    // Wait until all are on the server, so that none of them is certainly unprocessed.
    for _ in 0..<5000 where pair.handler.handled.withLock({ $0 }) < 50 { usleep(1000) }
    if let server = pair.serverConnection() { row.strike(server) }
    let endings = recorder.endings(50)
    let reason = recorder.closing()?.description ?? ""
    #expect(row.expected.contains { reason.hasPrefix($0) }, "\(reason)")
    #expect(endings.count == 50 && endings.dropFirst().allSatisfy { $0.isUnknown })
    #expect(recorder.record.withLock { $0.repeated } == [])
  }

  /// Trap 1: a stream that gets no frame ends at its deadline, and the connection goes on.
  @Test func trap1AStreamWithoutAnswerEndsAtItsDeadline() throws {
    let pair = try Pair(answer: { request in
      if !request.path.elementsEqual("/3/device/1".utf8) { request.respond(status: 200) }
    })
    let recorder = Recorder()
    let connection = pair.connect(recorder)
    connection.submit(pair.batch(3, timeout: .milliseconds(100)))
    #expect(
      recorder.endings(3) == [
        .response(200, ""), .failure(HTTP2Failure(.unknown, .deadline)), .response(200, ""),
      ])
    connection.submit(pair.batch(1, first: 3))
    #expect(recorder.endings(4).last == .response(200, ""))
    #expect(recorder.record.withLock { $0.closed } == nil)
  }

  @Test func aRequestThatWaitedTooLongWasNotProcessed() throws {
    let pair = try Pair(server: { $0.settings.maxConcurrentStreams = 1 }, answer: { _ in })
    let recorder = Recorder()
    pair.configuration.initialStreamLimit = 1
    let connection = pair.connect(recorder)
    connection.submit(pair.batch(1, timeout: .milliseconds(300)))
    connection.submit(pair.batch(2, first: 1, timeout: .milliseconds(100)))
    #expect(
      recorder.endings(3) == [
        .failure(HTTP2Failure(.unknown, .deadline)), .failure(HTTP2Failure(.notProcessed, .deadline)),
        .failure(HTTP2Failure(.notProcessed, .deadline)),
      ])
  }

  @Test func aLateAnswerOnASilentConnectionAsksTheConnection() throws {
    let pair = try Pair(answer: { $0.connection.fallSilent() })
    pair.configuration.pingTimeout = .milliseconds(100)
    let recorder = Recorder()
    let connection = pair.connect(recorder)
    connection.submit(pair.batch(1, timeout: .milliseconds(150)))
    #expect(recorder.closing() == .pingTimeout)
    #expect(recorder.endings(1) == [.failure(HTTP2Failure(.unknown, .deadline))])
  }

  @Test func pingIsAnswered() throws {
    let pair = try Pair()
    pair.configuration.pingAfterIdle = .milliseconds(20)
    let recorder = Recorder()
    let connection = pair.connect(recorder)
    #expect(recorder.wait { $0.pongs >= 2 })
    connection.close()
    #expect(recorder.closing() == .requested)
  }

  @Test func theEndOfTheLoopEndsEveryRequest() throws {
    let pair = try Pair(answer: { _ in })
    let recorder = Recorder()
    let connection = pair.connect(recorder)
    connection.submit(pair.batch(20))
    for _ in 0..<5000 where pair.handler.handled.withLock({ $0 }) < 20 { usleep(1000) }
    pair.clientLoop.shutdown()
    #expect(recorder.record.withLock { $0.closed } == .loopStopped)
    #expect(recorder.endings(20).allSatisfy { $0 == .failure(HTTP2Failure(.unknown, .connectionClosed(.loopStopped))) })
    connection.submit(pair.batch(1, first: 20))
    #expect(recorder.endings(21).last == .failure(HTTP2Failure(.notProcessed, .connectionClosed(.loopStopped))))
  }

  @Test func closeAndDrainDifferInWhatIsOpen() throws {
    let pair = try Pair(answer: { $0.responder.respond(status: 200, after: .milliseconds(50)) })
    for drains in [true, false] {
      let recorder = Recorder()
      let connection = pair.connect(recorder)
      let before = pair.handler.handled.withLock { $0 }
      connection.submit(pair.batch(5))
      for _ in 0..<5000 where pair.handler.handled.withLock({ $0 }) < before + 5 { usleep(1000) }
      if drains { connection.drain() } else { connection.close() }
      connection.submit(pair.batch(1, first: 5))
      #expect(recorder.closing() == .requested)
      let endings = recorder.endings(6)
      let expected: Ending =
        drains
        ? .response(200, "") : .failure(HTTP2Failure(.unknown, .connectionClosed(.requested)))
      #expect(endings.prefix(5).allSatisfy { $0 == expected }, "\(endings)")
      #expect(endings.last?.isNotProcessed == true)
    }
  }

  @Test func aRequestThatIsResumedIsAnsweredUnlessItHasEnded() throws {
    let resumed = Count()
    let pair = try Pair(answer: { request in
      request.resume(after: .milliseconds(50)) {
        resumed.value.add(1, ordering: .relaxed)
        let id = $0.header("apns-id").map { String(decoding: $0, as: UTF8.self) } ?? ""
        $0.respond(status: 200, body: Array(id.utf8))
      }
    })
    let kept = Recorder()
    let lost = Recorder()
    let connections = (pair.connect(kept), pair.connect(lost))
    connections.1.submit(pair.batch(3))
    for _ in 0..<5000 where pair.handler.handled.withLock({ $0 }) < 3 { usleep(1000) }
    connections.1.close()
    #expect(lost.endings(3).allSatisfy { $0 == .failure(HTTP2Failure(.unknown, .connectionClosed(.requested))) })
    connections.0.submit(pair.batch(5))
    let endings = kept.endings(5)
    #expect(endings.allSatisfy { if case .response(200, let body) = $0 { !body.isEmpty } else { false } }, "\(endings)")
    // The timers of the lost connection were due before those of the other.
    #expect(resumed.value.load(ordering: .relaxed) == 5)
  }

  @Test func aQueueThatIsFullRefuses() throws {
    let pair = try Pair(answer: { _ in })
    pair.configuration.queueLimit = 10
    let recorder = Recorder()
    let connection = HTTP2ClientConnection(
      loop: pair.clientLoop, configuration: pair.configuration, observer: recorder)
    connection.submit(pair.batch(12))
    let expected = Ending.failure(HTTP2Failure(.notProcessed, .queueFull))
    #expect(recorder.endings(2) == [expected, expected])
    #expect(recorder.record.withLock { $0.endings.keys.sorted() } == [10, 11])
    connection.close()
    #expect(recorder.closing() == .requested)
    #expect(recorder.endings(12).count == 12)
  }
}
