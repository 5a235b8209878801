import Synchronization
import TestEngines
import TestSupport
import Testing
import WireJSON

@testable import PostriderServer

/// Compression, conditional requests, rates, rotation, the audit log, and the dashboard for Grafana.
@Suite(.timeLimit(.minutes(1))) struct APIQualityTests {
  // MARK: - Compression

  @Test(arguments: [
    ("gzip", true), ("gzip, br", true), ("br;q=1.0, GZIP;q=0.5", true), ("*", true), ("", false), ("br", false),
    ("gzip;q=0", false), ("gzip;q=0.000", false), ("*;q=0", false), ("gzip;q=0, *", false),
  ])
  func readsWhatAClientTakes(_ header: String, _ isTaken: Bool) { #expect(Gzip.isTaken(header) == isTaken) }

  @Test func compressesLongAnswersForThoseWhoTakeIt() throws {
    let fixture = try ServerFixture()
    let plain = try fixture.send("GET", "/openapi.json")
    #expect(plain.headers["content-encoding"] == nil)
    #expect(plain.headers["vary"] == "Accept-Encoding")
    // An independent reader: curl decodes, and what it has is what was sent to the other.
    let result = try Subprocess.run(
      "/usr/bin/curl",
      ["-sS", "--compressed", "-D", "/dev/stderr", "http://127.0.0.1:\(fixture.server.port)/openapi.json"])
    #expect(result.status == 0)
    #expect(result.errorText.lowercased().contains("content-encoding: gzip"))
    #expect(result.outputText == plain.text)
    let short = try fixture.send("GET", "/healthz", headers: ["Accept-Encoding: gzip"])
    #expect(short.headers["content-encoding"] == nil)
    #expect(short.text == #"{"status":"ok"}"#)
  }

  // MARK: - Conditional requests

  @Test func saysWhenNothingHasChanged() throws {
    let fixture = try ServerFixture()
    _ = try fixture.makeDemo()
    let first = try fixture.send("GET", "/v1/apps/demo")
    let tag = try #require(first.headers["etag"])
    #expect(tag.hasPrefix("\"") && tag.hasSuffix("\""))
    for known in [tag, "W/\(tag)", "\"x\", \(tag)", "*", String(tag.dropLast()) + "-gzip\""] {
      let again = try fixture.send("GET", "/v1/apps/demo", headers: ["If-None-Match: \(known)"])
      #expect(again.status == 304, "\(known)")
      #expect(again.text.isEmpty)
      #expect(again.headers["etag"] == tag)
    }
    #expect(try fixture.send("GET", "/v1/apps/demo", headers: ["If-None-Match: \"x\""]).status == 200)
  }

  @Test("What the OpenAPI document says of entity tags is so") func documentsTags() throws {
    let fixture = try ServerFixture()
    _ = try fixture.makeDemo()
    let paths = try #require(try fixture.send("GET", "/openapi.json").json["paths"]?.object)
    func headers(_ operation: JSONValue?) -> [String] {
      (operation?["parameters"]?.array ?? []).filter { $0["in"] == "header" }.compactMap { $0["name"]?.string }
    }
    var tagged = 0
    for (path, item) in paths {
      let names = path.split(separator: "{").count - 1
      guard names == 0 || names == 1 && path.contains("{app}"),
        let get = item["get"], get["responses"]?["200"]?["content"]?["application/json"] != nil
      else { continue }
      let isDocumented = headers(get).contains("If-None-Match")
      let answer = try fixture.send("GET", path.replacing("{app}", with: "demo"))
      guard answer.status == 200 else { continue }
      #expect(isDocumented == (answer.headers["etag"] != nil), "\(path)")
      tagged += isDocumented ? 1 : 0
    }
    #expect(tagged > 15)
    #expect(headers(paths["/v1/apps/{app}"]?["patch"]) == ["If-Match"])
    #expect(headers(paths["/v1/retention"]?["put"]) == ["If-Match"])
    #expect(headers(paths["/v1/retention"]?["get"]) == ["If-None-Match"])
    #expect(paths["/v1/retention"]?["get"]?["responses"]?["200"]?["headers"]?["ETag"] != nil)
  }

  @Test func changesOnlyWhatTheCallerHasSeen() throws {
    let fixture = try ServerFixture()
    let path = "/v1/retention"
    let tag = try #require(try fixture.send("GET", path).headers["etag"])
    let first = try fixture.send("PUT", path, #"{"deliveries_days":9}"#, headers: ["If-Match: \(tag)"])
    #expect(first.status == 200)
    let late = try fixture.send("PUT", path, #"{"deliveries_days":8}"#, headers: ["If-Match: \(tag)"])
    #expect(late.status == 412)
    #expect(late.json["type"] == "urn:postrider:problem:precondition-failed")
    #expect(try fixture.send("GET", path).json["deliveries_days"] == 9)
    #expect(try fixture.send("PUT", path, #"{"deliveries_days":8}"#, headers: ["If-Match: *"]).status == 200)
    // A path that shows nothing has nothing to compare with; what is not there cannot match.
    let apps = try fixture.send("DELETE", "/v1/keys/1", headers: ["If-Match: *"])
    #expect(apps.status == 400)
    _ = try fixture.makeDemo()
    let gone = try fixture.send("DELETE", "/v1/apps/demo/webhooks/7", headers: ["If-Match: *"])
    #expect(gone.status == 404)
  }

  /// What changes by itself is no change of what somebody wrote; a tag still names every byte.
  @Test func countersDoNotGetInTheWayOfAChange() throws {
    let now = Now()
    let fixture = try ServerFixture(clock: WallClock { now.ms.load(ordering: .relaxed) })
    let ios = try fixture.makeDemo().ios
    let path = "/v1/apps/demo/devices/\(ios)"
    let tag = try #require(try fixture.send("GET", path).headers["etag"])
    now.ms.add(60_000, ordering: .relaxed)
    _ = try fixture.post("/v1/apps/demo/devices", ["type": "ios", "token": .string(ServerFixture.iosToken)])
    let seen = try fixture.send("GET", path, headers: ["If-None-Match: \(tag)"])
    #expect(seen.status == 200 && seen.headers["etag"] != tag)
    let change = #"{"locale":"de"}"#
    #expect(try fixture.send("PATCH", path, change, headers: ["If-Match: \(tag)"]).status == 200)
    #expect(try fixture.send("PATCH", path, change, headers: ["If-Match: \(tag)"]).status == 412)
    let compressed = try #require(try fixture.send("GET", path).headers["etag"]).dropLast() + "-gzip\""
    #expect(try fixture.send("PATCH", path, change, headers: ["If-Match: \(compressed)"]).status == 200)
  }

  @Test func honoursIfMatchWhereTheAnswerComesLater() throws {
    let fixture = try ServerFixture()
    _ = try fixture.makeDemo()
    for (path, body) in [
      ("/v1/apps/demo/devices", #"{"type":"ios","token":"\#(String(repeating: "ab", count: 32))"}"#),
      ("/v1/apps/demo/pushes", #"{"to":{"all":true},"message":{"title":"T","body":"B"}}"#),
    ] {
      let tag = try #require(try fixture.send("GET", path).headers["etag"])
      #expect(try fixture.send("POST", path, body, headers: ["If-Match: \"other\""]).status == 412, "\(path)")
      let status = try fixture.send("POST", path, body, headers: ["If-Match: \(tag)"]).status
      #expect(status == 201 || status == 202, "\(path)")
      #expect(try fixture.send("POST", path, body, headers: ["If-Match: \(tag)"]).status == 412, "\(path)")
    }
    #expect(try fixture.send("GET", "/v1/apps/demo/pushes").json["pushes"]?.array?.count == 1)
    for (method, path, body) in [
      ("POST", "/v1/apps/demo/events", #"{"events":[{"type":"opened","delivery":"1"}]}"#),
      ("POST", "/v1/apps/demo/credentials/check", "{}"), ("PUT", "/v1/apps/demo/devices/import", "{}"),
    ] {
      let answer = try fixture.send(method, path, body, headers: ["If-Match: *"])
      #expect(answer.status == 400 && answer.detail.hasPrefix("If-Match:"), "\(path): \(answer.text)")
    }
  }

  // MARK: - Rates

  @Test func boundsEachKeysRate() throws {
    let now = Now()
    let fixture = try ServerFixture(clock: WallClock { now.ms.load(ordering: .relaxed) })
    _ = try fixture.makeDemo()
    let body: JSONValue = ["name": "slow", "scopes": ["read"], "rate_per_minute": 30]
    let made = try fixture.post("/v1/keys", body)
    #expect(made.json["rate_per_minute"] == 30)
    let key = try #require(made.json["key"]?.string)
    // A tenth of a minute's worth at once, then one every two seconds.
    for _ in 0..<3 { #expect(try fixture.send("GET", "/v1/apps", key: key).status == 200) }
    let refused = try fixture.send("GET", "/v1/apps", key: key)
    #expect(refused.status == 429)
    #expect(refused.headers["retry-after"] == "2")
    #expect(refused.detail == "the key is good for 30 requests a minute; try again in 2 s")
    #expect(try fixture.send("GET", "/v1/apps").status == 200)
    now.ms.add(2_000, ordering: .relaxed)
    #expect(try fixture.send("GET", "/v1/apps", key: key).status == 200)
    #expect(try fixture.send("GET", "/v1/apps", key: key).status == 429)
    // A clock that steps back locks nobody out for longer.
    now.ms.subtract(3_600_000, ordering: .relaxed)
    #expect(try fixture.send("GET", "/v1/apps", key: key).status == 429)
    now.ms.add(2_000, ordering: .relaxed)
    #expect(try fixture.send("GET", "/v1/apps", key: key).status == 200)
    #expect(
      try fixture.post("/v1/keys", ["name": "x", "scopes": ["read"], "rate_per_minute": 0]).detail
        == "rate_per_minute: expected a whole number from 1 to 1000000000, found 0")
  }

  @Test func theServersRateIsForKeysWithoutOne() throws {
    let fixture = try ServerFixture { $0.ratePerMinute = 20 }
    for _ in 0..<2 { #expect(try fixture.send("GET", "/v1/apps").status == 200) }
    #expect(try fixture.send("GET", "/v1/apps").status == 429)
    #expect(try fixture.send("GET", "/healthz").status == 200)
  }

  final class Now: Sendable { let ms = Atomic<Int64>(1_795_219_200_000) }

  // MARK: - Rotation

  /// Rotated twice, once because the first answer was lost: the newest key has the end that the first had by itself.
  @Test func rotatesAKeyTwiceWithinItsOverlap() throws {
    let fixture = try ServerFixture()
    let made = try fixture.post("/v1/keys", ["name": "k", "scopes": ["send"], "expires_in_seconds": 864_000])
    let (id, end) = (try #require(made.json["id"]?.string), made.json["expires_at"])
    let first = try fixture.send("POST", "/v1/keys/\(id)/rotate", #"{"overlap_seconds":60}"#)
    #expect(first.json["expires_at"] == end)
    let second = try fixture.send("POST", "/v1/keys/\(id)/rotate", #"{"overlap_seconds":3600}"#)
    #expect(second.status == 201 && second.json["expires_at"] == end)
    let keys = try fixture.send("GET", "/v1/keys").json["keys"]?.array ?? []
    // The last word counts: an hour from now, not the rest of the first minute.
    #expect(keys.first { $0["id"] == .string(id) }?["expires_at"] == "2026-11-21T01:00:00.000Z")
    // Longer than the key lives by itself is no longer than that.
    _ = try fixture.send("POST", "/v1/keys/\(id)/rotate", #"{"overlap_seconds":2592000}"#)
    let later = try fixture.send("GET", "/v1/keys").json["keys"]?.array ?? []
    #expect(later.first { $0["id"] == .string(id) }?["expires_at"] == end)
  }

  @Test func aRotationWithoutOverlapCanBeRepeated() throws {
    let fixture = try ServerFixture()
    let made = try fixture.post("/v1/keys", ["name": "k", "scopes": ["read"]])
    let (id, old) = (try #require(made.json["id"]?.string), try #require(made.json["key"]?.string))
    let headers = ["Idempotency-Key: once"]
    let rotate = #"{"overlap_seconds":0}"#
    let first = try fixture.send("POST", "/v1/keys/\(id)/rotate", rotate, headers: headers)
    #expect(first.status == 201)
    #expect(try fixture.send("GET", "/v1/apps", key: old).status == 401)
    let again = try fixture.send("POST", "/v1/keys/\(id)/rotate", rotate, headers: headers)
    #expect(again.status == 201 && again.json["key"] == first.json["key"] && again.json["id"] == first.json["id"])
    #expect(try fixture.send("GET", "/v1/apps", key: again.json["key"]?.string).status == 200)
    #expect(try fixture.send("POST", "/v1/keys/\(id)/rotate", rotate).status == 409)
  }

  @Test func rotatesAKeyWithoutAGap() throws {
    let now = Now()
    let fixture = try ServerFixture(clock: WallClock { now.ms.load(ordering: .relaxed) })
    let body: JSONValue = ["name": "ci", "scopes": ["read", "send"], "rate_per_minute": 6_000]
    let made = try fixture.post("/v1/keys", body).json
    let (old, id) = (try #require(made["key"]?.string), try #require(made["id"]?.string))
    let headers = ["Idempotency-Key: r"]
    let rotated = try fixture.send("POST", "/v1/keys/\(id)/rotate", #"{"overlap_seconds":60}"#, headers: headers)
    #expect(rotated.status == 201)
    let new = try #require(rotated.json["key"]?.string)
    #expect(rotated.json["scopes"] == ["send", "read"])
    #expect(rotated.json["rate_per_minute"] == 6_000)
    let again = try fixture.send("POST", "/v1/keys/\(id)/rotate", #"{"overlap_seconds":60}"#, headers: headers)
    #expect(again.json["key"]?.string == new)
    #expect(try fixture.send("GET", "/v1/apps", key: old).status == 200)
    #expect(try fixture.send("GET", "/v1/apps", key: new).status == 200)
    now.ms.add(60_000, ordering: .relaxed)
    #expect(try fixture.send("GET", "/v1/apps", key: old).status == 401)
    #expect(try fixture.send("GET", "/v1/apps", key: new).status == 200)
    #expect(try fixture.send("POST", "/v1/keys/\(id)/rotate", "{}").status == 409)
    #expect(try fixture.send("POST", "/v1/keys/4711/rotate", "{}").status == 404)
  }

  // MARK: - Audit

  @Test("The audit log is asked for a person, with the keys that are theirs, and for a key") func auditOfOne() throws {
    let fixture = try ServerFixture()
    _ = try fixture.makeDemo()
    let (id, ann) = try fixture.person("ann@example.com", ["admin"])
    #expect(try fixture.send("PUT", "/v1/apps/demo/retention", ["events_days": 90], by: ann).status == 200)
    let key = try fixture.post(
      "/v1/keys", ["name": "Ann's laptop", "scopes": ["admin"], "person": .string(id)]
    ).json
    let (text, number) = (try #require(key["key"]?.string), try #require(key["id"]?.string))
    #expect(try fixture.send("POST", "/v1/apps/demo/resume", key: text).status < 300)
    func acts(_ query: String, app: String = "") throws -> [String] {
      let answer = try fixture.send("GET", "/v1\(app)/audit?\(query)")
      #expect(answer.status == 200, "\(query): \(answer.text)")
      return (answer.json["acts"]?.array ?? []).compactMap { $0["act"]?.string }
    }
    #expect(try acts("person=\(id)") == ["resumeApp", "putAppRetention", "join"])
    #expect(try acts("person=\(id)", app: "/apps/demo") == ["resumeApp", "putAppRetention"])
    #expect(try acts("person=\(id)&limit=1") == ["resumeApp"])
    #expect(try acts("key=\(number)") == ["resumeApp"])
    #expect(try acts("person=\(id)&key=1").isEmpty)
    #expect(try acts("key=1").contains("createKey") && !(try acts("key=1")).contains("putAppRetention"))
    #expect(try acts("person=999").isEmpty)
    for query in ["person=ann", "key=0", "person="] {
      let refused = try fixture.send("GET", "/v1/audit?\(query)")
      #expect(refused.status == 400 && refused.detail.contains(query.prefix { $0 != "=" }), "\(query): \(refused.text)")
    }
  }

  @Test func keepsWhoDidWhatWhenAndFromWhere() throws {
    let fixture = try ServerFixture()
    _ = try fixture.makeDemo()
    let secret = try #require(try fixture.post("/v1/keys", ["name": "k", "scopes": ["read"]]).json["key"]?.string)
    #expect(try fixture.send("DELETE", "/v1/keys/2").status == 204)
    #expect(try fixture.send("DELETE", "/v1/keys/99").status == 404)
    let acts = try fixture.send("GET", "/v1/audit").json["acts"]?.array ?? []
    #expect(acts.map { $0["act"]?.string } == ["revokeKey", "createKey", "putCredentials", "createApp"])
    #expect(
      acts.map { $0["target"]?.string } == [
        "/v1/keys/2", "/v1/keys → 2", "/v1/apps/demo/credentials", "/v1/apps → demo",
      ])
    #expect(acts.allSatisfy { $0["from"] == "127.0.0.1" && $0["key"] == "1" && $0["at"] == "2026-11-21T00:00:00.000Z" })
    #expect(acts.allSatisfy { ($0["request_id"]?.string ?? "").utf8.count == 16 })
    let text = try fixture.send("GET", "/v1/audit").text
    #expect(!text.contains(secret) && !text.contains("PRIVATE"))
    let ofApp = try fixture.send("GET", "/v1/apps/demo/audit").json["acts"]?.array ?? []
    #expect(ofApp.map { $0["act"]?.string } == ["putCredentials"])
    let page = try fixture.send("GET", "/v1/audit?limit=3").json
    let cursor = try #require(page["next"]?.string)
    #expect(try fixture.send("GET", "/v1/audit?cursor=\(cursor)").json["acts"]?.array?.count == 1)
    let sender = try fixture.key(["send", "read"])
    #expect(try fixture.send("GET", "/v1/audit", key: sender).status == 403)
    // The log survives a restart.
    fixture.server.stop()
    let again = try ServerFixture(folder: fixture.folder, admin: fixture.admin)
    #expect(try again.send("GET", "/v1/audit").json["acts"]?.array?.count == 5)
  }

  @Test func namesEveryRequest() throws {
    let fixture = try ServerFixture()
    let refused = try fixture.send("GET", "/v1/nothing")
    let id = try #require(refused.headers["x-request-id"])
    #expect(refused.json["request_id"]?.string == id)
    #expect(fixture.lines.text.contains(id))
  }

  // MARK: - Metrics

  /// Every number Grafana's dashboard asks for is one that the server tells, and every number told is asked for.
  @Test func grafanaAsksForWhatThereIs() throws {
    let path = #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 } + "/docs/grafana.json"
    let dashboard = try JSON.parse(try Files.read(path))
    let asked = Set(
      (dashboard["panels"]?.array ?? []).flatMap { $0["targets"]?.array ?? [] }
        .flatMap { Self.names($0["expr"]?.string ?? "") })
    // Only servers of a database have numbers of nodes.
    let told = try Engine.$current.withValue(.postgres) {
      let fixture = try ServerFixture()
      _ = try fixture.send("GET", "/v1/apps")
      return try fixture.send("GET", "/metrics").text.split(separator: "\n").filter { !$0.hasPrefix("#") }
    }
    let known = Set(told.flatMap { Self.names(String($0)) })
    #expect(asked.subtracting(known) == [])
    // A histogram is asked for by its buckets.
    let halves: Set = ["postrider_http_request_seconds_sum", "postrider_http_request_seconds_count"]
    #expect(known.subtracting(asked).subtracting(halves) == [])
    // Labels come from fixed sets, but for the name of a node.
    let labels = Set(told.flatMap { $0.split(separator: "{").dropFirst().flatMap { Self.labels(String($0)) } })
    #expect(
      labels.isSubset(of: ["route", "status", "le", "result", "table", "provider", "slot", "state", "node"]),
      "\(labels)")
  }

  private static func names(_ text: String) -> [String] {
    text.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init).filter { $0.hasPrefix("postrider_") }
  }

  private static func labels(_ text: String) -> [String] {
    text.split(separator: ",").compactMap { $0.split(separator: "=").first.map(String.init) }.filter {
      !$0.contains("}")
    }
  }
}
