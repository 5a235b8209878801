/// What a rule or a script makes of a request.
public enum Effect: Sendable, Hashable {
  /// The request is treated as always.
  case pass
  /// An answer by name: an APNs reason, an FCM error code, an OAuth error.
  case refuse(Refusal)
  /// A fixed answer, byte for byte.
  case answer(RawAnswer)
  /// RST_STREAM with this error code.
  case reset(code: UInt32)
  /// No answer, ever; the connection lives on.
  case silence
  /// GOAWAY.
  case goAway(GoAwayEffect)
  /// The TCP connection is reset.
  case close
  /// The connection stays open and is never read or written again.
  case halfOpen
  /// The request is treated as always, and nothing more is read from the connection for so long.
  case stopReading(milliseconds: Int)
  /// The request is treated as always, and the connection gets another SETTINGS_MAX_CONCURRENT_STREAMS.
  case streams(Int)
}

/// A refusal by the name that the provider's documentation gives it.
public struct Refusal: Sendable, Hashable {
  /// An APNs reason (`Unregistered`), an FCM error code (`QUOTA_EXCEEDED`) or an OAuth error (`invalid_grant`).
  public var name: String
  /// The status, where it is not the documented one.
  public var status: Int?
  /// For APNs' 410: since when the token is dead, in milliseconds since 1970; nil for now.
  public var timestampMs: Int64?
  /// The value of a `retry-after` header, in seconds.
  public var retryAfterSeconds: Int?

  /// A refusal.
  public init(_ name: String, status: Int? = nil, timestampMs: Int64? = nil, retryAfterSeconds: Int? = nil) {
    self.name = name
    self.status = status
    self.timestampMs = timestampMs
    self.retryAfterSeconds = retryAfterSeconds
  }
}

/// A fixed answer.
public struct RawAnswer: Sendable, Hashable {
  /// The status.
  public var status: Int
  /// The `content-type`; nil for none.
  public var contentType: String?
  /// The value of a `retry-after` header, in seconds.
  public var retryAfterSeconds: Int?
  /// The body.
  public var body: [UInt8]

  /// An answer.
  public init(status: Int, contentType: String? = nil, retryAfterSeconds: Int? = nil, body: [UInt8] = []) {
    self.status = status
    self.contentType = contentType
    self.retryAfterSeconds = retryAfterSeconds
    self.body = body
  }
}

/// How a GOAWAY is sent.
public struct GoAwayEffect: Sendable, Hashable {
  /// The HTTP/2 error code; 0 for NO_ERROR.
  public var code: UInt32
  /// The debug data, for APNs `{"reason":"…"}`.
  public var debugData: [UInt8]
  /// Whether this request counts as processed and is answered; otherwise the last stream id lies below it.
  public var processed: Bool

  /// A GOAWAY.
  public init(code: UInt32 = 0, debugData: [UInt8] = [], processed: Bool = true) {
    self.code = code
    self.debugData = debugData
    self.processed = processed
  }
}

/// What the next pushes to one device meet: one step for each push, then as always.
public struct DeviceScript: Sendable, Hashable {
  /// The steps that are left, first one first.
  public private(set) var steps: [Effect]
  /// Whether the last step stays for good.
  public var repeatsLast: Bool

  /// A script.
  public init(_ steps: [Effect] = [], repeatsLast: Bool = false) {
    self.steps = steps
    self.repeatsLast = repeatsLast
  }

  /// Takes the next step; `pass` when there is none.
  mutating func next() -> Effect {
    guard let first = steps.first else { return .pass }
    if steps.count > 1 || !repeatsLast { steps.removeFirst() }
    return first
  }
}

/// What the driver of a connection does with a request after a gateway has looked at it.
public struct GatewayAction: Sendable, Hashable {
  /// What happens to the stream or the connection.
  public enum Kind: Sendable, Hashable {
    /// The response is sent.
    case respond
    /// No answer, ever.
    case silence
    /// RST_STREAM.
    case reset(code: UInt32)
    /// GOAWAY; the response is sent first when the request counts as processed.
    case goAway(GoAwayEffect)
    /// The TCP connection is reset.
    case close
    /// The connection is never read or written again.
    case halfOpen
  }

  /// What happens.
  public var kind = Kind.respond
  /// How long the answer is held back, in milliseconds.
  public var delayMs = 0
  /// A new SETTINGS_MAX_CONCURRENT_STREAMS for the connection; nil to leave it.
  public var streamLimit: Int?
  /// How long nothing more is read from the connection, in milliseconds.
  public var readingPauseMs = 0
}
