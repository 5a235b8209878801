import Glibc
import HTTP2
import HTTPServer
import Synchronization
import TestSupport
import Testing
import WireJSON

@testable import PostriderServer

/// Traces at a collector on loopback: from the caller's `traceparent` to the provider's answer.
@Suite(.timeLimit(.minutes(2))) final class TracingTests: Sendable {
  /// A collector that answers with a status of the test's choice.
  final class Collector: HTTPHandler {
    let status = Atomic(200)
    let requests = Mutex<[(headers: HTTPHeaders, json: JSONValue)]>([])

    func handle(_ request: HTTPRequest, _ responder: HTTPResponder) {
      requests.withLock { $0.append((request.headers, (try? JSON.parse(request.body)) ?? .null)) }
      responder.respond(HTTPResponse(status: status.load(ordering: .relaxed)))
    }

    /// The spans of a trace, or of all.
    func spans(_ trace: String? = nil) -> [JSONValue] {
      requests.withLock { requests in
        requests.flatMap { request in
          (request.json["resourceSpans"]?.array ?? []).flatMap { $0["scopeSpans"]?.array ?? [] }
            .flatMap { $0["spans"]?.array ?? [] }
        }
      }
      .filter { trace == nil || $0["traceId"]?.string == trace }
    }
  }

  static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
  static let caller = "00f067aa0ba902b7"
  static let headers = ["traceparent: 00-\(trace)-\(caller)-01", "tracestate: vendor=1"]
  static let oneDevice =
    #"{"to":{"tokens":[{"type":"ios","token":"\#(ServerFixture.iosToken)"}]},"message":{"title":"Hush","body":"Secret"}}"#

  let collector = Collector()
  let server: HTTPServer

  init() throws { server = try HTTPServer(HTTPServerConfiguration(), handler: collector) }

  deinit { server.stop(drainingFor: .zero) }

  func setting(rate: String? = nil, headers: String? = nil) throws -> TracingSetting {
    try #require(
      try TracingSetting(base: "http://127.0.0.1:\(server.port)", rate: rate) { $0 == .headers ? headers : nil })
  }

  func world(rate: String? = nil, headers: String? = nil) throws -> EndToEndTests {
    let setting = try setting(rate: rate, headers: headers)
    let world = try EndToEndTests(clock: .system) { $0.tracing = setting }
    try world.register()
    return world
  }

  func send(_ world: EndToEndTests, _ body: String = oneDevice, headers: [String] = headers) throws -> String {
    let answer = try world.fixture.send("POST", "/v1/apps/demo/pushes", body, headers: headers)
    return try #require(answer.json["id"]?.string, "\(answer.text)")
  }

  func wait(_ what: String, _ isDone: () throws -> Bool) throws {
    for _ in 0..<2_000 {
      if try isDone() { return }
      usleep(10_000)
    }
    #expect(Bool(false), "never: \(what)")
  }

  static func attribute(_ span: JSONValue, _ name: String) -> JSONValue? {
    let found = span["attributes"]?.array?.first { $0["key"]?.string == name }?["value"]
    return found?["stringValue"] ?? found?["intValue"] ?? found?["boolValue"]
  }

  func named(_ name: String, _ trace: String? = trace) -> JSONValue? {
    collector.spans(trace).first { $0["name"]?.string == name }
  }

  @Test("A push is traced from its caller's span to the provider's answer, without token and text")
  func tracesOnePush() throws {
    let world = try world(headers: "api-key=k%2C1")
    let id = try send(world)
    try wait("the push's spans") {
      ["push", "send apns", "POST /v1/apps/{app}/pushes"].allSatisfy { self.named($0) != nil }
    }
    let request = try #require(named("POST /v1/apps/{app}/pushes"))
    #expect(request["parentSpanId"]?.string == Self.caller)
    #expect(request["traceState"]?.string == "vendor=1")
    #expect(request["kind"] == 2)
    #expect(Self.attribute(request, "http.response.status_code") == "202")
    for name in ["validation", "commit", "push"] {
      #expect(named(name)?["parentSpanId"] == request["spanId"], "\(name)")
    }
    let push = try #require(named("push"))
    #expect(Self.attribute(push, "postrider.accepted") == "1")
    #expect(Self.attribute(push, "postrider.push")?.string == id)
    for name in ["lease", "send apns"] { #expect(named(name)?["parentSpanId"] == push["spanId"], "\(name)") }
    let sent = try #require(named("send apns"))
    #expect(sent["kind"] == 3)
    #expect(Self.attribute(sent, "postrider.outcome") == "accepted")
    #expect(sent["status"] == nil)
    for span in collector.spans() {
      let (start, end) = (span["startTimeUnixNano"]?.string ?? "", span["endTimeUnixNano"]?.string ?? "")
      #expect(start.utf8.count == 19 && start <= end, "\(span)")
      let text = JSON.minifiedText(span)
      for secret in [ServerFixture.iosToken, "Hush", "Secret", world.fixture.admin] { #expect(!text.contains(secret)) }
    }
    let first = try #require(collector.requests.withLock { $0.first })
    #expect(first.headers.first("api-key") == "k,1")
    let resource = try #require(first.json["resourceSpans"]?.array?.first?["resource"])
    #expect(Self.attribute(resource, "service.name") == "postrider")
    #expect(Self.attribute(resource, "service.version") == "1.2.3")
  }

  @Test("A send that the provider refuses says so with the provider's reason")
  func showsRefusals() throws {
    let world = try world()
    let body =
      #"{"to":{"tokens":[{"type":"ios","token":"\#(EndToEndTests.goneToken)"}]},"message":{"title":"T","body":"B"}}"#
    _ = try send(world, body)
    try wait("the send's span") { self.named("send apns") != nil }
    let sent = try #require(named("send apns"))
    #expect(Self.attribute(sent, "postrider.reason") == "Unregistered")
    #expect(Self.attribute(sent, "http.response.status_code") == "410")
    #expect(sent["status"]?["code"] == 2)
    #expect(sent["status"]?["message"]?.string == "Unregistered")
  }

  @Test("A request that is refused has the span of the check that refused it")
  func showsRefusedRequests() throws {
    let world = try world()
    let answer = try world.fixture.send("POST", "/v1/apps/demo/pushes", "{}", headers: Self.headers)
    #expect(answer.status == 422)
    try wait("the request's span") { self.named("POST /v1/apps/{app}/pushes") != nil }
    let request = try #require(named("POST /v1/apps/{app}/pushes"))
    #expect(Self.attribute(request, "http.response.status_code") == "422")
    // The caller's fault is none of the server's.
    #expect(request["status"] == nil)
    #expect(named("validation")?["status"]?["code"] == 2)
  }

  @Test("The caller's flag decides, and the rate where the caller says nothing")
  func samples() throws {
    let world = try world(rate: "0")
    _ = try send(world, headers: ["traceparent: 00-\(Self.trace)-\(Self.caller)-00"])
    _ = try send(world, headers: [])
    let last = "0af7651916cd43dd8448eb211c80319c"
    _ = try send(world, headers: ["traceparent: 00-\(last)-\(Self.caller)-01"])
    try wait("the last push's spans") {
      self.named("push", last) != nil && self.named("POST /v1/apps/{app}/pushes", last) != nil
    }
    #expect(Set(collector.spans().map { $0["traceId"]?.string }) == [last])
  }

  @Test("Without a traceparent a send begins a trace of its own, and other requests none")
  func beginsTraces() throws {
    let world = try world()
    _ = try send(world, headers: [])
    try wait("the push's spans") {
      self.named("push", nil) != nil && self.named("POST /v1/apps/{app}/pushes", nil) != nil
    }
    let requests = collector.spans().filter { $0["kind"] == 2 }
    // The devices were registered before, and the push was looked at by nobody.
    #expect(requests.map { $0["name"]?.string } == ["POST /v1/apps/{app}/pushes"])
    #expect(requests.first?["parentSpanId"] == nil)
  }

  @Test("A campaign has one span with bounded events, and none for a device")
  func tracesCampaigns() throws {
    let world = try world()
    _ = try send(world, #"{"to":{"all":true},"campaign":"c-1","message":{"title":"T","body":"B"}}"#)
    try wait("the campaign's span") { self.named("push") != nil }
    let push = try #require(named("push"))
    #expect(Self.attribute(push, "postrider.campaign") == true)
    #expect(Self.attribute(push, "postrider.accepted") == "2")
    let events = try #require(push["events"]?.array)
    #expect(!events.isEmpty && events.count <= Tracer.eventsMax)
    #expect(events.allSatisfy { $0["name"]?.string == "lease" })
    #expect(collector.spans(Self.trace).allSatisfy { $0["name"]?.string?.hasPrefix("send") == false })
  }

  @Test("What is left when the server stops is sent before it ends")
  func flushes() throws {
    let world = try world()
    let id = try send(world)
    _ = try world.finished(id)
    world.fixture.server.stop()
    #expect(named("push") != nil && named("send apns") != nil)
  }

  @Test("A collector that refuses costs spans, and no push")
  func countsRefusals() throws {
    collector.status.store(400, ordering: .relaxed)
    let world = try world()
    let push = try world.finished(try send(world))
    #expect(push["state"] == "sent")
    try wait("a failure in the metrics") {
      let text = try world.fixture.send("GET", "/metrics").text
      return text.contains(#"postrider_trace_spans_total{result="failed"} "#)
        && !text.contains(#"postrider_trace_spans_total{result="failed"} 0"#)
    }
    #expect(try world.fixture.send("GET", "/metrics").text.contains(#"postrider_trace_spans_total{result="sent"} 0"#))
  }

  @Test("Spans beyond the queue are dropped and counted")
  func dropsSpans() throws {
    let exporter = try SpanExporter(
      try setting(), proxy: nil, version: "1", log: Log(level: .error, clock: .system) { _ in }
    ) {}
    let span = Span(
      context: TraceContext(trace: (1, 2), parent: 3), id: 4, name: "s", kind: .inside, start: 1, end: 2)
    // Its thread has not been started: nothing leaves the queue.
    for _ in 0..<(SpanExporter.queueMax + 10) { exporter.add(span) }
    let dropped = exporter.gauges.flatMap(\.values).first { $0.labels.contains("dropped") }?.value
    #expect(dropped == 10)
    exporter.stop()
    #expect(collector.spans().count == SpanExporter.queueMax)
  }

  @Test("The collector is reached through the server's proxy")
  func goesThroughTheProxy() throws {
    let proxy = TestProxy(answer: "HTTP/1.1 403 Forbidden\r\n\r\n", target: 0)
    proxy.start()
    defer { proxy.stop() }
    let setting = try #require(
      try TracingSetting(base: "https://collector.example.com", rate: nil, environment: { _ in nil }))
    let way = try HTTP2Proxy("127.0.0.1:\(proxy.port)")
    let world = try EndToEndTests(clock: .system) { ($0.tracing, $0.proxy) = (setting, way) }
    _ = try send(world)
    try wait("a request to the proxy") {
      proxy.heads.withLock { $0.contains { $0.hasPrefix("CONNECT collector.example.com:443 ") } }
    }
  }
}
