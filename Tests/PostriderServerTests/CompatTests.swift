import HTTPServer
import PushStore
import Signing
import StoreModel
import TestSupport
import Testing
import WireJSON

@testable import PostriderServer

/// The interfaces of other vendors: who is let in, where they are, and what refusals look like; what their own clients make of
/// the answers is judged by `Tests/Interop/test_compat_onesignal.py`.
@Suite(.timeLimit(.minutes(2))) struct CompatTests {
  private static let noAccess =
    "Access denied.  Please include an 'Authorization: ...' header with a valid API key"
    + " (https://documentation.onesignal.com/docs/en/keys-and-ids#api-keys)."

  private func enable(_ fixture: ServerFixture, _ app: String = "demo", _ vendor: JSONValue = [:]) throws -> String? {
    let body: JSONValue = ["compat": ["onesignal": vendor]]
    let answer = try fixture.send("PATCH", "/v1/apps/\(app)", JSON.minifiedText(body))
    #expect(answer.status == 200, "\(answer.text)")
    return answer.json["compat"]?["onesignal"]?["app_id"]?.string
  }

  private func ask(
    _ fixture: ServerFixture, _ method: String, _ path: String, _ body: String? = nil, key: String?,
    headers: [String] = []
  ) throws -> ServerFixture.Answer {
    try fixture.send(
      method, "/compat/onesignal" + path, body, key: .some(nil),
      headers: (key.map { ["Authorization: Key \($0)"] } ?? []) + headers)
  }

  @Test("An id that another app has is taken with a warning, but for who may see only this app") func sharedID()
    throws
  {
    let fixture = try ServerFixture()
    _ = try fixture.makeDemo()
    #expect(try fixture.post("/v1/apps", ["name": "shop", "title": "Shop"]).status == 201)
    let id = try #require(try enable(fixture))
    func change(_ app: String, _ id: String, key: String?? = nil) throws -> JSONValue? {
      let body: JSONValue = ["compat": ["onesignal": ["app_id": .string(id)]]]
      let answer =
        if let key { try fixture.send("PATCH", "/v1/apps/\(app)", JSON.minifiedText(body), key: key) } else {
          try fixture.send("PATCH", "/v1/apps/\(app)", JSON.minifiedText(body))
        }
      #expect(answer.status == 200, "\(answer.text)")
      return answer.json["report"]?[0]
    }
    let warning = try #require(try change("shop", id.uppercased()))
    #expect(warning["severity"] == "warning" && warning["field"] == "compat.onesignal.app_id", "\(warning)")
    #expect(warning["message"]?.string?.contains("the app \"demo\" has this id, too") == true, "\(warning)")
    #expect(try change("shop", "5eb5a37e-b458-11e3-ac11-000c2940e62c") == nil)
    #expect(try change("demo", id) == nil)
    let own = try fixture.key(["admin"], app: "shop")
    #expect(try change("shop", id, key: own) == nil)
  }

  @Test("An app answers from when it is enabled until it is disabled, and keeps its id") func isSwitched() throws {
    let fixture = try ServerFixture()
    _ = try fixture.makeDemo()
    let key = try fixture.key(["compat"], app: "demo")
    let off = try ask(fixture, "GET", "/notifications", key: key)
    #expect(off.status == 404 && off.json["errors"]?[0]?.string?.contains("PATCH /v1/apps/demo") == true, "\(off)")
    #expect(try fixture.send("GET", "/v1/apps/demo").json["compat"] == nil)
    let id = try #require(try enable(fixture))
    #expect(CompatID.isUUID(id))
    for path in ["/v1/apps/demo", "/v1/apps"] {
      let shown = try fixture.send("GET", path).json
      #expect((shown["apps"]?[0] ?? shown)["compat"] == ["onesignal": ["app_id": .string(id)]])
    }
    #expect(try ask(fixture, "GET", "/notifications?app_id=\(id.uppercased())", key: key).status == 200)
    #expect(try enable(fixture) == id)
    #expect(try enable(fixture, "demo", .null) == nil)
    #expect(try ask(fixture, "GET", "/notifications", key: key).status == 404)
    #expect(try enable(fixture) == id)
    // Other settings stay.
    #expect(try fixture.send("GET", "/v1/apps/demo").json["contract"] == "amba")
  }

  @Test("A key of the scope is of one app, and opens nothing else") func keysAreOfOneApp() throws {
    let fixture = try ServerFixture()
    _ = try fixture.makeDemo()
    #expect(try fixture.post("/v1/apps", ["name": "other"]).status == 201)
    let (demo, other) = (try #require(try enable(fixture)), try #require(try enable(fixture, "other")))
    #expect(demo != other)
    let unbound = try fixture.post("/v1/keys", ["name": "k", "scopes": ["compat"]])
    #expect(unbound.status == 422 && unbound.detail.hasPrefix("app: is required"), "\(unbound)")
    let key = try fixture.key(["compat"], app: "demo")
    #expect(try ask(fixture, "GET", "/apps/\(demo)/segments", key: key).status == 200)
    for (method, path, body) in [
      ("GET", "/apps/\(other)/segments", nil), ("GET", "/notifications?app_id=\(other)", nil),
      ("POST", "/notifications", #"{"app_id": "\#(other)", "included_segments": ["All"], "contents": {"en": "x"}}"#),
      ("POST", "/players", #"{"app_id": 7, "device_type": 1, "identifier": "t"}"#),
    ] as [(String, String, String?)] {
      let answer = try ask(fixture, method, path, body, key: key)
      #expect(answer.status == 403, "\(path) \(answer)")
      #expect(answer.json["errors"]?[0]?.string == Self.noAccess, "\(answer)")
    }
    // Keys of no app or of other scopes, and nobody's.
    for text in [
      fixture.admin, try fixture.key(["send", "read"], app: "demo"), "prk_\(String(repeating: "a", count: 43))",
    ] {
      #expect(try ask(fixture, "GET", "/notifications", key: text).status == 403)
    }
    #expect(try ask(fixture, "GET", "/notifications", key: nil).json == ["errors": .string(Self.noAccess)])
    #expect(try fixture.send("GET", "/v1/apps/demo", key: key).status == 403)
    #expect(try fixture.send("GET", "/v1/apps/demo/devices", key: key).status == 403)
    // An administrator of the one app may.
    #expect(try ask(fixture, "GET", "/notifications", key: try fixture.key(["admin"], app: "demo")).status == 200)
  }

  @Test("Every route wants a key, but for the document and the file whose link is one") func everyRouteWantsAKey()
    throws
  {
    let fixture = try ServerFixture()
    for route in CompatVendor.oneSignal.routes where !["onesignalDocument", "onesignalExportFile"].contains(route.name)
    {
      let path = route.segments.map { part in
        switch part {
        case .fixed(let name): "/\(name)"
        case .parameter: "/x"
        }
      }.joined()
      let answer = try fixture.send(route.method.rawValue, path, route.method == .get ? nil : "{}", key: .some(nil))
      #expect(answer.status == 403 && answer.json == ["errors": .string(Self.noAccess)], "\(route.name) \(answer)")
    }
    let twice = ["Authorization: Key \(fixture.admin)", "Authorization: Key \(fixture.admin)"]
    #expect(try ask(fixture, "GET", "/notifications", key: nil, headers: twice).status == 403)
  }

  @Test("Each form of the key and each address leads there") func addresses() throws {
    let fixture = try ServerFixture { $0.compatHosts = ["Push.Example": "onesignal"] }
    _ = try fixture.makeDemo()
    _ = try enable(fixture)
    let key = try fixture.key(["compat"], app: "demo")
    for scheme in ["Key", "Basic", "Bearer", "KEY"] {
      for path in ["/compat/onesignal/notifications", "/compat/onesignal/api/v1/notifications"] {
        #expect(
          try fixture.send("GET", path, key: .some(nil), headers: ["Authorization: \(scheme) \(key)"]).status == 200)
      }
    }
    for scheme in ["Token", "Keyx", "", "Digest"] {
      let headers = ["Authorization: \(scheme) \(key)"]
      #expect(
        try fixture.send("GET", "/compat/onesignal/notifications", key: .some(nil), headers: headers).status == 403)
    }
    // Our own API takes its own form only.
    #expect(
      try fixture.send("GET", "/v1/apps", key: .some(nil), headers: ["Authorization: Key \(fixture.admin)"]).status
        == 401)
    #expect(try fixture.send("GET", "/compat/nobody/notifications").json["type"] == "urn:postrider:problem:not-found")
    func at(_ host: String, _ path: String) throws -> Int {
      let client = try HTTPTestClient(port: fixture.server.port)
      client.send("GET \(path) HTTP/1.1\r\nHost: \(host)\r\nAuthorization: Key \(key)\r\n\r\n")
      return try client.readAnswer().status
    }
    #expect(try at("push.example", "/notifications") == 200)
    #expect(try at("PUSH.example:8787", "/api/v1/notifications") == 200)
    #expect(try at("push.example", "/compat/onesignal/notifications") == 404)
    #expect(try at("push.example", "/healthz") == 404)
    #expect(try at("push.example.org", "/notifications") == 404)
    #expect(throws: PostriderServerError.self) { try ServerFixture { $0.compatHosts = ["a": "nobody"] } }
  }

  @Test(
    "A host name is the same with a port, in any case, and with the dot of the root",
    arguments: [
      ("push.example.com", "push.example.com"), ("PUSH.example.com.", "push.example.com"),
      ("push.example.com.:8787", "push.example.com"), ("push.example.com:80", "push.example.com"), (".", ""), ("", ""),
      ("push.example.com..", "push.example.com."), ("[::1]:80", "[::1]"), ("push.example.com:x", "push.example.com:x"),
    ]) func hostNames(host: String, name: String)
  {
    #expect(CompatPath.name(ofHost: host) == name)
  }

  @Test("Refusals have the vendor's form") func refusals() throws {
    let fixture = try ServerFixture()
    _ = try fixture.makeDemo()
    _ = try enable(fixture)
    let key = try fixture.key(["compat"], app: "demo")
    for (method, path, body, status) in [
      ("POST", "/notifications", "{", 400), ("POST", "/notifications", "[]", 400),
      ("POST", "/notifications", "{}", 400), ("GET", "/notifications?limit=x", nil, 400),
      ("GET", "/notifications?x=1", nil, 400), ("GET", "/nothing", nil, 404), ("PUT", "/notifications", "{}", 405),
      ("GET", "/notifications/1", nil, 404),
      ("DELETE", "/notifications/00000000-0000-0000-0000-000000000000", nil, 404),
      ("GET", "/players/1", nil, 404), ("GET", "/templates/1", nil, 404), ("GET", "/apps", nil, 400),
    ] as [(String, String, String?, Int)] {
      let answer = try ask(fixture, method, path, body, key: key)
      #expect(answer.status == status, "\(method) \(path) \(answer)")
      #expect(answer.json["errors"]?[0]?.string?.isEmpty == false && answer.json["type"] == nil, "\(answer)")
      #expect(answer.headers["content-type"] == "application/json")
    }
    let problem = Problem(.busy, "why", headers: [("Retry-After", "1")])
    let busy = CompatVendor.oneSignal.response(to: problem)
    #expect(busy.status == 503 && busy.headers.contains { $0.name == "Retry-After" && $0.value == "1" })
    guard case .bytes(let bytes) = busy.body else { return #expect(Bool(false), "no bytes") }
    #expect(String(decoding: bytes, as: UTF8.self) == #"{"errors":["Service temporarily unavailable","why"]}"#)
    // What only operators may see, such as where the database is, is in no vendor's answer.
    let failed = Problem(StoreError(.diskFull, "write /var/lib/postrider: no room", advice: "free some"))
    for vendor in CompatVendor.allCases {
      guard case .bytes(let bytes) = vendor.response(to: failed).body else { return #expect(Bool(false), "no bytes") }
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(text.contains("the disk of the server is full") && !text.contains("/var/lib"), "\(vendor): \(text)")
    }
  }

  @Test("A key is in no line of the log") func keysAreNotLogged() throws {
    let fixture = try ServerFixture()
    _ = try fixture.makeDemo()
    let id = try #require(try enable(fixture))
    let key = try fixture.key(["compat"], app: "demo")
    for scheme in ["Key", "Basic", "Bearer", "Other"] {
      let headers = ["Authorization: \(scheme) \(key)"]
      _ = try fixture.send("GET", "/compat/onesignal/apps/\(id)/segments", key: .some(nil), headers: headers)
    }
    #expect(!fixture.lines.text.isEmpty)
    #expect(!fixture.lines.text.contains(key) && !fixture.lines.text.contains(id))
  }

  @Test("A link of an export is good for its app and its hour only") func exportLinks() throws {
    let clock = SteppedClock()
    let fixture = try ServerFixture(clock: clock.clock)
    _ = try fixture.makeDemo()
    let id = try #require(try enable(fixture))
    let key = try fixture.key(["compat"], app: "demo")
    let made = try ask(fixture, "POST", "/players/csv_export?app_id=\(id)", "{}", key: key)
    let url = try #require(made.json["csv_file_url"]?.string)
    let path = String(url.dropFirst("http://localhost".count))
    #expect(try fixture.send("GET", path, key: .some(nil)).status == 200)
    let parts = path.split(separator: ".").map(String.init)
    for changed in [
      path.replacing("csv_exports/1.", with: "csv_exports/2."), path.replacing(".\(parts[1]).", with: ".9\(parts[1])."),
      path.replacing("..", with: ".country."), String(path.dropLast(7)), path.replacing(".csv.gz", with: ".csv.gzz"),
    ] {
      #expect(changed != path)
      #expect(try fixture.send("GET", changed, key: .some(nil)).status == 404, "\(changed)")
    }
    _ = try enable(fixture, "demo", .null)
    #expect(try fixture.send("GET", path, key: .some(nil)).status == 404)
    _ = try enable(fixture)
    clock.move(seconds: 3_599)
    #expect(try fixture.send("GET", path, key: .some(nil)).status == 200)
    clock.move(seconds: 2)
    #expect(try fixture.send("GET", path, key: .some(nil)).status == 404)
  }

  @Test("Ids lead back to what they are of, and to nothing of other apps") func ids() {
    let (app, other) = (CompatID.random(), CompatID.random())
    for number: Int64 in [0, 1, 255, 1 << 47, 1 << 48, 1 << 56, .max] {
      let id = CompatID.of(number, .push, app: app)
      #expect(CompatID.isUUID(id) && Array(id)[14] == "8")
      #expect(CompatID.number(id, .push, app: app) == number)
      #expect(CompatID.number(id.uppercased(), .push, app: app) == number)
      #expect(CompatID.number(id, .push, app: other) == nil)
      #expect(CompatID.number(id, .device, app: app) == nil)
    }
    for text in ["", "1", app, String(app.dropLast()), String(repeating: "-", count: 36)] {
      #expect(CompatID.number(text, .push, app: app) == nil)
    }
  }

  @Test("The vendor's document has its routes, and ours has none of them") func documents() throws {
    let fixture = try ServerFixture()
    let theirs = try fixture.send("GET", "/compat/onesignal/openapi.json", key: .some(nil)).json["paths"]?.object ?? [:]
    #expect(Set(theirs.keys) == Set(CompatVendor.oneSignal.routes.map(\.pattern)))
    let ours = try fixture.send("GET", "/openapi.json").json["paths"]?.object ?? [:]
    #expect(!ours.keys.contains { $0.hasPrefix("/compat") })
    #expect(Set(RouteTable.withVendors.map(\.name)).count == RouteTable.withVendors.count)
  }
}
