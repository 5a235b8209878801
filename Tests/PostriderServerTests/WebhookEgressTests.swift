import Glibc
import HTTP2
import HTTPServer
import Synchronization
import TestSupport
import Testing
import WireJSON

@testable import PostriderServer

/// Webhooks leave through the server's proxy, and nothing of the inner network is asked of it.
@Suite(.timeLimit(.minutes(2))) struct WebhookEgressTests {
  private static let proxy = HTTP2Proxy(host: "proxy.example.com", port: 3_128)

  @Test(
    "A public receiver is reached through the proxy",
    arguments: [
      "https://hooks.example.com/a", "https://hooks.example.com:8443", "HTTPS://EXAMPLE.com/?q=http://localhost/",
      "https://8.8.8.8/", "https://[2001:4860:4860::8888]:443/", "https://example.com./x",
      "https://localhost.example.com",
    ])
  func isPublic(url: String) {
    for allowsPrivate in [false, true] {
      #expect(WebhookEgress(proxy: Self.proxy, allowsPrivate: allowsPrivate).way(to: url) == .proxy)
    }
    #expect(WebhookEgress().way(to: url) == .direct)
  }

  @Test(
    "One inside is never asked of the proxy: refused, or reached directly where that is allowed",
    arguments: [
      "https://127.0.0.1/", "https://127.1/", "https://0x7f.1/", "https://2130706433:443/", "https://10.0.0.7/",
      "https://169.254.169.254/latest", "https://[::1]/", "https://[fd00::1]:8443/", "https://[::ffff:127.0.0.1]/",
      "https://localhost/", "https://LOCALHOST./", "https://intranet/", "https://db.internal/", "https://a.local",
      "https://x.home.arpa/", "https://127.0.0.1./",
    ])
  func isInside(url: String) throws {
    #expect(WebhookEgress(proxy: Self.proxy, allowsPrivate: true).way(to: url) == .direct)
    guard case .refused(let why) = WebhookEgress(proxy: Self.proxy).way(to: url) else {
      Issue.record("\(url) is not refused")
      return
    }
    #expect(why.contains("private"))
    #expect(WebhookEgress().way(to: url) == .direct)
  }

  @Test(
    "A host that a client may read in another way is refused",
    arguments: ["https://%31%32%37.0.0.1/", "https://[::1", "https://[x]/", "https://:80/", "none"])
  func isUnclear(url: String) {
    for allowsPrivate in [false, true] {
      guard case .refused = WebhookEgress(proxy: Self.proxy, allowsPrivate: allowsPrivate).way(to: url) else {
        Issue.record("\(url) is not refused")
        continue
      }
    }
  }

  /// A world with a proxy and a receiver, which the proxy's tunnels lead to.
  private struct World {
    let receiver = WebhookTests.Receiver()
    let server: HTTPServer
    let proxy: TestProxy
    let world: EndToEndTests

    init(allowsPrivate: Bool, direct: Bool = false) throws {
      server = try HTTPServer(HTTPServerConfiguration(), handler: receiver)
      proxy = TestProxy(answer: EgressTests.tunnel, target: server.port, authorization: EgressTests.authorization)
      proxy.start()
      let way = try HTTP2Proxy("http://ann:s%40cret@127.0.0.1:\(proxy.port)")
      world = try EndToEndTests(clock: .system) {
        $0.proxy = way
        $0.allowsPrivateWebhooks = allowsPrivate
        $0.webhooksGoDirectly = direct
      }
      try world.register()
    }

    func stop() {
      server.stop(drainingFor: .zero)
      proxy.stop()
    }

    /// Makes a webhook for ends of pushes, and sends a push.
    func notify(_ url: String) throws {
      let made = try world.fixture.post("/v1/apps/demo/webhooks", ["url": .string(url), "types": ["push.finished"]])
      #expect(made.status == 201, "\(made.text)")
      _ = try world.finished(try world.push(EgressTests.message))
    }

    func wait(_ what: String, _ isDone: () -> Bool) {
      for _ in 0..<2_000 {
        if isDone() { return }
        usleep(10_000)
      }
      Issue.record("never: \(what); \(world.fixture.lines.text.suffix(2_000))")
    }

    var targets: [String] {
      proxy.heads.withLock { $0 }.compactMap { $0.split(separator: " ").dropFirst().first.map(String.init) }
    }
  }

  @Test("A notice goes through the proxy, with its user and password, which the receiver does not see")
  func throughTheProxy() throws {
    let all = try World(allowsPrivate: true)
    defer { all.stop() }
    try all.notify("http://hooks.example.com:8080/hook")
    all.wait("the notice") { all.receiver.all.flatMap(\.types) == ["push.finished"] }
    #expect(all.targets == ["hooks.example.com:8080"])
    let headers = all.receiver.all[0].headers
    #expect(headers.first("Proxy-Authorization") == nil && headers.first("Postrider-Signature") != nil)
    #expect(!all.world.fixture.lines.text.contains("cret"))
  }

  @Test("A receiver inside is reached directly where that is allowed") func inside() throws {
    let all = try World(allowsPrivate: true)
    defer { all.stop() }
    try all.notify("http://127.0.0.1:\(all.server.port)/hook")
    all.wait("the notice") { all.receiver.all.flatMap(\.types) == ["push.finished"] }
    #expect(all.targets.isEmpty)
  }

  @Test("A receiver inside fails elsewhere, and the proxy is asked for nothing") func refused() throws {
    let all = try World(allowsPrivate: false)
    defer { all.stop() }
    try all.notify("https://db.internal/hook")
    all.wait("the refusal") { all.world.fixture.lines.text.contains("loopback, private or reserved") }
    #expect(all.targets.isEmpty && all.receiver.all.isEmpty)
  }

  @Test("A proxy that opens no tunnel is named as the reason") func closed() throws {
    let all = try World(allowsPrivate: false)
    defer { all.stop() }
    all.proxy.answer.withLock { $0 = "HTTP/1.1 403 Forbidden\r\n\r\n" }
    try all.notify("https://hooks.example.com/hook")
    all.wait("the refusal") {
      all.world.fixture.lines.text.contains("the proxy did not open the tunnel: it answered 403")
    }
    #expect(all.targets.first == "hooks.example.com:443")
  }

  @Test("Webhooks can be left out of the proxy") func directly() throws {
    let all = try World(allowsPrivate: true, direct: true)
    defer { all.stop() }
    try all.notify("http://127.0.0.1:\(all.server.port)/hook")
    all.wait("the notice") { all.receiver.all.flatMap(\.types) == ["push.finished"] }
    #expect(all.targets.isEmpty)
  }
}
