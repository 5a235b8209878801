public import GatewayPool

/// How one send ended.
///
/// Exactly one is delivered for every send that was submitted.
public enum WebPushOutcome: Sendable, Hashable {
  /// The push service took the message.
  case accepted(WebPushAcceptance)
  /// The push service refused it.
  case rejected(WebPushRejection)
  /// There is no answer; whether the message may be sent again is in the failure.
  case failed(SendFailure)
}

/// A message that a push service took.
public struct WebPushAcceptance: Sendable, Hashable {
  /// The status: 201 by RFC 8030; some push services answer 200 or 202.
  public let status: Int
  /// The address of the message (`location`); nil where the push service names none.
  public let location: String?

  /// Names an acceptance.
  public init(status: Int, location: String? = nil) {
    self.status = status
    self.location = location
  }
}

/// A message that a push service refused.
public struct WebPushRejection: Sendable, Hashable {
  /// The HTTP status.
  public let status: Int
  /// The beginning of the answer, when that is text; there is no standard form.
  public let detail: String
  /// The seconds of a `Retry-After` header.
  public let retryAfter: Int?

  /// Names a rejection.
  public init(status: Int, detail: String = "", retryAfter: Int? = nil) {
    self.status = status
    self.detail = detail
    self.retryAfter = retryAfter
  }

  /// What the sender does about it.
  public var consequence: WebPushConsequence { WebPushConsequence(status: status) }
}

/// What a sender does about a refused message (RFC 8030 sections 5, 7.2 and 7.3, RFC 8292 section 4.2).
public enum WebPushConsequence: String, Sendable, Hashable, CaseIterable {
  /// The request is wrong, or the message too long: it is never sent again unchanged.
  case fixRequest
  /// The VAPID key, its token or its contact is wrong, or the subscription belongs to another key.
  ///
  /// Says nothing about the device, which is kept.
  case configuration
  /// The subscription has ended: the device is retired.
  case retireDevice
  /// Too much at a time: everything to this push service waits.
  case slowDown
  /// The push service is in trouble: the message is tried again later.
  case retryLater

  /// The consequence of a status.
  public init(status: Int) {
    switch status {
    case 401, 403: self = .configuration
    case 404, 410: self = .retireDevice
    case 429: self = .slowDown
    case 408, 500...: self = .retryLater
    default: self = .fixRequest
    }
  }
}

/// One line of an outcome batch: the caller's tag and how that send ended.
public struct WebPushResult: Sendable, Hashable {
  /// The number the caller gave with the send.
  public let tag: UInt64
  /// How it ended.
  public let outcome: WebPushOutcome

  /// Pairs a tag with an outcome.
  public init(tag: UInt64, outcome: WebPushOutcome) {
    self.tag = tag
    self.outcome = outcome
  }
}

/// Takes outcomes, in batches.
public protocol WebPushSink: AnyObject, Sendable {
  /// Outcomes of sends, in the order in which they came to be known. Called on a network thread: keep it short, hand the
  /// work on. Every submitted send comes exactly once.
  func receive(_ results: [WebPushResult])
}

extension WebPushOutcome {
  /// The longest beginning of an answer that is kept, in bytes.
  private static let detailBytesMax = 500

  /// Reads an answer.
  init(status: Int, location: String?, retryAfter: Int?, body: some Collection<UInt8>) {
    guard !(200...299).contains(status) else {
      self = .accepted(WebPushAcceptance(status: status, location: location))
      return
    }
    // Pages of proxies are of no use to anybody; control characters would end up in terminals.
    let text = String(decoding: body.prefix(Self.detailBytesMax), as: UTF8.self)
    let isPlain = text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F || $0 == "\n" || $0 == "\r" }
    let detail = isPlain && !text.hasPrefix("<") ? text : ""
    self = .rejected(
      WebPushRejection(
        status: status, detail: detail.split(whereSeparator: \.isNewline).joined(separator: " "), retryAfter: retryAfter
      )
    )
  }
}
