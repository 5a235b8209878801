/// An HTTP/2 error code (RFC 9113 section 7), as carried by RST_STREAM and GOAWAY.
public struct HTTP2ErrorCode: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
  /// The number on the wire.
  public let rawValue: UInt32

  /// Any number is allowed: unknown codes survive.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// No error: a graceful end.
  public static let noError = HTTP2ErrorCode(rawValue: 0x0)
  /// The peer saw a violation of the protocol.
  public static let protocolError = HTTP2ErrorCode(rawValue: 0x1)
  /// The peer failed inside.
  public static let internalError = HTTP2ErrorCode(rawValue: 0x2)
  /// Flow control limits were violated.
  public static let flowControlError = HTTP2ErrorCode(rawValue: 0x3)
  /// SETTINGS were not acknowledged in time.
  public static let settingsTimeout = HTTP2ErrorCode(rawValue: 0x4)
  /// A frame came for a closed stream.
  public static let streamClosed = HTTP2ErrorCode(rawValue: 0x5)
  /// A frame had the wrong size.
  public static let frameSizeError = HTTP2ErrorCode(rawValue: 0x6)
  /// The stream was not processed at all: safe to send again (RFC 9113 section 8.7).
  public static let refusedStream = HTTP2ErrorCode(rawValue: 0x7)
  /// The stream is no longer needed.
  public static let cancel = HTTP2ErrorCode(rawValue: 0x8)
  /// The header compression state is lost.
  public static let compressionError = HTTP2ErrorCode(rawValue: 0x9)
  /// The connection of a CONNECT request failed.
  public static let connectError = HTTP2ErrorCode(rawValue: 0xa)
  /// The peer thinks that we send too much.
  public static let enhanceYourCalm = HTTP2ErrorCode(rawValue: 0xb)
  /// The TLS properties do not suffice.
  public static let inadequateSecurity = HTTP2ErrorCode(rawValue: 0xc)
  /// The peer requires HTTP/1.1.
  public static let http11Required = HTTP2ErrorCode(rawValue: 0xd)

  private static let names = [
    "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
    "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
    "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
  ]

  /// The name of RFC 9113, or the number in hexadecimal when it has none.
  public var description: String {
    rawValue < UInt32(Self.names.count) ? Self.names[Int(rawValue)] : "0x" + String(rawValue, radix: 16)
  }
}
