/// One step of a trace, ended.
struct Span: Sendable {
  /// What a span is to the one it belongs to, with OTLP's numbers.
  enum Kind: Int, Sendable {
    case inside = 1
    case server = 2
    case client = 3
  }

  /// The value of an attribute.
  enum Value: Sendable, Equatable {
    case text(String)
    case int(Int)
    case flag(Bool)
  }

  typealias Attributes = [(name: StaticString, value: Value)]

  /// An instant within a span.
  struct Event: Sendable {
    let name: StaticString
    let at: UInt64
    let attributes: Attributes
  }

  /// Its trace, and the span it belongs to.
  let context: TraceContext
  let id: UInt64
  let name: String
  let kind: Kind
  /// Nanoseconds since 1970-01-01 UTC.
  let start: UInt64
  let end: UInt64
  var attributes: Attributes = []
  var events: [Event] = []
  /// Events beyond the bound.
  var droppedEvents = 0
  /// Why it failed; nil when it did not.
  var failure: String?
}
