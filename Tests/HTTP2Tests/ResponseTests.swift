import HTTP2
import Synchronization
import TLS
import Testing

@Suite(.timeLimit(.minutes(1))) struct ResponseTests {
  @Test(arguments: [0, 1, 99, 100, 101, 70_000, 300_000]) func aBodyIsKeptUpToItsLimit(size: Int) throws {
    let pair = try Pair(answer: { request in
      request.respond(status: 200, body: (0..<size).map { UInt8(truncatingIfNeeded: $0 % 64 + 48) })
    })
    for limit in [100, 400_000] {
      pair.configuration.responseBodyLimit = limit
      let recorder = BodyRecorder()
      let connection = HTTP2ClientConnection(
        loop: pair.clientLoop, configuration: pair.configuration, observer: recorder)
      connection.start()
      connection.submit(pair.batch(3))
      let kept = min(size, limit)
      let expected = BodyRecorder.Body(
        bytes: (0..<kept).map { UInt8(truncatingIfNeeded: $0 % 64 + 48) }, truncated: size > limit)
      #expect(recorder.wait(3) == [expected, expected, expected])
      connection.close()
    }
  }

  @Test(arguments: [0, 1, 16_384, 16_385, 200_000]) func aRequestBodyArrivesWhole(size: Int) throws {
    let body = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let pair = try Pair(
      server: { $0.requestBodyLimit = 150_000 },
      answer: { request in
        let right = request.body.elementsEqual(body.prefix(150_000)) && request.bodyLength == size
        request.respond(status: right ? 200 : 500)
      })
    let recorder = Recorder()
    let connection = pair.connect(recorder)
    var batch = HTTP2RequestBatch()
    for id in 0..<4 { batch.append(pair.template, id: UInt64(id), path: "x", body: body) }
    connection.submit(batch)
    #expect(recorder.endings(4) == Array(repeating: .response(200, ""), count: 4))
    connection.close()
  }

  @Test func piecesOfABodyAreJoinedAndTheTemplatesBodyIsShared() throws {
    let pair = try Pair(answer: { $0.respond(status: 200, body: $0.body) })
    let recorder = Recorder()
    let connection = pair.connect(recorder)
    var batch = HTTP2RequestBatch()
    batch.begin(pair.template, id: 0)
    batch.path("a")
    batch.path(Array("b".utf8))
    batch.noValue()
    batch.body(Array(#"{"token":""#.utf8))
    batch.body(Array("t0".utf8))
    batch.body(Array(#""}"#.utf8))
    batch.end()
    batch.append(pair.template, id: 1, path: "c")
    connection.submit(batch)
    #expect(recorder.endings(2) == [.response(200, #"{"token":"t0"}"#), .response(200, "{}")])
    connection.close()
  }

  /// Frames by hand: an informational response, then the real one; a response that breaks the rules; an early answer.
  @Test func informationalResponsesArePassedOver() throws {
    let pair = try Pair(answer: { request in
      // HPACK: 0x08 0x03 "103" is `:status` as a literal without indexing; 0x88 is `:status: 200`.
      let early: [UInt8] = [0, 0, 5, 1, 4, 0, 0, 0, 1, 0x08, 3, 0x31, 0x30, 0x33]
      let final: [UInt8] = [0, 0, 1, 1, 5, 0, 0, 0, 1, 0x88]
      request.connection.writeRaw(early + final)
    })
    let recorder = Recorder()
    let connection = pair.connect(recorder)
    connection.submit(pair.batch(1))
    #expect(recorder.endings(1) == [.response(200, "")])
    connection.close()
  }

  @Test func aResponseWithoutStatusIsInvalid() throws {
    let pair = try Pair(answer: { request in
      guard request.streamID == 1 else { return request.respond(status: 200) }
      // A regular header `a: b` and no `:status`.
      request.connection.writeRaw([0, 0, 5, 1, 5, 0, 0, 0, 1, 0x00, 1, 0x61, 1, 0x62])
    })
    let recorder = Recorder()
    let connection = pair.connect(recorder)
    connection.submit(pair.batch(2))
    let endings = recorder.endings(2)
    guard case .failure(let failure) = endings[0], case .invalidResponse = failure.reason else {
      Issue.record("\(endings)")
      return
    }
    #expect(failure.processing == .unknown)
    #expect(endings[1] == .response(200, ""))
    connection.close()
  }

  @Test func illegalRequestsAreRefusedWithoutHarmToOthers() throws {
    let pair = try Pair()
    let recorder = Recorder()
    let connection = pair.connect(recorder)
    var batch = HTTP2RequestBatch()
    batch.append(pair.template, id: 0, path: "good", values: ["v"])
    batch.append(pair.template, id: 1, path: "bad\r\npath", values: ["v"])
    batch.append(pair.template, id: 2, path: "good", values: ["bad\nvalue"])
    batch.append(pair.template, id: 3, path: "good", values: [nil])
    connection.submit(batch)
    let endings = recorder.endings(4)
    #expect(endings[0] == .response(200, "") && endings[3] == .response(200, ""))
    #expect(endings[1].isNotProcessed && endings[2].isNotProcessed)
    connection.close()
  }

  @Test(arguments: [
    (HTTP2Header("Upper", "x"), "header \"Upper\": is not a lower-case HTTP/2 header name"),
    (HTTP2Header(":path", "x"), "header \":path\": is a pseudo-header; those come from the other arguments"),
    (
      HTTP2Header("x", "a\r\nb"),
      "header \"x\": has a value with control characters, or with white space at its start or end"
    ),
  ])
  func illegalHeadersAreNamed(header: HTTP2Header, message: String) {
    let error = #expect(throws: HTTP2HeaderError.self) {
      try HTTP2RequestTemplate(authority: "localhost", headers: [header])
    }
    #expect(error?.description == message)
  }

  /// Secrets never show in descriptions: marked ones are fed through everything that prints.
  @Test func secretsAreNotPrinted() throws {
    let secret = "s3cr3t-marker"
    let template = try HTTP2RequestTemplate(
      authority: "localhost", headers: [HTTP2Header("authorization", "bearer \(secret)")])
    let badValue = #expect(throws: HTTP2HeaderError.self) {
      try HTTP2RequestTemplate(authority: "localhost", headers: [HTTP2Header("authorization", "\(secret)\n")])
    }
    let identity = TLSIdentity(certificatePEM: Array(secret.utf8), keyPEM: Array(secret.utf8))
    let badIdentity = #expect(throws: TLSError.self) { try TLSContext.client(identity: identity) }
    let proxy = HTTP2Proxy(host: "h", port: 1, authorization: secret)
    let printed: [String] = [
      "\(template)", "\(String(describing: badValue))", "\(identity)", "\(String(describing: badIdentity))", "\(proxy)",
      "\(HTTP2Header("authorization", secret))",
    ]
    #expect(printed.filter { $0.contains(secret) } == [])
  }
}

/// Records bodies as bytes.
final class BodyRecorder: HTTP2ClientObserver {
  struct Body: Hashable {
    let bytes: [UInt8]
    let truncated: Bool
  }

  private let bodies = Mutex<[Body]>([])

  func connection(_ connection: HTTP2ClientConnection, event: HTTP2ConnectionEvent) {}

  func connection(_ connection: HTTP2ClientConnection, finished results: HTTP2Results) {
    bodies.withLock { bodies in
      for index in 0..<results.count {
        guard case .response(let response) = results[index].outcome else { continue }
        bodies.append(Body(bytes: Array(results.body(of: response)), truncated: response.bodyTruncated))
      }
    }
  }

  func wait(_ count: Int) -> [Body] {
    let waiter = Recorder()
    _ = waiter.wait { _ in bodies.withLock { $0.count >= count } }
    return bodies.withLock { $0 }
  }
}
