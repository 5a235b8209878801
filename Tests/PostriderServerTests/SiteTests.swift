import HTTPServer
import TestSupport
import Testing
import WireJSON

/// What pages of other origins are let do: load two files, and use the operations of an app's key where the app names them.
@Suite(.timeLimit(.minutes(1))) struct SiteTests {
  let fixture: ServerFixture
  static let site = "https://www.example.com"
  static let path = "/v1/apps/demo"

  init() throws {
    fixture = try ServerFixture()
    _ = try fixture.makeDemo()
    let answer = try credential([Self.site, "http://localhost:8080"])
    #expect(answer.status == 200 && answer.json["web"]?["origins"]?[0] == "https://www.example.com", "\(answer.text)")
  }

  func credential(_ origins: [String]) throws -> ServerFixture.Answer {
    let body: JSONValue = ["web": ["subject": "mailto:a@example.com", "origins": .array(origins.map { .string($0) })]]
    return try fixture.send("PUT", "\(Self.path)/credentials", JSON.minifiedText(body))
  }

  func preflight(_ method: String, _ path: String, origin: String) throws -> ServerFixture.Answer {
    try fixture.send(
      "OPTIONS", path, key: .some(nil), headers: ["Origin: \(origin)", "Access-Control-Request-Method: \(method)"])
  }

  @Test("Loaded from anywhere, revalidated each time", arguments: ["/web/postrider.js", "/web/worker.js"])
  func files(path: String) throws {
    let answer = try fixture.send("GET", path, key: .some(nil))
    #expect(answer.status == 200 && answer.headers["content-type"] == "text/javascript; charset=utf-8")
    #expect(answer.headers["access-control-allow-origin"] == "*" && answer.headers["cache-control"] == "no-cache")
    #expect(answer.headers["cross-origin-resource-policy"] == "cross-origin")
    #expect(answer.headers["x-content-type-options"] == "nosniff")
    let isWorker = path == "/web/worker.js"
    #expect(answer.headers["service-worker-allowed"] == (isWorker ? "/" : nil))
    #expect(!isWorker || answer.text.utf8.count < 5_000)
    let tag = try #require(answer.headers["etag"])
    #expect(try fixture.send("GET", path, key: .some(nil), headers: ["If-None-Match: \(tag)"]).status == 304)
  }

  @Test(
    "A preflight is answered for the operations of an app's key alone, and for sites that the app names",
    arguments: [
      ("POST", "\(path)/devices", site, 204), ("POST", "\(path)/events", site, 204),
      ("GET", "\(path)/web-push", site, 204), ("POST", "\(path)/devices", "http://localhost:8080", 204),
      ("POST", "\(path)/devices", "https://example.com", 405), ("POST", "\(path)/devices", "\(site):444", 405),
      ("POST", "\(path)/devices", "http://www.example.com", 405), ("POST", "\(path)/devices", "null", 405),
      ("GET", "\(path)/devices", site, 405), ("POST", "\(path)/pushes", site, 405),
      ("PUT", "\(path)/credentials", site, 405), ("POST", "\(path)/web-push/rotate", site, 405),
      ("POST", "/v1/apps/nobody/devices", site, 405), ("GET", "/v1/apps", site, 405), ("POST", "/session", site, 405),
    ])
  func preflights(method: String, path: String, origin: String, status: Int) throws {
    let answer = try preflight(method, path, origin: origin)
    #expect(answer.status == status, "\(answer.text)")
    #expect(answer.headers["access-control-allow-origin"] == (status == 204 ? origin : nil))
    #expect(answer.headers["access-control-allow-credentials"] == nil)
  }

  @Test("Answers can be read by the named sites, refusals too; a key is needed all the same") func answers() throws {
    let client = try fixture.key(["client"], app: "demo")
    for (key, status) in [(client, 200), ("prk_wrong", 401)] {
      for (origin, allowed) in [(Self.site, Self.site as String?), ("https://evil.example", nil)] {
        let answer = try fixture.send("GET", "\(Self.path)/web-push", key: key, headers: ["Origin: \(origin)"])
        #expect(answer.status == status && answer.headers["access-control-allow-origin"] == allowed, "\(origin)")
      }
    }
    let listed = try fixture.send("GET", "\(Self.path)/devices", headers: ["Origin: \(Self.site)"])
    #expect(listed.status == 200 && listed.headers["access-control-allow-origin"] == nil)
    // Without a list nobody is let in.
    #expect(try credential([]).json["web"]?["origins"] == nil)
    #expect(try preflight("POST", "\(Self.path)/devices", origin: Self.site).status == 405)
  }

  @Test(
    "An origin that no browser sends is refused with its field",
    arguments: [
      "www.example.com", "https://", "https://*.example.com", "https://Example.com", "https://www.example.com/",
      "https://www.example.com:443", "http://www.example.com", "http://localhost.evil.example", "null", "*",
      "https://a@example.com", "ftp://example.com",
    ])
  func origins(origin: String) throws {
    let answer = try credential([Self.site, origin])
    #expect(answer.status == 422 && answer.json["report"]?[0]?["field"] == "web.origins[1]", "\(answer.text)")
  }
}
