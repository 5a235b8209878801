internal import WireJSON

/// Writes spans as an `ExportTraceServiceRequest` in OTLP's JSON encoding: ids in hexadecimal, times as text, because they
/// have 64 bits.
struct SpanJSON {
  /// What names this server to the collector: attributes of the resource.
  let resource: [(name: String, value: String)]
  let version: String

  func request(_ spans: [Span]) -> [UInt8] {
    var writer = JSONWriter(capacity: 512 * (spans.count + 1))
    writer.beginObject()
    writer.key("resourceSpans")
    writer.beginArray()
    writer.beginObject()
    writer.key("resource")
    writer.beginObject()
    writer.key("attributes")
    writer.beginArray()
    for (name, value) in resource {
      writer.beginObject()
      writer.key("key")
      writer.string(name)
      Self.write(.text(value), to: &writer)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    writer.key("scopeSpans")
    writer.beginArray()
    writer.beginObject()
    writer.key("scope")
    writer.beginObject()
    writer.key("name")
    writer.string("postrider")
    writer.key("version")
    writer.string(version)
    writer.endObject()
    writer.key("spans")
    writer.beginArray()
    for span in spans { Self.write(span, to: &writer) }
    writer.endArray()
    writer.endObject()
    writer.endArray()
    writer.endObject()
    writer.endArray()
    writer.endObject()
    return writer.bytes
  }

  private static func write(_ span: Span, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("traceId")
    writer.string(hex(span.context.trace.high) + hex(span.context.trace.low))
    writer.key("spanId")
    writer.string(hex(span.id))
    if !span.context.state.isEmpty {
      writer.key("traceState")
      writer.string(span.context.state)
    }
    if span.context.parent != 0 {
      writer.key("parentSpanId")
      writer.string(hex(span.context.parent))
    }
    writer.key("name")
    writer.string(span.name)
    writer.key("kind")
    writer.int(span.kind.rawValue)
    writer.key("startTimeUnixNano")
    writer.string(String(span.start))
    writer.key("endTimeUnixNano")
    writer.string(String(max(span.end, span.start)))
    write(span.attributes, to: &writer)
    write(span.events, dropped: span.droppedEvents, to: &writer)
    if let failure = span.failure {
      writer.key("status")
      writer.beginObject()
      writer.key("code")
      writer.int(2)
      writer.key("message")
      writer.string(failure)
      writer.endObject()
    }
    writer.endObject()
  }

  private static func write(_ events: [Span.Event], dropped: Int, to writer: inout JSONWriter) {
    guard !events.isEmpty else { return }
    writer.key("events")
    writer.beginArray()
    for event in events {
      writer.beginObject()
      writer.key("timeUnixNano")
      writer.string(String(event.at))
      writer.key("name")
      writer.string(event.name)
      write(event.attributes, to: &writer)
      writer.endObject()
    }
    writer.endArray()
    if dropped > 0 {
      writer.key("droppedEventsCount")
      writer.int(dropped)
    }
  }

  private static func write(_ attributes: Span.Attributes, to writer: inout JSONWriter) {
    guard !attributes.isEmpty else { return }
    writer.key("attributes")
    writer.beginArray()
    for (name, value) in attributes {
      writer.beginObject()
      writer.key("key")
      writer.string(name)
      write(value, to: &writer)
      writer.endObject()
    }
    writer.endArray()
  }

  private static func write(_ value: Span.Value, to writer: inout JSONWriter) {
    writer.key("value")
    writer.beginObject()
    switch value {
    case .text(let text):
      writer.key("stringValue")
      writer.string(text)
    case .int(let number):
      writer.key("intValue")
      writer.string(String(number))
    case .flag(let flag):
      writer.key("boolValue")
      writer.bool(flag)
    }
    writer.endObject()
  }

  private static func hex(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}
