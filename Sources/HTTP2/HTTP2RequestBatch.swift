/// Requests that are handed to a connection together: one lock and one wake-up for all of them.
///
/// All bytes of a batch lie in one block of memory, so that a request costs no allocation of its own.
///
/// ```swift
/// var batch = HTTP2RequestBatch()
/// for (index, token) in tokens.enumerated() {
///   batch.begin(template, id: UInt64(index))
///   batch.path(token)              // after the template's pathPrefix
///   batch.value(apnsID)            // the template's first variable header
///   batch.end()                    // no body of its own: the template's body is sent
/// }
/// connection.submit(batch)
/// ```
public struct HTTP2RequestBatch: ~Copyable, Sendable {
  let storage: BatchStorage

  /// The time a request has, from its hand-over to its response, when none is given.
  public static let defaultTimeout: Duration = .seconds(30)

  /// An empty batch.
  /// - Parameters:
  ///   - requests: how many requests to make room for.
  ///   - bytes: how many bytes of paths, values and bodies to make room for.
  public init(requests: Int = 0, bytes: Int = 0) {
    storage = BatchStorage(requests: requests, bytes: bytes)
  }

  /// How many requests the batch holds.
  public var count: Int { unsafe storage.entries.count }

  /// Starts a request.
  ///
  /// Follow with `path`, one `value` or `noValue` per variable header, `body` if any, then `end`.
  ///
  /// - Parameters:
  ///   - template: what the request has in common with others.
  ///   - id: the caller's own number for the request; it comes back with the result.
  ///   - timeout: the time from hand-over to response after which the request fails with `deadline`.
  public mutating func begin(
    _ template: HTTP2RequestTemplate, id: UInt64, timeout: Duration = HTTP2RequestBatch.defaultTimeout
  ) {
    storage.begin(template, id: id, timeout: MonotonicTime.nanoseconds(timeout))
  }

  /// Adds bytes to the path, after the template's prefix.
  public mutating func path(_ bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { unsafe storage.append($0, to: .path) }
  }

  /// Adds bytes to the path, after the template's prefix.
  public mutating func path(_ bytes: [UInt8]) {
    unsafe bytes.withUnsafeBufferPointer { unsafe storage.append($0, to: .path) }
  }

  /// Adds text to the path, after the template's prefix.
  public mutating func path(_ text: String) {
    var text = text
    text.withUTF8 { unsafe storage.append($0, to: .path) }
  }

  /// Gives the value of the next variable header.
  public mutating func value(_ bytes: Span<UInt8>) { unsafe bytes.withUnsafeBufferPointer { unsafe storage.value($0) } }

  /// Gives the value of the next variable header.
  public mutating func value(_ bytes: [UInt8]) { unsafe bytes.withUnsafeBufferPointer { unsafe storage.value($0) } }

  /// Gives the value of the next variable header.
  public mutating func value(_ text: String) {
    var text = text
    text.withUTF8 { unsafe storage.value($0) }
  }

  /// Leaves the next variable header out.
  public mutating func noValue() { storage.noValue() }

  /// Adds bytes to the request's own body; several pieces are joined.
  ///
  /// A request with no piece sends the template's.
  public mutating func body(_ bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { unsafe storage.append($0, to: .body) }
  }

  /// Adds bytes to the request's own body; several pieces are joined.
  ///
  /// A request with no piece sends the template's.
  public mutating func body(_ bytes: [UInt8]) {
    unsafe bytes.withUnsafeBufferPointer { unsafe storage.append($0, to: .body) }
  }

  /// Ends the request.
  ///
  /// Variable headers that got no value are left out.
  public mutating func end() { storage.end() }

  /// Adds a whole request.
  public mutating func append(
    _ template: HTTP2RequestTemplate, id: UInt64, path: String, values: [String?] = [], body: [UInt8]? = nil,
    timeout: Duration = HTTP2RequestBatch.defaultTimeout
  ) {
    begin(template, id: id, timeout: timeout)
    self.path(path)
    for value in values {
      if let value { self.value(value) } else { noValue() }
    }
    if let body { self.body(body) }
    end()
  }
}
