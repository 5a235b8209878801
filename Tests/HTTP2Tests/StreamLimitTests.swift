import Glibc
import HTTP2
import Synchronization
import Testing

/// Counts how many requests are open on a server at a time.
final class Gauge: Sendable {
  let state = Mutex((open: 0, most: 0, total: 0))

  func enter() {
    state.withLock { state in
      state.open += 1
      state.total += 1
      state.most = max(state.most, state.open)
    }
  }

  func leave() { state.withLock { $0.open -= 1 } }

  func restart() { state.withLock { $0.most = $0.open } }
}

@Suite(.timeLimit(.minutes(1))) struct StreamLimitTests {
  private static func slowAnswer(_ gauge: Gauge, _ delay: Duration = .milliseconds(2)) -> TestHandler.Answer {
    { request in
      gauge.enter()
      let responder = request.responder
      request.connection.loop.schedule(after: delay) {
        gauge.leave()
        responder.respond(status: 200)
      }
    }
  }

  /// Trap 3 of the peers: the limits of the providers, APNs 1000 and FCM 100, are used and kept.
  @Test(arguments: [1, 3, 100, 1000]) func trap3TheServersLimitIsUsedAndKept(limit: Int) throws {
    let gauge = Gauge()
    let pair = try Pair(
      server: { $0.settings.maxConcurrentStreams = UInt32(limit) },
      answer: StreamLimitTests.slowAnswer(gauge, limit < 1000 ? .milliseconds(2) : .milliseconds(300)))
    pair.configuration.initialStreamLimit = 1
    let recorder = Recorder()
    let connection = pair.connect(recorder)
    let count = min(2000, limit * 20)
    connection.submit(pair.batch(count))
    #expect(recorder.endings(count).allSatisfy { $0 == .response(200, "") })
    #expect(gauge.state.withLock { $0.most } == limit)
    connection.close()
  }

  /// Trap 3: a limit that is lowered in the middle, as APNs does after a rejection, holds for all that follows.
  @Test func trap3ALimitLoweredMidConnection() throws {
    let gauge = Gauge()
    let answer = StreamLimitTests.slowAnswer(gauge)
    let pair = try Pair(
      server: { $0.settings.maxConcurrentStreams = 50 },
      answer: { request in
        if request.streamID == 199 { request.connection.update(HTTP2Settings(maxConcurrentStreams: 1)) }
        answer(request)
      })
    pair.configuration.initialStreamLimit = 50
    let recorder = Recorder()
    let connection = pair.connect(recorder)
    connection.submit(pair.batch(100))
    // A request that crosses the new SETTINGS on the wire may be refused, which makes it safe to send again.
    let refused = Ending.failure(HTTP2Failure(.notProcessed, .reset(.refusedStream)))
    #expect(recorder.endings(100).allSatisfy { $0 == .response(200, "") || $0 == refused })
    #expect(recorder.wait { $0.streams == 1 })
    gauge.restart()
    connection.submit(pair.batch(20, first: 100))
    #expect(recorder.endings(120).allSatisfy { $0 == .response(200, "") })
    #expect(gauge.state.withLock { $0.most } == 1)
    // And restored.
    pair.serverConnection()?.update(HTTP2Settings(maxConcurrentStreams: 10))
    #expect(recorder.wait { $0.streams == 10 })
    connection.submit(pair.batch(100, first: 120))
    #expect(recorder.endings(220).allSatisfy { $0 == .response(200, "") })
    #expect(gauge.state.withLock { $0.most } == 10)
    connection.close()
  }

  /// Trap 3: one stream until the caller has seen its first accepted token, as APNs wants it.
  @Test func trap3OneStreamUntilTheCallerSaysMore() throws {
    let gauge = Gauge()
    let pair = try Pair(answer: StreamLimitTests.slowAnswer(gauge))
    let recorder = Recorder()
    let connection = pair.connect(recorder)
    connection.setStreamLimit(1)
    connection.submit(pair.batch(10))
    #expect(recorder.endings(10).count == 10)
    #expect(gauge.state.withLock { $0.most } == 1)
    connection.setStreamLimit(1000)
    connection.submit(pair.batch(100, first: 10))
    #expect(recorder.endings(110).count == 110)
    #expect(gauge.state.withLock { $0.most } > 10)
    connection.close()
  }

  @Test func theCallersLimitHoldsBeforeSettings() throws {
    let gauge = Gauge()
    var behavior = HTTP2ConnectionBehavior()
    behavior.settingsDelay = .milliseconds(200)
    let pair = try Pair(behavior: { [behavior] _ in behavior }, answer: { _ in gauge.enter() })
    pair.configuration.initialStreamLimit = 7
    let recorder = Recorder()
    let connection = pair.connect(recorder)
    connection.submit(pair.batch(20))
    for _ in 0..<5000 where gauge.state.withLock({ $0.total }) < 7 { usleep(1000) }
    #expect(gauge.state.withLock { $0.total } == 7)
    // SETTINGS come and allow the others.
    for _ in 0..<5000 where gauge.state.withLock({ $0.total }) < 20 { usleep(1000) }
    #expect(gauge.state.withLock { $0.total } == 20)
    connection.close()
    #expect(recorder.endings(20).count == 20)
  }
}
