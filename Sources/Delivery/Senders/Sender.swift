public import GatewayPool
public import StoreModel

/// Sends of one push to many devices of one kind, handed to a sender together.
public struct SendBatch: Sendable {
  /// One send.
  public struct Entry: Sendable {
    /// Comes back with the answer.
    public internal(set) var tag: UInt64
    /// The token to send to.
    public let token: String
    /// The two halves of the `apns-id` that this delivery is sent with each time.
    public let apnsID: (high: UInt64, low: UInt64)
    /// Its row in the batch's texts; 0 for a payload without placeholders.
    public let row: Int

    /// Creates a value from its parts.
    public init(tag: UInt64, token: String, apnsID: (high: UInt64, low: UInt64), row: Int = 0) {
      self.tag = tag
      self.token = token
      self.apnsID = apnsID
      self.row = row
    }
  }

  /// The push, laid out once; senders keep what they derive from it there.
  public let payload: PreparedPayload
  /// Whether it is transactional.
  public let urgent: Bool
  /// The time after which none of it is sent; nil for no limit.
  public let notAfter: Timestamp?
  /// The sends.
  public let entries: [Entry]
  /// Which of them were recalled since; a sender checks it before each send.
  public let recall: SendRecall?
  /// What the sends put into the payload's placeholders; nil for a payload without any.
  public let texts: SendTexts?
  /// Whose sends they are; nil for those of no push.
  public let push: PushID?

  /// Creates a value from its parts.
  public init(
    payload: PreparedPayload, urgent: Bool, notAfter: Timestamp?, entries: [Entry], recall: SendRecall? = nil,
    texts: SendTexts? = nil, push: PushID? = nil
  ) {
    self.push = push
    self.texts = texts
    self.recall = recall
    self.payload = payload
    self.urgent = urgent
    self.notAfter = notAfter
    self.entries = entries
  }
}

/// How one send ended, in words that are the same for all providers.
public enum SendOutcome: Sendable, Hashable {
  /// The provider took it, under the name that its answer gives it (at a browser's push service, the message's address), or nil (APNs).
  case accepted(name: String?)
  /// The provider refused it.
  case rejected(SendRejection)
  /// There is no answer: it certainly was not processed, for this reason.
  case notProcessed(reason: String)
  /// There is no answer, so the outcome is unknown.
  case unknown(reason: String)
  /// The push's own expiry passed before it could be sent.
  case expired
  /// It was taken back before it left.
  case recalled
}

/// A refusal and what it means.
public struct SendRejection: Sendable, Hashable {
  /// The HTTP status.
  public var status: Int
  /// The provider's reason or code.
  public var reason: String
  /// What it means.
  public var meaning: Meaning
  /// With an invalid token: the latest time at which the provider knew it to be invalid.
  public var deadSince: Timestamp?
  /// The seconds of `Retry-After`.
  public var retryAfterSeconds: Int?

  /// Creates a value from its parts.
  public init(
    status: Int, reason: String, meaning: Meaning, deadSince: Timestamp? = nil, retryAfterSeconds: Int? = nil
  ) {
    self.status = status
    self.reason = reason
    self.meaning = meaning
    self.deadSince = deadSince
    self.retryAfterSeconds = retryAfterSeconds
  }

  /// What a refusal means; each has one row in ``PolicyTable``.
  public enum Meaning: Sendable, Hashable {
    /// This request is wrong.
    case badRequest
    /// The token does not go with the credential: another topic, another sender.
    case wrongDevice
    /// A credential, ours or the one that is stored at Google, does not do for this push or this part of it, while others
    /// go through.
    case doubtfulCredential
    /// The credential is wrong, for every device alike.
    case badCredential
    /// The token is malformed or of the other environment.
    case suspectToken
    /// The token is invalid.
    case deadToken
    /// Too much for this one device.
    case deviceBusy
    /// A quota of the whole project is used up.
    case quotaUsedUp
    /// Too much, and FCM does not say of what: see ``PolicyTable/Choices``.
    case tooMany
    /// The connection or its token had to be renewed; the sender has tried once more already.
    case renewConnection
    /// The provider, or the push service of a browser, is in trouble.
    case trouble(Provider)
  }
}

/// One line of an answer.
public struct SendAnswer: Sendable {
  /// The number given with the send.
  public let tag: UInt64
  /// How it ended.
  public let outcome: SendOutcome

  /// Pairs a tag with an outcome.
  public init(tag: UInt64, outcome: SendOutcome) {
    self.tag = tag
    self.outcome = outcome
  }
}

/// Takes answers.
public protocol SendSink: AnyObject, Sendable {
  /// Answers of sends, from any thread. Every submitted send comes exactly once.
  func receive(_ answers: [SendAnswer])
}

/// A way to a provider with one credential.
public protocol Sender: AnyObject, Sendable {
  /// Submits a batch and returns immediately; false when there is no room for it, and nothing of it was accepted then.
  func submit(_ batch: SendBatch, to sink: any SendSink) -> Bool

  /// Accepts nothing new, finishes what was submitted within `limit`, and closes its connections; returns immediately.
  func close(within limit: Duration)
}

extension Sender {
  /// Nothing to close.
  public func close(within limit: Duration) {}
}
