import Glibc
import HTTP2
import Synchronization
import TLS
import TestSupport
import Testing

/// Against programs that we did not write; rows for programs that are not installed do not run.
@Suite(.timeLimit(.minutes(2))) struct InteropTests {
  private static let server: @Sendable (HTTP2ServerRequest) -> Void = { request in
    request.respond(
      status: 200, headers: [HTTP2Header("x-length", "\(request.bodyLength)")], body: Array("hello".utf8))
  }

  private static func folderWithCertificate() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try Files.write(TestCertificate.shared.certificatePEM, to: "\(folder.path)/cert.pem")
    try Files.write(TestCertificate.shared.keyPEM, to: "\(folder.path)/key.pem")
    return folder
  }

  @Test(.enabled(if: Command.find("curl") != nil)) func curlTalksToOurServer() throws {
    let folder = try InteropTests.folderWithCertificate()
    let pair = try Pair(answer: InteropTests.server)
    let curl = try #require(Command.find("curl"))
    let result = try Command(
      [
        curl, "--silent", "--show-error", "--http2", "--max-time", "20", "--noproxy", "*", "--cacert",
        "\(folder.path)/cert.pem", "--data", "0123456789", "--write-out", " %{http_code} %{http_version}",
        "https://localhost:\(pair.server.port)/a",
      ], folder: folder)
    #expect(result.output == "hello 200 2")
  }

  @Test(.enabled(if: Command.find("curl") != nil)) func aClientWithoutALPNIsRefusedCleanly() throws {
    let folder = try InteropTests.folderWithCertificate()
    let pair = try Pair(answer: InteropTests.server)
    let curl = try #require(Command.find("curl"))
    let result = try Command(
      [
        curl, "--silent", "--http1.1", "--no-alpn", "--max-time", "20", "--noproxy", "*", "--cacert",
        "\(folder.path)/cert.pem", "https://localhost:\(pair.server.port)/a",
      ], folder: folder)
    #expect(result.status != 0 && result.output == "")
  }

  @Test(.enabled(if: Command.find("h2load") != nil)) func h2loadTalksToOurServer() throws {
    let folder = try InteropTests.folderWithCertificate()
    let pair = try Pair(answer: InteropTests.server)
    try Files.write(Array(repeating: 65, count: 1024), to: "\(folder.path)/body")
    let h2load = try #require(Command.find("h2load"))
    let result = try Command(
      [
        h2load, "-n", "5000", "-c", "2", "-m", "500", "-d", "\(folder.path)/body",
        "https://localhost:\(pair.server.port)/3/device/x",
      ], folder: folder)
    #expect(result.output.contains("5000 done, 5000 succeeded, 0 failed, 0 errored, 0 timeout"))
    #expect(pair.handler.handled.withLock { $0 } == 5000)
  }

  @Test(.enabled(if: Command.find("nghttpd") != nil)) func ourClientTalksToNghttpd() throws {
    let folder = try InteropTests.folderWithCertificate()
    try Files.write(Array("from nghttpd".utf8), to: "\(folder.path)/file")
    let nghttpd = try #require(Command.find("nghttpd"))
    let port = InteropTests.freePort()
    let id = try Command.spawn(
      [
        nghttpd, "--address=127.0.0.1", "--max-concurrent-streams=100", "--echo-upload", "--htdocs=\(folder.path)",
        "\(port)", "\(folder.path)/key.pem", "\(folder.path)/cert.pem",
      ], log: "\(folder.path)/log")
    defer {
      // A child inherits blocked signals, and this one cannot be blocked.
      kill(id, SIGKILL)
      waitpid(id, nil, 0)
    }
    let loop = try EventLoop()
    defer { loop.shutdown() }
    let recorder = try InteropTests.connected(loop, port: port)
    let connection = try #require(recorder.1)
    let get = try HTTP2RequestTemplate(method: "GET", authority: "localhost")
    let post = try HTTP2RequestTemplate(authority: "localhost")
    var batch = HTTP2RequestBatch()
    batch.append(get, id: 0, path: "/file")
    batch.append(get, id: 1, path: "/missing")
    for id in 2..<1000 { batch.append(post, id: UInt64(id), path: "/file", body: Array("echo \(id)".utf8)) }
    connection.submit(batch)
    let endings = recorder.0.endings(1000)
    #expect(endings[0] == .response(200, "from nghttpd"))
    if case .response(404, _) = endings[1] {} else { Issue.record("\(endings[1])") }
    #expect(endings.dropFirst(2).elementsEqual((2..<1000).map { .response(200, "echo \($0)") }))
    #expect(recorder.0.record.withLock { $0.streams } == 100)
    connection.drain()
    #expect(recorder.0.closing() == .requested)
  }

  /// Connects again until the program listens.
  private static func connected(_ loop: EventLoop, port: UInt16) throws -> (Recorder, HTTP2ClientConnection?) {
    for _ in 0..<200 {
      let recorder = Recorder()
      let configuration = HTTP2ClientConfiguration(
        host: "127.0.0.1", port: port, tls: try .client(trust: TestCertificate.shared.trust))
      let connection = HTTP2ClientConnection(loop: loop, configuration: configuration, observer: recorder)
      connection.start()
      _ = recorder.wait { $0.ready || $0.closed != nil }
      if recorder.record.withLock({ $0.ready }) { return (recorder, connection) }
      usleep(20_000)
    }
    return (Recorder(), nil)
  }

  private static func freePort() -> UInt16 {
    let proxy = TestProxy(answer: "", target: 0)
    defer { proxy.stop() }
    return proxy.port
  }
}
