import TestSupport
import Testing
import WireJSON

/// Everything that is made names who made it.
@Suite(.timeLimit(.minutes(2))) struct AuthorTests {
  let clock = SteppedClock()
  let fixture: ServerFixture
  let person: JSONValue
  let ann: SessionTests.Browser

  init() throws {
    fixture = try ServerFixture(clock: clock.clock)
    _ = try fixture.makeDemo()
    let (id, browser) = try fixture.person("ann@example.com", ["sender:demo"])
    ann = browser
    person = ["kind": "person", "id": .string(id), "name": "Ann"]
  }

  private static let message: JSONValue = ["title": "T", "body": "B"]
  private static let app = "/v1/apps/demo"

  private func made(_ path: String, _ body: JSONValue, by browser: SessionTests.Browser?) throws -> JSONValue {
    let answer =
      try browser.map { try fixture.send("POST", Self.app + path, body, by: $0) }
      ?? fixture.post(Self.app + path, body)
    #expect(answer.status < 300, "\(path): \(answer)")
    return answer.json
  }

  @Test("A push names a person, a key, and is listed with both") func pushes() throws {
    let push: JSONValue = ["to": ["all": true], "message": Self.message]
    let id = try #require(try made("/pushes", push, by: ann)["id"]?.string)
    #expect(try fixture.send("GET", "\(Self.app)/pushes/\(id)").json["author"] == person)
    let draft: JSONValue = ["to": ["all": true], "message": Self.message, "draft": true]
    let kept = try #require(try made("/pushes", draft, by: ann)["id"]?.string)
    #expect(try fixture.send("GET", "\(Self.app)/pushes/\(kept)").json["author"] == person)
    // Who releases it is not who wrote it.
    #expect(try fixture.send("POST", "\(Self.app)/pushes/\(kept)/send").json["author"] == person)
    _ = try made("/pushes", push, by: nil)
    let key: JSONValue = ["kind": "key", "id": "1", "name": "first"]
    let authors = try fixture.send("GET", "\(Self.app)/pushes").json["pushes"]?.array?.map { $0["author"] }
    #expect(authors == [key, person, person], "\(authors ?? [])")
  }

  @Test("A schedule names who made it, and its pushes name the schedule") func schedules() throws {
    let repeating: JSONValue = [
      "to": ["all": true], "message": Self.message,
      "repeat": ["every": "day", "start": "2026-11-21T12:00:00", "timezone": "UTC"],
    ]
    let schedule = try made("/schedules", repeating, by: ann)
    let id = try #require(schedule["id"]?.string)
    #expect(schedule["author"] == person)
    clock.move(seconds: 2 * 86_400)
    let made = try fixture.poll("\(Self.app)/pushes") { $0["pushes"]?[0] != nil }
    #expect(made["pushes"]?[0]?["author"] == ["kind": "schedule", "id": .string(id)], "\(made)")
  }

  @Test("Segments, templates and other settings name who changed them") func settings() throws {
    let filter: JSONValue = ["field": "tags", "op": "eq", "value": "x"]
    #expect(try made("/segments", ["name": "s", "filter": filter], by: ann)["author"] == person)
    let listed = try fixture.send("GET", "\(Self.app)/segments").json["segments"]?.array?.last
    #expect(listed?["name"] == "s" && listed?["author"] == person)
    let quiet: JSONValue = ["quiet_hours": ["from": "22:00", "to": "07:00"]]
    #expect(try fixture.send("PUT", "\(Self.app)/suppression", quiet, by: ann).status == 200)
    let acts = try fixture.send("GET", "\(Self.app)/audit").json["acts"]?.array ?? []
    #expect(acts.prefix(2).map { $0["act"] } == ["setSuppression", "createSegment"], "\(acts)")
    #expect(acts.prefix(2).allSatisfy { $0["author"] == person && $0["key"] == nil })
  }

  @Test("The audit log is asked by act, by time and by who, page by page") func asksTheAuditLog() throws {
    let segment = { (name: String) -> JSONValue in
      ["name": .string(name), "filter": ["field": "tags", "op": "eq", "value": "x"]]
    }
    for name in ["a", "b", "c"] {
      _ = try made("/segments", segment(name), by: ann)
      clock.move(seconds: 3_600)
    }
    _ = try made("/segments", segment("d"), by: nil)
    func acts(_ query: String) throws -> [JSONValue] {
      let answer = try fixture.send("GET", "/v1/audit?\(query)")
      #expect(answer.status == 200, "\(answer.text)")
      return answer.json["acts"]?.array ?? []
    }
    let all = try acts("act=createSegment")
    #expect(all.count == 4 && all.allSatisfy { $0["act"] == "createSegment" }, "\(all)")
    let times = try all.reversed().map { try #require($0["at"]?.string) }
    #expect(try acts("act=createSegment&from=\(times[1])&until=\(times[3])") == Array(all[1...2]))
    let id = try #require(person["id"]?.string)
    #expect(try acts("act=createSegment&person=\(id)") == Array(all[1...]))
    #expect(try acts("act=createSegment&key=1") == Array(all[..<1]))
    #expect(try acts("act=deleteSegment") == [])
    // Pages of what was asked for, each as long as it says.
    var (found, cursor) = ([JSONValue](), String?.none)
    repeat {
      let page = try fixture.send(
        "GET", "\(Self.app)/audit?act=createSegment&limit=3\(cursor.map { "&cursor=\($0)" } ?? "")"
      ).json
      found += page["acts"]?.array ?? []
      cursor = page["next"]?.string
      #expect((cursor == nil) == (found.count == 4), "\(found.count)")
    } while cursor != nil && found.count < 4
    #expect(found == all)
    #expect(try fixture.send("GET", "/v1/audit?from=yesterday").detail.contains("?from: expected a date and time"))
    for act in ["create-segment", "bogus"] {
      let refused = try fixture.send("GET", "/v1/audit?act=\(act)")
      #expect(refused.status == 422, "\(refused.text)")
      let words = "?act: the log has no acts named \"\(act)\"; it has: "
      #expect(refused.detail.hasPrefix(words), "\(refused.text)")
      #expect(refused.detail.contains("createSegment, ") && refused.detail.contains("changePassword, "))
    }
  }

  @Test("An import names who sent it") func imports() throws {
    let line = #"{"type":"android","token":"bk3RNwTe3H0:CI2k_HHwgIpoDKCIZvvDMExUdFQ3P9"}"#
    let answer = try fixture.send(
      "PUT", "\(Self.app)/devices/import", line, key: .some(nil),
      headers: ann.writing + ["Content-Type: application/x-ndjson"])
    #expect(answer.status == 200, "\(answer)")
    #expect(try fixture.send("GET", "\(Self.app)/devices/imports").json["imports"]?[0]?["author"] == person)
  }

  @Test("What a person does with an idempotency key is not another's") func repeats() throws {
    let (_, bob) = try fixture.person("bob@example.com", ["sender:demo"], name: "Bob")
    let push: JSONValue = ["to": ["all": true], "message": Self.message]
    func id(_ browser: SessionTests.Browser) throws -> String? {
      try fixture.open(
        "POST", "\(Self.app)/pushes", push, headers: browser.writing + ["Idempotency-Key: one"]
      ).json["id"]?.string
    }
    let first = try id(ann)
    #expect(try first != nil && id(ann) == first && id(bob) != first)
  }
}
