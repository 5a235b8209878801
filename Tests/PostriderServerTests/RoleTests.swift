import HTTPServer
import TestSupport
import Testing
import WireJSON

@testable import PostriderServer

/// What each role may do: every operation, in the app of the role, in another one, and beyond apps.
@Suite(.timeLimit(.minutes(5))) struct RoleTests {
  /// The roles as people read about them, and what they may do beyond or less than their scopes.
  struct Row: Sendable, CustomTestStringConvertible {
    let role: String
    /// What kinds of operations it includes: those of keys with these scopes.
    let scopes: Scope
    var more: Set<String> = []
    var less: Set<String> = []
    var testDescription: String { role }
  }

  static let rows: [Row] = [
    Row(role: "owner", scopes: .admin),
    Row(
      role: "admin", scopes: .admin,
      less: [
        "createKey", "rotateKey", "revokeKey", "invitePerson", "updatePerson", "removePerson", "renewInvitation",
        "revokeInvitation", "listSessions", "endSession",
      ]),
    Row(role: "sender", scopes: [.send, .read]),
    Row(role: "analyst", scopes: .read),
    Row(
      role: "support", scopes: .read,
      more: [
        "updateDevice", "deleteDevice", "updateUser", "deleteUser", "leaveInboxMessage", "updateInboxMessage",
        "deleteInboxMessage", "cancelForUser", "testPush",
      ]),
  ]

  private func isIncluded(_ route: Route, _ row: Row) -> Bool {
    guard case .scopes(let accepted) = route.access else { return true }
    if row.less.contains(route.name) { return false }
    return row.scopes.contains(.admin) || !row.scopes.isDisjoint(with: accepted) || row.more.contains(route.name)
  }

  /// Bodies are empty and ids those of nothing: what is included fails later or does nothing, and is not refused.
  private func isRefused(
    _ route: Route, app: String, _ browser: SessionTests.Browser, _ fixture: ServerFixture
  ) throws -> Bool {
    let path = route.segments.map { segment in
      switch segment {
      case .fixed(let text): "/" + text
      case .parameter("app"): "/" + app
      case .parameter: "/999999"
      }
    }.joined()
    let answer = try fixture.send(
      route.method.rawValue, path, route.method == .get ? nil : [:], by: browser)
    #expect(answer.status != 401, "\(route.name): \(answer)")
    return answer.status == 403
  }

  @Test("Each role may do what its row says, and nothing else", arguments: rows) func matrix(_ row: Row) throws {
    let fixture = try ServerFixture()
    _ = try fixture.makeDemo()
    _ = try fixture.post("/v1/apps", ["name": "other"])
    let whole = try fixture.person("whole@example.com", [.string(row.role)])
    let ofApp =
      row.role == "owner" ? nil : try fixture.person("one@example.com", [.string("\(row.role):demo")])
    for route in RouteTable.routes {
      guard case .scopes = route.access, route.name != "watchPush" else { continue }
      let isIncluded = isIncluded(route, row)
      #expect(
        try isRefused(route, app: "demo", whole.browser, fixture) != isIncluded, "\(row.role): \(route.name)")
      guard let ofApp else { continue }
      let isOfApps = route.parameterNames.first == "app"
      #expect(
        try isRefused(route, app: "demo", ofApp.browser, fixture)
          != (isIncluded && (isOfApps || route.traits.isStateless)), "\(row.role) of demo: \(route.name)")
      guard isOfApps else { continue }
      for app in ["other", "nobodys"] where !route.traits.isStateless {
        #expect(try isRefused(route, app: app, ofApp.browser, fixture), "\(row.role) of demo: \(route.name) of \(app)")
      }
    }
  }

  @Test("The table names operations that exist") func namesExist() {
    let names = Set(RouteTable.routes.map(\.name))
    for row in Self.rows { #expect(row.more.union(row.less).isSubset(of: names), "\(row.role)") }
  }

  @Test("Of several roles, each counts in its own app") func several() throws {
    let fixture = try ServerFixture()
    _ = try fixture.makeDemo()
    _ = try fixture.post("/v1/apps", ["name": "other"])
    let ann = try fixture.person("ann@example.com", ["sender:demo", "analyst:other"]).browser
    let body: JSONValue = ["name": "s", "filter": ["field": "tags", "op": "eq", "value": "x"]]
    #expect(try fixture.send("POST", "/v1/apps/demo/segments", body, by: ann).status == 201)
    let refused = try fixture.send("POST", "/v1/apps/other/segments", body, by: ann)
    #expect(refused.status == 403)
    #expect(refused.detail == "the role analyst does not include createSegment; ask an owner")
    #expect(try fixture.send("GET", "/v1/apps/other/segments", by: ann).status == 200)
    let session = try fixture.send("GET", "/session", by: ann).json
    #expect(session["scopes"] == [] && session["app"] == nil)
    #expect(session["roles"]?.array?.map { $0["app"] } == ["demo", "other"])
    #expect(session["roles"]?.array?.map { $0["role"] } == ["sender", "analyst"])
  }

  @Test("A role that changes counts for the next request") func changes() throws {
    let fixture = try ServerFixture()
    _ = try fixture.makeDemo()
    let (id, ann) = try fixture.person("ann@example.com", ["analyst"])
    #expect(try fixture.send("PUT", "/v1/apps/demo/suppression", [:], by: ann).status == 403)
    let changed = try fixture.send("PATCH", "/v1/people/\(id)", #"{"roles":["sender:demo"]}"#)
    #expect(changed.json["roles"] == ["sender:demo"], "\(changed)")
    #expect(try fixture.send("PUT", "/v1/apps/demo/suppression", [:], by: ann).status == 200)
    #expect(try fixture.send("GET", "/v1/apps", by: ann).status == 403)
  }

  @Test(
    "Roles that cannot be are refused",
    arguments: [
      (#"["king"]"#, 422), (#"["owner:demo"]"#, 422), (#"["sender:nobodys"]"#, 404), ("[]", 400),
      (#"["sender","admin"]"#, 422), (#"["sender:demo","admin:demo"]"#, 422),
    ])
  func refuses(_ roles: String, _ status: Int) throws {
    let fixture = try ServerFixture()
    _ = try fixture.makeDemo()
    let body = #"{"email":"ann@example.com","name":"Ann","roles":\#(roles)}"#
    let answer = try fixture.send("POST", "/v1/people", body)
    #expect(answer.status == status || status == 400 && answer.status == 422, "\(answer)")
    #expect(try fixture.send("GET", "/v1/people").json["people"] == [])
  }
}
