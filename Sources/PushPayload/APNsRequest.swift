package import WireJSON

/// What APNs is sent for one notification: headers and the exact body.
///
/// The device token or channel is the client's.
public struct APNsRequest: Sendable, Hashable {
  /// The `apns-*` headers.
  public var headers: APNsHeaders
  /// The body: UTF-8 JSON, as it goes on the wire.
  public var payload: [UInt8]

  /// Makes a request.
  public init(headers: APNsHeaders, payload: [UInt8]) {
    self.headers = headers
    self.payload = payload
  }

  /// The request as `{"headers": {…}, "payload": {…}}`, minified; the payload's bytes are embedded as they are.
  public var json: [UInt8] {
    var writer = JSONWriter(capacity: payload.count + 512)
    write(to: &writer)
    return writer.bytes
  }

  /// Writes what ``json`` is.
  package func write(to writer: inout JSONWriter) {
    unsafe payload.withUnsafeBufferPointer { unsafe APNsRequest.write(headers, $0, to: &writer) }
  }

  /// Writes what ``json`` is of a request that is in parts.
  package static func write(
    _ headers: APNsHeaders, _ payload: UnsafeBufferPointer<UInt8>, to writer: inout JSONWriter
  ) {
    writer.literal("{\"headers\":")
    headers.write(to: &writer)
    writer.literal("\"payload\":")
    unsafe writer.raw(payload)
    writer.endObject()
  }
}
