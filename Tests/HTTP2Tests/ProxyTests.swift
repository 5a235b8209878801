import HTTP2
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct ProxyTests {
  @Test func aTunnelCarriesRequests() throws {
    let pair = try Pair(answer: { $0.respond(status: 200, body: Array($0.path)) })
    let proxy = TestProxy(answer: "HTTP/1.1 200 Connection established\r\nvia: test\r\n\r\n", target: pair.server.port)
    proxy.start()
    defer { proxy.stop() }
    // The proxy looks the name up, not we.
    pair.configuration.host = "push.example.invalid"
    pair.configuration.serverName = "localhost"
    pair.configuration.proxy = HTTP2Proxy(host: "127.0.0.1", port: proxy.port, authorization: "Basic Zm9vOmJhcg==")
    let recorder = Recorder()
    let connection = pair.connect(recorder)
    connection.submit(pair.batch(2))
    #expect(recorder.endings(2) == [.response(200, "/3/device/0"), .response(200, "/3/device/1")])
    let target = "push.example.invalid:\(pair.server.port)"
    #expect(
      proxy.heads.withLock { $0 } == [
        "CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\nProxy-Authorization: Basic Zm9vOmJhcg==\r\n\r\n"
      ])
    connection.close()
    #expect(recorder.closing() == .requested)
  }

  @Test(arguments: [
    (
      "HTTP/1.1 407 Proxy Authentication Required\r\n\r\n",
      "the proxy did not open the tunnel: it answered \"HTTP/1.1 407 Proxy Authentication Required\""
    ),
    ("", "the proxy did not open the tunnel: it closed the connection"),
    ("SSH-2.0-x\r\n\r\n", "the proxy did not open the tunnel: it does not speak HTTP/1.1: \"SSH-2.0-x\""),
    (
      "HTTP/1.1 200 OK\r\n" + String(repeating: "x: y\r\n", count: 2000),
      "the proxy did not open the tunnel: its answer has more than 8192 bytes of headers"
    ),
  ])
  func aProxyThatRefusesIsNamed(answer: String, message: String) throws {
    let pair = try Pair()
    let proxy = TestProxy(answer: answer, target: pair.server.port)
    proxy.start()
    defer { proxy.stop() }
    pair.configuration.proxy = HTTP2Proxy(host: "127.0.0.1", port: proxy.port)
    let recorder = Recorder()
    let connection = pair.connect(recorder)
    connection.submit(pair.batch(1))
    #expect(recorder.closing()?.description == message)
    #expect(recorder.endings(1).allSatisfy { $0.isNotProcessed })
  }
}
