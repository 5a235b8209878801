import Glibc
import HTTP2
import Synchronization
import Testing

/// Frames that cost their sender nothing, without end.
struct Flood: CustomTestStringConvertible, Sendable {
  let testDescription: String
  /// What is repeated.
  let frames: [UInt8]
  /// The type that the error names.
  let name: String
  /// What comes first.
  var opening: [UInt8] = []

  private static let eight: [UInt8] = Array(repeating: 0, count: 8)

  static let all: [Flood] = [
    Flood(testDescription: "PRIORITY", frames: Raw.frame(2, 0, 1, [0, 0, 0, 3, 9]), name: "PRIORITY"),
    Flood(testDescription: "ALTSVC", frames: Raw.frame(10, 0, 0, [0, 1, 97, 98]), name: "ALTSVC"),
    Flood(testDescription: "ORIGIN", frames: Raw.frame(12, 0, 0, [0, 1, 97]), name: "ORIGIN"),
    Flood(testDescription: "an unknown type", frames: Raw.frame(0xEE, 0, 0, [1]), name: "unknown"),
    Flood(testDescription: "SETTINGS", frames: Raw.settings(), name: "SETTINGS"),
    Flood(testDescription: "PING", frames: Raw.frame(6, 0, 0, eight), name: "PING"),
    Flood(testDescription: "PING ACK", frames: Raw.frame(6, 1, 0, eight), name: "PING"),
    Flood(testDescription: "WINDOW_UPDATE", frames: Raw.windowUpdate(0, 1), name: "WINDOW_UPDATE"),
    Flood(
      testDescription: "empty DATA", frames: Raw.data(1, []), name: "DATA",
      opening: Raw.headers(1, Raw.ok, end: false)),
    Flood(
      testDescription: "DATA of padding", frames: Raw.frame(0, 8, 1, [3, 0, 0, 0]), name: "DATA",
      opening: Raw.headers(1, Raw.ok, end: false)),
    Flood(
      testDescription: "informational HEADERS", frames: Raw.headers(1, Raw.field(":status", "103"), end: false),
      name: "HEADERS"),
    Flood(testDescription: "HEADERS on a closed stream", frames: Raw.answer(3), name: "HEADERS"),
    Flood(
      testDescription: "RST_STREAM on a closed stream", frames: Raw.frame(3, 0, 3, Raw.number(8)), name: "RST_STREAM"),
  ]
}

@Suite(.timeLimit(.minutes(1))) struct FloodTests {
  private static let burst = 10_000

  private func held() -> HTTP2ConnectionBehavior {
    var behavior = HTTP2ConnectionBehavior()
    behavior.settingsDelay = .seconds(3600)
    return behavior
  }

  /// In pieces, so that nothing is bounded by the size of one read alone.
  private static func write(_ flood: Flood, frames: Int, to connection: HTTP2ServerConnection) {
    let piece = 500
    for _ in 0..<(frames / piece) {
      connection.writeRaw((0..<piece).flatMap { _ in flood.frames })
      usleep(500)
    }
  }

  @Test(arguments: Flood.all) func aServerThatFloodsIsLeft(flood: Flood) throws {
    let pair = try Pair(
      behavior: { _ in self.held() },
      answer: { request in
        guard request.streamID == 5 else { return }
        request.connection.writeRaw(
          Raw.settings([(3, 3)]) + Raw.settings(flags: Raw.ack) + Raw.answer(3) + flood.opening)
        FloodTests.write(flood, frames: FloodTests.burst * 2, to: request.connection)
      })
    pair.configuration.initialStreamLimit = 3
    let recorder = Recorder()
    pair.connect(recorder).submit(pair.batch(20))
    let endings = recorder.endings(20)
    guard case .protocolError(let why) = recorder.closing() else {
      Issue.record("\(flood.testDescription): \(String(describing: recorder.closing()))")
      return
    }
    #expect(why.hasPrefix("ENHANCE_YOUR_CALM"), "\(why)")
    #expect(why.hasSuffix(flood.name) || why.contains("Flooding"), "\(why)")
    // The answer to stream 3 made room for a fourth request.
    #expect(endings[1] == .response(200, "") && [0, 2, 3].allSatisfy { endings[$0].isUnknown })
    #expect(endings.dropFirst(4).allSatisfy { $0.isNotProcessed })
    #expect(pair.handler.handled.withLock { $0 } <= 4)
  }

  /// A quarter of the bound, from a server that works, harms nothing.
  @Test(arguments: Flood.all) func someOfItIsPassedOver(flood: Flood) throws {
    let pair = try Pair(
      behavior: { _ in self.held() },
      answer: { request in
        guard request.streamID == 5 else { return }
        request.connection.writeRaw(
          Raw.settings([(3, 3)]) + Raw.settings(flags: Raw.ack) + Raw.answer(3) + flood.opening)
        FloodTests.write(flood, frames: FloodTests.burst / 4, to: request.connection)
        request.connection.writeRaw(flood.opening.isEmpty ? Raw.answer(1) : Raw.data(1, [], flags: 1))
      })
    pair.configuration.initialStreamLimit = 3
    let recorder = Recorder()
    let connection = pair.connect(recorder)
    connection.submit(pair.batch(3, timeout: .seconds(30)))
    #expect(recorder.endings(2).prefix(2) == [.response(200, ""), .response(200, "")], "\(flood.testDescription)")
    #expect(recorder.record.withLock { $0.closed } == nil)
  }

  /// The same frames from a client: the server says why it leaves, and serves others.
  @Test(arguments: Flood.all.filter { $0.opening.isEmpty && !$0.testDescription.contains("HEADERS") })
  func aClientThatFloodsIsLeft(flood: Flood) throws {
    let pair = try Pair()
    let client = try RawClient(port: pair.server.port)
    #expect(client.send(Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + Raw.settings()))
    // Streams 1 and 3 exist, so that frames may name them.
    let request: [UInt8] = [0x82, 0x87, 0x84, 0x01, 1, 97]
    #expect(client.send(Raw.frame(1, 5, 1, request) + Raw.frame(1, 5, 3, request)))
    let piece = (0..<500).flatMap { _ in flood.frames }
    for _ in 0..<(FloodTests.burst * 2 / 500) where !client.send(piece) { break }
    let answer = try #require(client.readToEnd(), "\(flood.testDescription): the server goes on")
    // Resets have a limit of nghttp2's own, which says nothing.
    #expect(answer.contains("ENHANCE_YOUR_CALM") || answer.contains("Flooding") || flood.name == "RST_STREAM")
    let recorder = Recorder()
    let connection = pair.connect(recorder)
    connection.submit(pair.batch(1))
    #expect(recorder.endings(1) == [.response(200, "")])
    connection.close()
  }
}
