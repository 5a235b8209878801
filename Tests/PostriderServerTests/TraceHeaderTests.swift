import HTTPServer
import TestSupport
import Testing

@testable import PostriderServer

/// What a request says of its trace, and what options and environment say of the collector.
@Suite struct TraceHeaderTests {
  static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
  static let known = TraceContext(trace: (0x4bf9_2f35_77b3_4da6, 0xa3ce_929d_0e0e_4736), parent: 0x00f0_67aa_0ba9_02b7)

  static func read(_ fields: [(String, String)]) -> TraceHeader {
    TraceHeader(HTTPHeaders(fields.map { (name: $0.0, value: $0.1) }))
  }

  @Test(arguments: [
    ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", TraceHeader.sampled(known)),
    ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-03", .sampled(known)),
    ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00", .unsampled),
    // A later version may say more.
    ("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more", .sampled(known)),
    ("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01.more", .absent),
    ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more", .absent),
    ("ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", .absent),
    ("00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01", .absent),
    ("00-00000000000000000000000000000000-00f067aa0ba902b7-01", .absent),
    ("00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01", .absent),
    ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7", .absent),
    ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0", .absent),
    ("00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", .absent),
    ("", .absent),
  ])
  func readsTraceparent(text: String, expected: TraceHeader) {
    #expect(Self.read([("traceparent", text)]) == expected)
  }

  @Test func readsTracestate() {
    let parent = ("traceparent", "00-\(Self.trace)-00f067aa0ba902b7-01")
    var context = Self.known
    context.state = "a=1,b=2"
    #expect(Self.read([parent, ("tracestate", "a=1,b=2")]) == .sampled(context))
    #expect(Self.read([parent, ("tracestate", String(repeating: "a", count: 513))]) == .sampled(Self.known))
    // Which of two is meant would be a guess.
    #expect(Self.read([parent, parent]) == .absent)
  }

  static func setting(
    _ base: String? = nil, rate: String? = nil, _ values: [TracingSetting.Variable: String] = [:]
  ) throws -> TracingSetting? {
    try TracingSetting(base: base, rate: rate) { values[$0] }
  }

  @Test func readsSettings() throws {
    #expect(try Self.setting() == nil)
    #expect(try Self.setting("http://127.0.0.1:4318")?.url == "http://127.0.0.1:4318/v1/traces")
    #expect(try Self.setting("https://c.example/otlp/")?.url == "https://c.example/otlp/v1/traces")
    #expect(try Self.setting(nil, [.endpoint: "https://c.example"])?.url == "https://c.example/v1/traces")
    let whole = try Self.setting(nil, [.tracesEndpoint: "https://c.example/t", .endpoint: "https://other.example"])
    #expect(whole?.url == "https://c.example/t")
    // The option is nearer than the environment.
    let nearer = try Self.setting("https://a.example", [.tracesEndpoint: "https://b.example/t"])
    #expect(nearer?.url == "https://a.example/v1/traces")
    #expect(try Self.setting("http://c")?.rate == 1)
    #expect(try Self.setting("http://c", rate: "0.25", [.rate: "0.5"])?.rate == 0.25)
    #expect(try Self.setting("http://c", [.rate: "0.5"])?.rate == 0.5)
    let named = try Self.setting("http://c", [.serviceName: "mail", .resource: "service.name=x,deployment=eu%20west"])
    #expect(named?.resource.map(\.name) == ["service.name", "deployment"])
    #expect(named?.resource.map(\.value) == ["mail", "eu west"])
    let keyed = try Self.setting("http://c", [.headers: "a=1", .tracesHeaders: " b = 2 , c=3%3D"])
    #expect(keyed?.headers.map(\.name) == ["b", "c"])
    #expect(keyed?.headers.map(\.value) == ["2", "3="])
  }

  @Test(
    arguments: [
      ("127.0.0.1:4318", nil, [:], "--otlp: expected"),
      ("ftp://c.example", nil, [:], "--otlp: expected"),
      ("https://user:s3cret@c.example", nil, [:], "--otlp: expected"),
      (nil, nil, [.endpoint: "c.example"], "OTEL_EXPORTER_OTLP_ENDPOINT: expected"),
      (nil, "0.5", [:], "--trace-rate without --otlp"),
      ("http://c", "2", [:], "--trace-rate takes a number from 0 to 1"),
      ("http://c", nil, [.rate: "often"], "OTEL_TRACES_SAMPLER_ARG takes a number"),
      ("http://c", nil, [.protocolName: "grpc"], "usually 4318"),
      ("http://c", nil, [.headers: "a=1,s3cret"], "OTEL_EXPORTER_OTLP_HEADERS, pair 2"),
      ("http://c", nil, [.headers: "a=s3cret%0d%0ab"], "OTEL_EXPORTER_OTLP_HEADERS, pair 1"),
    ] as [(String?, String?, [TracingSetting.Variable: String], String)])
  func refusesSettings(base: String?, rate: String?, values: [TracingSetting.Variable: String], words: String) {
    let error = #expect(throws: TracingSettingError.self) { try Self.setting(base, rate: rate, values) }
    #expect(error?.description.contains(words) == true, "\(String(describing: error))")
    // What may be a key is not repeated.
    #expect(error?.description.contains("s3cret") == false)
  }
}
