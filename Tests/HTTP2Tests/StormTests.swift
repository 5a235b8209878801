import Glibc
import HTTP2
import Synchronization
import TestSupport
import Testing

/// Misbehaves at random, reproducibly.
private final class Storm: Sendable {
  let random: Mutex<SeededRandom>

  init(seed: UInt64) { random = Mutex(SeededRandom(seed: seed)) }

  func roll(_ sides: Int) -> Int { random.withLock { Int.random(in: 0..<sides, using: &$0) } }

  func behavior() -> HTTP2ConnectionBehavior {
    var behavior = HTTP2ConnectionBehavior()
    switch roll(12) {
    case 0: behavior.opening = .reset
    case 1: behavior.opening = .garbage
    case 2: behavior.opening = .silenceAfterTLS
    case 3: behavior.opening = .goAway(code: .enhanceYourCalm, debugData: [1, 2, 3])
    case 4: behavior.settingsDelay = .milliseconds(20)
    case 5: behavior.settings = HTTP2Settings(maxConcurrentStreams: 1)
    case 6: behavior.settings = HTTP2Settings(maxConcurrentStreams: 20, initialWindowSize: 100)
    default: break
    }
    return behavior
  }

  func answer(_ request: HTTP2ServerRequest) {
    let connection = request.connection
    switch roll(400) {
    case 0: connection.closeAbruptly()
    case 1: connection.close()
    case 2: connection.fallSilent()
    case 3: connection.goAway(lastStreamID: request.streamID / 2 | 1, code: .internalError)
    case 4: connection.goAway()
    case 5: connection.update(HTTP2Settings(maxConcurrentStreams: UInt32(roll(5))))
    case 6: connection.writeRaw(Array(repeating: UInt8(roll(256)), count: roll(50)))
    case 7...20: request.reset(HTTP2ErrorCode(rawValue: UInt32(roll(14))))
    case 21...24: break
    case 25...120: request.responder.respond(status: 200, after: .milliseconds(roll(30)))
    default: request.respond(status: 200, body: Array(repeating: 65, count: roll(3000)))
    }
  }
}

@Suite(.timeLimit(.minutes(2))) struct StormTests {
  /// Trap 1 as a law: in any weather each request ends once, and the connection ends with a name.
  @Test(arguments: 0..<8) func trap1InAnyWeatherEachRequestEndsOnce(round: Int) throws {
    let seed = SeededRandom.fromEnvironment().seed &+ UInt64(round)
    let storm = Storm(seed: seed)
    let pair = try Pair(behavior: { _ in storm.behavior() }, answer: { storm.answer($0) })
    pair.configuration.connectTimeout = .seconds(2)
    pair.configuration.settingsTimeout = .milliseconds(300)
    pair.configuration.pingAfterIdle = .milliseconds(200)
    pair.configuration.pingTimeout = .milliseconds(200)
    let recorders = (0..<10).map { _ in Recorder() }
    let connections = recorders.map { pair.connect($0) }
    for (index, connection) in connections.enumerated() {
      for part in 0..<5 {
        connection.submit(pair.batch(100, first: part * 100, timeout: .milliseconds(400 + 50 * index)))
      }
    }
    for (recorder, connection) in zip(recorders, connections) {
      #expect(recorder.endings(500).count == 500, "seed \(seed)")
      connection.drain()
      #expect(recorder.closing() != nil, "seed \(seed)")
      #expect(recorder.record.withLock { $0.repeated } == [], "seed \(seed)")
    }
  }
}
