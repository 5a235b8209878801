/// A webhook endpoint, to which an app's outcomes and reports are delivered.
public struct Webhook: Sendable, Hashable {
  /// The key.
  public let id: WebhookID
  /// The app.
  public let app: AppID
  /// Where notices are posted.
  public let url: String
  /// The kinds of notices it subscribes to.
  public let kinds: Set<NoticeKind>
  /// The sealed secret that signs notices.
  public let sealed: [UInt8]
  /// The sealed secret before it, which signs too until `previousUntil`.
  public let previous: [UInt8]?
  /// Until when the secret before it signs too.
  public let previousUntil: Timestamp?
  /// Whether notices are delivered to it.
  public let isEnabled: Bool
  /// Queued batches.
  public let queued: Int
  /// Notices that were lost because too many waited.
  public let dropped: Int
  /// When it was made.
  public let createdAt: Timestamp
  /// When it was last changed.
  public let updatedAt: Timestamp
  /// When it last took a batch.
  public let succeededAt: Timestamp?
  /// When it last did not.
  public let failedAt: Timestamp?
  /// Why.
  public let failure: String?
  /// Since when nothing is sent to it because the database was restored; nil when that was resumed.
  public let heldAt: Timestamp?

  /// Creates a value from its parts.
  package init(
    id: WebhookID, app: AppID, url: String, kinds: Set<NoticeKind>, sealed: [UInt8], previous: [UInt8]?,
    previousUntil: Timestamp?, isEnabled: Bool, queued: Int, dropped: Int, createdAt: Timestamp, updatedAt: Timestamp,
    succeededAt: Timestamp?, failedAt: Timestamp?, failure: String?, heldAt: Timestamp?
  ) {
    self.id = id
    self.app = app
    self.url = url
    self.kinds = kinds
    self.sealed = sealed
    self.previous = previous
    self.previousUntil = previousUntil
    self.isEnabled = isEnabled
    self.queued = queued
    self.dropped = dropped
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.succeededAt = succeededAt
    self.failedAt = failedAt
    self.failure = failure
    self.heldAt = heldAt
  }
}

/// The key of a webhook.
public typealias WebhookID = RowID<Webhook>

/// The key of a batch of notices.
public typealias WebhookBatchID = RowID<WebhookBatch>

/// What a notice says.
public enum NoticeKind: UInt8, Sendable, Hashable, NamedCase {
  // The numbers of deliveries and reports are those of `SeriesMetric`.

  /// A provider took a delivery.
  case accepted = 5
  /// A delivery was refused for good.
  case rejected = 6
  /// A delivery expired on its way to another try.
  case expired = 7
  /// A delivery was on its way to another try when its push was ended.
  case cancelled = 8
  /// The outcome of a delivery is unknown.
  case unknown = 9
  /// A device reported its arrival.
  case received = 12
  /// A device reported that it was opened.
  case opened = 13
  /// A device reported that a button was chosen.
  case action = 14
  /// Every delivery of a push has its final state.
  case finished = 20

  /// The kind as the API writes it.
  public var name: String {
    switch self {
    case .accepted: "delivery.accepted"
    case .rejected: "delivery.rejected"
    case .expired: "delivery.expired"
    case .cancelled: "delivery.cancelled"
    case .unknown: "delivery.unknown"
    case .received: "event.received"
    case .opened: "event.opened"
    case .action: "event.action"
    case .finished: "push.finished"
    }
  }
}

/// One notice.
public struct Notice: Sendable, Hashable {
  /// What it says.
  public let kind: NoticeKind
  /// The delivery; of a finished push, the number of the push.
  public let delivery: DeliveryID
  /// When it happened.
  public let at: Timestamp
  /// The reason, the button's id, or the push's state; may be empty.
  public let text: String

  /// Creates a value from its parts.
  public init(_ kind: NoticeKind, delivery: DeliveryID, at: Timestamp, text: String = "") {
    self.kind = kind
    self.delivery = delivery
    self.at = at
    self.text = text
  }
}

/// What is saved about a webhook.
public struct NewWebhook: Sendable, Hashable {
  /// The app.
  public var app: AppID
  /// Where notices are posted.
  public var url: String
  /// The kinds of notices it subscribes to.
  public var kinds: Set<NoticeKind>
  /// The sealed secret.
  public var sealed: [UInt8]

  /// Creates a value from its parts.
  public init(app: AppID, url: String, kinds: Set<NoticeKind>, sealed: [UInt8]) {
    self.app = app
    self.url = url
    self.kinds = kinds
    self.sealed = sealed
  }
}

/// What is changed of a webhook; what is nil stays.
public struct WebhookChange: Sendable, Hashable {
  /// Where notices are posted.
  public var url: String?
  /// The kinds of notices it subscribes to.
  public var kinds: Set<NoticeKind>?
  /// Whether notices are delivered to it.
  public var isEnabled: Bool?
  /// A new sealed secret, and until when the old one signs too.
  public var secret: Secret?

  /// A new secret.
  public struct Secret: Sendable, Hashable {
    /// The sealed secret.
    public var sealed: [UInt8]
    /// Until when the old one signs too.
    public var previousUntil: Timestamp

    /// Creates a value from its parts.
    public init(sealed: [UInt8], previousUntil: Timestamp) {
      self.sealed = sealed
      self.previousUntil = previousUntil
    }
  }

  /// Changes nothing yet.
  public init(url: String? = nil, kinds: Set<NoticeKind>? = nil, isEnabled: Bool? = nil, secret: Secret? = nil) {
    self.url = url
    self.kinds = kinds
    self.isEnabled = isEnabled
    self.secret = secret
  }
}

/// Notices about one push that are delivered in one request.
public struct WebhookBatch: Sendable, Hashable {
  /// The key; the same for each attempt.
  public let id: WebhookBatchID
  /// The webhook.
  public let webhook: WebhookID
  /// The push.
  public let push: PushID
  /// The notices, in order of creation.
  public let notices: [Notice]
  /// When it was put together.
  public let createdAt: Timestamp
  /// Failed attempts.
  public let attempts: Int
  /// Why the last attempt failed.
  public let failure: String?

  /// Creates a value from its parts.
  package init(
    id: WebhookBatchID, webhook: WebhookID, push: PushID, notices: [Notice], createdAt: Timestamp, attempts: Int,
    failure: String?
  ) {
    self.id = id
    self.webhook = webhook
    self.push = push
    self.notices = notices
    self.createdAt = createdAt
    self.attempts = attempts
    self.failure = failure
  }
}

/// The next batches for a webhook.
public struct WebhookTurn: Sendable, Hashable {
  /// The batches, each of another push.
  public var batches: [WebhookBatch]
  /// The last push that was looked at; the next turn begins behind it.
  public var last: PushID?

  /// Creates a value from its parts.
  public init(batches: [WebhookBatch], last: PushID?) {
    self.batches = batches
    self.last = last
  }
}

/// The result of an attempt to deliver a batch.
public struct WebhookResult: Sendable, Hashable {
  /// What becomes of the batch.
  public enum Change: Sendable, Hashable {
    /// It was taken.
    case taken
    /// It failed and is retried at this time.
    case again(Timestamp, failure: String)
    /// It failed, and the batch is abandoned.
    case dead(failure: String)
  }

  /// The batch.
  public var batch: WebhookBatchID
  /// What becomes of it.
  public var change: Change

  /// Creates a value from its parts.
  public init(_ batch: WebhookBatchID, _ change: Change) {
    self.batch = batch
    self.change = change
  }
}
