import TestEngines
import TestSupport
import Testing
import WireJSON

@testable import PostriderServer
@testable import PushStore
@testable import StoreModel

/// Pushes are found by what they say, whom they were for, who wrote them, and when.
@Suite(.onBothEngines, .timeLimit(.minutes(2))) struct FindingTests {
  let clock = SteppedClock()
  let fixture: ServerFixture
  /// The ids of the pushes, by their campaigns, and of the two without one.
  let ids: [String: String]

  static let path = "/v1/apps/demo/pushes"
  static let segment =
    #"{"name":"s","filter":{"operator":"AND","conditions":[{"field":"properties.plan","op":"eq","value":"pro"}]}}"#

  init() throws {
    fixture = try ServerFixture(clock: clock.clock)
    _ = try fixture.makeDemo()
    #expect(try fixture.send("POST", "/v1/apps/demo/segments", Self.segment).status == 201)
    let ann = try fixture.key(["send"])
    let template = #"{"message":{"title":"Straßenfest","body":"B"}}"#
    #expect(try fixture.send("PUT", "/v1/apps/demo/templates/party", template).status < 300)
    let bodies: [(name: String, body: String, key: String)] = [
      ("sale", #""to":{"all":true},"message":{"title":"Spring SALE","body":"Half price"},"campaign":"sale""#, ann),
      (
        "german",
        #""to":{"segment":"s"},"message":{"title":"T","body":"B"},"locales":{"de":{"title":"Grüße","body":"B"}},"campaign":"german""#,
        fixture.admin
      ),
      ("party", #""to":{"all":true},"template":"party","campaign":"party""#, fixture.admin),
      ("one", #""to":{"devices":["1"]},"message":{"title":"Your code","body":"4711"}"#, ann),
      ("draft", #""to":{"all":true},"message":{"title":"Sale again","body":"B"},"campaign":"draft","draft":true"#, ann),
    ]
    var ids: [String: String] = [:]
    for (name, body, key) in bodies {
      let answer = try fixture.send("POST", Self.path, "{\(body)}", key: key)
      ids[name] = try #require(answer.json["id"]?.string, "\(answer.text)")
      clock.move(seconds: 3_600)
    }
    self.ids = ids
  }

  func find(_ query: String) throws -> Set<String> {
    let answer = try fixture.send("GET", "\(Self.path)?\(query)")
    #expect(answer.status == 200, "\(answer.text)")
    let found = (answer.json["pushes"]?.array ?? []).compactMap { $0["id"]?.string }
    return Set(ids.filter { found.contains($0.value) }.keys)
  }

  @Test(
    "Each member of the query narrows the list",
    arguments: [
      ("query=sale", ["sale", "draft"]), ("query=HALF+PRICE", ["sale"]), ("query=Half%20price", ["sale"]),
      ("query=gr%C3%BC%C3%9Fe", ["german"]), ("query=stra%C3%9Fenfest", ["party"]), ("query=4711", ["one"]),
      ("query=party", ["party"]), ("query=nothing", []), ("campaign=sale", ["sale"]), ("segment=s", ["german"]),
      ("segment=t", []), ("state=draft", ["draft"]), ("author=test", ["sale", "one", "draft"]), ("author=nobody", []),
      ("kind=campaign", ["sale", "german", "party", "draft"]), ("kind=campaign&query=sale&state=draft", ["draft"]),
      ("from=2026-11-20T14:00:00Z", ["party", "one", "draft"]), ("until=2026-11-20T13:00:00Z", ["sale"]),
      ("from=2026-11-20T13:00:00Z&until=2026-11-20T14:00:00Z", ["german"]), ("until=2026-11-20T12:00:00Z", []),
      ("from=2027-01-01T00:00:00Z", []),
    ])
  func narrows(query: String, names: [String]) throws { #expect(try find(query) == Set(names), "\(query)") }

  @Test(
    "What cannot be looked for is refused",
    arguments: [
      "state=gone", "kind=other", "from=yesterday", "title=x",
      "query=" + String(repeating: "x", count: 201),
    ])
  func refuses(query: String) throws {
    #expect(try fixture.send("GET", "\(Self.path)?\(query)").status == 400)
  }

  @Test("Pages of a search follow each other without a gap") func pages() throws {
    var (found, cursor) = ([String](), String?.none)
    for _ in 0..<10 {
      let page = try fixture.send("GET", "\(Self.path)?kind=campaign&limit=1\(cursor.map { "&cursor=\($0)" } ?? "")")
        .json
      found += (page["pushes"]?.array ?? []).compactMap { $0["id"]?.string }
      cursor = page["next"]?.string
      #expect((cursor == nil) == (page["looked_back_to"] == nil))
      if cursor == nil { break }
    }
    #expect(found == ["draft", "party", "german", "sale"].map { ids[$0] ?? "" })
  }

  @Test("A search looks at a bounded number of rows and says how far it came") func bounded() throws {
    let store = fixture.server.service.store
    let app = try #require(try store.app(named: "demo")).id
    let new = (0..<PushSearch.rowsMax).map { _ in
      NewPush(app: app, name: nil, audience: .users([]), message: Array(#"{"title":"x"}"#.utf8), payloads: [], salt: 1)
    }
    _ = try store.wait { store.createPushes(new, now: fixture.server.service.now, completion: $0) }
    let first = try fixture.send("GET", "\(Self.path)?campaign=sale").json
    #expect(first["pushes"]?.array?.count == 1, "the index finds it at once")
    // Texts are read of far fewer.
    let page = try fixture.send("GET", "\(Self.path)?query=spring").json
    #expect(page["pushes"]?.array?.isEmpty == true)
    #expect(page["looked_back_to"] != nil)
    var (cursor, pages, found) = (page["next"]?.string, 1, [String]())
    while let next = cursor, pages < 20 {
      let page = try fixture.send("GET", "\(Self.path)?query=spring&cursor=\(next)").json
      found += (page["pushes"]?.array ?? []).compactMap { $0["id"]?.string }
      (cursor, pages) = (page["next"]?.string, pages + 1)
    }
    #expect(found == [ids["sale"] ?? ""])
    #expect(pages > PushSearch.rowsMax / PushSearch.documentsMax)
  }

  @Test("A push says what it said, with and without a request that is kept") func says() throws {
    let sale = try fixture.send("GET", "\(Self.path)/\(ids["sale"] ?? "")").json
    #expect(sale["request"]?["message"]?["title"] == "Spring SALE")
    let one = try fixture.send("GET", "\(Self.path)/\(ids["one"] ?? "")").json
    #expect(one["message"]?["title"] == "Your code", "\(one)")
    let rows = try fixture.send("GET", Self.path).json["pushes"]?.array ?? []
    #expect(rows.map { $0["title"]?.string } == ["Sale again", "Your code", "Straßenfest", "T", "Spring SALE"])
  }

  // MARK: Saved views

  @Test("A view is kept, replaced, listed and removed, for this app only") func views() throws {
    let path = "/v1/apps/demo/views"
    let query = #"{"query":{"query":"sale","state":"sent"}}"#
    #expect(try fixture.send("PUT", path + "/my%20sales", query).status == 201)
    clock.move(seconds: 1)
    #expect(try fixture.send("PUT", path + "/my%20sales", #"{"query":{"kind":"campaign"}}"#).status == 200)
    #expect(try fixture.send("PUT", path + "/another", query).status == 201)
    for bad in [#"{}"#, #"{"query":{"limit":"5"}}"#, #"{"query":{"state":"gone"}}"#] {
      #expect(try fixture.send("PUT", path + "/bad", bad).status == 422, "\(bad)")
    }
    let views = try fixture.send("GET", path).json["views"]?.array ?? []
    #expect(views.map { $0["name"]?.string } == ["another", "my sales"])
    #expect(views.last?["query"] == ["kind": "campaign"])
    #expect(try fixture.post("/v1/apps", ["name": "other"]).status == 201)
    #expect(try fixture.send("GET", "/v1/apps/other/views").json["views"] == JSONValue.array([]))
    #expect(try fixture.send("DELETE", path + "/another").status == 204)
    #expect(try fixture.send("DELETE", path + "/another").status == 404)
  }

  // MARK: Planned

  @Test("The calendar has scheduled pushes and runs of schedules, in order") func calendar() throws {
    let later =
      #"{"to":{"all":true},"message":{"title":"Later","body":"B"},"campaign":"l","send_at":"2026-11-22T12:00:00Z"}"#
    #expect(try fixture.send("POST", Self.path, later).status == 202)
    let weekly =
      #"{"to":{"all":true},"message":{"title":"Daily","body":"B"},"campaign":"d","repeat":{"every":"day","start":"2026-11-22T09:00:00","timezone":"UTC","count":3}}"#
    #expect(try fixture.send("POST", "/v1/apps/demo/schedules", weekly).status == 201)
    let one = #"{"message":{"title":"T","body":"B"},"send_at":"2026-11-22T10:00:00Z"}"#
    #expect(try fixture.send("PUT", "/v1/apps/demo/users/ann/scheduled/x", one).status == 200)
    func titles(_ query: String) throws -> [String] {
      let found = try fixture.send("GET", "/v1/apps/demo/calendar\(query)").json
      #expect(found["complete"] == true)
      return (found["entries"]?.array ?? []).map {
        "\($0["at"]?.string?.prefix(13) ?? "") \($0["title"]?.string ?? "")"
      }
    }
    let all = ["2026-11-22T09 Daily", "2026-11-22T12 Later", "2026-11-23T09 Daily", "2026-11-24T09 Daily"]
    #expect(try titles("") == all)
    #expect(try titles("?from=2026-11-22T10:00:00Z&until=2026-11-24T00:00:00Z") == Array(all[1...2]))
    #expect(try titles("?from=2026-11-25T00:00:00Z") == [])
    for bad in ["?until=2026-11-01T00:00:00Z", "?from=2026-11-22T00:00:00Z&until=2027-11-22T00:00:00Z"] {
      #expect(try fixture.send("GET", "/v1/apps/demo/calendar\(bad)").status == 422)
    }
    #expect(try fixture.send("GET", "/v1/apps/demo/calendar?from=x").status == 400)
  }

  // MARK: Results

  @Test("Results of several pushes come in the order of the ids, also as CSV and as lines") func results() throws {
    let (sale, one) = (ids["sale"] ?? "", ids["one"] ?? "")
    _ = try fixture.poll("\(Self.path)/\(sale)") { $0["audience_complete"] == true }
    let results = "/v1/apps/demo/results"
    let path = "?pushes=\(one),\(sale)"
    let rows = try fixture.send("GET", results + path).json["results"]?.array ?? []
    #expect(rows.map { $0["title"]?.string } == ["Your code", "Spring SALE"])
    #expect(rows.map { $0["targeted"]?.int } == [1, 2])
    let formula = #"{"to":{"devices":["1"]},"message":{"title":"=1+1,\"x\"","body":"B"}}"#
    let made = try #require(try fixture.send("POST", Self.path, formula).json["id"]?.string)
    let csv = try fixture.send("GET", "\(results)/export\(path),\(made)&format=csv")
    #expect(csv.headers["content-type"] == "text/csv; charset=utf-8")
    let lines = csv.text.split(separator: "\r\n")
    #expect(lines.count == 4)
    #expect(lines[0].hasPrefix("id,number,campaign,title,variant,state,start_at,finished_at,targeted,accepted"))
    #expect(lines[2].hasPrefix("\(sale),1,sale,Spring SALE,,sending,"), "\(lines[2])")
    #expect(lines[3].contains(#","'=1+1,""x""",,"#), "\(lines[3])")
    #expect(
      try fixture.send("GET", results + "/export" + path + "&format=ndjson").text.split(separator: "\n").count == 2)
    for (query, status) in [
      ("", 400), ("?pushes=", 400), ("?pushes=x", 400), ("?pushes=1,,2", 400), ("?pushes=999999", 404),
    ] {
      #expect(try fixture.send("GET", "/v1/apps/demo/results\(query)").status == status, "\(query)")
    }
  }

  @Test("Results of a campaign with variants have a line for each") func variants() throws {
    let body =
      #"{"to":{"all":true},"campaign":"v","message":{"title":"T","body":"B"},"variants":[{"name":"A","share":50,"message":{"title":"A","body":"B"}}]}"#
    let made = try #require(try fixture.send("POST", Self.path, body).json["id"]?.string)
    let row = try fixture.send("GET", "/v1/apps/demo/results?pushes=\(made)").json["results"]?[0]
    #expect(row?["variants"]?.array?.count == 2)
    let lines = try fixture.send("GET", "/v1/apps/demo/results/export?pushes=\(made)&format=csv").text.split(
      separator: "\r\n")
    #expect(lines.count == 4 && lines[2].contains(",v,,A,") && lines[3].contains("(the message itself)"), "\(lines)")
  }

  // MARK: What happened

  @Test("A timeline has registrations, pushes and reports, the newest first, in pages that meet") func timelines()
    throws
  {
    let user = "/v1/apps/demo/users/ann"
    let device: JSONValue = [
      "type": "ios", "token": .string(String(repeating: "0a", count: 32)), "user": "ann", "name": "phone",
    ]
    let id = try #require(try fixture.post("/v1/apps/demo/devices", device).json["id"]?.string)
    // What is not wanted ends at once, so that no later attempt moves it.
    #expect(try fixture.send("PATCH", "/v1/apps/demo/devices/\(id)", #"{"opt_out":true}"#).status == 200)
    clock.move(seconds: 60)
    for number in 0..<3 {
      let body = #"{"to":{"users":["ann"]},"message":{"title":"N\#(number)","body":"B"}}"#
      let push = try #require(try fixture.send("POST", Self.path, body).json["id"]?.string)
      _ = try fixture.poll("\(Self.path)/\(push)") { $0["finished_at"] != nil }
      clock.move(seconds: 60)
    }
    var again = device.object ?? [:]
    again["token"] = .string(String(repeating: "0b", count: 32))
    #expect(try fixture.post("/v1/apps/demo/devices", .object(again)).status == 200)
    clock.move(seconds: 60)
    #expect(try fixture.send("PATCH", user, #"{"tags":["x"]}"#).status == 200)
    for path in ["/v1/apps/demo/devices/\(id)", user] {
      let whole = try fixture.send("GET", path + "/timeline").json
      let events = whole["events"]?.array ?? []
      let kinds = events.compactMap { $0["kind"]?.string }
      let own = path == user ? ["settings_changed"] : []
      #expect(Array(kinds.prefix(own.count + 2)) == own + kinds.dropFirst(own.count).prefix(2), "\(kinds)")
      #expect(Set(kinds.dropFirst(own.count).prefix(2)) == ["registered", "token_replaced"], "\(kinds)")
      #expect(events.compactMap { $0["title"]?.string } == ["N2", "N1", "N0"])
      let pushes = try fixture.send("GET", Self.path).json["pushes"]?.array ?? []
      let number = { (event: JSONValue) in pushes.first { $0["id"] == event["push"] }?["number"] }
      #expect(
        events.filter { $0["push"] != nil }.allSatisfy { $0["push_number"] != nil && $0["push_number"] == number($0) })
      #expect(events.filter { $0["kind"] == "sent" }.allSatisfy { $0["state"] == "rejected" && $0["reason"] != nil })
      #expect(kinds.contains("first_registered"))
      #expect(whole["next"] == nil)
      // The same in pages: nothing twice, nothing left out.
      var (parts, cursor) = ([JSONValue](), String?.none)
      for _ in 0..<10 {
        let page = try fixture.send("GET", path + "/timeline?limit=1\(cursor.map { "&cursor=\($0)" } ?? "")").json
        parts += page["events"]?.array ?? []
        cursor = page["next"]?.string
        if cursor == nil { break }
      }
      #expect(parts == events, "\(parts)")
    }
    #expect(try fixture.send("GET", "/v1/apps/demo/users/nobody/timeline").status == 404)
    #expect(try fixture.send("GET", "/v1/apps/demo/devices/999/timeline").status == 404)
  }
}
