import Glibc
import HTTP2
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct GoAwayTests {
  private static let debug = Array(#"{"reason":"BadCertificate"}"#.utf8)

  /// Trap 2 of the peers: GOAWAY before SETTINGS names its reason and leaves every request safe to send again.
  @Test func trap2GoAwayBeforeSettings() throws {
    var behavior = HTTP2ConnectionBehavior()
    behavior.opening = .goAway(code: .noError, debugData: GoAwayTests.debug)
    let pair = try Pair(behavior: { [behavior] _ in behavior })
    let recorder = Recorder()
    let connection = pair.connect(recorder)
    connection.submit(pair.batch(5))
    guard case .goAway(let frame) = recorder.closing() else {
      Issue.record("\(String(describing: recorder.closing()))")
      return
    }
    #expect(frame.debugData == GoAwayTests.debug && frame.lastStreamID == 0 && frame.code == .noError)
    #expect(recorder.endings(5) == Array(repeating: .failure(HTTP2Failure(.notProcessed, .goAway(frame))), count: 5))
  }

  /// Trap 2: GOAWAY with a last stream below those in flight: only those above it are safe to send again.
  @Test func trap2GoAwayBelowStreamsInFlight() throws {
    let pair = try Pair(answer: { request in
      let responder = request.responder
      if request.streamID == 19 {
        request.connection.goAway(lastStreamID: 9, code: .noError, debugData: GoAwayTests.debug)
      } else if request.streamID <= 9 {
        responder.respond(status: 200, after: .milliseconds(50))
      }
    })
    let recorder = Recorder()
    let connection = pair.connect(recorder)
    connection.submit(pair.batch(10))
    guard case .goAway(let frame) = recorder.closing() else {
      Issue.record("\(String(describing: recorder.closing()))")
      return
    }
    #expect(frame.lastStreamID == 9)
    let above = Ending.failure(HTTP2Failure(.notProcessed, .goAway(frame)))
    #expect(
      recorder.endings(10)
        == Array(repeating: .response(200, ""), count: 5) + Array(repeating: above, count: 5))
    #expect(recorder.record.withLock { $0.repeated } == [])
    #expect(recorder.record.withLock { $0.goAways.map(\.debugData) } == [GoAwayTests.debug])
  }

  /// Trap 2: when the connection dies after GOAWAY, streams below its last one are unknown.
  @Test func trap2GoAwayThenDeath() throws {
    let pair = try Pair(answer: { request in
      guard request.streamID == 19 else { return }
      request.connection.goAway(lastStreamID: 9, code: .internalError)
      request.connection.loop.schedule(after: .milliseconds(100)) { [connection = request.connection] in
        connection.closeAbruptly()
      }
    })
    let recorder = Recorder()
    let connection = pair.connect(recorder)
    connection.submit(pair.batch(10))
    let endings = recorder.endings(10)
    #expect(endings.prefix(5).allSatisfy { $0.isUnknown })
    #expect(endings.dropFirst(5).allSatisfy { $0.isNotProcessed })
  }

  @Test func aGracefulGoAwayLetsOpenRequestsEndAndTakesNoMore() throws {
    let pair = try Pair(
      server: { $0.settings.maxConcurrentStreams = 5 },
      answer: { request in
        if request.streamID == 9 { request.connection.goAway(lastStreamID: Int32.max, closing: false) }
        request.responder.respond(status: 200, after: .milliseconds(80))
      })
    pair.configuration.initialStreamLimit = 5
    let recorder = Recorder()
    let connection = pair.connect(recorder)
    connection.submit(pair.batch(8))
    _ = recorder.wait { !$0.goAways.isEmpty }
    connection.submit(pair.batch(1, first: 8))
    let endings = recorder.endings(9)
    #expect(endings.prefix(5).allSatisfy { $0 == .response(200, "") })
    #expect(endings.dropFirst(5).allSatisfy { $0.isNotProcessed })
    guard case .goAway(let frame) = recorder.closing() else {
      Issue.record("\(String(describing: recorder.closing()))")
      return
    }
    #expect(frame.lastStreamID == Int32.max)
  }

  @Test func aConnectionThatHasCarriedItsLastRequestLeavesLikeAfterGoAway() throws {
    let pair = try Pair()
    pair.configuration.requestLimit = 10
    let recorder = Recorder()
    let connection = pair.connect(recorder)
    connection.submit(pair.batch(12))
    let endings = recorder.endings(12)
    #expect(endings.prefix(10).allSatisfy { $0 == .response(200, "") })
    #expect(endings.dropFirst(10).allSatisfy { $0.isNotProcessed })
    guard case .goAway(let frame) = recorder.closing() else {
      Issue.record("\(String(describing: recorder.closing()))")
      return
    }
    #expect(frame.code == .noError && recorder.record.withLock { $0.goAways } == [frame])
  }

  @Test(arguments: [
    (HTTP2ErrorCode.refusedStream, HTTP2Failure.Processing.notProcessed), (.cancel, .unknown),
    (.internalError, .unknown),
    (.enhanceYourCalm, .unknown), (.noError, .unknown), (HTTP2ErrorCode(rawValue: 0x1234), .unknown),
  ])
  func aResetNamesItsCode(code: HTTP2ErrorCode, processing: HTTP2Failure.Processing) throws {
    let pair = try Pair(answer: { request in
      if request.streamID == 1 { request.reset(code) } else { request.respond(status: 200) }
    })
    let recorder = Recorder()
    let connection = pair.connect(recorder)
    connection.submit(pair.batch(2))
    #expect(recorder.endings(2) == [.failure(HTTP2Failure(processing, .reset(code))), .response(200, "")])
    connection.close()
  }
}
