import Glibc
import HTTP2
import PostriderServer
import ProviderEmulator
import Synchronization
import TestSupport
import Testing
import WireJSON

/// The way out through an HTTP proxy, for the whole server and for an app.
@Suite(.timeLimit(.minutes(2))) struct EgressTests {
  static let tunnel = "HTTP/1.1 200 Connection established\r\n\r\n"
  /// `ann:s@cret`.
  static let authorization = "Basic YW5uOnNAY3JldA=="
  static let message = #"{"to":{"all":true},"message":{"title":"T","body":"B"}}"#

  /// A proxy, and its text with and without user and password.
  private static func proxy(
    answer: String = tunnel, authorization: String? = authorization
  ) -> (TestProxy, text: String, shown: String) {
    let proxy = TestProxy(answer: answer, target: 0, authorization: authorization)
    proxy.start()
    let shown = "127.0.0.1:\(proxy.port)"
    return (proxy, authorization == nil ? shown : "http://ann:s%40cret@\(shown)", shown)
  }

  /// The credentials for the emulator, with a proxy of the app's own.
  private static func credentials(_ world: EndToEndTests, proxy: String) throws -> JSONValue {
    var all = try #require(try world.credentials().object)
    let (ports, ca) = (world.emulator.ports, world.emulator.authorityPEM)
    all["web"] = [
      "subject": "mailto:ops@example.com",
      "gateway": ["host": .string(ports.host), "port": .number(JSONNumber(ports.web)), "ca": .string(ca)],
    ]
    for slot in ["apns", "fcm", "web"] {
      var setting = try #require(all[slot]?.object)
      setting["proxy"] = .string(proxy)
      all[slot] = .object(setting)
    }
    return .object(all)
  }

  private static func targets(_ proxy: TestProxy) -> Set<String> {
    Set(proxy.heads.withLock { $0 }.compactMap { $0.split(separator: " ").dropFirst().first.map(String.init) })
  }

  @Test("A proxy of the app's own is the way to every provider, and its password is shown nowhere")
  func ofAnApp() throws {
    let (proxy, text, shown) = Self.proxy()
    defer { proxy.stop() }
    let world = try EndToEndTests()
    let fixture = world.fixture
    let put = try fixture.send(
      "PUT", "/v1/apps/demo/credentials", JSON.minifiedText(try Self.credentials(world, proxy: text)))
    #expect(put.status == 200, "\(put.text)")
    try world.register()
    let key = try #require(put.json["web"]?["public_key"]?.string)
    try register("alice", key: key, world)
    let push = try world.finished(try world.push(Self.message))
    #expect(push["counts"]?["accepted"] == 3, "\(push)")
    let ports = world.emulator.ports
    // Access tokens come from the emulator's gateway of FCM, too.
    #expect(Self.targets(proxy) == Set([ports.apns, ports.fcm, ports.web].map { "127.0.0.1:\($0)" }))
    #expect(proxy.heads.withLock { $0.count } >= 4)
    let get = try fixture.send("GET", "/v1/apps/demo/credentials")
    for slot in ["apns", "fcm", "web"] { #expect(get.json[slot]?["proxy"] == .string(shown), "\(get.text)") }
    let asked = proxy.heads.withLock { $0.count }
    let check = try fixture.send("POST", "/v1/apps/demo/credentials/check", "{}")
    for slot in ["apns", "fcm", "web"] { #expect(check.json[slot]?["usable"] == true, "\(slot): \(check.text)") }
    #expect(proxy.heads.withLock { $0.count } >= asked + 4)
    let everything = put.text + get.text + check.text + fixture.lines.text
    for secret in ["s@cret", "s%40cret", "YW5u"] { #expect(!everything.contains(secret)) }
  }

  private func register(_ token: String, key: String, _ world: EndToEndTests) throws {
    let browser = DeviceDescription(provider: .web, token: token)
    _ = world.emulator.makeDevice(browser)
    let subscription = try #require(world.emulator.subscription(token))
    var body: JSONObject = ["type": "web"]
    body["endpoint"] = subscription["endpoint"]
    for (name, value) in subscription["keys"]?.object ?? [:] { body[name] = value }
    #expect(try world.fixture.post("/v1/apps/demo/devices", .object(body)).status == 201)
  }

  @Test("The server's proxy is the way to Apple and Google, and not to a gateway that a credential names")
  func ofTheServer() throws {
    let (proxy, text, _) = Self.proxy(answer: "HTTP/1.1 403 Forbidden\r\n\r\n")
    defer { proxy.stop() }
    let way = try HTTP2Proxy(text)
    let world = try EndToEndTests(clock: .system) { $0.proxy = way }
    try world.register()
    #expect(try world.finished(try world.push(Self.message))["counts"]?["accepted"] == 2)
    #expect(proxy.heads.withLock { $0.isEmpty })
    var account = try #require(try ServerFixture.serviceAccount.get().object)
    account["token_uri"] = "https://oauth2.googleapis.com/token"
    let apns = try #require(try ServerFixture.credentials()["apns"]?.object)
    let named = try world.credentials()["fcm"]?["gateway"]
    func asked(
      _ proxy: JSONValue?, slot: String = "apns", gateway: JSONValue? = nil
    ) throws -> ServerFixture.Answer {
      var (apns, fcm): (JSONObject, JSONObject) = (apns, ["service_account": .object(account)])
      // What is not named stays as it is saved; null is the provider's own.
      fcm["gateway"] = gateway ?? .null
      apns["gateway"] = .null
      (apns["proxy"], fcm["proxy"]) = (proxy ?? .null, proxy ?? .null)
      let body = JSON.minifiedText(.object([slot: .object(apns), "fcm": .object(fcm)]))
      return try world.fixture.send("POST", "/v1/apps/demo/credentials/check", body)
    }
    let refused = try asked(nil)
    // Of FCM and Google's token endpoint, which are asked at once, the first to be refused is named.
    for (slot, host) in [("apns", "api.push.apple.com:443"), ("fcm", ".googleapis.com:443")] {
      let detail = refused.json[slot]?["detail"]?.string ?? refused.text
      #expect(detail.contains("answered \"HTTP/1.1 403 Forbidden\"; let it open tunnels to "), "\(detail)")
      #expect(detail.contains(host), "\(detail)")
    }
    // Of Google's two, only the first to be refused is sure to have been asked.
    func isAsked(_ proxy: TestProxy, _ apple: String) -> Bool {
      let targets = Self.targets(proxy)
      return targets.contains(apple) && targets.contains { $0.hasSuffix(".googleapis.com:443") }
    }
    #expect(isAsked(proxy, "api.push.apple.com:443"))
    // Where the credential names the gateway, the token endpoint is the one that the proxy refuses.
    let token = try asked(nil, gateway: named)
    #expect(token.json["fcm"]?["detail"]?.string?.contains("oauth2.googleapis.com:443") == true, "\(token.text)")
    #expect(Self.targets(proxy).contains("oauth2.googleapis.com:443"))
    // An app's own proxy replaces the server's.
    let (other, otherText, _) = Self.proxy(answer: "HTTP/1.1 407 Who are you\r\n\r\n", authorization: nil)
    defer { other.stop() }
    let own = try asked(.string(otherText), slot: "apns_sandbox")
    #expect(
      own.json["apns_sandbox"]?["detail"]?.string?.contains("give it a user and a password") == true, "\(own.text)")
    #expect(isAsked(other, "api.sandbox.push.apple.com:443"))
    #expect(!Self.targets(proxy).contains("api.sandbox.push.apple.com:443"))
  }

  @Test("A proxy that is down for a while delays pushes and loses none") func recovers() throws {
    let (proxy, text, shown) = Self.proxy(answer: "HTTP/1.1 503 Service Unavailable\r\n\r\n")
    defer { proxy.stop() }
    let world = try EndToEndTests()
    let body = JSON.minifiedText(try Self.credentials(world, proxy: text))
    #expect(try world.fixture.send("PUT", "/v1/apps/demo/credentials", body).status == 200)
    try world.register()
    let id = try world.push(Self.message)
    for _ in 0..<500 where proxy.heads.withLock({ $0.count }) < 2 { usleep(10_000) }
    #expect(proxy.heads.withLock { $0.count } >= 2)
    let waiting = try world.fixture.send("GET", "/v1/apps/demo/pushes/\(id)").json
    #expect(waiting["finished_at"] == nil && waiting["counts"]?["accepted"] == 0, "\(waiting)")
    proxy.answer.withLock { $0 = Self.tunnel }
    #expect(try world.finished(id)["counts"]?["accepted"] == 2)
    let lines = world.fixture.lines.text
    #expect(lines.contains("503 Service Unavailable") && !lines.contains("cret") && !shown.isEmpty, "\(lines)")
  }

  @Test("A proxy that is saved as it is shown keeps its password, and another one does not get it") func keeps() throws
  {
    let (proxy, text, shown) = Self.proxy()
    defer { proxy.stop() }
    let world = try EndToEndTests()
    func put(_ text: String) throws {
      let body = JSON.minifiedText(try Self.credentials(world, proxy: text))
      let answer = try world.fixture.send("PUT", "/v1/apps/demo/credentials", body)
      #expect(answer.status == 200, "\(answer.text)")
    }
    func usable() throws -> [Bool] {
      let answer = try world.fixture.send("POST", "/v1/apps/demo/credentials/check", "{}").json
      return ["apns", "fcm"].map { answer[$0]?["usable"] == true }
    }
    try put(text)
    try put(shown)
    #expect(try usable() == [true, true])
    // The same place without a password, then the place that has none to keep.
    try put("http://" + shown)
    #expect(try usable() == [false, false])
    try put(shown)
    #expect(try usable() == [false, false])
    try put(text)
    let (other, _, otherShown) = Self.proxy()
    defer { other.stop() }
    try put(otherShown)
    #expect(try usable() == [false, false])
    #expect(
      other.heads.withLock { heads in heads.allSatisfy { !$0.contains("Proxy-Authorization") } && !heads.isEmpty })
  }

  @Test("An identity provider elsewhere is reached through the proxy, with its password, and not directly")
  func identityProvider() throws {
    let (proxy, text, _) = Self.proxy(answer: "HTTP/1.1 403 Forbidden\r\n\r\n")
    defer { proxy.stop() }
    // A name that nobody can look up here: a direct request would fail before anybody hears of it.
    let setting = try OIDCSetting(issuer: "https://login.example.invalid", clientID: "a", secret: "b")
    let way = try HTTP2Proxy(text)
    let fixture = try ServerFixture {
      $0.oidc = setting
      $0.proxy = way
    }
    defer { fixture.server.stop() }
    let answer = try fixture.open("POST", "/session/oidc", nil)
    #expect(answer.status >= 400, "\(answer)")
    let heads = proxy.heads.withLock { $0 }
    #expect(Self.targets(proxy) == ["login.example.invalid:443"], "\(answer)")
    #expect(heads.allSatisfy { $0.contains("Proxy-Authorization: \(Self.authorization)") }, "\(heads)")
    #expect(!answer.text.contains("s@cret") && !fixture.lines.text.contains("s@cret"))
  }

  @Test(
    "A text that is no proxy is refused at its field, without the text",
    arguments: ["https://u:secret@p:1", "http://u:secret@p", "p", "http://u:secret%@p:1"])
  func refusal(text: String) throws {
    let world = try EndToEndTests()
    for slot in ["apns", "fcm", "web"] {
      let all = try Self.credentials(world, proxy: text)
      let answer = try world.fixture.send(
        "PUT", "/v1/apps/demo/credentials", JSON.minifiedText(.object([slot: all[slot] ?? .null])))
      #expect(answer.status == 422 && answer.detail.hasPrefix("\(slot).proxy: "), "\(answer.text)")
      #expect(!answer.text.contains("secret"))
    }
  }
}
