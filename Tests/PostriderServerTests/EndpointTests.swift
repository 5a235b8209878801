import Glibc
import PostriderServer
import TestEngines
import TestSupport
import Testing
import WireJSON

@Suite(.onBothEngines, .timeLimit(.minutes(2))) struct EndpointTests {
  let fixture: ServerFixture

  init() throws { fixture = try ServerFixture() }

  @Test(.aboutTheFile) func answersHealthAndReadinessToAnyone() throws {
    #expect(try fixture.send("GET", "/healthz", key: .some(nil)).text == #"{"status":"ok"}"#)
    #expect(try fixture.send("GET", "/readyz", key: .some(nil)).text == #"{"status":"ok"}"#)
  }

  @Test(.aboutTheFile) func aDataFolderThatIsTakenAwayIsNoticed() throws {
    let app = try fixture.send("POST", "/v1/apps", #"{"name":"shop"}"#)
    #expect(app.status == 201, "\(app.text)")
    let (here, away) = (fixture.folder.path + "/data", fixture.folder.path + "/away")
    #expect(rename(here, away) == 0)
    defer { rename(away, here) }
    let ready = try fixture.send("GET", "/readyz")
    #expect(ready.status == 503)
    #expect(ready.json["detail"]?.string?.contains(" is gone while the server runs; put the data folder back") == true)
    let refused = try fixture.send("POST", "/v1/apps", #"{"name":"other"}"#)
    #expect(refused.status == 503, "\(refused.text)")
    #expect(refused.json["detail"]?.string?.hasSuffix("nothing is acknowledged") == true)
    rename(away, here)
    let back = try fixture.send("GET", "/readyz")
    #expect(back.status == 200, "\(back.text)")
    // What was refused has not happened.
    #expect(try fixture.send("GET", "/v1/apps/other").status == 404)
    #expect(try fixture.send("POST", "/v1/apps", #"{"name":"third"}"#).status == 201)
  }

  @Test func refusesAMessageThatTheProviderWouldRefuse() throws {
    _ = try fixture.makeDemo()
    let long = String(repeating: "x", count: 5_000)
    let answer = try fixture.post(
      "/v1/apps/demo/pushes", ["message": ["title": "T", "body": .string(long)], "to": ["all": true]])
    #expect(answer.status == 422)
    #expect(answer.rules.contains("apns-payload-too-large"))
    #expect(try fixture.send("GET", "/v1/apps/demo/pushes").json["pushes"] == JSONValue.array([]))
  }

  @Test func createsAndShowsApps() throws {
    let made = try fixture.post("/v1/apps", ["name": "demo", "title": "Demo", "contract": "amba"])
    let expected =
      #"{"name":"demo","title":"Demo","contract":"amba","undo_seconds":30,"created_at":"2026-11-21T00:00:00.000Z"}"#
    #expect(made.status == 201)
    #expect(made.text == expected)
    #expect(try fixture.send("GET", "/v1/apps/demo").text == expected)
    #expect(try fixture.send("GET", "/v1/apps").text == #"{"apps":["# + expected + "]}")
    #expect(try fixture.send("HEAD", "/v1/apps/demo").status == 200)
  }

  @Test func keepsCredentialsAndShowsNoSecret() throws {
    _ = try fixture.makeDemo()
    let shown = try fixture.send("GET", "/v1/apps/demo/credentials")
    #expect(
      shown.text
        == #"{"apns":{"topic":"com.example.app","kind":"token","key_id":"ABC123DEFG","team_id":"DEF123GHIJ","#
        + #""gateway":{"host":"127.0.0.1","port":9,"ca":false},"updated_at":"2026-11-21T00:00:00.000Z"},"#
        + #""fcm":{"project_id":"demo-project","client_email":"push@demo-project.iam.gserviceaccount.com","#
        + #""private_key_id":"k1","gateway":{"host":"127.0.0.1","port":9,"ca":false},"#
        + #""updated_at":"2026-11-21T00:00:00.000Z"}}"#)
    let removed = try fixture.send("PUT", "/v1/apps/demo/credentials", #"{"fcm":null}"#)
    #expect(removed.status == 200)
    #expect(removed.json["fcm"] == nil)
    #expect(removed.json["apns"] != nil)
  }

  @Test func registersADeviceOnceHoweverOften() throws {
    let (ios, android) = try fixture.makeDemo()
    #expect(ios != android)
    let body: JSONValue = [
      "type": "ios", "token": .string(ServerFixture.iosToken.uppercased()), "user": "u1", "locale": "de-AT",
      "properties": ["plan": "pro"],
    ]
    let again = try fixture.post("/v1/apps/demo/devices", body)
    #expect(again.status == 200)
    #expect(again.text == #"{"id":"\#(ios)","created":false}"#)
    let shown = try fixture.send("GET", "/v1/apps/demo/devices/\(ios)").json
    #expect(shown["token"]?.string == ServerFixture.iosToken)
    #expect(shown["user"] == "u1")
    #expect(shown["locale"] == "de-AT")
    #expect(shown["properties"] == ["plan": "pro"])
    #expect(shown["state"] == "active")
    #expect(try fixture.send("GET", "/v1/apps/demo/devices?user=u1").json["devices"]?.array?.count == 1)
    #expect(try fixture.send("GET", "/v1/apps/demo/devices?type=android").json["devices"]?.array?.count == 1)
    #expect(try fixture.send("GET", "/v1/apps/demo/devices?state=retired").json["devices"]?.array?.count == 0)
    #expect(try fixture.send("DELETE", "/v1/apps/demo/devices/\(ios)").status == 204)
    #expect(try fixture.send("GET", "/v1/apps/demo/devices/\(ios)").detail == "this app has no device with that id")
  }

  @Test func pagesThroughDevices() throws {
    _ = try fixture.makeDemo()
    for index in 0..<5 {
      let token = "token-\(index)-" + String(repeating: "x", count: 30)
      #expect(try fixture.post("/v1/apps/demo/devices", ["type": "android", "token": .string(token)]).status == 201)
    }
    var seen: [String] = []
    var cursor = ""
    repeat {
      let page = try fixture.send("GET", "/v1/apps/demo/devices?limit=3" + cursor).json
      seen += (page["devices"]?.array ?? []).compactMap { $0["id"]?.string }
      cursor = page["next"]?.string.map { "&cursor=\($0)" } ?? ""
    } while !cursor.isEmpty
    #expect(seen.count == 7)
    #expect(Set(seen).count == 7)
  }

  @Test func keepsAPushBeforeItAcknowledgesIt() throws {
    let (ios, android) = try fixture.makeDemo()
    let answer = try fixture.post(
      "/v1/apps/demo/pushes",
      [
        "message": ["title": "T", "body": "B"], "campaign": "c-1", "to": ["devices": [.string(ios), .string(android)]],
      ])
    #expect(answer.status == 202)
    let id = try #require(answer.json["id"]?.string)
    #expect(answer.text == #"{"id":"\#(id)","number":1,"targeted":2}"#)
    #expect(answer.headers["location"] == "/v1/apps/demo/pushes/\(id)")
    let push = try fixture.send("GET", "/v1/apps/demo/pushes/\(id)").json
    #expect(push["campaign"] == "c-1")
    #expect(push["counts"]?["targeted"] == 2)
    #expect(push["audience_complete"] == true)
    #expect(try fixture.send("GET", "/v1/apps/demo/pushes").json["pushes"]?.array?.count == 1)
    let rows = try fixture.send("GET", "/v1/apps/demo/pushes/\(id)/deliveries").json["deliveries"]?.array ?? []
    #expect(rows.map { $0["device"]?.string } == [ios, android])
    #expect(rows.map { $0["type"]?.string } == ["ios", "android"])
    let page = try fixture.send("GET", "/v1/apps/demo/pushes/\(id)/deliveries?limit=1").json
    #expect(page["deliveries"]?.array?.count == 1)
    #expect(page["next"]?.string != nil)
    #expect(
      try fixture.send("GET", "/v1/apps/demo/pushes/\(id)/deliveries?state=accepted").json["deliveries"]
        == JSONValue.array([]))
  }

  @Test(arguments: [
    #"{"all":true}"#, #"{"users":["u1"]}"#, #"{"tokens":[{"type":"ios","token":"00fc13adff785122"}]}"#,
    #"{"tokens":[{"type":"android-fid","token":"cX1_abc-DEF"},{"type":"android","token":"bk3RNwTe3H0:CI2k"}]}"#,
  ])
  func takesEveryKindOfAudience(_ to: String) throws {
    _ = try fixture.makeDemo()
    let answer = try fixture.send(
      "POST", "/v1/apps/demo/pushes", #"{"message":{"title":"T","body":"B"},"to":\#(to)}"#)
    #expect(answer.status == 202, "\(answer.text)")
  }

  @Test func sendsOnceForOneIdempotencyKey() throws {
    let (ios, _) = try fixture.makeDemo()
    let body = #"{"message":{"title":"T","body":"B"},"to":{"devices":["\#(ios)"]}}"#
    let headers = ["Idempotency-Key: order-1"]
    let first = try fixture.send("POST", "/v1/apps/demo/pushes", body, headers: headers)
    let second = try fixture.send("POST", "/v1/apps/demo/pushes", body, headers: headers)
    #expect(first.status == 202)
    #expect(second.status == 202)
    #expect(second.json["id"] == first.json["id"])
    #expect(second.json["replayed"] == true)
    let other = try fixture.send(
      "POST", "/v1/apps/demo/pushes", body.replacing("T", with: "U"), headers: headers)
    #expect(other.status == 422)
    #expect(other.json["type"] == "urn:postrider:problem:idempotency-mismatch")
    #expect(try fixture.send("GET", "/v1/apps/demo/pushes").json["pushes"]?.array?.count == 1)
  }

  @Test func makesAppsAndKeysOnceForOneIdempotencyKey() throws {
    let headers = ["Idempotency-Key: k"]
    for _ in 0..<2 {
      #expect(try fixture.send("POST", "/v1/apps", #"{"name":"a"}"#, headers: headers).status == 201)
    }
    #expect(try fixture.send("POST", "/v1/apps", #"{"name":"a","title":"x"}"#, headers: headers).status == 422)
    let body = #"{"name":"ci","scopes":["send"]}"#
    #expect(try fixture.send("POST", "/v1/keys", body, headers: headers).status == 422)
    let keyHeaders = ["Idempotency-Key: k2"]
    let first = try fixture.send("POST", "/v1/keys", body, headers: keyHeaders)
    #expect(first.status == 201)
    #expect(try fixture.send("POST", "/v1/keys", body, headers: keyHeaders).text == first.text)
    let other = try fixture.send("POST", "/v1/keys", #"{"name":"ci","scopes":["read"]}"#, headers: keyHeaders)
    #expect(other.json["type"] == "urn:postrider:problem:idempotency-mismatch")
  }

  @Test func makesListsAndRevokesKeys() throws {
    let made = try fixture.post("/v1/keys", ["name": "reader", "scopes": ["read"], "expires_in_seconds": 3600])
    let key = try #require(made.json["key"]?.string)
    let id = try #require(made.json["id"]?.string)
    #expect(made.json["expires_at"] == "2026-11-21T01:00:00.000Z")
    #expect(try fixture.send("GET", "/v1/apps", key: key).status == 200)
    let list = try fixture.send("GET", "/v1/keys").json["keys"]?.array ?? []
    #expect(list.map { $0["name"]?.string } == ["first", "reader"])
    #expect(list.allSatisfy { $0["key"] == nil })
    #expect(try fixture.send("DELETE", "/v1/keys/\(id)").status == 204)
    #expect(try fixture.send("GET", "/v1/apps", key: key).status == 401)
  }

  @Test func countsRequestsByRoute() throws {
    _ = try fixture.send("GET", "/v1/apps/\(ServerFixture.iosToken)")
    let text = try fixture.send("GET", "/metrics").text
    #expect(text.contains(#"postrider_http_requests_total{route="getApp",status="4xx"} 1"# + "\n"))
    #expect(!text.contains(ServerFixture.iosToken))
  }

  @Test func comparesAppRequestsUnderOneIdempotencyKey() throws {
    let headers = ["Idempotency-Key: app"]
    let first = try fixture.post("/v1/apps", ["name": "one", "title": "One"], headers: headers)
    #expect(first.status == 201)
    #expect(try fixture.post("/v1/apps", ["name": "one", "title": "One"], headers: headers).text == first.text)
    for body: JSONValue in [["name": "two"], ["name": "one", "title": "Uno"], ["name": "one"]] {
      let other = try fixture.post("/v1/apps", body, headers: headers)
      #expect(other.status == 422)
      #expect(other.json["type"] == "urn:postrider:problem:idempotency-mismatch")
    }
    #expect(try fixture.send("GET", "/v1/apps").json["apps"]?.array?.count == 1)
  }

  @Test func warnsOfUsersWithoutADevice() throws {
    _ = try fixture.makeDemo()
    let device: JSONValue = ["type": "ios", "token": .string(String(repeating: "ab", count: 32)), "user": "ann"]
    #expect(try fixture.post("/v1/apps/demo/devices", device).status == 201)
    let answer = try fixture.post(
      "/v1/apps/demo/pushes", ["message": ["title": "T", "body": "B"], "to": ["users": ["ann", "bob"]]])
    #expect(answer.status == 202)
    #expect(answer.json["targeted"] == 1)
    #expect(answer.rules == ["push-user-unreached"])
    #expect(answer.json["report"]?[0]?["field"] == "to.users[1]")
  }

  @Test func describesEveryRoute() throws {
    let document = try fixture.send("GET", "/openapi.json", key: .some(nil)).json
    #expect(document["openapi"] == "3.1.0")
    #expect(document["info"]?["version"] == "1.2.3")
    let paths = document["paths"]?.object ?? [:]
    #expect(
      Set(paths.keys) == [
        "/v1/nodes",
        "/v1/held",
        "/v1/held/resume",
        "/v1/apps/{app}/held",
        "/v1/apps/{app}/held/resume",
        "/v1/apps/{app}/resume",
        "/v1/render",
        "/v1/parse",
        "/v1/check",
        "/v1/explain",
        "/v1/preview",
        "/v1/contracts",
        "/v1/contracts/{contract}",
        "/session", "/session/all", "/session/all/{session}", "/session/invitation", "/session/join", "/session/oidc",
        "/session/oidc/finish",
        "/session/passkey", "/session/passkey/options", "/session/passkeys", "/session/passkeys/options",
        "/session/passkeys/{passkey}", "/session/password", "/v1/people",
        "/v1/people/{person}", "/v1/people/{person}/invitation", "/v1/sessions",
        "/v1/sessions/{session}",
        "/v1/apps/{app}/overview",
        "/v1/apps/{app}/audience",
        "/v1/apps",
        "/v1/apps/{app}",
        "/v1/apps/{app}/credentials",
        "/v1/apps/{app}/credentials/check",
        "/v1/apps/{app}/web-push",
        "/v1/apps/{app}/web-push/rotate",
        "/v1/apps/{app}/devices/import",
        "/v1/apps/{app}/devices/imports",
        "/v1/apps/{app}/devices/export",
        "/v1/apps/{app}/devices",
        "/v1/apps/{app}/devices/{device}",
        "/v1/apps/{app}/users",
        "/v1/apps/{app}/users/{user}",
        "/v1/apps/{app}/users/{user}/inbox",
        "/v1/apps/{app}/users/{user}/inbox/{message}",
        "/v1/apps/{app}/segments",
        "/v1/apps/{app}/segments/count",
        "/v1/apps/{app}/segments/{segment}",
        "/v1/apps/{app}/segments/{segment}/count",
        "/v1/apps/{app}/suppression",
        "/v1/apps/{app}/pushes",
        "/v1/apps/{app}/pushes/check",
        "/v1/apps/{app}/pushes/preview",
        "/v1/apps/{app}/pushes/{push}",
        "/v1/apps/{app}/pushes/{push}/pause",
        "/v1/apps/{app}/pushes/{push}/resume",
        "/v1/apps/{app}/pushes/{push}/cancel",
        "/v1/apps/{app}/pushes/{push}/progress",
        "/v1/apps/{app}/pushes/{push}/send",
        "/v1/apps/{app}/pushes/{push}/schedule",
        "/v1/apps/{app}/pushes/{push}/unschedule",
        "/v1/apps/{app}/pushes/{push}/resend",
        "/v1/apps/{app}/test-pushes",
        "/v1/apps/{app}/users/{user}/scheduled/{name}",
        "/v1/apps/{app}/users/{user}/scheduled",
        "/v1/apps/{app}/schedules",
        "/v1/apps/{app}/activities",
        "/v1/apps/{app}/activities/{activity}",
        "/v1/apps/{app}/activities/{activity}/updates",
        "/v1/apps/{app}/activities/{activity}/tokens",
        "/v1/apps/{app}/channels",
        "/v1/apps/{app}/channels/comparison",
        "/v1/apps/{app}/channels/{channel}",
        "/v1/apps/{app}/channels/{channel}/broadcasts",
        "/v1/apps/{app}/templates",
        "/v1/apps/{app}/templates/{name}",
        "/v1/apps/{app}/schedules/{schedule}",
        "/v1/apps/{app}/schedules/{schedule}/pause",
        "/v1/apps/{app}/schedules/{schedule}/resume",
        "/v1/apps/{app}/pushes/{push}/deliveries",
        "/v1/apps/{app}/deliveries",
        "/v1/apps/{app}/pushes/{push}/deliveries/export",
        "/v1/apps/{app}/events",
        "/v1/apps/{app}/pushes/{push}/funnel",
        "/v1/apps/{app}/pushes/{push}/series",
        "/v1/apps/{app}/series",
        "/v1/apps/{app}/webhooks",
        "/v1/apps/{app}/webhooks/{webhook}",
        "/v1/apps/{app}/webhooks/{webhook}/rotate",
        "/v1/apps/{app}/webhooks/{webhook}/dead",
        "/v1/apps/{app}/webhooks/{webhook}/replay",
        "/v1/apps/{app}/identity",
        "/v1/apps/{app}/identity/keys",
        "/v1/apps/{app}/identity/keys/{kid}",
        "/v1/apps/{app}/compat/{vendor}/shadow", "/v1/apps/{app}/shadow", "/v1/apps/{app}/shadow/requests",
        "/v1/apps/{app}/shadow/requests/{request}",
        "/v1/retention",
        "/v1/apps/{app}/retention",
        "/v1/apps/{app}/unseen-devices",
        "/v1/apps/{app}/pushes/{push}/resend-failed", "/v1/apps/{app}/approvals",
        "/v1/apps/{app}/views", "/v1/apps/{app}/views/{name}", "/v1/apps/{app}/calendar", "/v1/apps/{app}/results",
        "/v1/apps/{app}/results/export",
        "/v1/apps/{app}/devices/{device}/timeline", "/v1/apps/{app}/users/{user}/timeline",
        "/v1/apps/{app}/pushes/{push}/approve", "/v1/apps/{app}/pushes/{push}/decline",
        "/v1/audit",
        "/v1/apps/{app}/audit",
        "/v1/keys/{key}/rotate",
        "/v1/keys",
        "/v1/keys/{key}",
        "/healthz",
        "/readyz",
        "/metrics",
        "/openapi.json",
      ])
    // Every reference leads somewhere.
    let text = JSON.minifiedText(document)
    for part in text.split(separator: "#/components/schemas/").dropFirst() {
      let name = String(part.prefix { $0 != "\"" })
      #expect(document["components"]?["schemas"]?[name] != nil, "\(name)")
    }
  }
}
