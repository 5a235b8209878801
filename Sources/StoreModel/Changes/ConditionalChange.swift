internal import Synchronization

/// Work that reads something and then changes it, and that must not lose what another one has changed in between, on whatever node:
/// the first change that it makes checks, in the same transaction, that nobody has changed something under the same names since.
///
/// Nothing is locked: whoever was overtaken has changed nothing, and begins anew.
public final class ConditionalChange: Sendable {
  /// What the next change depends on, if any.
  @TaskLocal public static var current: ConditionalChange?

  package let seen: [(name: [UInt8], version: Int64)]
  package let now: Timestamp
  private let isTaken = Atomic(false)
  private let isLate = Atomic(false)

  /// Names with the versions that they had before anything was read.
  public init(_ seen: [(name: [UInt8], version: Int64)], now: Timestamp) {
    self.seen = seen
    self.now = now
  }

  /// Whether another one was faster, so that nothing was changed.
  public var wasOvertaken: Bool { isLate.load(ordering: .relaxed) }

  /// Whether the change that asks is the one that checks: the first one is.
  package func take() -> Bool { !isTaken.exchange(true, ordering: .relaxed) }

  /// Notes whether another one was faster.
  package func note(wasOvertaken: Bool) { isLate.store(wasOvertaken, ordering: .relaxed) }
}
