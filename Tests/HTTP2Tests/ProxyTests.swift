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
      "the proxy did not open the tunnel: it answered \"HTTP/1.1 407 Proxy Authentication Required\"; give it a user and a "
        + "password: http://USER:PASSWORD@HOST:PORT"
    ),
    (
      "HTTP/1.1 503 Service Unavailable\r\n\r\n",
      "the proxy did not open the tunnel: it answered \"HTTP/1.1 503 Service Unavailable\""
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

  @Test func aRefusalSaysWhatToDo() {
    func step(_ status: String, _ proxy: HTTP2Proxy) -> ProxyTunnel.Step {
      var tunnel = ProxyTunnel(host: "a.example", port: 443, proxy: proxy)
      var step = ProxyTunnel.Step.more
      for byte in "HTTP/1.1 \(status)\r\n\r\n".utf8 { step = tunnel.take(byte) }
      return step
    }
    let plain = HTTP2Proxy(host: "p", port: 1)
    let named = HTTP2Proxy(host: "p", port: 1, authorization: "Basic eDp5")
    #expect(step("200", plain) == .open && step("299 x", named) == .open)
    #expect(
      step("403 No", plain) == .refused("it answered \"HTTP/1.1 403 No\"; let it open tunnels to a.example:443"))
    let said = "it answered \"HTTP/1.1 407 Who\" to the user and the password that were given"
    #expect(step("407 Who", named) == .refused(said))
    #expect(step("401 Who", named) == .refused(said.replacing("407", with: "401")))
    #expect(step("404 x", plain) == .refused("it answered \"HTTP/1.1 404 x\""))
    for status in ["408 x", "429 x", "500 x", "502 x", "503 x", "504 x"] {
      #expect(step(status, plain) == .unavailable("it answered \"HTTP/1.1 \(status)\""))
    }
  }

  @Test func aProxyThatSaysNothingIsGivenUp() throws {
    let pair = try Pair()
    let proxy = TestProxy(answer: "", target: pair.server.port)
    proxy.answer.withLock { $0 = nil }
    proxy.start()
    defer { proxy.stop() }
    pair.configuration.proxy = HTTP2Proxy(host: "127.0.0.1", port: proxy.port)
    pair.configuration.connectTimeout = .milliseconds(300)
    let recorder = Recorder()
    let connection = pair.connect(recorder)
    connection.submit(pair.batch(1))
    #expect(recorder.closing() == .connectTimeout(stage: .proxy))
    #expect(recorder.endings(1).allSatisfy { $0.isNotProcessed })
  }

  @Test(
    "What a proxy would look up in its own network is refused where addresses have to be public",
    arguments: [
      "localhost", "a.localhost", "metadata", "db.internal", "printer.local.", "nas.home.arpa", "127.1", "::1",
    ])
  func anInnerNameIsRefused(host: String) throws {
    let pair = try Pair()
    let proxy = TestProxy(answer: "HTTP/1.1 200 OK\r\n\r\n", target: pair.server.port)
    proxy.start()
    defer { proxy.stop() }
    pair.configuration.host = host
    pair.configuration.addresses = .publicOnly
    pair.configuration.proxy = HTTP2Proxy(host: "127.0.0.1", port: proxy.port)
    let recorder = Recorder()
    _ = pair.connect(recorder)
    guard case .addressRefused(host, _)? = recorder.closing() else {
      Issue.record("\(host) was not refused")
      return
    }
    #expect(proxy.heads.withLock { $0.isEmpty })
  }
}

struct ProxyAddressTests {
  @Test(
    arguments: [
      ("proxy.example:3128", "proxy.example:3128", nil), ("http://proxy.example:80/", "proxy.example:80", nil),
      ("HTTP://10.0.0.1:8080", "10.0.0.1:8080", nil), ("[::1]:8080", "[::1]:8080", nil),
      ("http://ann:s%40c%3Aret@[fe80::1%eth0]:1", "[fe80::1%eth0]:1", "Basic YW5uOnNAYzpyZXQ="),
      ("http://ann@p:1", "p:1", "Basic YW5uOg=="), ("ann:a@b@p:65535", "p:65535", "Basic YW5uOmFAYg=="),
    ] as [(String, String, String?)])
  func isRead(text: String, shown: String, authorization: String?) throws {
    let proxy = try HTTP2Proxy(text)
    #expect("\(proxy)" == shown && proxy.authorization == authorization)
    var dumped = ""
    dump(proxy, to: &dumped)
    #expect(!dumped.contains("Basic") && dumped.contains(shown))
  }

  @Test(
    "What is none is said without the text, which may have a password",
    arguments: [
      "", "proxy", "proxy:0", "proxy:65536", ":8080", "proxy:80/path", "a b:1", "http://u:secret@:1",
      "http://u:secret@p",
      "https://u:secret@p:1", "socks5://u:secret@p:1", "ftp://u:secret@p:1", "http://u:secr%et@p:1",
      "http://:secret@p:1",
      "http://u:secret%0D%0Ax@p:1", "http://u%3A:secret@p:1", "a:b:1", "p\u{E9}:1",
      "http://u:" + String(repeating: "secret", count: 400) + "@p:1",
    ])
  func isRefused(text: String) {
    let error = #expect(throws: HTTP2ProxyError.self) { try HTTP2Proxy(text) }
    #expect(error.map { "\($0)".contains("secret") || "\($0)".isEmpty } == false)
  }
}
