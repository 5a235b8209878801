import HTTP2
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct ExchangeTests {
  @Test func aRequestArrivesWholeAndIsAnswered() throws {
    let seen = Mutex<[String]>([])
    let pair = try Pair(answer: { request in
      let fields = request.headers.map {
        String(decoding: $0.name, as: UTF8.self) + "=" + String(decoding: $0.value, as: UTF8.self)
      }
      seen.withLock { $0 = fields + [String(decoding: request.body, as: UTF8.self)] }
      request.respond(status: 410, headers: [HTTP2Header("apns-id", "x")], body: Array("gone".utf8))
    })
    pair.configuration.wantedHeaders = ["apns-id", "apns-unique-id"]
    let recorder = Recorder(wanted: 2)
    let connection = pair.connect(recorder)
    connection.submit(pair.batch(1))
    #expect(recorder.endings(1) == [.response(410, "gone")])
    #expect(recorder.record.withLock { $0.headers[0] } == ["x", nil])
    #expect(
      seen.withLock { $0 } == [
        ":method=POST", ":scheme=https", ":authority=localhost", ":path=/3/device/0", "apns-topic=com.example.app",
        "authorization=bearer secret", "apns-id=id-0", "{}",
      ])
    connection.close()
    #expect(recorder.closing() == .requested)
  }

  @Test func manyRequestsEndOnceEach() throws {
    let pair = try Pair(answer: { request in request.respond(status: 200, body: Array(request.path)) })
    let recorder = Recorder()
    let connection = pair.connect(recorder)
    for start in stride(from: 0, to: 20_000, by: 2_000) {
      connection.submit(pair.batch(2_000, first: start, timeout: .seconds(50)))
    }
    let endings = recorder.endings(20_000)
    // Not compared as a whole: a difference would print all of them.
    let wrong = endings.enumerated().first { $0.element != .response(200, "/3/device/\($0.offset)") }
    #expect(endings.count == 20_000 && wrong == nil, "\(String(describing: wrong))")
    #expect(recorder.record.withLock { $0.repeated } == [])
    connection.drain()
    #expect(recorder.closing() == .requested)
  }
}
