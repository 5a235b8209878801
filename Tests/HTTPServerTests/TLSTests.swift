import Glibc
import HTTPServer
import Signing
import Synchronization
import TestSupport
import Testing

/// The server's own TLS.
@Suite(.timeLimit(.minutes(2))) struct TLSTests {
  /// Writes a key that its owner alone may read.
  private static func writeKey(_ pem: String, to path: String) throws {
    try Files.write(Array(pem.utf8), to: path)
    #expect(chmod(path, 0o600) == 0)
  }

  /// A certificate in two files, and the server that shows it.
  final class Page {
    let folder: TemporaryFolder
    let certificate: ServerCertificate
    let server: HTTPServer
    private(set) var pem: String
    private let handler = EchoHandler()

    var certificatePath: String { folder.path + "/certificate.pem" }
    var keyPath: String { folder.path + "/key.pem" }

    init(_ change: (inout HTTPLimits) -> Void = { _ in }) throws {
      folder = try TemporaryFolder()
      pem = ""
      let made = try SelfSignedCertificate.make()
      pem = made.certificatePEM
      let paths = (folder.path + "/certificate.pem", folder.path + "/key.pem")
      try Files.write(Array(made.certificatePEM.utf8), to: paths.0)
      try TLSTests.writeKey(made.privateKeyPEM, to: paths.1)
      certificate = try ServerCertificate(certificatePath: paths.0, keyPath: paths.1)
      var configuration = HTTPServerConfiguration()
      change(&configuration.limits)
      configuration.certificate = certificate
      server = try HTTPServer(configuration, handler: handler)
    }

    func client(alpn: [String] = []) throws -> HTTPTestClient {
      try HTTPTestClient(port: server.port, authorities: pem, alpn: alpn)
    }

    func plainClient() throws -> HTTPTestClient { try HTTPTestClient(port: server.port) }

    /// Replaces both files, as a renewal does.
    func renew() throws {
      let made = try SelfSignedCertificate.make()
      pem = made.certificatePEM
      try TLSTests.writeKey(made.privateKeyPEM, to: keyPath)
      try Files.write(Array(made.certificatePEM.utf8), to: certificatePath)
    }
  }

  @Test("Requests, keep-alive, pipelining and chunked bodies work as without TLS") func requests() throws {
    let page = try Page()
    #expect(page.server.isSecure)
    let client = try page.client(alpn: ["h2", "http/1.1"])
    #expect(try #require(client.tls).agreed == ("TLSv1.3", "http/1.1"))
    for index in 0..<20 {
      #expect(try client.post("/p\(index)", "b\(index)").body == #"POST ["p\#(index)"]  - b\#(index)"#)
    }
    client.send((0..<20).map { "GET /q\($0) HTTP/1.1\r\nHost: h\r\n\r\n" }.joined())
    for index in 0..<20 { #expect(try client.readAnswer().body == #"GET ["q\#(index)"]  - "#) }
    let chunked = try client.exchange(
      "POST /c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n")
    #expect(chunked.body == #"POST ["c"]  - hello world"#)
    let continued = try client.exchange(
      "POST /e HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 0\r\n\r\n")
    #expect(continued.status == 200)
  }

  @Test("A head that comes byte by byte, each in a record of its own, is one request") func smallRecords() throws {
    let page = try Page()
    defer { withExtendedLifetime(page) {} }
    let client = try page.client()
    for byte in Array("GET /drip HTTP/1.1\r\nHost: h\r\n\r\n".utf8) { client.send([byte]) }
    #expect(try client.readAnswer().body == #"GET ["drip"]  - "#)
  }

  @Test(
    "Bodies of every size arrive whole in both directions", arguments: [1, 16_383, 16_384, 16_385, 100_000, 1_000_000])
  func sizes(count: Int) throws {
    let page = try Page()
    defer { withExtendedLifetime(page) {} }
    let client = try page.client()
    let text = String(repeating: "x", count: count)
    let answer = try client.post("/size", text)
    #expect(answer.body.utf8.count == #"POST ["size"]  - "#.utf8.count + count)
    #expect(try client.get("/again").status == 200)
  }

  @Test("A long answer to a client that reads late arrives whole") func slowReader() throws {
    let page = try Page()
    defer { withExtendedLifetime(page) {} }
    let client = try page.client()
    client.send("GET /long HTTP/1.1\r\nHost: h\r\n\r\n")
    usleep(300_000)
    #expect(try client.readAnswer().body.utf8.count == 1_000_000)
  }

  @Test("The end of a connection is said, so that a client can tell it from one that was cut") func saysTheEnd() throws
  {
    let page = try Page { $0.idleTimeout = .milliseconds(200) }
    let client = try page.client()
    #expect(try client.exchange("GET /x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n").status == 200)
    #expect(client.receive().isEmpty && client.tls?.isFinished == true)
    let idle = try page.client()
    #expect(try idle.get("/x").status == 200)
    #expect(idle.receive().isEmpty && idle.tls?.isFinished == true)
  }

  @Test(
    "Who speaks plain HTTP is told to use HTTPS",
    arguments: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "get", "PRI"])
  func plainHTTP(method: String) throws {
    let page = try Page()
    let answer = try page.plainClient().exchange("\(method) /x HTTP/1.1\r\nHost: h\r\n\r\n")
    #expect(answer.status == 400)
    #expect(answer.body == "This port speaks HTTPS only: use https:// in the address.\n")
    #expect(try page.client().get("/x").status == 200)
  }

  @Test("A client that offers only HTTP/2, or does not trust the certificate, gets no connection") func refusals()
    throws
  {
    let page = try Page()
    #expect(throws: HTTPTestClient.Failure.self) { try page.client(alpn: ["h2"]) }
    let other = try SelfSignedCertificate.make()
    #expect(throws: HTTPTestClient.Failure.self) {
      try HTTPTestClient(port: page.server.port, authorities: other.certificatePEM)
    }
    #expect(try page.client().get("/x").status == 200)
  }

  @Test(
    "A handshake that does not go on is cut off, and others are served meanwhile",
    arguments: [[], [0x16], [0x16, 0x03, 0x01, 0x40, 0x00, 0x01], Array("\u{0}\u{1}\u{2}\u{3}\u{4}\u{5}".utf8)]
      as [[UInt8]])
  func silentHandshake(start: [UInt8]) throws {
    let page = try Page { $0.requestTimeout = .milliseconds(300) }
    let client = try page.plainClient()
    client.send(start)
    #expect(try page.client().get("/x").status == 200)
    #expect(client.isClosedByPeer())
    #expect(eventually { page.server.connectionCount <= 1 })
  }

  @Test("Bytes that are no TLS after the handshake end the connection only") func garbage() throws {
    let page = try Page()
    for seed in UInt64(1)...50 {
      var random = SeededRandom(seed: seed)
      let client = try page.plainClient()
      client.send(
        (0..<Int.random(in: 1...2_000, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) })
      client.endSending()
      #expect(client.isClosedByPeer(), "seed \(seed)")
    }
    #expect(try page.client().get("/x").status == 200)
  }

  @Test("Many clients at once are served") func manyAtOnce() throws {
    let page = try Page()
    let clients = try (0..<100).map { _ in try page.client() }
    for client in clients { client.send("GET /a HTTP/1.1\r\nHost: h\r\n\r\n") }
    for client in clients { #expect(try client.readAnswer().status == 200) }
    for client in clients { #expect(try client.get("/b").status == 200) }
  }

  /// Waits for something that another thread brings about, with a bound.
  private func eventually(_ condition: () -> Bool) -> Bool {
    for _ in 0..<2_000 {
      if condition() { return true }
      usleep(5_000)
    }
    return false
  }

  // MARK: Renewal

  @Test("A renewed certificate is used for new connections, and open ones go on") func renewal() throws {
    let page = try Page()
    let old = try page.client()
    let serial = try #require(old.tls).serial
    #expect(page.certificate.refresh() == .none)
    try page.renew()
    // The first look sees a change, the second one that it is over.
    #expect(page.certificate.refresh() == .none)
    #expect(page.certificate.refresh() == .loaded)
    #expect(page.certificate.refresh() == .none)
    let new = try page.client()
    #expect(try #require(new.tls).serial != serial)
    #expect(try new.get("/new").status == 200)
    #expect(try old.get("/old").status == 200)
  }

  @Test("Files that cannot be used leave the certificate as it is, and say why once") func brokenRenewal() throws {
    let page = try Page()
    let serial = try #require(try page.client().tls).serial
    try Self.writeKey(SelfSignedCertificate.make().privateKeyPEM, to: page.keyPath)
    _ = page.certificate.refresh()
    guard case .failed(let reason) = page.certificate.refresh() else {
      Issue.record("a key that does not belong to the certificate was taken")
      return
    }
    #expect(reason.contains("the private key does not belong to the certificate"))
    #expect(page.certificate.refresh() == .none)
    #expect(try #require(try page.client().tls).serial == serial)
    unlink(page.certificatePath)
    _ = page.certificate.refresh()
    #expect(page.certificate.refresh() == .failed("cannot read \(page.certificatePath): No such file or directory"))
    try page.renew()
    _ = page.certificate.refresh()
    #expect(page.certificate.refresh() == .loaded)
    #expect(try page.client().get("/x").status == 200)
  }

  @Test("A certificate that cannot be used is refused with what is wrong") func unusable() throws {
    let folder = try TemporaryFolder()
    let made = try SelfSignedCertificate.make()
    let (certificate, key) = (folder.path + "/c.pem", folder.path + "/k.pem")
    let (empty, open) = (folder.path + "/empty.pem", folder.path + "/open.pem")
    try Files.write(Array(made.certificatePEM.utf8), to: certificate)
    try Self.writeKey(made.privateKeyPEM, to: key)
    try Self.writeKey("", to: empty)
    try Files.write(Array(made.privateKeyPEM.utf8), to: open)
    for (certificate, key, words) in [
      (folder.path + "/none.pem", key, "No such file"), (certificate, folder.path + "/none.pem", "No such file"),
      (empty, key, "BEGIN CERTIFICATE"), (certificate, empty, "BEGIN PRIVATE KEY"), (key, key, "BEGIN CERTIFICATE"),
      (folder.path, key, "Is a directory"), ("/dev/zero", key, "more than 1048576 bytes"),
      (certificate, open, "chmod 600"),
    ] {
      do throws(HTTPServerError) {
        _ = try ServerCertificate(certificatePath: certificate, keyPath: key)
        Issue.record("\(certificate) with \(key) was taken")
      } catch {
        #expect(error.code == .badCertificate)
        #expect(error.description.contains(words), "\(error.description)")
      }
    }
    let expiry = try #require(try ServerCertificate(certificatePath: certificate, keyPath: key).expiresAt)
    #expect((89...90).contains((expiry - Int64(time(nil))) / 86_400))
  }
}
