/// A GOAWAY frame that arrived: the peer takes no further streams on this connection.
public struct HTTP2GoAway: Sendable, Hashable, CustomStringConvertible {
  /// Streams above this id were not processed and are safe to send again (RFC 9113 section 6.8).
  public let lastStreamID: Int32
  /// Why the peer leaves; `noError` is a graceful end.
  public let code: HTTP2ErrorCode
  /// What the peer says about it.
  ///
  /// APNs puts JSON with a `reason` here. At most ``debugDataLimit`` bytes are kept.
  public let debugData: [UInt8]

  /// How much debug data is kept, in bytes.
  public static let debugDataLimit = 1024

  package init(lastStreamID: Int32, code: HTTP2ErrorCode, debugData: [UInt8]) {
    self.lastStreamID = lastStreamID
    self.code = code
    self.debugData = debugData
  }

  /// Code, last stream and the debug data as text.
  public var description: String {
    let said = debugData.isEmpty ? "" : ", saying \"\(String(decoding: debugData, as: UTF8.self))\""
    return "GOAWAY \(code) after stream \(lastStreamID)\(said)"
  }
}
