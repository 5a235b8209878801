public import PushPayload

/// What a send adds to a message: who it goes to and which send it belongs to, but no content.
public struct WriteContext: Sendable, Hashable {
  /// `apns-topic`: the app's bundle id.
  public var topic: String?
  /// The FCM target; a placeholder token unless one is given.
  public var target: FCMTarget
  /// The campaign this send belongs to; nil for test sends and per-user sends.
  public var campaign: String?
  /// `apns-id`: the sender's id of this notification, echoed by APNs.
  public var apnsID: APNsID?
  /// The current time in seconds since 1970-01-01 UTC, for contracts that turn an instant into a duration; nil when the
  /// caller keeps no clock.
  public var now: Int64?
  /// The language of the people this send goes to, for contracts whose texts come in several languages; nil takes English.
  public var language: String?
  /// The contract's own options that are switched on (`mappingTable(_:)` lists them), for example a legacy shape.
  public var options: [String]

  /// The placeholder of a device token until one is known.
  public static let tokenPlaceholder = "<device token>"

  /// Makes a context; everything absent unless given.
  public init(
    topic: String? = nil, target: FCMTarget = .token(WriteContext.tokenPlaceholder), campaign: String? = nil,
    apnsID: APNsID? = nil, now: Int64? = nil, language: String? = nil, options: [String] = []
  ) {
    self.topic = topic
    self.target = target
    self.campaign = campaign
    self.apnsID = apnsID
    self.now = now
    self.language = language
    self.options = options
  }

  /// True when an option is switched on.
  @inlinable
  public func has(_ option: String) -> Bool { !options.isEmpty && options.contains(option) }
}
