public import GatewayPool
internal import Signing

/// Sends of one message to many subscribers, submitted together.
public struct WebPushBatch: Sendable {
  /// One send.
  struct Entry: Sendable {
    let tag: UInt64
    let subscription: WebPushSubscription
  }

  /// What all subscribers are sent.
  public let message: WebPushMessage
  /// Which queue the batch waits in.
  public var urgency: SendUrgency
  /// The time, in seconds since 1970, after which nothing of the batch is sent; nil for no limit.
  public var notAfter: Int64?
  private(set) var entries: [Entry] = []

  /// Makes an empty batch.
  public init(_ message: WebPushMessage, urgency: SendUrgency = .bulk, notAfter: Int64? = nil) {
    self.message = message
    self.urgency = urgency
    self.notAfter = notAfter
  }

  /// How many sends the batch holds.
  public var count: Int { entries.count }

  /// Adds a send; `tag` comes back with the outcome.
  public mutating func append(tag: UInt64, to subscription: WebPushSubscription) {
    entries.append(Entry(tag: tag, subscription: subscription))
  }
}

extension WebPushMessage {
  /// The header fields that are the same for all subscribers, without `authorization`.
  var headers: [(name: String, value: String)] {
    var headers: [(name: String, value: String)] = [("ttl", "\(ttl)")]
    if let urgency { headers.append(("urgency", urgency.rawValue)) }
    if let topic { headers.append(("topic", topic.text)) }
    if !payload.isEmpty {
      headers.append(("content-encoding", "aes128gcm"))
      headers.append(("content-type", "application/octet-stream"))
    }
    return headers
  }

  /// The body for one subscriber.
  ///
  /// Length and point were checked when message and subscription were made, so that OpenSSL can refuse for lack of
  /// memory only, where the process would not go on either.
  func body(for subscription: WebPushSubscription) -> [UInt8] {
    guard !payload.isEmpty else { return [] }
    do throws(SigningError) {
      return try WebPushCipher.seal(
        payload, for: subscription.key, auth: subscription.auth, zeros: padding.zeros(payload.count))
    } catch {
      preconditionFailure("\(error)")
    }
  }
}
