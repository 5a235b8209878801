import HTTPClient
import HTTPServer
import Synchronization
import TestSupport
import Testing

/// Requests of a tool to a real server on loopback.
@Suite struct HTTPConnectionTests {
  /// Answers with what came, a long answer, or never.
  final class Echo: HTTPHandler {
    let kept = Mutex<[HTTPResponder]>([])

    func handle(_ request: HTTPRequest, _ responder: HTTPResponder) {
      switch request.path {
      case "/long": responder.respond(HTTPResponse(status: 200, bytes: [UInt8](repeating: 120, count: 3_000_000)))
      case "/never": kept.withLock { $0.append(responder) }
      case "/moved": responder.respond(HTTPResponse(status: 302, headers: [("Location", "/long")]))
      default:
        let head =
          "\(request.method.rawValue) \(request.headers.first("content-type") ?? "-") "
          + "\(request.headers.first("x-test") ?? "-") "
        responder.respond(HTTPResponse(status: 418, bytes: Array(head.utf8) + request.body))
      }
    }
  }

  let server: HTTPServer
  let connection: HTTPConnection
  var url: String { "http://127.0.0.1:\(server.port)" }

  init() throws {
    server = try HTTPServer(HTTPServerConfiguration(), handler: Echo())
    connection = try #require(HTTPConnection())
  }

  private func exchange(
    _ method: String, _ path: String, headers: [(name: String, value: String)] = [], body: HTTPBody = .none,
    seconds: Int = 120
  ) throws(HTTPConnectionError) -> (status: Int, body: [UInt8], seen: Int) {
    var bytes: [UInt8] = []
    var seen = 0
    let status = try connection.exchange(method, url + path, headers: headers, body: body, seconds: seconds) {
      seen = $0
      bytes += $1
      return true
    }
    return (status, bytes, seen)
  }

  @Test("each method and body arrives as it is, one after another on one connection")
  func echoes() throws {
    defer { server.stop(drainingFor: .zero) }
    for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "GET"] {
      let isRead = method == "GET" || method == "DELETE"
      let answer = try exchange(
        method, "/x", headers: [("X-Test", "1")],
        body: isRead ? .none : .bytes(Array("{}".utf8), type: "application/json"))
      #expect(answer.status == 418 && answer.seen == 418)
      #expect(
        String(decoding: answer.body, as: UTF8.self)
          == "\(method) \(isRead ? "-" : "application/json") 1 \(isRead ? "" : "{}")")
    }
    #expect(try exchange("POST", "/x", body: .bytes([], type: "a/b")).body == Array("POST a/b - ".utf8))
  }

  @Test("a stream is sent as it is read, with and without its length known", arguments: [true, false])
  func streams(isKnown: Bool) throws {
    defer { server.stop(drainingFor: .zero) }
    var left = 300_000
    let body = HTTPBody.stream(length: isKnown ? left : nil, type: "text/csv") { buffer in
      let count = min(left, buffer.count)
      for index in 0..<count { buffer[index] = 120 }
      left -= count
      return count
    }
    let answer = try exchange("PUT", "/x", body: body)
    #expect(answer.body == Array("PUT text/csv - ".utf8) + [UInt8](repeating: 120, count: 300_000))
  }

  @Test("an answer of any length comes piece by piece, and can be broken off")
  func pieces() throws {
    defer { server.stop(drainingFor: .zero) }
    #expect(try exchange("GET", "/long").body.count == 3_000_000)
    var count = 0
    #expect(throws: HTTPConnectionError.self) {
      try connection.exchange("GET", url + "/long", seconds: 120) {
        count += $1.count
        return count < 100_000
      }
    }
    #expect(count < 3_000_000)
    #expect(throws: HTTPConnectionError.self) {
      try exchange("PUT", "/x", body: .stream(length: nil, type: "a/b") { _ in nil })
    }
  }

  @Test("waits end, redirects are not followed, and what cannot be asked is said")
  func bounds() throws {
    defer { server.stop(drainingFor: .zero) }
    #expect(try exchange("GET", "/moved").status == 302)
    do throws(HTTPConnectionError) {
      _ = try exchange("GET", "/never", seconds: 1)
      Issue.record("an answer came")
    } catch {
      #expect(error.mayHaveArrived)
      #expect(error.description == "no whole answer in time (90 s without a byte, 1 s in all)")
    }
    do throws(HTTPConnectionError) {
      _ = try connection.exchange("GET", "http://127.0.0.1:1/", seconds: 60) { _, _ in true }
      Issue.record("an answer came")
    } catch { #expect(!error.mayHaveArrived) }
    for address in ["ftp://127.0.0.1/", "file:///etc/passwd", "no address"] {
      #expect(throws: HTTPConnectionError.self) {
        try connection.exchange("GET", address, seconds: 60) { _, _ in true }
      }
    }
    #expect(throws: HTTPConnectionError.self) { try exchange("GET", "/x", headers: [("X-Test", "a\r\nb: c")]) }
  }

  @Test("only a server that its authorities vouch for, under its own name, is asked")
  func trust() throws {
    server.stop(drainingFor: .zero)
    let page = try TLSPage()
    let friend = try #require(HTTPConnection(authorities: page.certificate))
    for (asking, url) in [(connection, page.url), (friend, page.misnamedURL)] {
      do throws(HTTPConnectionError) {
        _ = try asking.exchange("GET", url, seconds: 60) { _, _ in true }
        Issue.record("a stranger was believed")
      } catch { #expect(error.isAboutTrust && !error.mayHaveArrived, "\(error)") }
    }
    #expect(try friend.exchange("GET", page.url, seconds: 60) { _, _ in true } == 200)
  }
}
