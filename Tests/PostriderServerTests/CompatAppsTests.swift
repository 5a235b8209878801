import HTTPServer
import Signing
import TestSupport
import Testing
import WireJSON

@testable import PostriderServer

/// An app that answers to IMKit's and Amba's clients, with a key of each scope and a key that signs users' tokens.
struct CompatAppsSite {
  let fixture: ServerFixture
  let compat: String
  let client: String
  let project: String
  let signer: (id: String, secret: String)
  static let now: Int64 = 1_795_219_200

  init() throws {
    fixture = try ServerFixture()
    _ = try fixture.makeDemo()
    compat = try fixture.key(["compat"], app: "demo")
    client = try fixture.key(["client"], app: "demo")
    let made = try fixture.post("/v1/apps/demo/identity/keys", ["algorithm": "HS256"])
    signer = (try #require(made.json["id"]?.string), try #require(made.json["secret"]?.string))
    let body = #"{"compat": {"imkit": {"app_id": "SampleApp"}, "amba": {}}}"#
    let shown = try fixture.send("PATCH", "/v1/apps/demo", body).json["compat"]
    project = try #require(shown?["amba"]?["app_id"]?.string)
    #expect(shown?["imkit"] == ["app_id": "SampleApp"] && CompatID.isUUID(project))
  }

  func token(_ user: String = "ann") -> TokenMaker {
    TokenMaker(.hs256(signer.secret), kid: signer.id, now: Self.now, user: user)
  }

  func ask(
    _ vendor: CompatVendor, _ method: String, _ path: String, _ body: JSONValue? = nil, headers: [String]
  ) throws -> ServerFixture.Answer {
    try fixture.send(
      method, "/compat/\(vendor.rawValue)\(path)", body.map { JSON.minifiedText($0) }, key: .some(nil), headers: headers
    )
  }

  /// A request of Amba's backend.
  func amba(_ method: String, _ path: String, _ body: JSONValue? = nil) throws -> ServerFixture.Answer {
    try ask(.amba, method, path, body, headers: ["Authorization: Bearer \(compat)"])
  }

  /// A request of IMKit's backend.
  func imkit(_ method: String, _ path: String, _ body: JSONValue? = nil) throws -> ServerFixture.Answer {
    try ask(.imKit, method, path, body, headers: ["IM-API-KEY: \(compat)"])
  }

  /// A request of an app on a phone, as the vendor's SDK sends it.
  func app(
    _ vendor: CompatVendor, _ method: String, _ path: String, _ body: JSONValue? = nil, user: String = "ann",
    more: [String] = []
  ) throws -> ServerFixture.Answer {
    let token = try token(user).text()
    let headers =
      vendor == .amba
      ? ["X-Api-Key: \(client)", "Authorization: Bearer \(token)"]
      : ["IM-CLIENT-KEY: \(client)", "IM-Authorization: \(token)"]
    return try ask(vendor, method, path, body, headers: headers + more)
  }

  /// What the app has.
  func state() throws -> [String] {
    try ["devices", "pushes", "users"].map { try fixture.send("GET", "/v1/apps/demo/\($0)?limit=200").text }
  }

  func devices() throws -> [JSONValue] {
    try fixture.send("GET", "/v1/apps/demo/devices?limit=200").json["devices"]?.array ?? []
  }

  static func code(_ answer: ServerFixture.Answer) -> String? { answer.json["error"]?["code"]?.string }
}

/// Who is let in to the interfaces that apps on phones ask too: IMKit's and Amba's.
@Suite(.timeLimit(.minutes(2))) struct CompatAppsTests {
  private static func path(_ route: Route, _ project: String) -> String {
    let path = route.pattern.replacing("/compat/\(route.traits.vendor?.rawValue ?? "")", with: "")
    return path.replacing("{project_id}", with: project).replacing("{campaign_id}", with: CompatID.random())
      .replacing("{app_user_id}", with: "ann").replacing("{room}", with: "r").replacing("{client}", with: "ann")
  }

  @Test(
    "Every route wants a key of its scope, an app's routes a user's token too", arguments: [CompatVendor.imKit, .amba])
  func everyRouteWantsAKey(vendor: CompatVendor) throws {
    let site = try CompatAppsSite()
    let before = try site.state()
    let header = vendor == .amba ? "X-Api-Key" : "IM-CLIENT-KEY"
    let send = try site.fixture.key(["send"], app: "demo")
    for route in vendor.routes where !route.name.hasSuffix("Document") {
      let path = Self.path(route, site.project)
      let body: JSONValue? = route.body == nil ? nil : [:]
      var refused = [
        [], ["Authorization: Bearer \(site.fixture.admin)"], ["\(header): \(site.fixture.admin)"],
        ["\(header): \(send)"], ["\(header): \(site.client)", "\(header): \(site.client)"],
        ["\(header): \(site.client)x"], ["IM-CLIENT-KEY: \(site.client)", "IM-API-KEY: \(site.compat)"],
        // No session without a token: the app's key says whose app it is, and not whose phone.
        ["\(header): \(site.client)"], ["\(header): \(site.client)", "Authorization: Bearer \(site.client)"],
      ]
      if route.traits.readsIdentity {
        refused.append(["\(header): \(site.compat)"])
      } else {
        let token = try site.token().text()
        refused += [
          ["Authorization: Bearer \(site.client)"],
          ["\(header): \(site.client)", "Authorization: Bearer \(token)"],
          ["\(header): \(site.client)", "IM-Authorization: \(token)"],
          ["IM-API-KEY: \(site.client)"],
          ["X-Api-Key: \(site.compat)", "Authorization: Bearer \(site.compat)"],
        ]
      }
      for headers in refused {
        let answer = try site.ask(vendor, route.method.rawValue, path, body, headers: headers)
        #expect(answer.status == 401 || answer.status == 403, "\(route.name) \(headers) \(answer)")
        #expect(CompatAppsSite.code(answer) != nil, "\(answer.text)")
      }
    }
    #expect(try site.state() == before)
    let document = try site.ask(vendor, "GET", "/openapi.json", headers: [])
    #expect(document.status == 200)
    #expect(Set((document.json["paths"]?.object ?? [:]).keys) == Set(vendor.routes.map(\.pattern)))
  }

  @Test("A token that is not the user's is no session") func sessions() throws {
    let site = try CompatAppsSite()
    let good = site.token()
    let forged: [TokenMaker] = [
      good.with { $0["aud"] = "other" }, good.with { $0["exp"] = .number(JSONNumber(Int(CompatAppsSite.now - 3_600))) },
      good.with { $0["sub"] = "" }, good.with { $0["sub"] = nil }, good.with { $0.header[2].1 = "none" },
      good.with { $0.signer = .hs256("a secret of somebody else's, long enough") },
    ]
    var texts = try forged.map { try $0.text() } + ["", "x", "a.b.c", site.client, site.compat]
    texts.append(try good.text() + "x")
    for text in texts {
      let amba = try site.ask(
        .amba, "PATCH", "/client/users/me", ["display_name": "X"],
        headers: ["X-Api-Key: \(site.client)", "Authorization: Bearer \(text)"])
      #expect(amba.status == 401 && CompatAppsSite.code(amba) == "UNAUTHORIZED", "\(text) \(amba.text)")
      for header in ["IM-Authorization: \(text)", "Authorization: \(text)"] {
        let imkit = try site.ask(
          .imKit, "POST", "/me/mute/r", headers: ["IM-CLIENT-KEY: \(site.client)", header])
        #expect(imkit.status == 401 && CompatAppsSite.code(imkit) == "INVALID_TOKEN", "\(header) \(imkit.text)")
      }
    }
    #expect(try site.fixture.send("GET", "/v1/apps/demo/users").json["users"]?.array?.isEmpty == true)
    for text in [try good.text(), "Bearer \(try good.text())"] {
      let older = try site.ask(
        .imKit, "GET", "/me/badge", headers: ["IM-CLIENT-KEY: \(site.client)", "Authorization: \(text)"])
      #expect(older.status == 200 && older.json == ["RC": 0, "RM": "OK", "result": ["badge": 0]], "\(older.text)")
    }
    let twice = try site.app(.imKit, "GET", "/me/badge", more: ["Authorization: \(try good.text())"])
    #expect(twice.status == 401, "\(twice.text)")
  }

  @Test("An app's key acts for the user of its token alone") func nobodyElse() throws {
    let site = try CompatAppsSite()
    let token = String(repeating: "5a", count: 32)
    let device: JSONValue = ["type": "ios", "token": .string(token), "deviceId": "phone"]
    #expect(try site.app(.imKit, "POST", "/me/subscribe", device).status == 200)
    // Another user's id in the body, the same device id, and the key of an app in the header of a backend's.
    let named = device.object.map { JSONValue.object($0.merged(["clientId": "ann"])) } ?? .null
    let other = try site.app(.imKit, "POST", "/me/subscribe", named, user: "eve")
    #expect(other.status == 403 && CompatAppsSite.code(other) == "FORBIDDEN", "\(other.text)")
    let posing = try site.ask(.imKit, "POST", "/me/subscribe", named, headers: ["IM-API-KEY: \(site.client)"])
    #expect(posing.status == 403, "\(posing.text)")
    for path in ["/me/unsubscribe"] {
      let answer = try site.app(.imKit, "POST", path, ["type": "ios", "deviceId": "phone"], user: "eve")
      #expect(answer.json["result"] == ["n": 0, "ok": 1], "\(answer.text)")
    }
    let guess: JSONValue = ["type": "ios", "token": .string(String(repeating: "6b", count: 32)), "deviceId": "phone"]
    #expect(try site.app(.imKit, "POST", "/me/subscribe", guess, user: "eve").status == 200)
    let gone = try site.app(.amba, "DELETE", "/client/users/me/push-token", ["token": .string(token)], user: "eve")
    #expect(gone.status == 200, "\(gone.text)")
    #expect(try site.devices().filter { $0["user"] == "ann" }.map { $0["token"] } == [.string(token)])
    // The phone changes hands: the token is the provider's proof of that, and nothing of the former user stays.
    #expect(try site.app(.imKit, "POST", "/me/subscribe", device, user: "bob").status == 200)
    let owners = try site.devices().filter { $0["token"] == .string(token) }.map { $0["user"] }
    #expect(owners == ["bob"])
  }

  @Test("Neither keys nor users' tokens are in the log") func nothingIsLogged() throws {
    let site = try CompatAppsSite()
    let token = try site.token().text()
    _ = try site.app(.imKit, "POST", "/me/subscribe", ["type": "ios"])
    _ = try site.app(.amba, "POST", "/client/users/me/push-token", ["platform": "x"])
    _ = try site.imkit("POST", "/push/push2clients", [:])
    _ = try site.amba("POST", "/admin/push", [:])
    for secret in [site.compat, site.client, token, site.signer.secret] {
      #expect(!site.fixture.lines.text.contains(secret))
    }
    #expect(site.fixture.lines.text.contains("/compat/imkit/push/push2clients"))
  }

  @Test("An interface that is not enabled answers nobody") func isSwitched() throws {
    let site = try CompatAppsSite()
    let off = #"{"compat": {"imkit": null, "amba": null}}"#
    #expect(try site.fixture.send("PATCH", "/v1/apps/demo", off).json["compat"] == nil)
    #expect(try site.amba("GET", "/admin/push").status == 404)
    #expect(try site.imkit("POST", "/push/push2clients", [:]).status == 404)
    #expect(try site.app(.amba, "GET", "/client/users/me").status == 404)
    let on = #"{"compat": {"imkit": {}, "amba": {"app_id": "Project-1"}}}"#
    #expect(try site.fixture.send("PATCH", "/v1/apps/demo", on).status == 200)
    #expect(try site.amba("GET", "/v1/admin/projects/project-1/push/campaigns").status == 200)
    let other = try site.amba("GET", "/admin/projects/\(site.project)/push/campaigns")
    #expect(other.status == 403 && CompatAppsSite.code(other) == "PROJECT_FORBIDDEN", "\(other.text)")
  }
}

extension JSONObject {
  fileprivate func merged(_ other: JSONObject) -> JSONObject {
    var all = self
    for (name, value) in other { all[name] = value }
    return all
  }
}
