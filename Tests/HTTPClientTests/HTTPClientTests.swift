import Glibc
import HTTPClient
import HTTPServer
import Synchronization
import TestSupport
import Testing

/// Requests to a real server on loopback, and everything that must not get through.
@Suite(.timeLimit(.minutes(1))) struct HTTPClientTests {
  /// Answers with the status its path names, and keeps what came.
  final class Receiver: HTTPHandler {
    let requests = Mutex<[HTTPRequest]>([])
    /// Requests that are never answered.
    let kept = Mutex<[HTTPResponder]>([])

    func handle(_ request: HTTPRequest, _ responder: HTTPResponder) {
      requests.withLock { $0.append(request) }
      switch request.path {
      case "/long": responder.respond(HTTPResponse(status: 200, bytes: [UInt8](repeating: 120, count: 200_000)))
      case "/never": kept.withLock { $0.append(responder) }
      case "/moved": responder.respond(HTTPResponse(status: 302, headers: [("Location", "/200")]))
      default: responder.respond(HTTPResponse(status: Int(request.path.dropFirst()) ?? 200))
      }
    }
  }

  let receiver = Receiver()
  let server: HTTPServer
  let client: HTTPClient

  init() throws {
    server = try HTTPServer(HTTPServerConfiguration(), handler: receiver)
    var limits = HTTPClientLimits()
    limits.requestMs = 1_000
    limits.concurrentMax = 4
    client = try #require(HTTPClient(limits: limits))
  }

  func stop() {
    client.stop()
    server.stop(drainingFor: .zero)
  }

  func post(_ url: String, allowsPrivate: Bool = true) async -> HTTPPostResult {
    let post = HTTPPost(
      url: url, headers: [("Content-Type", "application/json"), ("X-Test", "1")], body: Array("{}".utf8),
      allowsPrivate: allowsPrivate)
    return await withCheckedContinuation { done in client.send(post) { done.resume(returning: $0) } }
  }

  @Test func sendsWhatItIsGiven() async throws {
    defer { stop() }
    #expect(await post("http://127.0.0.1:\(server.port)/204") == .status(204))
    #expect(await post("http://localhost:\(server.port)/503") == .status(503))
    #expect(await post("http://127.0.0.1:\(server.port)/moved") == .status(302))
    let requests = receiver.requests.withLock { $0 }
    #expect(requests.map(\.path) == ["/204", "/503", "/moved"])
    #expect(
      requests.allSatisfy { $0.method == .post && $0.body == Array("{}".utf8) && $0.headers.first("x-test") == "1" })
  }

  @Test func reachesNoPrivateAddressUnlessAllowed() async throws {
    defer { stop() }
    let refused = HTTPPostResult.failed("the address is loopback, private or reserved, which is not allowed")
    // Names and every way to write an address are looked at after they were resolved.
    for host in ["127.0.0.1", "localhost", "[::1]", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]", "0.0.0.0"] {
      #expect(await post("https://\(host):\(server.port)/200", allowsPrivate: false) == refused, "\(host)")
    }
    for host in ["10.0.0.1", "192.168.1.1", "169.254.169.254", "[fd00::1]", "[fe80::1]"] {
      #expect(await post("https://\(host)/200", allowsPrivate: false) == refused, "\(host)")
    }
    guard case .failed = await post("http://127.0.0.1:\(server.port)/200", allowsPrivate: false) else {
      return #expect(Bool(false), "plain HTTP went through")
    }
    #expect(receiver.requests.withLock { $0.isEmpty })
  }

  @Test func boundsTimeAndAnswer() async throws {
    defer { stop() }
    #expect(
      await post("http://127.0.0.1:\(server.port)/long") == .failed("the answer is longer than 65536 bytes"))
    #expect(await post("http://127.0.0.1:\(server.port)/never") == .failed("Timeout was reached"))
    guard case .failed = await post("https://127.0.0.1:\(server.port)/200") else {
      return #expect(Bool(false), "a server without TLS was believed")
    }
    guard case .failed = await post("not an address") else { return #expect(Bool(false)) }
    guard case .failed = await post("ftp://127.0.0.1/x") else { return #expect(Bool(false)) }
  }

  @Test func believesOnlyAServerThatItsAuthoritiesVouchFor() async throws {
    stop()
    let page = try TLSPage()
    let post = HTTPPost(url: page.url, headers: [], body: [], allowsPrivate: true)
    let stranger = try #require(HTTPClient())
    let friend = try #require(HTTPClient(authorities: page.certificate))
    defer {
      stranger.stop()
      friend.stop()
    }
    let refused = await withCheckedContinuation { done in stranger.send(post) { done.resume(returning: $0) } }
    guard case .failed(let reason) = refused else { return #expect(Bool(false), "a stranger was believed") }
    #expect(reason.contains("certificate"), "\(reason)")
    let byAddress = HTTPPost(url: page.misnamedURL, headers: [], body: [], allowsPrivate: true)
    let misnamed = await withCheckedContinuation { done in friend.send(byAddress) { done.resume(returning: $0) } }
    guard case .failed = misnamed else { return #expect(Bool(false), "another name was believed") }
    // openssl's page is for GET; that it answers at all shows that the handshake went through.
    let taken = await withCheckedContinuation { done in friend.send(post) { done.resume(returning: $0) } }
    if case .failed(let reason) = taken {
      #expect(!reason.contains("certificate") && !reason.contains("SSL"), "\(reason)")
    }
  }

  @Test func sendsManyAtOnceAndAnswersAllWhenStopped() async throws {
    let url = "http://127.0.0.1:\(server.port)"
    let fine = await withTaskGroup(of: HTTPPostResult.self) { group in
      for _ in 0..<40 { group.addTask { await post(url + "/200") } }
      return await group.reduce(into: 0) { if $1 == .status(200) { $0 += 1 } }
    }
    #expect(fine == 40)
    let stopped = await withTaskGroup(of: HTTPPostResult.self) { group in
      for _ in 0..<10 { group.addTask { await post(url + "/never") } }
      group.addTask {
        client.stop()
        return .failed("the client is stopped")
      }
      return await group.reduce(into: 0) { if $1 == .failed("the client is stopped") { $0 += 1 } }
    }
    #expect(stopped == 11)
    #expect(await post(url + "/200") == .failed("the client is stopped"))
    server.stop(drainingFor: .zero)
  }
}
