import HTTPServer
import PostriderServer
import Synchronization
import TestEngines
import TestSupport
import Testing
import WireJSON

/// The dashboard's sessions, attacked.
@Suite(.onBothEngines, .timeLimit(.minutes(2))) struct SessionTests {
  /// A clock that moves when told to.
  final class Hands: Sendable {
    let ms = Atomic<Int64>(1_795_219_200_000)
    func advance(seconds: Int64) { ms.add(seconds * 1_000, ordering: .sequentiallyConsistent) }
  }

  let hands = Hands()
  let fixture: ServerFixture

  init() throws {
    let hands = hands
    fixture = try ServerFixture(clock: WallClock { hands.ms.load(ordering: .sequentiallyConsistent) })
  }

  /// What a browser keeps after signing in.
  struct Browser {
    let cookie: String
    let token: String
    var headers: [String] { ["Cookie: other=1; \(cookie)"] }
    var writing: [String] { headers + ["X-CSRF-Token: \(token)", "Sec-Fetch-Site: same-origin"] }
  }

  func signIn(_ key: String? = nil) throws -> Browser {
    let answer = try fixture.send(
      "POST", "/session", JSON.minifiedText(["key": .string(key ?? fixture.admin)]), key: .some(nil))
    #expect(answer.status == 200)
    let cookie = try #require(answer.headers["set-cookie"]?.split(separator: ";").first.map(String.init))
    return Browser(cookie: cookie, token: try #require(answer.json["write_token"]?.string))
  }

  func read(_ browser: Browser, _ path: String = "/v1/apps") throws -> ServerFixture.Answer {
    try fixture.send("GET", path, key: .some(nil), headers: browser.headers)
  }

  @Test func keepsTheSessionOutOfScriptsAndOtherSites() throws {
    let answer = try fixture.send(
      "POST", "/session", JSON.minifiedText(["key": .string(fixture.admin)]), key: .some(nil))
    let cookie = try #require(answer.headers["set-cookie"])
    #expect(cookie.hasSuffix("; Path=/; HttpOnly; SameSite=Strict; Max-Age=43200"))
    #expect(answer.headers["cache-control"] == "no-store")
    #expect(!answer.text.contains(fixture.admin))
    let id = try #require(cookie.split(separator: ";").first?.split(separator: "=").last)
    #expect(id.utf8.count == 43)
    #expect(!answer.text.contains(id))
    let secure = try fixture.send(
      "POST", "/session", JSON.minifiedText(["key": .string(fixture.admin)]), key: .some(nil),
      headers: ["X-Forwarded-Proto: https"])
    #expect(try #require(secure.headers["set-cookie"]).hasSuffix("; Secure"))
    #expect(secure.headers["set-cookie"]?.contains(String(id)) == false)
  }

  /// Over TLS the browser vouches that no neighboring host set the cookie, and only such a cookie is read.
  @Test func bindsTheCookieToItsHostBehindTLS() throws {
    let tls = ["X-Forwarded-Proto: https"]
    let key = JSON.minifiedText(["key": .string(fixture.admin)])
    let answer = try fixture.send("POST", "/session", key, key: .some(nil), headers: tls)
    let cookie = try #require(answer.headers["set-cookie"])
    let pair = String(try #require(cookie.split(separator: ";").first))
    #expect(pair.hasPrefix("__Host-postrider_session="))
    #expect(cookie.contains("; Path=/;") && cookie.hasSuffix("; Secure") && !cookie.contains("Domain"))
    let id = try #require(pair.split(separator: "=").last)
    func status(_ headers: [String]) throws -> Int {
      try fixture.send("GET", "/v1/apps", key: .some(nil), headers: headers).status
    }
    #expect(try status(tls + ["Cookie: \(pair)"]) == 200)
    #expect(try status(tls + ["Cookie: postrider_session=\(id)"]) == 401)
    #expect(try status(["Cookie: \(pair)"]) == 401)
    let planted = "postrider_session=" + String(repeating: "A", count: 43)
    #expect(try status(tls + ["Cookie: \(planted); \(pair)"]) == 200)
    let token = try #require(answer.json["write_token"]?.string)
    let out = try fixture.send(
      "DELETE", "/session", key: .some(nil), headers: tls + ["Cookie: \(pair)", "X-CSRF-Token: \(token)"])
    #expect(out.headers["set-cookie"]?.hasPrefix("__Host-postrider_session=; Path=/") == true)
    #expect(try status(tls + ["Cookie: \(pair)"]) == 401)
  }

  @Test func givesTheSessionTheScopesOfItsKey() throws {
    let admin = try signIn()
    #expect(try read(admin).status == 200)
    #expect(try read(admin, "/v1/keys").status == 200)
    let reader = try signIn(try fixture.key(["read"]))
    #expect(try read(reader).status == 200)
    #expect(try read(reader, "/v1/keys").status == 403)
    let shown = try read(reader, "/session")
    #expect(shown.json["scopes"] == ["read"])
    #expect(shown.json["write_token"]?.string == reader.token)
    let client = try fixture.key(["client"])
    let refused = try fixture.send("POST", "/session", #"{"key":"\#(client)"}"#, key: .some(nil))
    #expect(refused.status == 403)
    #expect(refused.headers["set-cookie"] == nil)
  }

  @Test func refusesWritesThatAnotherSiteMayHaveSent() throws {
    let browser = try signIn()
    let other = try signIn()
    let body = #"{"name":"demo"}"#
    let forgeries: [[String]] = [
      browser.headers,
      browser.headers + ["X-CSRF-Token: "],
      browser.headers + ["X-CSRF-Token: \(other.token)"],
      browser.headers + ["X-CSRF-Token: \(browser.token)", "Sec-Fetch-Site: cross-site"],
      browser.headers + ["X-CSRF-Token: \(browser.token)", "Sec-Fetch-Site: same-site"],
      browser.headers + ["X-CSRF-Token: \(browser.token)", "Origin: https://evil.example"],
      browser.headers + ["X-CSRF-Token: \(browser.token)", "Origin: null"],
    ]
    for headers in forgeries {
      let answer = try fixture.send("POST", "/v1/apps", body, key: .some(nil), headers: headers)
      #expect(answer.status == 403, "\(headers)")
    }
    #expect(try read(browser).json["apps"] == JSONValue.array([]))
    #expect(try fixture.send("DELETE", "/session", key: .some(nil), headers: browser.headers).status == 403)
    #expect(try fixture.send("POST", "/v1/apps", body, key: .some(nil), headers: browser.writing).status == 201)
    let signIn = try fixture.send(
      "POST", "/session", JSON.minifiedText(["key": .string(fixture.admin)]), key: .some(nil),
      headers: ["Sec-Fetch-Site: cross-site"])
    #expect(signIn.status == 403)
  }

  @Test func endsWhenUnusedAndWhenOld() throws {
    let idle = try signIn()
    hands.advance(seconds: 2 * 3_600 - 1)
    #expect(try read(idle).status == 200)
    hands.advance(seconds: 2 * 3_600)
    #expect(try read(idle).status == 401)
    #expect(try read(idle).status == 401)
    let busy = try signIn()
    for _ in 0..<11 {
      hands.advance(seconds: 3_600)
      #expect(try read(busy).status == 200)
    }
    hands.advance(seconds: 3_600)
    #expect(try read(busy).detail == "the session has expired; sign in again")
  }

  @Test func endsBySigningOutAndWithItsKey() throws {
    let leaving = try signIn()
    let out = try fixture.send("DELETE", "/session", key: .some(nil), headers: leaving.writing)
    #expect(out.status == 204)
    #expect(out.headers["set-cookie"] == "postrider_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0")
    #expect(try read(leaving).status == 401)
    #expect(try read(leaving, "/session").status == 401)

    let key = try fixture.post("/v1/keys", ["name": "short", "scopes": ["read"]]).json
    let browser = try signIn(try #require(key["key"]?.string))
    #expect(try read(browser).status == 200)
    let id = try #require(key["id"]?.string)
    #expect(try fixture.send("DELETE", "/v1/keys/\(id)").status == 204)
    #expect(try read(browser).status == 401)

    let brief = try fixture.post("/v1/keys", ["name": "brief", "scopes": ["read"], "expires_in_seconds": 60]).json
    let guest = try signIn(try #require(brief["key"]?.string))
    hands.advance(seconds: 61)
    #expect(try read(guest).status == 401)
  }

  @Test func makesANewIdAtEachSignInAndForgetsTheOld() throws {
    let planted = Browser(cookie: "postrider_session=" + String(repeating: "A", count: 43), token: "")
    #expect(try read(planted).status == 401)
    let first = try signIn()
    let answer = try fixture.send(
      "POST", "/session", JSON.minifiedText(["key": .string(fixture.admin)]), key: .some(nil), headers: first.headers)
    #expect(answer.status == 200)
    #expect(answer.headers["set-cookie"]?.hasPrefix(first.cookie) == false)
    #expect(try read(first).status == 401)
  }

  /// Behind a named proxy whoever guesses waits alone; nobody else can claim to be behind one.
  @Test(arguments: [true, false]) func onlyTheGuesserWaits(_ isTrusted: Bool) throws {
    let hands = hands
    let fixture = try ServerFixture(clock: WallClock { hands.ms.load(ordering: .sequentiallyConsistent) }) {
      $0.http.trustedProxies = [AddressBlock(isTrusted ? "127.0.0.1" : "10.0.0.1")].compactMap { $0 }
    }
    func status(_ key: String, from client: String) throws -> Int {
      try fixture.send(
        "POST", "/session", #"{"key":"\#(key)"}"#, key: .some(nil), headers: ["X-Forwarded-For: \(client)"]
      ).status
    }
    let wrong = "prk_" + String(repeating: "x", count: 43)
    for attempt in 0..<10 {
      // What the client writes itself comes before what the proxy saw.
      #expect(try status(wrong, from: "198.51.100.\(attempt), 192.0.2.1") == 401)
    }
    #expect(try status(fixture.admin, from: "192.0.2.1") == 429)
    #expect(try status(fixture.admin, from: "192.0.2.2") == (isTrusted ? 200 : 429))
  }

  /// A browser without `Sec-Fetch-Site`, behind a proxy on a port of its own: the page has the port, so `Host` must have it.
  @Test(
    "The documented proxy keeps the port, so that sign-in works on every port",
    arguments: [
      ("push.example.com:8443", 200), ("push.example.com", 403), ("push.example.com:8444", 403),
    ])
  func signsInOnAnotherPort(_ host: String, _ status: Int) throws {
    let body = JSON.minifiedText(["key": .string(fixture.admin)])
    let client = try HTTPTestClient(port: fixture.server.port)
    client.send(
      "POST /session HTTP/1.1\r\nHost: \(host)\r\nOrigin: https://push.example.com:8443\r\nX-Forwarded-Proto: https\r\n"
        + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
    #expect(try client.readAnswer().status == status)
    let page = try OperationsDocumentTests.page("docs/operations.md")
    #expect(page.contains("proxy_set_header Host $http_host;") && !page.contains("Host $host;"))
  }

  @Test func slowsDownGuessing() throws {
    let wrong = "prk_" + String(repeating: "x", count: 43)
    for _ in 0..<10 {
      #expect(try fixture.send("POST", "/session", #"{"key":"\#(wrong)"}"#, key: .some(nil)).status == 401)
    }
    let right = JSON.minifiedText(["key": .string(fixture.admin)])
    let held = try fixture.send("POST", "/session", right, key: .some(nil))
    #expect(held.status == 429)
    #expect(held.headers["retry-after"] == "60")
    // Keys in headers are not held up: only the way in for people is.
    #expect(try fixture.send("GET", "/v1/apps").status == 200)
    hands.advance(seconds: 60)
    #expect(try fixture.send("POST", "/session", right, key: .some(nil)).status == 200)
    #expect(!fixture.lines.text.contains(wrong))
  }

  @Test("The sessions of all holders are bounded, too: the one that was unused longest makes room")
  func boundsAllSessions() throws {
    let unused = try signIn()
    hands.advance(seconds: 1)
    for _ in 0..<50 {
      let body = JSON.minifiedText(["key": .string(try fixture.key(["read"]))])
      for _ in 0..<20 { #expect(try fixture.send("POST", "/session", body, key: .some(nil)).status == 200) }
    }
    #expect(try read(unused).status == 401)
  }

  @Test("The sessions of one holder are bounded") func boundsSessions() throws {
    let used = try signIn()
    let unused = try signIn()
    hands.advance(seconds: 1)
    #expect(try read(used).status == 200)
    for _ in 0..<18 { _ = try signIn() }
    #expect(try read(unused, "/healthz").status == 200)
    let last = try signIn()
    #expect(try read(unused).status == 401)
    #expect(try read(used).status == 200)
    #expect(try read(last).status == 200)
  }

  @Test func prefersTheKeyOfTheHeader() throws {
    let browser = try signIn()
    let reader = try fixture.key(["read"])
    let answer = try fixture.send("GET", "/v1/keys", key: .some(reader), headers: browser.headers)
    #expect(answer.status == 403)
  }
}
