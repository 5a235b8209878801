import Glibc
import HTTPServer
import Synchronization
import TestSupport
import Testing

/// Who gets a connection when there are fewer than clients want.
@Suite(.timeLimit(.minutes(1))) struct ConnectionShareTests {
  /// Answers at once; `/wait` waits, `/health` is essential.
  struct Handler: HTTPHandler {
    let waiting = EchoHandler.Waiting()

    func isEssential(_ head: HTTPRequestHead) -> Bool { head.target.path == "/health" }

    func handle(_ request: HTTPRequest, _ responder: HTTPResponder) {
      if request.path == "/wait" { return waiting.responders.withLock { $0.append(responder) } }
      responder.respond(HTTPResponse(status: 200, bytes: Array("\(request.head.peer.address)".utf8)))
    }

    /// Says which path was refused.
    func response(to fault: HTTPFault, id: HTTPRequestID, head: HTTPRequestHead?) -> HTTPResponse {
      var response = fault.problemResponse
      response.headers.append(("Refused-Path", head?.target.path ?? "unknown"))
      return response
    }
  }

  let handler = Handler()

  func server(connections: Int, reserved: Int = 16, proxies: [String] = []) throws -> HTTPServer {
    var configuration = HTTPServerConfiguration()
    configuration.limits.maxConnections = connections
    configuration.limits.reservedConnections = reserved
    configuration.trustedProxies = proxies.compactMap { AddressBlock($0) }
    return try HTTPServer(configuration, handler: handler)
  }

  /// An address of this machine: 127.network.0.host.
  func address(network: UInt32, host: UInt32 = 1) -> UInt32 { 0x7F00_0000 | network << 16 | host }

  func eventually(_ condition: () -> Bool) -> Bool {
    for _ in 0..<5_000 {
      if condition() { return true }
      usleep(1_000)
    }
    return condition()
  }

  @Test func silentConnectionsMakeRoomAtOnce() throws {
    let server = try server(connections: 64)
    var silent: [HTTPTestClient] = []
    for _ in 0..<100 { silent.append(try HTTPTestClient(port: server.port, from: address(network: 9))) }
    // Another client, and one of the same address: both are served at once, and again on the same connection.
    for network in [UInt32(1), 9] {
      let client = try HTTPTestClient(port: server.port, from: address(network: network))
      for _ in 0..<3 { #expect(try client.get("/").status == 200) }
    }
    #expect(eventually { server.connectionCount <= 64 })
    #expect(silent[0].isClosedByPeer())
  }

  @Test func connectionsAreCounted() throws {
    var configuration = HTTPServerConfiguration()
    configuration.limits.maxConnections = 8
    configuration.limits.reservedConnections = 0
    configuration.limits.maxConnectionsPerNetwork = 6
    #expect(configuration.limits.connectionShare == 6)
    let counters = configuration.connections
    let server = try HTTPServer(configuration, handler: handler)
    var clients: [HTTPTestClient] = []
    for network in UInt32(1)...8 {
      let client = try HTTPTestClient(port: server.port, from: address(network: network))
      client.send("GET /wait HTTP/1.1\r\nHost: h\r\n\r\n")
      clients.append(client)
    }
    #expect(eventually { counters.open == 8 && handler.waiting.responders.withLock { $0.count } == 8 })
    #expect(counters.evictedTotal == 0 && counters.refusedTotal == 0)
    // All are busy.
    _ = try HTTPTestClient(port: server.port, from: address(network: 9))
    #expect(eventually { counters.refusedTotal == 1 })
    handler.waiting.responders.withLock {
      $0.forEach { $0.respond(HTTPResponse(status: 200, bytes: [])) }; $0 = []
    }
    for client in clients { #expect(try client.readAnswer().status == 200) }
    #expect(try HTTPTestClient(port: server.port, from: address(network: 9)).get("/").status == 200)
    #expect(counters.evictedTotal == 1)
    clients = []
    #expect(eventually { counters.open == 0 })
  }

  @Test func theOldestIdleConnectionMakesRoom() throws {
    let server = try server(connections: 4)
    let clients = try (0..<4).map { try HTTPTestClient(port: server.port, from: address(network: UInt32($0) + 1)) }
    // Each network has one; the first was used last.
    for client in clients.dropFirst() { #expect(try client.get("/").status == 200) }
    #expect(try clients[0].get("/").status == 200)
    #expect(try HTTPTestClient(port: server.port, from: address(network: 7)).get("/").status == 200)
    #expect(clients[1].isClosedByPeer())
    #expect(try clients[0].get("/").status == 200)
  }

  /// A network with more than its share makes room, although others have been idle for longer.
  @Test func theLargestNetworkMakesRoomFirst() throws {
    let server = try server(connections: 16)
    let early = try HTTPTestClient(port: server.port, from: address(network: 1))
    #expect(try early.get("/").status == 200)
    var greedy: [HTTPTestClient] = []
    for host in 1...30 {
      let client = try HTTPTestClient(port: server.port, from: address(network: 2, host: UInt32(host)))
      // The answer shows that the server has the head and waits for the body.
      client.send("POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n")
      #expect(String(decoding: client.receive(25), as: UTF8.self) == "HTTP/1.1 100 Continue\r\n\r\n")
      client.send("1")
      greedy.append(client)
    }
    for network in UInt32(3)...10 {
      #expect(try HTTPTestClient(port: server.port, from: address(network: network)).get("/").status == 200)
    }
    #expect(try early.get("/").status == 200)
    #expect(greedy[0].isClosedByPeer())
  }

  @Test func requestsUnderWayAreNotBrokenOffAndHealthIsServed() throws {
    let server = try server(connections: 4, reserved: 2)
    let busy = try (0..<4).map { _ in try HTTPTestClient(port: server.port) }
    for client in busy { client.send("GET /wait HTTP/1.1\r\nHost: h\r\n\r\n") }
    #expect(eventually { handler.waiting.responders.withLock { $0.count } == 4 })
    let refused = try HTTPTestClient(port: server.port, from: address(network: 3)).get("/other")
    #expect(refused.status == 503)
    #expect(refused.headers["retry-after"] == "1")
    #expect(refused.headers["refused-path"] == "/other")
    // Silent connections cannot hold the reserve either.
    let silent = try (0..<6).map { _ in try HTTPTestClient(port: server.port) }
    for _ in 0..<5 {
      let health = try HTTPTestClient(port: server.port).get("/health")
      #expect(health.status == 200)
      #expect(health.headers["connection"] == "close")
    }
    handler.waiting.answerAll("done")
    for client in busy { #expect(try client.readAnswer().body == "done") }
    #expect(silent.count == 6)
    #expect(eventually { (try? HTTPTestClient(port: server.port).get("/other").status) == 200 })
  }

  /// Behind a proxy each client counts by its own address.
  @Test func aProxysClientsCountByThemselves() throws {
    let server = try server(connections: 16, proxies: ["127.0.0.1"])
    func request(_ client: Int) -> String {
      "POST / HTTP/1.1\r\nHost: h\r\nX-Forwarded-For: 192.0.\(client).1\r\nContent-Length: 1\r\n\r\n"
    }
    let polite = try HTTPTestClient(port: server.port)
    polite.send(request(1))
    usleep(20_000)
    var greedy: [HTTPTestClient] = []
    for _ in 0..<40 {
      let client = try HTTPTestClient(port: server.port)
      client.send(request(2))
      greedy.append(client)
      usleep(2_000)
    }
    polite.send("x")
    #expect(try polite.readAnswer().body == "[192, 0, 1, 1]")
  }
}

/// For whom a proxy forwards, and who may say so.
@Suite(.timeLimit(.minutes(1))) struct ForwardedForTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let name: String
    var header = ForwardedHeader.xForwardedFor
    var proxies = ["127.0.0.0/8", "10.0.0.0/8", "2001:db8:1::/48"]
    let lines: [String]
    let peer: [UInt8]
    var testDescription: String { name }
  }

  static let here: [UInt8] = [127, 0, 0, 1]
  static let client: [UInt8] = [192, 0, 2, 7]

  @Test(arguments: [
    Row(name: "nobody is trusted", proxies: [], lines: ["X-Forwarded-For: 192.0.2.7"], peer: here),
    Row(name: "another address is trusted", proxies: ["10.0.0.0/8"], lines: ["X-Forwarded-For: 192.0.2.7"], peer: here),
    Row(name: "no header", lines: [], peer: here),
    Row(name: "one hop", lines: ["X-Forwarded-For: 192.0.2.7"], peer: client),
    Row(name: "with a port", lines: ["X-Forwarded-For: 192.0.2.7:1234"], peer: client),
    Row(name: "through a second proxy", lines: ["X-Forwarded-For: 192.0.2.7, 10.1.2.3"], peer: client),
    Row(name: "in two lines", lines: ["X-Forwarded-For: 192.0.2.7", "X-Forwarded-For: 10.1.2.3"], peer: client),
    Row(name: "written by the client", lines: ["X-Forwarded-For: 203.0.113.9, 192.0.2.7"], peer: client),
    Row(
      name: "a client that claims to be a proxy", lines: ["X-Forwarded-For: 203.0.113.9, 10.0.0.9, 192.0.2.7"],
      peer: client),
    Row(name: "all are proxies", lines: ["X-Forwarded-For: 10.0.0.1, 10.0.0.2"], peer: [10, 0, 0, 1]),
    Row(name: "no address", lines: ["X-Forwarded-For: unknown"], peer: here),
    Row(name: "no address behind a proxy", lines: ["X-Forwarded-For: 203.0.113.9, x, 10.1.2.3"], peer: [10, 1, 2, 3]),
    Row(name: "empty", lines: ["X-Forwarded-For:"], peer: here),
    Row(name: "the other header is the client's own", lines: ["Forwarded: for=203.0.113.9"], peer: here),
    Row(
      name: "IPv6", lines: ["X-Forwarded-For: 2001:db8:2::1, 2001:db8:1::9"],
      peer: [0x20, 1, 0x0D, 0xB8, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]),
    Row(name: "IPv4 in IPv6", lines: ["X-Forwarded-For: ::ffff:192.0.2.7"], peer: client),
    Row(
      name: "RFC 7239", header: .forwarded,
      lines: ["Forwarded: for=203.0.113.9, proto=https;for=192.0.2.7;by=10.0.0.1"], peer: client),
    Row(name: "RFC 7239, quoted", header: .forwarded, lines: ["Forwarded: For=\"192.0.2.7:99\""], peer: client),
    Row(
      name: "RFC 7239, IPv6", header: .forwarded, lines: ["Forwarded: for=\"[2001:db8:2::1]:80\""],
      peer: [0x20, 1, 0x0D, 0xB8, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]),
    Row(name: "RFC 7239, hidden", header: .forwarded, lines: ["Forwarded: for=_secret"], peer: here),
    Row(name: "RFC 7239, without a client", header: .forwarded, lines: ["Forwarded: proto=https"], peer: here),
    Row(
      name: "RFC 7239 beside the client's own", header: .forwarded, lines: ["X-Forwarded-For: 203.0.113.9"], peer: here),
  ])
  func isTheClientThatANamedProxySaw(_ row: Row) throws {
    var configuration = HTTPServerConfiguration(threads: 1)
    configuration.trustedProxies = try row.proxies.map { try #require(AddressBlock($0)) }
    configuration.forwardedHeader = row.header
    let server = try HTTPServer(
      configuration,
      handler: ClosureHandler {
        $1.respond(HTTPResponse(status: 200, bytes: Array("\($0.head.peer.address)".utf8)))
      })
    let lines = row.lines.map { $0 + "\r\n" }.joined()
    let answer = try HTTPTestClient(port: server.port).exchange("GET / HTTP/1.1\r\nHost: h\r\n\(lines)\r\n")
    #expect(answer.body == "\(row.peer)")
  }

  @Test(arguments: [
    ("10.0.0.0/8", true), ("10.0.0.1", true), ("::1", true), ("2001:db8::/32", true), ("0.0.0.0/0", true),
    ("10.0.0.0/33", false), ("10.0.0.0/-1", false), ("10.0.0.0/", false), ("10.0.0", false), ("example.com", false),
    ("10.0.0.1:80", false), ("[::1]", false), ("", false), ("10.0.0.0/8/8", false),
  ])
  func readsBlocks(_ text: String, _ isBlock: Bool) { #expect((AddressBlock(text) != nil) == isBlock) }

  @Test(
    arguments: [
      ("10.1.0.0/15", [10, 1, 2, 3], true), ("10.0.0.0/15", [10, 2, 0, 0], false),
      ("10.0.0.0/8", [11, 0, 0, 0], false),
      ("0.0.0.0/0", [1, 2, 3, 4], true), ("1.2.3.4", [1, 2, 3, 4], true), ("1.2.3.4", [1, 2, 3, 5], false),
      ("::/0", [1, 2, 3, 4], false),
    ] as [(String, [UInt8], Bool)])
  func contains(_ block: String, _ address: [UInt8], _ isInside: Bool) throws {
    #expect(try #require(AddressBlock(block)).contains(HTTPPeer(address: address)) == isInside)
  }
}
