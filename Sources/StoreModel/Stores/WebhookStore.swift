/// Webhooks and the queue of their notices.
///
/// A notice is queued in the transaction of the change that it reports: it exists exactly when the change does. Notices
/// of one push are queued in order.
public protocol WebhookStore: Sendable {
  /// Saves a webhook. Throws `conflict` at `StoreLimits.webhooksPerAppMax`, `notFound` (app).
  func createWebhook(_ webhook: NewWebhook, now: Timestamp) throws(StoreError) -> Webhook
  /// The webhook with a key, or nil.
  func webhook(_ id: WebhookID) throws(StoreError) -> Webhook?
  /// The webhooks of an app, or of all, by key.
  func webhooks(app: AppID?) throws(StoreError) -> [Webhook]
  /// Changes a webhook. Throws `notFound`.
  func updateWebhook(_ id: WebhookID, _ change: WebhookChange, now: Timestamp) throws(StoreError) -> Webhook
  /// Deletes a webhook with its queued notices. Throws `notFound`.
  func deleteWebhook(_ id: WebhookID) throws(StoreError)

  /// The next batches of a webhook that are due: the earliest of each push at most, and only when its time has come;
  /// none of the pushes in `busy`. Scans `StoreLimits.webhookLookMax` pushes, starting after `after` and wrapping
  /// around.
  func dueBatches(
    of webhook: WebhookID, after: PushID?, busy: Set<PushID>, limit: Int, now: Timestamp
  ) throws(StoreError) -> WebhookTurn
  /// Records the results of delivery attempts; a batch that no longer exists is skipped.
  func settleBatches(
    _ results: [WebhookResult], now: Timestamp, completion: @escaping @Sendable (Result<Void, StoreError>) -> Void)
  /// A page of the abandoned batches, by key, after `after`.
  func deadBatches(
    of webhook: WebhookID, after: WebhookBatchID?, limit: Int
  ) throws(StoreError) -> [WebhookBatch]
  /// Puts abandoned batches back into the queue, all or some; returns how many.
  func replayBatches(of webhook: WebhookID, _ ids: [WebhookBatchID]?, now: Timestamp) throws(StoreError) -> Int
}
