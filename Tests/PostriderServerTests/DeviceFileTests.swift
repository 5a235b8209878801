import HTTPServer
import PushStore
import StoreModel
import Synchronization
import System
import TestEngines
import TestSupport
import Testing
import WireJSON

@testable import PostriderServer

@Suite(.timeLimit(.minutes(2))) struct DeviceFileTests {
  let fixture: ServerFixture

  init() throws {
    fixture = try ServerFixture()
    _ = try fixture.post("/v1/apps", ["name": "demo"])
  }

  private func token(_ number: Int) -> String { "token-\(number)-" + String(repeating: "x", count: 30) }

  private func upload(
    _ body: String, csv: Bool = false, to other: ServerFixture? = nil
  ) throws -> ServerFixture.Answer {
    let type = csv ? "text/csv" : "application/x-ndjson"
    return try (other ?? fixture).send("PUT", "/v1/apps/demo/devices/import", body, headers: ["Content-Type: \(type)"])
  }

  @Test(.onBothEngines) func everyLineIsRegisteredOnceHoweverOften() throws {
    let count = 5_500
    let lines = (0..<count).map {
      #"{"type":"android","token":"\#(token($0))","user":"u\#($0 % 700)","properties":{"n":\#($0),"plan":"pro"},"tags":["t"]}"#
    }
    let body = lines.joined(separator: "\n")
    let first = try upload(body + "\n")
    #expect(first.status == 200)
    #expect(
      first.text
        == #"{"bytes":\#(body.utf8.count + 1),"lines":\#(count),"created":\#(count),"updated":0,"older":0,"failed":0,"errors":[],"warnings":[]}"#
    )
    #expect(try upload(body).json["updated"]?.int == count)
    let found = try fixture.send(
      "POST", "/v1/apps/demo/segments/count", #"{"filter":{"field":"properties.n","op":"lt","value":100}}"#)
    #expect(found.json["devices"] == 100)
    let imports = try fixture.send("GET", "/v1/apps/demo/devices/imports").json["imports"]?.array ?? []
    #expect(imports.compactMap { $0["lines"]?.int } == [count, count])
    #expect(imports.allSatisfy { $0["running"] == false })
  }

  @Test(.onBothEngines) func wrongLinesAreNamedAndTheOthersStay() throws {
    let body = [
      #"{"type":"android","token":"\#(token(1))"}"#, "not json", "", #"{"type":"android"}"#,
      #"{"type":"ios","token":"zz"}"#, #"{"type":"android","token":"\#(token(2))","properties":{"a":{"b":1}}}"#,
      #"{"type":"android","token":"\#(token(3))","user":7}"#, "[]", String(repeating: "x", count: 1_100_000),
      #"{"type":"android","token":"\#(token(4))"}"#,
    ].joined(separator: "\n")
    let answer = try upload(body)
    #expect(answer.status == 200)
    #expect(answer.json["lines"] == 9 && answer.json["created"] == 2 && answer.json["failed"] == 7)
    let errors = (answer.json["errors"]?.array ?? []).map {
      "\($0["line"]?.int ?? 0) \($0["field"]?.string ?? "?")"
    }
    #expect(errors == ["2 ", "4 token", "5 token", "6 properties.a", "7 user", "8 ", "9 "])
    #expect(answer.json["errors"]?[6]?["message"] == "the line is longer than 1048576 bytes")
    let tokens = (try fixture.send("GET", "/v1/apps/demo/devices").json["devices"]?.array ?? [])
      .compactMap { $0["token"]?.string }
    #expect(tokens == [token(1), token(4)])
  }

  @Test func aLineTheStoreRefusesFailsAlone() throws {
    // The names of properties run out in the middle of a batch.
    let lines = (0..<600).map {
      #"{"type":"android","token":"\#(token($0))","properties":{"p\#($0 * 2)":1,"p\#($0 * 2 + 1)":1}}"#
    }
    let answer = try upload(lines.joined(separator: "\n"))
    #expect(answer.json["created"] == 500 && answer.json["failed"] == 100)
    let refused = Set((answer.json["errors"]?.array ?? []).compactMap { $0["line"]?.int })
    #expect(refused.count == 100)
    let tokens = try fixture.send("GET", "/v1/apps/demo/devices?limit=1000").json["devices"]?.array ?? []
    let kept = Set(tokens.compactMap { $0["token"]?.string })
    #expect(kept == Set((1...600).filter { !refused.contains($0) }.map { token($0 - 1) }))
  }

  @Test func csvIsReadByItsHeader() throws {
    let body =
      "\u{FEFF}type,token,user,tags,properties.age,properties.zip:string,properties.note,opt_out\r\n"
      + "android,\(token(1)),\"Ann \"\"A\"\"\",vip;beta,41,01234,\"two\r\nlines, and a comma\",true\r\n"
      + "android,\(token(2)),,,true,,2026-11-20T12:00:00Z,\r\n" + "android,\(token(3))\r\n"
      + "android,\"\(token(4))\"x,,,,,,\r\n" + "android,\(token(5)),,,,,,maybe\r\n"
    let answer = try upload(body, csv: true)
    #expect(answer.json["created"] == 2 && answer.json["failed"] == 3 && answer.json["lines"] == 5)
    #expect(
      answer.json["errors"]?.array?.map { "\($0["line"]?.int ?? 0) \($0["field"]?.string ?? "?")" }
        == ["5 ", "6 ", "7 opt_out"])
    let devices = try fixture.send("GET", "/v1/apps/demo/devices").json["devices"]
    #expect(devices?[0]?["user"] == "Ann \"A\"" && devices?[0]?["tags"] == ["beta", "vip"])
    #expect(
      devices?[0]?["properties"]?.description == #"{"age":41,"note":"two\r\nlines, and a comma","zip":"01234"}"#)
    #expect(devices?[0]?["opt_out"] == true)
    #expect(
      devices?[1]?["properties"]?.description == #"{"age":true,"note":"2026-11-20T12:00:00.000Z"}"#)
    let bad = try upload("type,token,color\nandroid,\(token(9)),red\n", csv: true)
    #expect(bad.json["failed"] == 1 && bad.json["errors"]?[0]?["field"] == "color")
    #expect(try upload("type,user\nandroid,x\n", csv: true).json["errors"]?[0]?["field"] == "token")
  }

  /// A quotation mark in the middle of a cell is text; it must not swallow the lines behind it.
  @Test func aStrayQuotationMarkStaysInItsCell() throws {
    let body =
      "type,token,name,user\nandroid,\(token(1)),5\" phone,ann\nandroid,\(token(2)),\"a\nb\"\"\",bob\n"
      + "android,\(token(3)),x,eve\n"
    let answer = try upload(body, csv: true)
    #expect(answer.json["lines"] == 3 && answer.json["created"] == 3 && answer.json["failed"] == 0)
    let devices = try fixture.send("GET", "/v1/apps/demo/devices").json["devices"]?.array ?? []
    #expect(devices.compactMap { $0["name"]?.string } == ["5\" phone", "a\nb\"", "x"])
  }

  @Test func whatIsNotUTF8OrTwiceIsRefused() throws {
    // Two users whose names would be one if their letters were repaired.
    let latin = [0xFC, 0xF6].enumerated().map { index, letter in
      Array("android,\(token(index)),M".utf8) + [UInt8(letter)] + Array("ller\n".utf8)
    }
    let client = try HTTPTestClient(port: fixture.server.port)
    let bytes = Array("type,token,user\n".utf8) + latin.joined() + Array("android,\(token(7)),ann\n".utf8)
    client.send(
      Array(
        ("PUT /v1/apps/demo/devices/import?format=csv HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
          + "\(fixture.admin)\r\nContent-Length: \(bytes.count)\r\n\r\n").utf8) + bytes)
    let answer = try client.readAnswer()
    let json = try JSON.parse(answer.body)
    #expect(json["created"] == 1 && json["failed"] == 2)
    #expect(json["errors"]?[0]?["message"]?.string?.contains("UTF-8") == true)
    let twice = try upload("type,token,user,user\nandroid,\(token(9)),a,b\n", csv: true)
    #expect(twice.json["failed"] == 1 && twice.json["errors"]?[0]?["field"] == "user")
  }

  @Test(.onBothEngines, arguments: ["ndjson", "csv"]) func whatIsExportedCanBeImported(_ format: String) throws {
    let lines = (0..<450).map {
      #"{"type":"android","token":"\#(token($0))","name":"n,\#($0)","user":"u \"\#($0 % 9)\"","locale":"de","#
        + #""properties":{"n":\#($0),"half":0.5,"ok":true,"at":"2026-11-20T12:00:00.000Z"},"tags":["a","b"],"#
        + #""opt_out_categories":["news"]}"#
    }
    #expect(try upload(lines.joined(separator: "\n")).json["created"] == 450)
    let path = "/v1/apps/demo/devices/export?format=\(format)"
    let exported = try fixture.send("GET", path)
    #expect(
      exported.status == 200
        && exported.headers["content-type"]?.hasPrefix(format == "csv" ? "text/csv" : "application/x-ndjson") == true)
    let again = try ServerFixture()
    _ = try again.post("/v1/apps", ["name": "demo"])
    let body = exported.text
    let answer = try again.send(
      "PUT", "/v1/apps/demo/devices/import?format=\(format)", body)
    #expect(answer.json["created"] == 450, "\(answer.text.prefix(400))")
    #expect(try again.send("GET", path).text == exported.text)
  }

  /// Values that mean something to CSV, to JSON or to people; the largest device there can be; devices that are not pushed to.
  @Test(.onBothEngines, arguments: ["ndjson", "csv"]) func anExportIsAFixedPoint(_ format: String) throws {
    let now = Atomic<Int64>(1_795_219_200_000)
    let first = try ServerFixture(clock: WallClock { now.load(ordering: .relaxed) })
    _ = try first.post("/v1/apps", ["name": "demo"])
    let hostile = [
      ";", "\\", "\\;", ";;\\\\;", "a;b", "a\\;b\\", "\"", "\"\"", ",", "a\r\nb", "\r", "\n", " ", " x ", "true", "1e5",
      "'=1+1", "\u{FEFF}", "\u{1}\u{1F}", "\u{7F}", "ö\u{308}", "👩‍👩‍👧‍👦", "null", "{}", "[\"x\"]", "2026-11-20T12:00:00Z",
      "\t", "#",
    ]
    var lines: [String] = []
    for (index, text) in hostile.enumerated() {
      let device: JSONValue = [
        "type": "android", "token": .string(token(index)), "name": .string(text), "user": .string(text),
        "locale": .string(text), "timezone": .string(text), "app_version": .string(text),
        "tags": .array([.string(text), "plain"]), "opt_out_categories": .array([.string(text)]),
        "opt_out": .bool(index % 2 == 0),
        "properties": .object([
          "text": .string(text), text: 1, "number": -0.5, "large": 9_007_199_254_740_993, "tiny": 1e-300, "bool": false,
        ]),
      ]
      lines.append(JSON.minifiedText(device))
    }
    var many = JSONObject()
    for number in 0..<90 { many["p\(number)"] = .string(String(repeating: "\u{1}", count: 1_024)) }
    lines.append(JSON.minifiedText(["type": "android", "token": .string(token(900)), "properties": .object(many)]))
    let taken = try first.send("PUT", "/v1/apps/demo/devices/import", lines.joined(separator: "\n"))
    #expect(taken.json["created"]?.int == hostile.count + 1, "\(taken.text.prefix(800))")
    // One is held back; then it is another day.
    let retired = ServerFixture.androidToken
    let line =
      #"{"type":"android","token":"\#(retired)","state":"retired","state_reason":"UNREGISTERED","#
      + #""state_at":"2026-10-01T00:00:00Z","created_at":"2026-09-01T00:00:00Z","registered_at":"2026-09-02T00:00:00Z"}"#
    #expect(try first.send("PUT", "/v1/apps/demo/devices/import", line).json["created"] == 1)
    let path = "/v1/apps/demo/devices/export?format=\(format)"
    let exported = try first.send("GET", path).text
    now.add(86_400_000, ordering: .relaxed)
    let second = try ServerFixture(clock: WallClock { now.load(ordering: .relaxed) })
    _ = try second.post("/v1/apps", ["name": "demo"])
    let again = try second.send("PUT", "/v1/apps/demo/devices/import?format=\(format)", exported)
    #expect(again.json["created"]?.int == hostile.count + 2 && again.json["failed"] == 0, "\(again.text.prefix(800))")
    #expect(try second.send("GET", path).text == exported)
    // Twice is as once.
    let twice = try second.send("PUT", "/v1/apps/demo/devices/import?format=\(format)", exported)
    #expect(twice.json["updated"]?.int == hostile.count + 2 && twice.json["older"] == 0, "\(twice.text.prefix(800))")
    #expect(try second.send("GET", path).text == exported)
    let bad = #"{"type":"android","token":"\#(token(1))","registered_at":"yesterday"}"#
    let refused = try second.send("PUT", "/v1/apps/demo/devices/import", bad)
    #expect(refused.json["errors"]?[0]?["field"] == "registered_at")
  }

  /// What a file says of a device that this server knows already.
  struct Known: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The members of the line beside type and token.
    let line: String
    /// What is stored afterwards: state, day of the last registration, user, day on which the user was last seen.
    let after: String
    var counted = "updated"
  }

  static let known: [Known] = [
    Known(testDescription: "says nothing of the time", line: #""locale":"fr""#, after: "retired 02 ann 02"),
    Known(
      testDescription: "is older than what is known",
      line: #""user":"bob","registered_at":"2026-09-01T00:00:00Z""#, after: "retired 02 ann 02", counted: "older"),
    Known(
      testDescription: "is the registration that is known",
      line: #""user":"ann","registered_at":"2026-09-02T00:00:00Z""#, after: "retired 02 ann 02"),
    Known(
      testDescription: "is later than the registration, and earlier than the retirement",
      line: #""user":"ann","registered_at":"2026-09-03T00:00:00Z""#, after: "retired 03 ann 03"),
    Known(
      testDescription: "is later than the retirement", line: #""user":"ann","registered_at":"2026-09-06T00:00:00Z""#,
      after: "active 06 ann 06"),
    Known(
      testDescription: "is later, and dead there too",
      line: #""user":"ann","state":"retired","registered_at":"2026-09-06T00:00:00Z""#, after: "retired 06 ann 06"),
    Known(testDescription: "names another user", line: #""user":"bob""#, after: "retired 02 bob –"),
    Known(
      testDescription: "is of the future", line: #""user":"ann","registered_at":"2999-01-01T00:00:00Z""#,
      after: "active 21 ann 21"),
  ]

  @Test(arguments: ["ndjson", "csv"], known) func aFileIsNotTheDevice(_ format: String, _ row: Known) throws {
    let fixture = try ServerFixture(clock: WallClock { 1_795_219_200_000 })
    _ = try fixture.post("/v1/apps", ["name": "demo"])
    let base = #"{"type":"android","token":"\#(token(1))","#
    let first =
      base + #""user":"ann","state":"retired","state_reason":"UNREGISTERED","state_at":"2026-09-05T00:00:00Z","#
      + #""created_at":"2026-09-01T00:00:00Z","registered_at":"2026-09-02T00:00:00Z"}"#
    func file(_ line: String) throws -> ServerFixture.Answer {
      guard format == "csv" else {
        return try fixture.send("PUT", "/v1/apps/demo/devices/import", line)
      }
      let members = try #require(JSON.parse(Array(line.utf8)).object)
      let csv =
        members.map(\.key).joined(separator: ",") + "\n"
        + members.map { $0.value.string ?? "" }.joined(separator: ",") + "\n"
      return try fixture.send("PUT", "/v1/apps/demo/devices/import?format=csv", csv)
    }
    #expect(try file(first).json["created"] == 1)
    // However often: nothing changes the second time.
    for _ in 0..<2 {
      let answer = try file(base + row.line + "}")
      #expect(answer.json["lines"] == 1 && answer.json["failed"] == 0, "\(answer.text)")
      #expect(answer.json[row.counted] == 1, "\(answer.text)")
      let device = try #require(try fixture.send("GET", "/v1/apps/demo/devices").json["devices"]?[0])
      let user = try #require(device["user"]?.string)
      let seen = try fixture.send("GET", "/v1/apps/demo/users/\(user)").json["last_seen_at"]?.string
      func day(_ text: String?) -> String { text.map { String($0.dropFirst(8).prefix(2)) } ?? "–" }
      let found = "\(device["state"]?.string ?? "") \(day(device["registered_at"]?.string)) \(user) \(day(seen))"
      #expect(found == row.after)
      #expect(device["created_at"] == "2026-09-01T00:00:00.000Z")
    }
  }

  @Test(.onBothEngines) func usersOfAFileAreAsOldAsTheirDevices() throws {
    let fixture = try ServerFixture(clock: WallClock { 1_795_219_200_000 })
    _ = try fixture.post("/v1/apps", ["name": "demo"])
    let lines = [
      ("old", "2026-01-01", "2026-02-01"), ("old", "2025-01-01", "2026-01-02"), ("new", "2026-11-20", "2026-11-20"),
    ]
    .enumerated().map { index, row in
      #"{"type":"android","token":"\#(token(index))","user":"\#(row.0)","created_at":"\#(row.1)T00:00:00Z","#
        + #""registered_at":"\#(row.2)T00:00:00Z"}"#
    }
    #expect(try upload(lines.joined(separator: "\n"), to: fixture).json["created"] == 3)
    for (segment, count) in [("active_7d", 1), ("new_users", 1)] {
      let found = try fixture.send("GET", "/v1/apps/demo/segments/\(segment)/count")
      #expect(found.json["devices"]?.int == count, "\(segment): \(found.text)")
    }
    let user = try fixture.send("GET", "/v1/apps/demo/users/old").json
    #expect(user["created_at"] == "2025-01-01T00:00:00.000Z" && user["first_seen_at"] == "2025-01-01T00:00:00.000Z")
    #expect(user["last_seen_at"] == "2026-02-01T00:00:00.000Z")
  }

  @Test func unknownMembersAreListedOnce() throws {
    let lines = (0..<3).map { #"{"type":"android","token":"\#(token($0))","color":"red","shade\#($0)":1}"# }
    let answer = try upload(lines.joined(separator: "\n"))
    #expect(answer.json["created"] == 3 && answer.json["failed"] == 0)
    let warnings = (answer.json["warnings"]?.array ?? []).map {
      "\($0["line"]?.int ?? 0) \($0["field"]?.string ?? "")"
    }
    #expect(warnings == ["1 color", "1 shade0", "2 shade1", "3 shade2"])
  }

  @Test func whoMayNotImportIsToldSo() throws {
    let client = try fixture.key(["client"])
    let path = "/v1/apps/demo/devices/import"
    let body = String(repeating: "x", count: 100_000)
    #expect(try fixture.send("PUT", path, body, key: client).status == 403)
    #expect(try fixture.send("PUT", path, body, key: .some(nil)).status == 401)
    #expect(try fixture.send("PUT", "/v1/apps/none/devices/import", body).status == 404)
    #expect(try fixture.send("PUT", path + "?format=xml", body).status == 400)
    #expect(try fixture.send("POST", path, body).status == 405)
    #expect(try fixture.send("PUT", path, "").text.contains(#""lines":0"#))
  }

  @Test func exportsOfOneAppLeaveRoomForOthers() throws {
    let slots = ExportSlots()
    let (one, other) = (AppID(rawValue: 1), AppID(rawValue: 2))
    var held = try (0..<ExportSlots.perAppMax).map { _ in try slots.take(one) }
    let refusal = #expect(throws: Problem.self) { try slots.take(one) }
    #expect(refusal?.kind == .busy)
    #expect(refusal?.headers.first?.name == "Retry-After")
    let others = try slots.take(other)
    held.removeLast()
    held.append(try slots.take(one))
    withExtendedLifetime((held, others)) {}
    // Each export gives its slot back, read to the end or not.
    for method in ["GET", "HEAD", "GET", "HEAD", "GET"] {
      #expect(try fixture.send(method, "/v1/apps/demo/devices/export").status == 200)
    }
  }

  @Test("Exports that nobody reads keep their own app's exports waiting, and nobody else's")
  func unreadExportsLeaveRoomForOthers() throws {
    _ = try fixture.post("/v1/apps", ["name": "other"])
    // More than the kernel keeps for a reader that does not read.
    let padding = String(repeating: "p", count: 1_000)
    let lines = (0..<16_000).map {
      #"{"type":"android","token":"\#(token($0))","properties":{"p":"\#(padding)"}}"#
    }
    #expect(try upload(lines.joined(separator: "\n")).json["created"]?.int == lines.count)
    let path = "/v1/apps/demo/devices/export"
    do {
      let readers = try (0..<ExportSlots.perAppMax).map { _ in
        let client = try HTTPTestClient(port: fixture.server.port)
        client.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(fixture.admin)\r\n\r\n")
        #expect(!client.receive(100).isEmpty)
        return client
      }
      let refusal = try fixture.send("GET", path)
      #expect(refusal.status == 503 && refusal.headers["retry-after"] == "10", "\(refusal)")
      for _ in 0..<3 { #expect(try fixture.send("GET", "/v1/apps/other/devices/export").status == 200) }
      withExtendedLifetime(readers) {}
    }
    #expect(try fixture.wait(until: { try fixture.send("HEAD", path).status == 200 }), "they gave their slots back")
  }

  @Test("An import that is under way when the server stops is read to its end, and shown as that") func stops() throws {
    let line = #"{"type":"android","token":"\#(token(1))"}"# + "\n"
    let client = try HTTPTestClient(port: fixture.server.port)
    client.send(
      "PUT /v1/apps/demo/devices/import HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(fixture.admin)\r\n"
        + "Content-Length: \(2 * line.utf8.count)\r\n\r\n" + line)
    #expect(
      try fixture.wait(until: {
        try fixture.send("GET", "/v1/apps/demo/devices/imports").json["imports"]?[0]?["lines"] == 1
      }))
    let server = fixture.server
    let stopping = try SystemThread.start("stopping") { server.stop(drainingFor: .seconds(20)) }
    // The port is closed to others first.
    #expect(try fixture.wait(until: { (try? HTTPTestClient(port: fixture.server.port)) == nil }))
    client.send(line)
    let answer = try client.readAnswer()
    #expect(answer.status == 200, "\(answer)")
    stopping.join()
    let again = try ServerFixture(folder: fixture.folder, admin: fixture.admin)
    defer { again.server.stop() }
    let shown = try again.send("GET", "/v1/apps/demo/devices/imports").json["imports"]?[0]
    #expect(shown?["running"] == false && shown?["lines"] == 2 && shown?["problem"] == nil, "\(shown ?? .null)")
  }

  @Test func aClientThatGoesAwayLeavesWholeLinesOnly() throws {
    let line = #"{"type":"android","token":"\#(token(1))"}"# + "\n"
    do {
      let client = try HTTPTestClient(port: fixture.server.port)
      client.send(
        "PUT /v1/apps/demo/devices/import HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(fixture.admin)\r\n"
          + "Content-Length: 100000\r\n\r\n" + line + #"{"type":"android","tok"#)
      let isUnderWay = try fixture.wait(until: {
        try fixture.send("GET", "/v1/apps/demo/devices/imports").json["imports"]?[0]?["running"] == true
      })
      #expect(isUnderWay)
      _ = consume client
    }
    let isOver = try fixture.wait(until: {
      try fixture.send("GET", "/v1/apps/demo/devices/imports").json["imports"]?[0]?["running"] == false
    })
    #expect(isOver)
    #expect((try fixture.send("GET", "/v1/apps/demo/devices").json["devices"]?.array?.count ?? 9) <= 1)
  }
}
