internal import Basics
internal import HTTPServer

/// The position of a request in its caller's trace: what `traceparent` and `tracestate` say (W3C Trace Context).
struct TraceContext: Sendable, Equatable {
  /// The two halves of the trace's id; never both 0.
  let trace: (high: UInt64, low: UInt64)
  /// The span that what follows belongs to; 0 for the first span of a trace.
  var parent: UInt64
  /// What other tracing systems have noted, passed on as it came.
  var state = ""

  /// The most bytes of `tracestate` that are passed on: what the recommendation asks of everyone.
  static let stateBytesMax = 512

  static func == (a: TraceContext, b: TraceContext) -> Bool {
    a.trace == b.trace && a.parent == b.parent && a.state == b.state
  }
}

/// What a request says of its trace.
enum TraceHeader: Equatable {
  /// Nothing that can be used: a header that is malformed or comes twice counts as none.
  case absent
  /// The caller traces it.
  case sampled(TraceContext)
  /// The caller has a trace, and does not record it.
  case unsampled

  /// Reads the headers of a request.
  init(_ headers: HTTPHeaders) {
    guard headers.occurrences(of: "traceparent") == 1, let bytes = headers.valueBytes("traceparent"),
      let (read, isSampled) = Self.read(Array(bytes))
    else {
      self = .absent
      return
    }
    guard isSampled else {
      self = .unsampled
      return
    }
    var context = read
    if headers.occurrences(of: "tracestate") == 1, let state = headers.valueBytes("tracestate"),
      state.count <= TraceContext.stateBytesMax, state.allSatisfy({ (0x20...0x7E).contains($0) })
    {
      context.state = String(decoding: state, as: UTF8.self)
    }
    self = .sampled(context)
  }

  /// The parts of `traceparent`: version, trace, span and flags, in lower-case hexadecimal with `-` between.
  ///
  /// Of a later version, the parts that this one knows are read, and what follows them is not.
  private static func read(_ bytes: [UInt8]) -> (TraceContext, isSampled: Bool)? {
    let size = 55
    guard bytes.count >= size, [2, 35, 52].allSatisfy({ bytes[$0] == UInt8(ascii: "-") }),
      let version = number(bytes[0..<2]), version != 0xFF,
      bytes.count == size || version > 0 && bytes[size] == UInt8(ascii: "-"),
      let high = number(bytes[3..<19]), let low = number(bytes[19..<35]), high | low != 0,
      let parent = number(bytes[36..<52]), parent != 0, let flags = number(bytes[53..<55])
    else { return nil }
    return (TraceContext(trace: (high, low), parent: parent), flags & 1 == 1)
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
    var number: UInt64 = 0
    for digit in digits {
      // Upper case is not a trace of anyone who follows the recommendation.
      guard !(UInt8(ascii: "A")...UInt8(ascii: "F")).contains(digit), let value = Hex.value(digit) else { return nil }
      number = number << 4 | UInt64(value)
    }
    return number
  }
}
