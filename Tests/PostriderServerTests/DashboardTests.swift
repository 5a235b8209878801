import HTTPServer
import PostriderServer
import TestSupport
import Testing
import WireJSON

@Suite(.timeLimit(.minutes(1))) struct DashboardTests {
  let fixture: ServerFixture

  init() throws { fixture = try ServerFixture() }

  /// What the browser gets before anything is clicked; other pages are fetched when they are opened.
  static let first = [
    "/", "/dashboard/style.css", "/dashboard/app.js", "/dashboard/core.js", "/dashboard/charts.js",
    "/dashboard/overview.js", "/dashboard/words.js", "/dashboard/icon.svg",
  ]
  static let files =
    first
    + [
      "composer", "desk", "drafts", "audience", "fields", "jsontext", "timing", "emoji", "fieldwords", "languages",
      "message", "review", "seen", "local", "tables",
      "pushes", "plans", "people", "imports", "inbox", "segments", "lab", "setup", "access", "live", "shadow",
      "accounts", "signin", "care", "finding", "providers",
    ].map { "/dashboard/\($0).js" } + ["/dashboard/postrider.mjs"]

  @Test(arguments: files) func servesAFileToAnyoneUnderAStrictPolicy(_ path: String) throws {
    let answer = try fixture.send("GET", path, key: .some(nil))
    #expect(answer.status == 200)
    let policy = try #require(answer.headers["content-security-policy"])
    #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self';"))
    #expect(policy.contains("frame-ancestors 'none'"))
    #expect(!policy.contains("unsafe"))
    #expect(answer.headers["x-content-type-options"] == "nosniff")
    #expect(answer.headers["x-frame-options"] == "DENY")
    #expect(answer.headers["referrer-policy"] == "no-referrer")
    let tag = try #require(answer.headers["etag"])
    let again = try fixture.send("GET", path, key: .some(nil), headers: ["If-None-Match: \"x\", W/\(tag)"])
    #expect(again.status == 304)
    #expect(again.text.isEmpty)
    #expect(try fixture.send("HEAD", path, key: .some(nil)).headers["etag"] == tag)
  }

  /// A tenth of a script are lines that explain it to its readers; what runs is the same without them.
  @Test func leavesOutTheLinesThatAreComments() throws {
    for path in Self.files where path.hasSuffix("js") {
      let text = try fixture.send("GET", path, key: .some(nil)).text
      for line in text.split(separator: "\n") { #expect(!line.drop { $0 == " " }.hasPrefix("//"), "\(path): \(line)") }
    }
    // The site's pages get their files as they are.
    #expect(try fixture.send("GET", "/web/postrider.js", key: .some(nil)).text.contains("\n//"))
  }

  /// Compressed once, and known again by a tag of its own.
  @Test func compressesWhatABrowserFetches() throws {
    for path in ["/dashboard/core.js", "/dashboard/de.json", "/dashboard/style.css"] {
      let plain = try fixture.send("GET", path, key: .some(nil))
      #expect(plain.headers["vary"] == "Accept-Encoding")
      let short = try fixture.send("GET", path, key: .some(nil), headers: ["Accept-Encoding: gzip"])
      #expect(short.headers["content-encoding"] == "gzip")
      #expect(short.headers["vary"] == "Accept-Encoding")
      #expect(short.headers["etag"] != plain.headers["etag"])
      let tag = try #require(short.headers["etag"])
      let again = try fixture.send(
        "GET", path, key: .some(nil), headers: ["Accept-Encoding: gzip", "If-None-Match: \(tag)"])
      #expect(again.status == 304)
      #expect(again.headers["vary"] == "Accept-Encoding")
    }
  }

  @Test func firstViewIsBelowAHundredKilobytes() throws {
    var sum = 0
    for path in Self.first {
      let text = try fixture.send("GET", path, key: .some(nil)).text
      sum += text.utf8.count
      // Nothing of it fetches a file that is not counted here.
      for part in text.split(separator: "from \"./").dropFirst() {
        let name = part.prefix { $0 != "\"" }
        #expect(Self.first.contains("/dashboard/\(name)"), "\(path) imports \(name)")
      }
    }
    #expect(sum < 100_000)
  }

  /// Nothing in the files runs or styles inline, names another origin, or writes markup from text.
  @Test(arguments: files) func holdsNothingThePolicyForbids(_ path: String) throws {
    let text = try fixture.send("GET", path, key: .some(nil)).text
    let names =
      path == "/dashboard/icon.svg"
      ? ["<script", "onload"]
      : [
        "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", " onclick=",
        " style=\"", "<script>", "<style", "javascript:",
      ]
    for name in names { #expect(!text.contains(name), "\(name)") }
    for part in text.split(separator: "http").dropFirst() where part.hasPrefix("://") || part.hasPrefix("s://") {
      #expect(part.hasPrefix("://www.w3.org/"), "\(part.prefix(40))")
    }
  }

  /// The composer has a name for people and a group for every field that a person can write, and five of each contract are open.
  @Test func namesEveryFieldOfEveryContract() throws {
    let text = try fixture.send("GET", "/dashboard/fieldwords.js", key: .some(nil)).text
    let contracts = try #require(try fixture.send("GET", "/v1/contracts").json["contracts"]?.array)
    #expect(contracts.count == 6)
    for contract in contracts {
      let name = try #require(contract["name"]?.string)
      let block = try #require(text.split(separator: "  \(name): `").last?.split(separator: "`").first)
      let rows = block.split(separator: "\n").map { $0.split(separator: " ", maxSplits: 2).map(String.init) }
      let fields = try fixture.send("GET", "/v1/contracts/\(name)").json["fields"]?.array ?? []
      let written = fields.filter { $0["source"] == nil && $0["delivery"] == nil }.compactMap { $0["field"]?.string }
      #expect(Set(rows.map { $0[0] }) == Set(written), "\(name)")
      #expect(rows.count == written.count, "\(name)")
      #expect(rows.filter { $0[1].hasSuffix("*") }.count == 5, "\(name)")
      let groups: Set = ["text", "media", "actions", "behavior", "data"]
      #expect(rows.allSatisfy { groups.contains($0[1].replacing("*", with: "")) && $0.count == 3 }, "\(name)")
    }
  }

  /// Without a module there is nothing for the browser to compile, and nothing may be compiled.
  @Test func aServerWithoutAModuleSaysSo() throws {
    let answer = try fixture.send("GET", "/dashboard/postrider.wasm", key: .some(nil))
    #expect(answer.status == 204)
    #expect(answer.text.isEmpty)
    let policy = try #require(answer.headers["content-security-policy"])
    #expect(!policy.contains("unsafe"))
  }

  @Test func servesTheModule() throws {
    let preamble: [UInt8] = [0x00, 0x61, 0x73, 0x6D, 0x01, 0x00, 0x00, 0x00]
    let module = preamble + Array(repeating: 0x41, count: 100_000)
    let fixture = try ServerFixture { $0.coreModule = try? CoreModule(bytes: module) }
    let path = "/dashboard/postrider.wasm"
    let answer = try fixture.send("GET", path, key: .some(nil))
    #expect(answer.status == 200)
    #expect(Array(answer.text.utf8) == module)
    #expect(answer.headers["content-type"] == "application/wasm")
    let tag = try #require(answer.headers["etag"])
    #expect(try fixture.send("GET", path, key: .some(nil), headers: ["If-None-Match: \(tag)"]).status == 304)
    let short = try fixture.send("GET", path, key: .some(nil), headers: ["Accept-Encoding: gzip"])
    #expect(short.headers["content-encoding"] == "gzip")
    #expect(short.headers["etag"] != tag)
    #expect(short.text.utf8.count < 4_000)
    // The pages that use it may compile it, and may do nothing else that they may not do without it.
    let policy = try fixture.send("GET", "/", key: .some(nil)).headers["content-security-policy"] ?? ""
    let without = try self.fixture.send("GET", "/", key: .some(nil)).headers["content-security-policy"] ?? ""
    #expect(policy == without.replacing("script-src 'self'", with: "script-src 'self' 'wasm-unsafe-eval'"))
  }

  @Test(arguments: [[], Array("<!doctype html>".utf8), [0x00, 0x61, 0x73, 0x6D, 0x02, 0x00, 0x00, 0x00]])
  func refusesWhatIsNoModule(_ bytes: [UInt8]) {
    #expect(throws: PostriderServerError.self) { _ = try CoreModule(bytes: bytes) }
  }

  @Test func answersOtherPathsAsBefore() throws {
    #expect(try fixture.send("GET", "/dashboard/nothing.js", key: .some(nil)).status == 404)
    #expect(try fixture.send("POST", "/", "{}", key: .some(nil)).status == 404)
  }

  @Test func showsTheContractsFromTheirDeclarations() throws {
    let list = try fixture.send("GET", "/v1/contracts").json["contracts"]?.array ?? []
    #expect(list.compactMap { $0["name"]?.string }.prefix(2) == ["amba", "imkit"])
    let amba = try fixture.send("GET", "/v1/contracts/amba").json
    #expect(amba["contract"] == "amba")
    #expect(amba["fields"]?[0]?["field"] == "title")
    #expect(try fixture.send("GET", "/v1/contracts/nobody").status == 404)
  }

  @Test func showsHowAnAppIsDoing() throws {
    _ = try fixture.makeDemo()
    let message: JSONValue = [
      "message": ["title": "T", "body": "B"],
      "to": [
        "tokens": [
          ["type": "ios", "token": .string(ServerFixture.iosToken)]
        ]
      ],
    ]
    #expect(try fixture.post("/v1/apps/demo/pushes", message).status == 202)
    let shown = try fixture.send("GET", "/v1/apps/demo/overview").json
    #expect(shown["app"]?["name"] == "demo")
    #expect(shown["ledger"]?["pushes"] == 1)
    #expect(shown["ledger"]?["counts"]?["targeted"] == 1)
    #expect(shown["ledger"]?["balanced"] == true)
    #expect(shown["providers"] == [["slot": "apns", "state": "ready"], ["slot": "fcm", "state": "ready"]])
    #expect(shown["sending"] != nil)
    let bound = try fixture.key(["read"], app: "demo")
    let answer = try fixture.send("GET", "/v1/apps/demo/overview", key: .some(bound))
    #expect(answer.status == 200)
    #expect(answer.json["sending"] == nil)
  }

  @Test func letsOnlyTheDevicesOfTheLabBeReached() throws {
    // A server without an emulator has no lab at all.
    #expect(try fixture.send("GET", "/lab/devices").status == 404)
    let lab = Lab { method, segments, body, answer in
      let text = "\(method.rawValue) \(segments.joined(separator: "/")) \(body.count)"
      answer(HTTPResponse(status: 200, contentType: "image/svg+xml", bytes: Array(text.utf8)))
    }
    let fixture = try ServerFixture(lab: lab)
    let shown = try fixture.send("GET", "/lab/devices/apns/00ff/phone")
    #expect(shown.text == "GET devices/apns/00ff/phone 0")
    #expect(shown.headers["content-security-policy"] == "default-src 'none'; style-src 'unsafe-inline'; sandbox")
    for path in ["/lab", "/lab/credentials", "/lab/rules", "/lab/../credentials", "/lab/%2e%2e/credentials"] {
      #expect(try fixture.send("GET", path).status == 404, "\(path)")
    }
    #expect(try fixture.send("GET", "/lab/devices", key: .some(nil)).status == 401)
    let reader = try fixture.key(["read"])
    #expect(try fixture.send("GET", "/lab/devices", key: .some(reader)).status == 200)
    #expect(try fixture.send("POST", "/lab/devices", "{}", key: .some(reader)).status == 403)
    #expect(try fixture.send("POST", "/lab/devices", "{}").text == "POST devices 2")
    #expect(try fixture.post("/v1/apps", ["name": "demo"]).status == 201)
    let bound = try fixture.key(["send"], app: "demo")
    #expect(try fixture.send("GET", "/lab/devices", key: .some(bound)).status == 403)
  }

  @Test func theLabObeysTheRateOfTheKey() throws {
    let lab = Lab { _, _, _, answer in answer(HTTPResponse(status: 200, bytes: [])) }
    let fixture = try ServerFixture(lab: lab) { $0.ratePerMinute = 60 }
    // A tenth of a minute's worth at once; the clock does not move.
    let statuses = try (0..<8).map { _ in try fixture.send("GET", "/lab/devices").status }
    #expect(statuses == [200, 200, 200, 200, 200, 200, 429, 429])
    #expect(try fixture.send("GET", "/lab/devices").headers["retry-after"] == "1")
    // One budget for the lab and the API.
    #expect(try fixture.send("GET", "/v1/apps").status == 429)
  }

  @Test func countsAnAudience() throws {
    _ = try fixture.makeDemo()
    let all = try fixture.post("/v1/apps/demo/audience", ["to": ["all": true]]).json
    #expect(all["total"] == 2)
    #expect(all["devices"]?["ios"] == 1)
    #expect(all["devices"]?["android"] == 1)
    _ = try fixture.post(
      "/v1/apps/demo/devices", ["type": "ios", "token": .string(ServerFixture.iosToken), "user": "u1"])
    let some = try fixture.post("/v1/apps/demo/audience", ["to": ["users": ["u1", "u1", "nobody"]]]).json
    #expect(some["total"] == 1)
    for to: JSONValue in [
      ["segment": "all"], ["filter": ["field": "locale", "op": "not_exists"]],
      [
        "filter": [
          "operator": "OR",
          "conditions": [
            ["field": "platform", "op": "eq", "value": "ios"], ["field": "platform", "op": "eq", "value": "android"],
          ],
        ]
      ],
    ] { #expect(try fixture.post("/v1/apps/demo/audience", ["to": to]).json == all) }
    let phones = try fixture.post(
      "/v1/apps/demo/audience", ["to": ["filter": ["field": "platform", "op": "eq", "value": "ios"]]])
    #expect(phones.json["total"] == 1 && phones.json["devices"]?["ios"] == 1, "\(phones.text)")
    for (to, field) in [
      (["segment": "nobody"], "to.segment"), (["filter": ["field": 7]], "to.filter.field"),
    ] as [(JSONValue, String)] {
      let refused = try fixture.post("/v1/apps/demo/audience", ["to": to])
      #expect(refused.status == 422 && refused.json["report"]?[0]?["field"]?.string == field, "\(refused.text)")
    }
    for to: JSONValue in [["all": false], ["all": true, "segment": "all"], [:]] {
      #expect(try fixture.post("/v1/apps/demo/audience", ["to": to]).status == 422)
    }
  }

  @Test func findsTheWorstCaseOfAnAudienceAndSendsNothing() throws {
    _ = try fixture.makeDemo()
    for (user, name) in [("ann", "Ann"), ("ben", String(repeating: "n", count: 1_000))] {
      let token = String(repeating: user == "ann" ? "a" : "b", count: 64)
      _ = try fixture.post(
        "/v1/apps/demo/devices", ["type": "ios", "token": .string(token), "user": .string(user)])
      let change: JSONValue = ["properties": ["first_name": .string(name)]]
      #expect(try fixture.send("PATCH", "/v1/apps/demo/users/\(user)", JSON.minifiedText(change)).status == 200)
    }
    func check(_ to: JSONValue, body: String) throws -> JSONValue {
      let message: JSONValue = ["title": "T", "body": .string(body)]
      let request: JSONValue = ["to": to, "message": message, "values": [:]]
      let answer = try fixture.post("/v1/apps/demo/pushes/check", request)
      #expect(answer.status == 200)
      return answer.json
    }
    let all = try check(["all": true], body: "Hi {{first_name|you}}")
    #expect(all["total"] == 4)
    #expect(all["tried"] == 4)
    #expect(all["over"] == 0)
    let apns = all["sizes"]?[0]
    #expect(apns?["provider"] == "apns")
    #expect(apns?["user"] == "ben")
    #expect(apns?["bytes_max"] == 4096)
    // The same with the longest name in its place.
    let alone = try check(["users": ["ben"]], body: "Hi \(String(repeating: "n", count: 1_000))")
    #expect(alone["total"] == 1)
    #expect(alone["sizes"]?[0]?["bytes"] == apns?["bytes"])
    let five = try check(["all": true], body: String(repeating: "{{first_name|you}}", count: 5))
    #expect(five["over"] == 1)
    let segment = try check(["filter": ["field": "id", "op": "eq", "value": "ben"]], body: "{{first_name}}")
    #expect(segment["total"] == 1)
    #expect(segment["sizes"]?[0]?["user"] == "ben")
    #expect(try fixture.post("/v1/apps/demo/pushes/check", ["to": ["all": true], "message": [:]]).status == 422)
    #expect(try fixture.send("GET", "/v1/apps/demo/pushes").json["pushes"] == [])
  }

  /// All are tried when that is asked for, a thousand from all over the audience when a push is created.
  @Test func triesALargeAudience() throws {
    _ = try fixture.makeDemo()
    let lines = (0..<2_000).map { number in
      let digits = String(number, radix: 16)
      let token = String(repeating: "0", count: 64 - digits.count) + digits
      let name = number == 1_999 ? String(repeating: "n", count: 1_000) : "Ann"
      return #"{"type":"ios","token":"\#(token)","tags":["t"],"properties":{"name":"\#(name)"}}"#
    }
    let taken = try fixture.send(
      "PUT", "/v1/apps/demo/devices/import", lines.joined(separator: "\n"),
      headers: ["Content-Type: application/x-ndjson"])
    #expect(taken.json["created"] == 2_000)
    let message: JSONValue = ["title": "T", "body": .string(String(repeating: "{{name|you}}", count: 5))]
    let tagged: JSONValue = ["filter": ["field": "tags", "op": "contains", "value": "t"]]
    for (to, total) in [(["all": true], 2_002), (tagged, 2_000)] as [(JSONValue, Int)] {
      let request: JSONValue = ["to": to, "message": message, "values": [:]]
      let found = try fixture.post("/v1/apps/demo/pushes/check", request).json
      #expect(found["total"]?.int == total && found["tried"]?.int == total)
      #expect(found["complete"] == true && found["over"] == 1, "\(to)")
    }
    let large: JSONValue = ["title": "T", "body": .string(String(repeating: "{{name}}", count: 1_400))]
    let push: JSONValue = ["to": ["all": true], "message": large, "values": [:], "draft": true]
    let created = try fixture.post("/v1/apps/demo/pushes", push)
    let warning = created.json["report"]?.array?.first { $0["rule"] == "push-recipient-too-large" }
    #expect(
      warning?["message"]?.string?.hasPrefix("998 of 1000 devices that were tried are over the limit") == true,
      "\(created.text)")
  }
}
