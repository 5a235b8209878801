/// What another node changed, as far as somebody keeps it in memory.
///
/// The operations of the store note it themselves (`WriterContext.note`); it is sent with the commit and comes within a second.
public enum SharedChange: Sendable, Hashable {
  /// There may be something to send, or a lane was stopped or let go: work and stops are read anew.
  case work
  /// A push was paused, resumed, cancelled, released or throttled anew: what of it is leased and not on the wire is looked at again.
  case push(PushID)
  /// What may no longer be sent as it was leased.
  case recall(LeaseRecall)
  /// The same, of so much that it is not named.
  case leases
  /// Apps: made, changed, deleted.
  case apps
  /// The credentials of an app, or its stopped lanes, which may send again.
  case credentials(AppID)
  /// API keys: made, rotated, revoked.
  case keys
  /// Accounts, invitations, sessions, passkeys, roles.
  case people
  /// Webhooks, or batches that wait for one.
  case webhooks
  /// Schedules, and pushes that wait for a time or for an approval.
  case schedules
  /// How long something is stored.
  case retention
  /// Nobody knows what: news may have been missed while there was no connection.
  case everything
}
