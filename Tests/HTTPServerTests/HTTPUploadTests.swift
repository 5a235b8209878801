import Glibc
import HTTPServer
import Synchronization
import TestSupport
import Testing

/// Takes bodies as they arrive; `/slow` makes the client wait after each piece until a thread of the test says so, and
/// `/late` after the first, then makes room just before it asks to wait.
private final class TakingHandler: HTTPHandler {
  final class Taker: HTTPUpload {
    struct State: Sendable {
      var bytes = 0
      var sum = 0
      var rooms: [HTTPUploadRoom] = []
      var pieces = 0
      var isAborted = false
    }

    let state = Mutex(State())
    let waits: Bool
    let isLate: Bool

    init(waits: Bool, isLate: Bool) {
      self.waits = waits
      self.isLate = isLate
    }

    func receive(_ piece: [UInt8], _ room: HTTPUploadRoom) -> Bool {
      let isFirst = state.withLock { state in
        state.bytes += piece.count
        state.pieces += 1
        for byte in piece { state.sum = (state.sum &* 31 &+ Int(byte)) & 0xffff_ffff }
        if waits || isLate && state.pieces == 1 { state.rooms.append(room) }
        return state.pieces == 1
      }
      if isLate, !isFirst { room.resume() }
      return !waits && !isLate
    }

    func finish(_ responder: HTTPResponder) {
      let (bytes, sum) = state.withLock { ($0.bytes, $0.sum) }
      responder.respond(HTTPResponse(status: 200, bytes: Array("\(bytes) \(sum)".utf8)))
    }

    func abort() { state.withLock { $0.isAborted = true } }
  }

  let takers = Mutex<[Taker]>([])

  func upload(for head: HTTPRequestHead) -> HTTPBodyHandling {
    switch head.target.path {
    case "/refused": return .refused(HTTPResponse(status: 403, bytes: Array("no".utf8)))
    case "/gathered": return .buffered
    default:
      let taker = Taker(waits: head.target.path == "/slow", isLate: head.target.path == "/late")
      takers.withLock { $0.append(taker) }
      return .streamed(taker, maxBytes: 8_000_000)
    }
  }

  func handle(_ request: HTTPRequest, _ responder: HTTPResponder) {
    responder.respond(HTTPResponse(status: 200, bytes: Array("gathered \(request.body.count)".utf8)))
  }
}

@Suite(.timeLimit(.minutes(1))) struct HTTPUploadTests {
  private let handler = TakingHandler()

  private func body(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 / 251) } }

  private func sum(_ bytes: [UInt8]) -> Int { bytes.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xffff_ffff } }

  private func put(_ path: String, _ bytes: [UInt8], _ server: HTTPServer, chunked: Bool = false) throws
    -> HTTPTestClient
  {
    let client = try HTTPTestClient(port: server.port)
    let head = "PUT \(path) HTTP/1.1\r\nHost: x\r\n"
    if chunked {
      var sent = Array((head + "Transfer-Encoding: chunked\r\n\r\n").utf8)
      for start in stride(from: 0, to: bytes.count, by: 1_000) {
        let piece = bytes[start..<min(start + 1_000, bytes.count)]
        sent += Array((String(piece.count, radix: 16) + "\r\n").utf8) + piece + [13, 10]
      }
      client.send(sent + Array("0\r\n\r\n".utf8))
    } else {
      client.send(Array((head + "Content-Length: \(bytes.count)\r\n\r\n").utf8) + bytes)
    }
    return client
  }

  @Test(arguments: [false, true]) func takesALongBodyPieceByPiece(_ chunked: Bool) throws {
    let server = try HTTPServer(HTTPServerConfiguration(), handler: handler)
    defer { server.stop(drainingFor: .zero) }
    let bytes = body(3_000_000)
    let answer = try put("/fast", bytes, server, chunked: chunked).readAnswer()
    #expect(answer.body == "3000000 \(sum(bytes))")
    let pieces = handler.takers.withLock { $0[0].state.withLock { $0.pieces } }
    #expect(pieces > 20)
    #expect(try put("/fast", [], server).readAnswer().body == "0 0")
    #expect(try put("/gathered", body(100), server).readAnswer().body == "gathered 100")
  }

  @Test(arguments: [false, true]) func theClientWaitsUntilThereIsRoom(_ chunked: Bool) throws {
    let server = try HTTPServer(HTTPServerConfiguration(), handler: handler)
    defer { server.stop(drainingFor: .zero) }
    // Fits into the kernel's buffers, so that the test's one thread can send all of it.
    let bytes = body(120_000)
    let client = try put("/slow", bytes, server, chunked: chunked)
    var resumed = 0
    for _ in 0..<5_000 {
      let taker = handler.takers.withLock { $0.first }
      let rooms = taker?.state.withLock { state in
        let rooms = state.rooms
        state.rooms = []
        return rooms
      }
      // Never more than what was read already: nothing of a plain body, a buffer of a chunked one.
      #expect((rooms?.count ?? 0) <= (chunked ? 40 : 1))
      // Once for all that came since.
      if let room = rooms?.last {
        room.resume()
        resumed += 1
      }
      if taker?.state.withLock({ $0.bytes }) == bytes.count, rooms?.isEmpty == true { break }
      usleep(500)
    }
    #expect(resumed >= 3)
    #expect(try client.readAnswer().body == "120000 \(sum(bytes))")
  }

  /// Of a chunked body more comes while the connection sleeps: room that is made while that is taken counts too.
  @Test(arguments: [false, true]) func roomThatComesDuringAPieceIsNotLost(_ chunked: Bool) throws {
    let server = try HTTPServer(HTTPServerConfiguration(), handler: handler)
    defer { server.stop(drainingFor: .zero) }
    let bytes = body(120_000)
    let client = try put("/late", bytes, server, chunked: chunked)
    for _ in 0..<2_000 where handler.takers.withLock({ $0.first?.state.withLock { $0.pieces } ?? 0 }) < 2 {
      usleep(1_000)
    }
    // When nothing more had arrived yet, the first piece's room is what is waited for.
    handler.takers.withLock { takers in
      takers[0].state.withLock { state in
        if state.pieces == 1 { state.rooms.first?.resume() }
      }
    }
    #expect(try client.readAnswer().body == "120000 \(sum(bytes))")
  }

  @Test func whatIsRefusedOrTooLongIsNotTaken() throws {
    let server = try HTTPServer(HTTPServerConfiguration(), handler: handler)
    defer { server.stop(drainingFor: .zero) }
    #expect(try put("/refused", body(1_000), server).readAnswer().status == 403)
    #expect(try put("/fast", body(8_000_001), server).readAnswer().status == 413)
    #expect(try put("/fast", body(8_100_000), server, chunked: true).readAnswer().status == 413)
    #expect(handler.takers.withLock { $0.allSatisfy { $0.state.withLock { $0.isAborted } } })
  }

  @Test func aServerThatStopsEndsAnUploadThatWaits() throws {
    let server = try HTTPServer(HTTPServerConfiguration(), handler: handler)
    let client = try put("/slow", body(100_000), server)
    for _ in 0..<2_000 where handler.takers.withLock({ $0.first?.state.withLock { $0.pieces } ?? 0 }) == 0 {
      usleep(1_000)
    }
    server.stop(drainingFor: .zero)
    #expect(handler.takers.withLock { $0[0].state.withLock { $0.isAborted } })
    _ = client
  }
}
