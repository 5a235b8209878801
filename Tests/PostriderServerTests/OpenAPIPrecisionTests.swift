import TestSupport
import Testing
import WireJSON

@testable import PostriderServer

/// The OpenAPI document says what is in an answer, so that a generated client has a type for it.
@Suite(.timeLimit(.minutes(5))) struct OpenAPIPrecisionTests {
  /// Members whose content the API does not decide: messages and payloads of a contract, Google's key file, and what callers choose.
  private static let free: Set<String> = [
    "payload", "message", "notification", "behavior", "previews", "properties", "entitlements", "request", "filter",
    "locales", "data", "values", "value", "example", "openapi", "service_account", "detail",
  ]

  @Test("Each member of an answer has a type") func hasTypes() {
    for route in RouteTable.routes {
      for answer in route.answers { if let schema = answer.schema { expectTypes(schema, route.name) } }
    }
    for (name, schema) in SchemaTable.all { expectTypes(schema, name) }
  }

  private func expectTypes(_ schema: Schema, _ name: String) {
    switch schema.form {
    case .any: #expect(schema.documented["type"] != nil || Self.free.contains(name), "\(name): anything")
    case .map:
      #expect(schema.documented["additionalProperties"] != nil || Self.free.contains(name), "\(name): any object")
    case .array(let item, _, _): expectTypes(item, name)
    case .object(let properties): for property in properties { expectTypes(property.schema, property.name) }
    default: break
    }
  }

  @Test("Each name that is used is described, and each that is described is used") func namesAreUsed() {
    var used: Set<String> = []
    func look(_ schema: Schema) {
      switch schema.form {
      case .named(let name):
        #expect(SchemaTable.byName[name] != nil, "\(name) is not described")
        if used.insert(name).inserted, let schema = SchemaTable.byName[name] { look(schema) }
      case .array(let item, _, _): look(item)
      case .object(let properties): for property in properties { look(property.schema) }
      default: break
      }
    }
    for route in RouteTable.routes {
      if let body = route.body { look(body) }
      for answer in route.answers { if let schema = answer.schema { look(schema) } }
    }
    // The default answer of every operation.
    look(.named("Problem"))
    #expect(Set(SchemaTable.all.map(\.name)).subtracting(used) == [])
  }

  @Test("Times are date-times, and a client may write them with microseconds and an offset") func times() throws {
    let fixture = try ServerFixture()
    _ = try fixture.makeDemo()
    let schemas = try fixture.send("GET", "/openapi.json").json["components"]?["schemas"]
    #expect(schemas?["Device"]?["properties"]?["created_at"]?["format"] == "date-time")
    #expect(schemas?["Repeat"]?["properties"]?["until"]?["format"] == "date-time")
    let time = "2026-11-20T12:00:00.123456+00:00"
    let body = #"{"events":[{"type":"opened","apns_id":"a1b2c3d4-e5f6-8788-8000-00000000002a","at":"\#(time)"}]}"#
    let answer = try fixture.send("POST", "/v1/apps/demo/events", body)
    #expect(answer.status == 200, "\(answer.text)")
  }

  @Test("A rate of nothing is null, and the document says so") func rates() throws {
    let fixture = try ServerFixture()
    let schemas = try fixture.send("GET", "/openapi.json").json["components"]?["schemas"]
    #expect(schemas?["Funnel"]?["properties"]?["open_rate"]?["type"] == ["number", "null"])
  }

  @Test("Whoever sends a body is told of its typing errors") func answersHaveReports() {
    for route in RouteTable.routes where route.body != nil {
      for answer in route.answers {
        guard var schema = answer.schema else { continue }
        if case .named(let name) = schema.form { schema = SchemaTable.byName[name] ?? schema }
        guard case .object(let properties) = schema.form else { continue }
        #expect(properties.contains { $0.name == "report" }, "\(route.name)")
      }
    }
  }

  @Test("An answer with a warning is as documented") func warnings() throws {
    let fixture = try ServerFixture()
    _ = try fixture.makeDemo()
    let webhook = JSON.minifiedText(try #require(RequestExamples.json("createWebhook")))
    #expect(try fixture.send("POST", "/v1/apps/demo/webhooks", webhook).status == 201)
    let credentials = JSON.minifiedText(try ServerFixture.credentials())
    for (method, path, body, name) in [
      ("POST", "audience", #"{"to":{"all":true}}"#, "countAudience"),
      ("POST", "webhooks/1/replay", "{}", "replayWebhook"), ("PUT", "credentials", credentials, "putCredentials"),
      ("PATCH", "webhooks/1", #"{"enabled":false}"#, "updateWebhook"), ("PATCH", "", "{}", "updateApp"),
      ("PUT", "templates/t", #"{"message":{"title":"a","body":"b"}}"#, "saveTemplate"),
      ("PUT", "suppression", "{}", "setSuppression"), ("PUT", "retention", "{}", "putAppRetention"),
    ] {
      var object = try #require(try JSON.parse(body).object)
      object["typing_error"] = 1
      let answer = try fixture.send(
        method, path.isEmpty ? "/v1/apps/demo" : "/v1/apps/demo/\(path)", JSON.minifiedText(.object(object)))
      #expect(answer.json["report"]?.array?.first?["field"] == "typing_error", "\(name): \(answer.text)")
      let route = try #require(RouteTable.routes.first { $0.name == name })
      let schema = try #require(route.answers.first { $0.status == answer.status }?.schema)
      #expect(schema.matches(answer.json, schemas: SchemaTable.byName), "\(name): \(answer.text)")
    }
    #expect(try !fixture.send("GET", "/v1/apps/demo/templates/t").text.contains("typing_error"))
  }
}
