/// The limits of the store, each with its reason.
public enum StoreLimits {
  /// Users, devices or addresses in one listed audience; a longer list is a segment or several pushes.
  public static let listedAudienceMax = 10_000
  /// Tokens of one Live Activity: of each of a user's phones, with room for new ones.
  public static let devicesPerActivityMax = 20
  /// Bytes of a token.
  ///
  /// Live Activity tokens and FCM tokens are a few hundred; neither provider documents a limit.
  public static let tokenBytesMax = 4_096
  /// Bytes of a name, user, locale or other short text.
  public static let textBytesMax = 1_024
  /// Bytes of the message, the settings or the properties of one record.
  public static let blobBytesMax = 1_048_576
  /// Bytes of the request that a draft, a scheduled push or a schedule is made from.
  ///
  /// The largest request of the API, with its list of tokens.
  public static let requestBytesMax = 4_194_304
  /// Users without a device that are named when a push is created.
  public static let unreachedMax = 20
  /// Bytes of an idempotency key.
  public static let idempotencyKeyBytesMax = 255
  /// The name of a node.
  public static let nodeNameBytesMax = 128
  /// Bytes kept of a provider's reason.
  public static let reasonBytesMax = 120
  /// Different (provider, status, reason) rows; beyond it a reason is recorded as `other`.
  public static let reasonsMax = 10_000
  /// Deliveries in one lease.
  public static let leaseMax = 65_536
  /// Rows on one page of any list.
  public static let pageMax = 10_000
  /// Devices added by one `extendAudience`.
  public static let audienceChunkMax = 100_000
  /// Properties of one device or user, and entitlements of one user.
  public static let attributesMax = 100
  /// Different names of properties in one app, for devices and for users, each with each type it is used with.
  public static let attributeNamesMax = 1_000
  /// Bytes of a property's name.
  public static let attributeNameBytesMax = 64
  /// Bytes of a property's text.
  public static let attributeTextBytesMax = 1_024
  /// Tags, or categories not wanted, of one device or user.
  public static let tagsMax = 100
  /// Bytes of a tag or a category.
  public static let tagBytesMax = 100
  /// Tokens remembered of one device, the newest; older ones are forgotten.
  public static let earlierTokensMax = 20
  /// Operations waiting for the writer; more are refused as `overloaded`.
  public static let queuedWritesMax = 65_536
  /// Exports read at once; each holds a connection, and back the upkeep of the database.
  public static let exportsMax = 8
  /// How long an export may take, in milliseconds: 15 minutes.
  public static let exportMs: Int64 = 15 * 60_000
  /// Days that deliveries can be kept.
  public static let deliveriesDays = 1...3_650
  /// Days that reports can be kept: longer than they can come in, so that none is counted twice.
  public static let eventsDays = 31...3_650
  /// Aliases of one user.
  public static let aliasesMax = 20
  /// Bytes of an alias's label.
  public static let aliasLabelBytesMax = 64
  /// Further ids of one device.
  public static let otherNamesMax = 20
  /// Days after which unseen devices can be forgotten: apps that people open once a month must not lose them.
  public static let unseenDays = 30...3_650
  /// Messages in one user's inbox; over it the oldest go.
  public static let messagesPerInboxMax = 1_000
  /// Records of one app's shadowed requests; over it the oldest go.
  public static let shadowRequestsPerAppMax = 10_000
  /// How long they are stored, in milliseconds: 30 days.
  public static let shadowMs: Int64 = 30 * 86_400_000
  /// Bytes of what is stored of one of them besides its columns.
  public static let shadowDetailBytesMax = 8 * 1_024
  /// Names of one kind that an app's totals have; further ones are counted together.
  public static let shadowNamesMax = 200
  /// Bytes of a name in the totals.
  public static let shadowNameBytesMax = 300
  /// Webhooks of one app.
  public static let webhooksPerAppMax = 10
  /// Identity keys of one app: the one in use, the next one, and room for several backends.
  public static let identityKeysPerAppMax = 5
  /// Batches queued for one webhook; further ones are dropped, and counted.
  public static let webhookQueueMax = 100_000
  /// Pushes looked at when the next batches of a webhook are chosen.
  public static let webhookLookMax = 256
  /// Batches kept that one webhook never took.
  public static let webhookDeadMax = 10_000
  /// Bytes of a webhook's address.
  public static let urlBytesMax = 2_000
  /// Reports of devices in one batch.
  public static let eventBatchMax = 500
  /// Bytes of a button's id.
  public static let actionBytesMax = 100
  /// How long after its last change a delivery can be reported on, in milliseconds: 30 days.
  public static let eventWindowMs: Int64 = 30 * 86_400_000
}
