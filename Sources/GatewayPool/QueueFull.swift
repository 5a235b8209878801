/// A batch was refused whole because the client holds as many unfinished sends as it may.
///
/// Nothing of it was taken.
public struct QueueFull: Error, Sendable, Hashable, CustomStringConvertible {
  /// How many sends the batch held.
  public let requested: Int
  /// How many more the client would have taken.
  public let free: Int
  /// How many unfinished sends the client may hold.
  public let capacity: Int

  /// Names a refusal.
  package init(requested: Int, free: Int, capacity: Int) {
    self.requested = requested
    self.free = free
    self.capacity = capacity
  }

  /// What was refused and what to do.
  public var description: String {
    "the send queue has room for \(free) of \(requested) sends (capacity \(capacity)); nothing was taken: wait for "
      + "outcomes and submit again, or submit a smaller batch"
  }
}
