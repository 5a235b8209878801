/// How much of the store has followed a clock that was set back.
public enum ClockPage: Sendable, Hashable {
  /// Nothing; `latest` is the latest time that the caller has seen.
  case begin(latest: Timestamp)
  /// The deliveries that wait, as far as this one in the order of their lanes.
  case deliveries(lane: Int64, dueAt: Timestamp, id: Int64)
  /// Those, and the batches for webhooks to this number.
  case batches(after: Int64)
}

/// What one page did.
public struct ClockStep: Sendable, Hashable {
  /// The page that follows; nil when everything is as the clock says.
  public var next: ClockPage?
  /// Waits that were changed.
  public var changed = 0

  /// Creates a value from its parts.
  package init(next: ClockPage? = nil, changed: Int = 0) {
    self.next = next
    self.changed = changed
  }
}
