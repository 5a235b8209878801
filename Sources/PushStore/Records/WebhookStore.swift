/// Webhooks and the queue of what they are told.
///
/// A notice is queued in the transaction of what it tells of: it is there exactly when that happened. Notices of one push
/// stand in the queue in their order.
public protocol WebhookStore: Sendable {
  /// Saves a webhook. Throws `conflict` at `StoreLimits.webhooksPerAppMax`, `notFound` (app).
  func createWebhook(_ webhook: NewWebhook, now: Timestamp) throws(StoreError) -> Webhook
  /// The webhook with a key, or nil.
  func webhook(_ id: WebhookID) throws(StoreError) -> Webhook?
  /// The webhooks of an app, or of all, by key.
  func webhooks(app: AppID?) throws(StoreError) -> [Webhook]
  /// Changes a webhook. Throws `notFound`.
  func updateWebhook(_ id: WebhookID, _ change: WebhookChange, now: Timestamp) throws(StoreError) -> Webhook
  /// Removes a webhook and everything it was still to be told. Throws `notFound`.
  func deleteWebhook(_ id: WebhookID) throws(StoreError)

  /// The next batches of a webhook that may be told now: of each push the earliest at most, and only when its moment has
  /// come; none of the pushes in `busy`. Looks at `StoreLimits.webhookLookMax` pushes, beginning behind `after` and going
  /// round.
  func dueBatches(
    of webhook: WebhookID, after: PushID?, busy: Set<PushID>, limit: Int, now: Timestamp
  ) throws(StoreError) -> WebhookTurn
  /// Records how telling ended; a batch that is not there any more is passed over.
  func settleBatches(
    _ results: [WebhookResult], now: Timestamp, completion: @escaping @Sendable (Result<Void, StoreError>) -> Void)
  /// A page of the batches that were given up, by key, after `after`.
  func deadBatches(
    of webhook: WebhookID, after: WebhookBatchID?, limit: Int
  ) throws(StoreError) -> [WebhookBatch]
  /// Puts batches that were given up back into the queue, all or some; returns how many.
  func replayBatches(of webhook: WebhookID, _ ids: [WebhookBatchID]?, now: Timestamp) throws(StoreError) -> Int
}
