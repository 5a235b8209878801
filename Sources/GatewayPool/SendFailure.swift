/// A send that ended without an answer from the provider that could be used.
public struct SendFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// Whether the provider may have taken the notification.
  public enum Processing: String, Sendable, Hashable, CaseIterable {
    /// It certainly did not: the notification may be sent again without a risk of a double.
    case notProcessed = "not_processed"
    /// It may have been processed: the outcome is unknown.
    case unknown
  }

  /// What kind of failure; an open set, the text is stable and fit for a metric label.
  public struct Cause: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The stable name, in snake case.
    public let rawValue: String

    /// Wraps a name, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The name.
    public var description: String { rawValue }
  }

  /// Whether the provider may have taken the notification.
  public let processing: Processing
  /// What kind of failure.
  public let cause: Cause
  /// What happened, where, and what to do about it.
  ///
  /// Holds no token, key or payload.
  public let detail: String

  /// Names a failure.
  public init(_ processing: Processing, _ cause: Cause, _ detail: String) {
    self.processing = processing
    self.cause = cause
    self.detail = detail
  }

  /// Cause, detail and whether the send may be repeated.
  public var description: String {
    "\(cause): \(detail) (\(processing == .notProcessed ? "not processed" : "may have been processed"))"
  }
}

extension SendFailure.Cause {
  /// The gateway's name could not be resolved.
  public static let nameLookup = Self(rawValue: "name_lookup")
  /// The address is loopback, private or otherwise not public, and the configuration does not name it explicitly.
  public static let addressRefused = Self(rawValue: "address_refused")
  /// The TCP connection could not be made.
  public static let connect = Self(rawValue: "connect")
  /// The HTTP proxy refused or broke the tunnel.
  public static let proxy = Self(rawValue: "proxy")
  /// TLS failed: the certificate was not trusted, or the handshake broke.
  public static let tls = Self(rawValue: "tls")
  /// The peer does not support HTTP/2 (ALPN `h2` was not chosen).
  public static let noHTTP2 = Self(rawValue: "no_http2")
  /// The peer sent GOAWAY.
  public static let goAway = Self(rawValue: "go_away")
  /// The peer refused the stream before any work was done on it.
  public static let refusedStream = Self(rawValue: "refused_stream")
  /// The peer reset the stream.
  public static let streamReset = Self(rawValue: "stream_reset")
  /// The connection broke or was closed without a GOAWAY.
  public static let connectionLost = Self(rawValue: "connection_lost")
  /// The connection was opened, but the peer sent nothing.
  public static let silence = Self(rawValue: "silence")
  /// No answer came before the request's deadline.
  public static let requestTimeout = Self(rawValue: "request_timeout")
  /// The send waited for a connection until its deadline.
  public static let queueTimeout = Self(rawValue: "queue_timeout")
  /// The notification's own expiry passed before it could be sent.
  public static let expired = Self(rawValue: "expired")
  /// Whoever submitted it took it back before it was sent (``SendRecall``).
  public static let recalled = Self(rawValue: "recalled")
  /// No token could be had in time: signing failed, or the token endpoint gave none without refusing the credential.
  public static let tokenUnavailable = Self(rawValue: "token_unavailable")
  /// The token endpoint refused the credential.
  public static let credential = Self(rawValue: "credential")
  /// The client was closed before the send was done.
  public static let closed = Self(rawValue: "closed")
  /// The request cannot be sent, because one of its header values is invalid in HTTP/2.
  public static let invalidRequest = Self(rawValue: "invalid_request")
  /// The peer broke HTTP/2, or sent more than the limit.
  public static let protocolViolation = Self(rawValue: "protocol_violation")
}
