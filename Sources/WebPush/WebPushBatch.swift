public import GatewayPool
internal import Signing

/// Sends of one message to many subscribers, submitted together.
public struct WebPushBatch: Sendable {
  /// One send.
  struct Entry: Sendable {
    let tag: UInt64
    let subscription: WebPushSubscription
    /// Its row in the batch's texts.
    let row: Int
  }

  /// What all subscribers are sent.
  public let message: WebPushMessage
  /// Which queue the batch waits in.
  public var urgency: SendUrgency
  /// The time, in seconds since 1970, after which nothing of the batch is sent; nil for no limit.
  public var notAfter: Int64?
  /// Which sends were taken back since; nil when none can be.
  public var recall: SendRecall?
  private(set) var entries: [Entry] = []
  private let gapped: GappedBytes?
  private let texts: SendTexts?

  /// Makes an empty batch.
  ///
  /// - Parameters:
  ///   - message: what all subscribers are sent.
  ///   - urgency: which queue the batch waits in.
  ///   - notAfter: the second since 1970 after which nothing of it is sent.
  ///   - gaps: where in the content each send puts its texts, in rising order. With them a content is as long as
  ///     ``WebPushMessage`` allows together with the texts of its row; whoever adds a row has checked that.
  ///   - texts: what the sends put there: a text for each gap.
  public init(
    _ message: WebPushMessage, urgency: SendUrgency = .bulk, notAfter: Int64? = nil, gaps: [Int] = [],
    texts: SendTexts? = nil
  ) {
    precondition((texts?.perRow ?? 0) == gaps.count, "a text for each gap, and no others")
    self.message = message
    self.urgency = urgency
    self.notAfter = notAfter
    self.texts = texts
    gapped = gaps.isEmpty ? nil : GappedBytes(message.payload, gaps: gaps)
  }

  /// The body for one subscriber.
  func body(of entry: Entry) -> [UInt8] {
    guard let gapped, let texts else { return message.body(message.payload, for: entry.subscription) }
    return message.body(gapped.filled(texts, row: entry.row), for: entry.subscription)
  }

  /// How many sends the batch holds.
  public var count: Int { entries.count }
  /// The tags of its sends.
  public var tags: [UInt64] { entries.map(\.tag) }

  /// Adds a send; `tag` comes back with the outcome, and `row` is its row in the batch's texts.
  public mutating func append(tag: UInt64, to subscription: WebPushSubscription, row: Int = 0) {
    precondition(texts.map { row < $0.count } ?? true, "the row is not there")
    entries.append(Entry(tag: tag, subscription: subscription, row: row))
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

  /// A content, encrypted for one subscriber.
  ///
  /// Length and point were checked when message and subscription were made, so that OpenSSL can refuse for lack of
  /// memory only, where the process would not go on either.
  fileprivate func body(_ content: [UInt8], for subscription: WebPushSubscription) -> [UInt8] {
    guard !content.isEmpty else { return [] }
    do throws(SigningError) {
      return try WebPushCipher.seal(
        content, for: subscription.key, auth: subscription.auth, zeros: padding.zeros(content.count))
    } catch {
      preconditionFailure("\(error)")
    }
  }
}
