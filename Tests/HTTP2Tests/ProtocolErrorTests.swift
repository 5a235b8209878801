import HTTP2
import Synchronization
import Testing

/// One way in which a server breaks HTTP/2, or seems to, and what the client makes of it.
struct Violation: CustomTestStringConvertible, Sendable {
  enum Result: Sendable {
    /// The connection ends; the error's name starts like this.
    case connection(String)
    /// The stream fails with a response that breaks the protocol; the name contains this.
    case stream(String)
    /// RFC 9113 tells the client to pass it over: the answer that follows is good.
    case passed
  }

  let testDescription: String
  /// What the server writes after its SETTINGS, while streams 1 and 5 are open and stream 3 has been answered.
  let frames: [UInt8]
  let result: Result
  /// Whether SETTINGS, their acknowledgment and the answer to stream 3 come first.
  var hasPreface = true

  init(_ name: String, _ frames: [UInt8], _ result: Result, hasPreface: Bool = true) {
    testDescription = name
    self.frames = frames
    self.result = result
    self.hasPreface = hasPreface
  }

  private static let zeros: [UInt8] = Array(repeating: 0, count: 17_000)
  private static let half = Raw.headers(1, Raw.ok, end: false)

  static let frameSizes: [Violation] = [
    .init("DATA above the frame size", half + Raw.data(1, zeros), .connection("FRAME_SIZE_ERROR")),
    .init("HEADERS above the frame size", Raw.headers(1, Raw.ok + zeros), .connection("FRAME_SIZE_ERROR")),
    .init("an unknown frame above the frame size", Raw.frame(0xEE, 0, 0, zeros), .connection("FRAME_SIZE_ERROR")),
    .init("PING of 7 bytes", Raw.frame(6, 0, 0, Array(zeros.prefix(7))), .connection("FRAME_SIZE_ERROR")),
    .init("PRIORITY of 4 bytes", Raw.frame(2, 0, 1, Array(zeros.prefix(4))), .connection("FRAME_SIZE_ERROR")),
    .init("RST_STREAM of 3 bytes", Raw.frame(3, 0, 1, [0, 0, 0]), .connection("FRAME_SIZE_ERROR")),
    .init("WINDOW_UPDATE of 3 bytes", Raw.frame(8, 0, 0, [0, 0, 1]), .connection("FRAME_SIZE_ERROR")),
    .init("GOAWAY of 7 bytes", Raw.frame(7, 0, 0, Array(zeros.prefix(7))), .connection("FRAME_SIZE_ERROR")),
    .init("SETTINGS of 5 bytes", Raw.frame(4, 0, 0, Array(zeros.prefix(5))), .connection("FRAME_SIZE_ERROR")),
    .init(
      "SETTINGS ACK with a payload", Raw.settings([(3, 5)], flags: Raw.ack), .connection("FRAME_SIZE_ERROR")),
  ]

  static let wrongStreams: [Violation] = [
    .init("DATA on stream 0", Raw.data(0, [1]), .connection("PROTOCOL_ERROR")),
    .init("HEADERS on stream 0", Raw.headers(0, Raw.ok), .connection("PROTOCOL_ERROR")),
    .init("PRIORITY on stream 0", Raw.frame(2, 0, 0, [0, 0, 0, 1, 9]), .connection("PROTOCOL_ERROR")),
    .init("RST_STREAM on stream 0", Raw.frame(3, 0, 0, Raw.number(8)), .connection("PROTOCOL_ERROR")),
    .init("SETTINGS on a stream", Raw.settings([(3, 5)], stream: 1), .connection("PROTOCOL_ERROR")),
    .init("PING on a stream", Raw.frame(6, 0, 1, Array(zeros.prefix(8))), .connection("PROTOCOL_ERROR")),
    .init("GOAWAY on a stream", Raw.frame(7, 0, 1, Array(zeros.prefix(8))), .connection("PROTOCOL_ERROR")),
    .init("CONTINUATION on stream 0", Raw.frame(9, 4, 0, Raw.ok), .connection("PROTOCOL_ERROR")),
    .init("DATA on an idle stream", Raw.data(99, [1]), .connection("PROTOCOL_ERROR")),
    .init("HEADERS on an idle stream", Raw.headers(99, Raw.ok), .connection("PROTOCOL_ERROR")),
    .init("HEADERS on a stream of the server", Raw.headers(2, Raw.ok), .connection("PROTOCOL_ERROR")),
    .init("RST_STREAM on an idle stream", Raw.frame(3, 0, 99, Raw.number(8)), .connection("PROTOCOL_ERROR")),
    .init("WINDOW_UPDATE on an idle stream", Raw.windowUpdate(99, 1), .connection("PROTOCOL_ERROR")),
    .init("DATA before HEADERS", Raw.data(1, [1, 2]), .connection("PROTOCOL_ERROR")),
    .init("DATA after the end", Raw.answer(1) + Raw.data(1, [1]), .passed),
    .init("HEADERS after the end", Raw.answer(1) + Raw.answer(1), .passed),
    .init("HEADERS on a closed stream", Raw.answer(3), .passed),
    .init("RST_STREAM on a closed stream", Raw.frame(3, 0, 3, Raw.number(8)), .passed),
    .init("WINDOW_UPDATE on a closed stream", Raw.windowUpdate(3, 1), .passed),
    .init("a PUSH_PROMISE", Raw.frame(5, 4, 1, Raw.number(2) + Raw.ok), .connection("PROTOCOL_ERROR")),
  ]

  static let settings: [Violation] = [
    .init("ENABLE_PUSH by a server", Raw.settings([(2, 1)]), .connection("PROTOCOL_ERROR")),
    .init("ENABLE_PUSH 2", Raw.settings([(2, 2)]), .connection("PROTOCOL_ERROR")),
    .init("an initial window above the limit", Raw.settings([(4, 1 << 31)]), .connection("FLOW_CONTROL_ERROR")),
    .init("a frame size below the limit", Raw.settings([(5, 16_383)]), .connection("PROTOCOL_ERROR")),
    .init("a frame size above the limit", Raw.settings([(5, 1 << 24)]), .connection("PROTOCOL_ERROR")),
    .init("an ACK that nobody waits for", Raw.settings(flags: Raw.ack), .connection("PROTOCOL_ERROR")),
    .init(
      "SETTINGS with 100 values", Raw.settings(Array(repeating: (id: 0xF000, value: 1), count: 100)),
      .connection("ENHANCE_YOUR_CALM")),
    .init(
      "a PING instead of SETTINGS", Raw.frame(6, 0, 0, Array(zeros.prefix(8))), .connection("PROTOCOL_ERROR"),
      hasPreface: false),
    .init(
      "HTTP/1.1 instead of SETTINGS", Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8), .connection("PROTOCOL_ERROR"),
      hasPreface: false),
    .init("an unknown setting", Raw.settings([(0xF000, 7)]), .passed),
    .init(
      "the largest values", Raw.settings([(1, .max), (3, .max), (4, 0x7FFF_FFFF), (5, 0xFF_FFFF), (6, .max)]), .passed),
  ]

  static let windows: [Violation] = [
    .init("WINDOW_UPDATE of 0", Raw.windowUpdate(0, 0), .connection("PROTOCOL_ERROR")),
    .init("WINDOW_UPDATE of 0 on a stream", Raw.windowUpdate(1, 0), .connection("PROTOCOL_ERROR")),
    .init("a connection window above the limit", Raw.windowUpdate(0, 0x7FFF_FFFF), .connection("FLOW_CONTROL_ERROR")),
    .init("a stream window above the limit", Raw.windowUpdate(1, 0x7FFF_FFFF), .stream("Flow control error")),
    .init(
      "an initial window that lifts a stream above the limit",
      Raw.windowUpdate(1, 1000) + Raw.settings([(4, 0x7FFF_FFFF)]),
      .stream("FLOW_CONTROL_ERROR")),
  ]

  static let headerBlocks: [Violation] = [
    .init("CONTINUATION without HEADERS", Raw.frame(9, 4, 1, Raw.ok), .connection("PROTOCOL_ERROR")),
    .init(
      "CONTINUATION on another stream", Raw.frame(1, 0, 1, Raw.ok) + Raw.frame(9, 4, 5, []),
      .connection("PROTOCOL_ERROR")),
    .init(
      "PING within a header block", Raw.frame(1, 0, 1, Raw.ok) + Raw.frame(6, 0, 0, Array(zeros.prefix(8))),
      .connection("PROTOCOL_ERROR")),
    .init(
      "100 empty CONTINUATIONs",
      Raw.frame(1, 1, 1, Raw.ok) + (0..<100).flatMap { _ in Raw.frame(9, 0, 1) } + Raw.frame(9, 4, 1),
      .connection("ENHANCE_YOUR_CALM")),
    .init("HPACK index 0", Raw.headers(1, [0x80]), .connection("COMPRESSION_ERROR")),
    .init("HPACK index beyond the table", Raw.headers(1, [0xFE]), .connection("COMPRESSION_ERROR")),
    .init(
      "an HPACK table above the limit", Raw.headers(1, [0x3F, 0xE1, 0xFF, 0x7F] + Raw.ok),
      .connection("COMPRESSION_ERROR")),
    .init(
      "an HPACK integer without end", Raw.headers(1, [0xFF] + Array(repeating: 0xFF, count: 20)),
      .connection("COMPRESSION_ERROR")),
    .init("an HPACK string that is cut", Raw.headers(1, [0x00, 5, 97]), .connection("COMPRESSION_ERROR")),
    .init(
      "a bad Huffman code", Raw.headers(1, [0x00, 0x84, 0xFF, 0xFF, 0xFF, 0xFF, 1, 97]),
      .connection("COMPRESSION_ERROR")),
    .init("padding longer than HEADERS", Raw.frame(1, 0xD, 1, [200, 0x88]), .connection("PROTOCOL_ERROR")),
    .init("padding longer than DATA", half + Raw.frame(0, 0x8, 1, [200, 1]), .connection("PROTOCOL_ERROR")),
    .init(
      "HEADERS that depend on themselves", Raw.frame(1, 0x25, 1, Raw.number(1) + [9] + Raw.ok),
      .passed),
  ]

  static let fields: [Violation] =
    [
      .init("no :status", Raw.headers(1, Raw.field("a", "b")), .stream("")),
      .init("two :status", Raw.headers(1, Raw.ok + Raw.ok), .stream(":status")),
      .init("a :status of letters", Raw.headers(1, Raw.field(":status", "2x0")), .stream(":status")),
      .init("a :status of four digits", Raw.headers(1, Raw.field(":status", "2000")), .stream(":status")),
      .init("a :status below 100", Raw.headers(1, Raw.field(":status", "099")), .stream(":status is 99")),
      .init(":status 101", Raw.headers(1, Raw.field(":status", "101")), .stream(":status")),
      .init(":status after a field", Raw.headers(1, Raw.field("a", "b") + Raw.ok), .stream(":status")),
      .init("an unknown pseudo-header", Raw.headers(1, Raw.ok + Raw.field(":new", "b")), .stream(":new")),
      .init("a pseudo-header of requests", Raw.headers(1, Raw.ok + Raw.field(":path", "/")), .stream(":path")),
      .init("a pseudo-header in trailers", half + Raw.headers(1, Raw.ok), .stream(":status")),
      .init("trailers without the end", half + Raw.headers(1, Raw.field("a", "b"), end: false), .stream("")),
      .init("an upper-case name", Raw.headers(1, Raw.ok + Raw.field("Upper", "b")), .stream("Upper")),
      .init("an empty name", Raw.headers(1, Raw.ok + Raw.field("", "b")), .stream("")),
      .init("a name with a space", Raw.headers(1, Raw.ok + Raw.field("a b", "c")), .stream("a b")),
      .init("a value with a line break", Raw.headers(1, Raw.ok + Raw.field("a", "b\r\nc")), .stream("b??c")),
      .init("a value with NUL", Raw.headers(1, Raw.ok + Raw.field("a", [98, 0, 99])), .stream("[b")),
    ]
    + ["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"].map {
      .init("the field \($0)", Raw.headers(1, Raw.ok + Raw.field($0, "x")), .stream($0))
    } + [
      .init("te other than trailers", Raw.headers(1, Raw.ok + Raw.field("te", "gzip")), .stream("te")),
      .init(
        "headers above the limit",
        Raw.frame(1, 1, 1, Raw.ok)
          + (0..<5).flatMap { _ in Raw.frame(9, 0, 1, Raw.field("a", Array(repeating: 98, count: 16_000))) }
          + Raw.frame(9, 4, 1), .stream("65536")),
      .init(
        "an informational response with the end", Raw.headers(1, Raw.field(":status", "103")), .stream("")),
      .init(
        "DATA after an informational response",
        Raw.headers(1, Raw.field(":status", "103"), end: false) + Raw.data(1, [1], flags: 1), .stream("")),
    ]

  static let lengths: [Violation] = [
    .init(
      "less than content-length",
      Raw.headers(1, Raw.ok + Raw.field("content-length", "5"), end: false) + Raw.data(1, [1], flags: 1), .stream("")),
    .init(
      "more than content-length",
      Raw.headers(1, Raw.ok + Raw.field("content-length", "1"), end: false) + Raw.data(1, [1, 2, 3], flags: 1),
      .stream("")),
    .init("content-length without content", Raw.headers(1, Raw.ok + Raw.field("content-length", "5")), .stream("")),
    .init(
      "a content-length of letters", Raw.headers(1, Raw.ok + Raw.field("content-length", "x")),
      .stream("content-length")),
    .init(
      "a content-length beyond all numbers",
      Raw.headers(1, Raw.ok + Raw.field("content-length", "99999999999999999999999")), .stream("content-length")),
    .init(
      "two content-lengths",
      Raw.headers(1, Raw.ok + Raw.field("content-length", "0") + Raw.field("content-length", "0")),
      .stream("content-length")),
  ]

  static let passed: [Violation] = [
    .init("an unknown frame", Raw.frame(0xEE, 0xFF, 1, [1, 2, 3]), .passed),
    .init("ALTSVC", Raw.frame(10, 0, 0, [0, 1, 97, 98]), .passed),
    .init("ORIGIN", Raw.frame(12, 0, 0, [0, 1, 97]), .passed),
    .init("PRIORITY", Raw.frame(2, 0, 1, [0, 0, 0, 3, 9]), .passed),
    .init("PRIORITY_UPDATE", Raw.frame(16, 0, 0, Raw.number(1) + [117]), .passed),
    .init("PING", Raw.frame(6, 0, 0, Array(zeros.prefix(8))), .passed),
    .init("PING ACK that nobody waits for", Raw.frame(6, 1, 0, Array(zeros.prefix(8))), .passed),
    .init("an informational response", Raw.headers(1, Raw.field(":status", "103"), end: false), .passed),
  ]

  static let all = frameSizes + wrongStreams + settings + windows + headerBlocks + fields + lengths + passed
}

@Suite(.timeLimit(.minutes(1))) struct ProtocolErrorTests {
  /// 20 requests and room for three: streams 1, 3 and 5 are taken, 17 requests wait.
  private func run(_ row: Violation) throws -> (Recorder, Pair) {
    let pair = try Pair(
      behavior: { _ in
        var behavior = HTTP2ConnectionBehavior()
        // The server's own frames never come: all that the client sees is written by hand.
        behavior.settingsDelay = .seconds(3600)
        return behavior
      },
      answer: { request in
        guard request.streamID == 5 else { return }
        var bytes: [UInt8] = []
        if row.hasPreface { bytes += Raw.settings([(3, 3)]) + Raw.settings(flags: Raw.ack) + Raw.answer(3) }
        bytes += row.frames
        switch row.result {
        case .connection: break
        case .stream: bytes += Raw.answer(5)
        case .passed: bytes += Raw.answer(1) + Raw.answer(5)
        }
        request.connection.writeRaw(bytes)
      })
    pair.configuration.initialStreamLimit = 3
    let recorder = Recorder()
    pair.connect(recorder).submit(pair.batch(20))
    return (recorder, pair)
  }

  /// What a server may have seen is unknown, what it has not seen was not processed, and all of it names the error.
  @Test(arguments: Violation.all) func eachViolationHasItsNameAndHarmsNothingElse(row: Violation) throws {
    let (recorder, pair) = try run(row)
    switch row.result {
    case .connection(let name):
      let endings = recorder.endings(20)
      guard case .protocolError(let why) = recorder.closing() else {
        Issue.record("\(row.testDescription): \(String(describing: recorder.closing()))")
        return
      }
      #expect(why.hasPrefix(name), "\(why)")
      #expect(pair.handler.handled.withLock { $0 } == 3)
      let reason = HTTP2FailureReason.connectionClosed(.protocolError(why))
      let unknown = Ending.failure(HTTP2Failure(.unknown, reason))
      let unsent = Ending.failure(HTTP2Failure(.notProcessed, reason))
      let second = row.hasPreface ? Ending.response(200, "") : unknown
      #expect(endings == [unknown, second, unknown] + Array(repeating: unsent, count: 17))
    case .stream(let name):
      let endings = recorder.endings(3)
      guard case .failure(let failure) = endings[0], case .invalidResponse(let why) = failure.reason else {
        Issue.record("\(row.testDescription): \(endings[0])")
        return
      }
      #expect(failure.processing == .unknown && why.contains(name) && !why.isEmpty, "\(why)")
      #expect(endings[1...2] == [.response(200, ""), .response(200, "")])
      #expect(recorder.record.withLock { $0.closed } == nil)
    case .passed:
      #expect(recorder.endings(3).prefix(3) == [.response(200, ""), .response(200, ""), .response(200, "")])
      #expect(recorder.record.withLock { $0.closed } == nil)
    }
    #expect(recorder.record.withLock { $0.repeated } == [])
  }

  /// Requests are handed over while the violation is being read: no server has seen them, so nobody refused them.
  @Test func whatWasNotWrittenIsNeverARefusal() throws {
    let (recorder, pair) = try run(Violation("", Raw.answer(1) + Raw.answer(5) + Raw.data(99, [1]), .connection("")))
    let endings = recorder.endings(20)
    #expect(endings.prefix(3) == Array(repeating: .response(200, ""), count: 3)[...])
    guard case .protocolError(let why) = recorder.closing() else {
      Issue.record("\(String(describing: recorder.closing()))")
      return
    }
    let unsent = Ending.failure(HTTP2Failure(.notProcessed, .connectionClosed(.protocolError(why))))
    #expect(endings.dropFirst(3) == Array(repeating: unsent, count: 17)[...], "\(why)")
    #expect(pair.handler.handled.withLock { $0 } == 3)
  }

  /// What the frames after a GOAWAY that leaves stream 5 out make of it.
  @Test(
    arguments: [
      (Raw.answer(1), HTTP2Failure.Processing.notProcessed),
      (Raw.goAway(last: 1) + Raw.answer(1), .notProcessed),
      (Raw.answer(1) + Raw.data(99, [1]), .notProcessed),
    ])
  func whatAGoAwayLeavesOutWasNotProcessed(after: [UInt8], processing: HTTP2Failure.Processing) throws {
    let (recorder, pair) = try run(Violation("", Raw.goAway(last: 1) + after, .connection("")))
    let endings = recorder.endings(20)
    #expect(endings[0] == .response(200, "") && endings[1] == .response(200, ""))
    guard case .failure(let failure) = endings[2], case .goAway = failure.reason else {
      Issue.record("\(endings)")
      return
    }
    #expect(failure.processing == processing)
    #expect(endings.dropFirst(3).allSatisfy { $0.isNotProcessed })
    #expect(pair.handler.handled.withLock { $0 } == 3)
  }

  /// A GOAWAY may name ever fewer streams, never more, and only streams of the client.
  @Test(arguments: [Raw.goAway(last: 2), Raw.goAway(last: 1) + Raw.goAway(last: 5)])
  func aGoAwayThatBreaksTheRulesEndsTheConnection(frames: [UInt8]) throws {
    let (recorder, pair) = try run(Violation("", frames, .connection("")))
    let endings = recorder.endings(20)
    #expect(endings[0].isUnknown && endings[1] == .response(200, ""))
    #expect(endings.dropFirst(3).allSatisfy { $0.isNotProcessed })
    guard case .protocolError(let why) = recorder.closing() else {
      Issue.record("\(String(describing: recorder.closing()))")
      return
    }
    #expect(why.hasPrefix("PROTOCOL_ERROR: GOAWAY"), "\(why)")
    #expect(pair.handler.handled.withLock { $0 } == 3)
  }

  /// A server that has begun to answer has processed the request, whatever it says then.
  @Test(arguments: [
    Raw.frame(3, 0, 1, Raw.number(7)), Raw.goAway(last: 0),
  ]) func anAnswerThatHasBegunIsProcessing(frames: [UInt8]) throws {
    let (recorder, pair) = try run(Violation("", Raw.headers(1, Raw.ok, end: false) + frames, .stream("")))
    let endings = recorder.endings(3)
    #expect(endings[0].isUnknown, "\(endings)")
    #expect(pair.handler.handled.withLock { $0 } >= 3)
  }
}
