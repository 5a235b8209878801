import PushPayload
import TestSupport
import Testing
import WireJSON

@testable import PostriderServer

/// Every request and every answer in the OpenAPI document has an example, and the examples are right.
@Suite(.timeLimit(.minutes(5))) struct OpenAPIExampleTests {
  @Test("Every body has an example that fits its schema") func fits() throws {
    for route in RouteTable.routes {
      if let body = route.body {
        let example = try #require(RequestExamples.json(route.name), "\(route.name): no example of a request")
        expect(example, body, "\(route.name): request")
      }
      for answer in route.answers where answer.contentType == "application/json" {
        if let schema = answer.schema { expect(schema.sample(), schema, "\(route.name): \(answer.status)") }
      }
    }
  }

  private func expect(_ example: JSONValue, _ schema: Schema, _ index: String) {
    var report = Report()
    schema.check(example, schemas: SchemaTable.byName, into: &report)
    #expect(report.findings.map { "\($0.field): \($0.message)" } == [], "\(index): \(JSON.minifiedText(example))")
  }

  @Test("The document shows them") func areShown() throws {
    let fixture = try ServerFixture()
    let document = try fixture.send("GET", "/openapi.json").json
    var bodies = 0
    for (path, item) in document["paths"]?.object ?? [:] {
      for (method, operation) in item.object ?? [:] {
        var contents: [JSONObject] = [operation["requestBody"]?["content"]?.object ?? [:]]
        contents += (operation["responses"]?.object ?? [:]).map { $0.value["content"]?.object ?? [:] }
        for (type, media) in contents.joined() {
          #expect(media["example"] != nil, "\(method) \(path) \(type)")
          bodies += 1
        }
      }
    }
    #expect(bodies > 200)
  }

  /// What needs nothing but an app is taken by a server as it stands in the document.
  @Test("A server takes them") func areTaken() throws {
    let fixture = try ServerFixture()
    func send(_ method: String, _ path: String, _ name: String) throws {
      let body = try #require(RequestExamples.json(name))
      let answer = try fixture.send(method, path, JSON.minifiedText(body))
      #expect((200..<300).contains(answer.status), "\(name): \(answer.text)")
      #expect(answer.json["report"]?.array?.contains { $0["severity"] == "error" } != true, "\(name): \(answer.text)")
    }
    try send("POST", "/v1/apps", "createApp")
    let credentials = JSON.minifiedText(try ServerFixture.credentials())
    #expect(try fixture.send("PUT", "/v1/apps/demo/credentials", credentials).status == 200)
    for (method, path, name) in [
      ("POST", "devices", "registerDevice"), ("PATCH", "devices/1", "updateDevice"),
      ("PATCH", "users/ann", "updateUser"),
      ("POST", "segments", "createSegment"), ("POST", "segments/count", "countFilter"),
      ("PATCH", "segments/active-pros", "updateSegment"), ("PUT", "suppression", "setSuppression"),
      ("POST", "pushes", "createPush"), ("POST", "pushes/check", "checkPush"), ("PATCH", "pushes/1", "updatePush"),
      ("POST", "test-pushes", "testPush"), ("PUT", "users/ann/scheduled/x", "scheduleForUser"),
      ("POST", "schedules", "createSchedule"), ("PATCH", "schedules/1", "updateSchedule"),
      ("PUT", "templates/welcome", "saveTemplate"), ("POST", "events", "reportEvents"),
      ("POST", "webhooks", "createWebhook"), ("PATCH", "webhooks/1", "updateWebhook"),
      ("POST", "webhooks/1/replay", "replayWebhook"), ("PUT", "retention", "putAppRetention"),
      ("POST", "audience", "countAudience"),
    ] { try send(method, "/v1/apps/demo/\(path)", name) }
    for (method, path, name) in [
      ("POST", "/v1/render", "render"), ("POST", "/v1/parse", "parse"), ("POST", "/v1/check", "check"),
      ("POST", "/v1/explain", "explain"), ("POST", "/v1/preview", "preview"), ("PATCH", "/v1/apps/demo", "updateApp"),
      ("PUT", "/v1/retention", "putRetention"), ("POST", "/v1/keys", "createKey"),
      ("POST", "/v1/keys/2/rotate", "rotateKey"),
    ] { try send(method, path, name) }
    for (type, body) in RequestExamples.files {
      let path = "/v1/apps/demo/devices/import"
      let answer = try fixture.send("PUT", path, body, headers: ["Content-Type: \(type)"])
      #expect(answer.json["failed"] == 0 && answer.json["lines"] == 1, "\(type): \(answer.text)")
    }
  }
}
