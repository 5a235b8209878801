/// The results of all requests that finished during one turn of the event loop, delivered in one call.
///
/// Read it inside the call, or retain a copy; the bytes of all responses are in one block.
public struct HTTP2Results: Sendable {
  /// One ended request, in plain numbers; the rest is in the arrays below.
  struct Entry {
    var id: UInt64
    var status: Int32
    /// Index into `failures`, or -1 for a response.
    var failure: Int32
    /// Where this response's wanted headers start in `headerEnds`.
    var firstHeader: Int
    var bodyStart: Int
    var bodyEnd: Int
    var bodyTruncated: Bool
  }

  var entries: [Entry] = []
  var failures: [HTTP2Failure] = []
  /// For each response one range per wanted header; an empty range that starts at -1 is an absent header.
  var headerRanges: [(start: Int, end: Int)] = []
  var bytes: [UInt8] = []

  package init() {}

  /// How many requests ended.
  public var count: Int { entries.count }

  /// Whether no request ended.
  public var isEmpty: Bool { entries.isEmpty }

  /// One result.
  public subscript(index: Int) -> HTTP2Result {
    let entry = entries[index]
    if entry.failure >= 0 {
      return HTTP2Result(id: entry.id, outcome: .failure(failures[Int(entry.failure)]))
    }
    let response = HTTP2Response(
      status: Int(entry.status), bodyTruncated: entry.bodyTruncated, firstHeader: entry.firstHeader,
      bodyRange: entry.bodyStart..<entry.bodyEnd)
    return HTTP2Result(id: entry.id, outcome: .response(response))
  }

  /// The body of a response of these results, up to the configured limit.
  public func body(of response: HTTP2Response) -> ArraySlice<UInt8> { bytes[response.bodyRange] }

  /// The value of a wanted header, by its index in the configuration's `wantedHeaders`; `nil` when the response has
  /// none.
  public func header(_ index: Int, of response: HTTP2Response) -> ArraySlice<UInt8>? {
    let range = headerRanges[response.firstHeader + index]
    return range.start < 0 ? nil : bytes[range.start..<range.end]
  }

  mutating func removeAll() {
    entries.removeAll(keepingCapacity: true)
    failures.removeAll(keepingCapacity: true)
    headerRanges.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
  }
}

extension HTTP2Results {
  /// Adds the response to a request, for transports other than a connection.
  ///
  /// - Parameter headers: the values of the wanted headers, in the order of the configuration.
  package mutating func append(_ id: UInt64, status: Int, headers: [[UInt8]?], body: [UInt8]) {
    let firstHeader = headerRanges.count
    for header in headers {
      headerRanges.append(header.map { (bytes.count, bytes.count + $0.count) } ?? (-1, -1))
      if let header { bytes += header }
    }
    entries.append(
      Entry(
        id: id, status: Int32(status), failure: -1, firstHeader: firstHeader, bodyStart: bytes.count,
        bodyEnd: bytes.count + body.count, bodyTruncated: false))
    bytes += body
  }

  /// Adds the failure of a request, for transports other than a connection.
  package mutating func append(_ id: UInt64, _ failure: HTTP2Failure) {
    failures.append(failure)
    entries.append(
      Entry(
        id: id, status: 0, failure: Int32(failures.count - 1), firstHeader: 0, bodyStart: 0, bodyEnd: 0,
        bodyTruncated: false))
  }
}

/// The result of one request.
public struct HTTP2Result: Sendable {
  /// The caller's own number for the request.
  public let id: UInt64
  /// A response, or a failure.
  public let outcome: HTTP2Outcome
}

/// A response, or the reason why there is none.
public enum HTTP2Outcome: Sendable {
  /// The server answered.
  case response(HTTP2Response)
  /// The server did not answer.
  case failure(HTTP2Failure)
}

/// A server's answer; headers and body are read through the ``HTTP2Results`` it came with.
public struct HTTP2Response: Sendable {
  /// The `:status`.
  public let status: Int
  /// Whether the body was longer than the configured limit, and cut.
  public let bodyTruncated: Bool
  let firstHeader: Int
  let bodyRange: Range<Int>
}
