/// Outcome counts of the A/B variants of a push.
public protocol VariantStore: Sendable {
  /// The variants of a push with their counts, in order, the message itself behind them; empty for a push without variants.
  func variants(of push: PushID) throws(StoreError) -> [VariantCounts]
}

/// An A/B variant of a push.
public struct PushVariant: Sendable, Hashable {
  /// Its name.
  public let name: String
  /// The percentage of users that get it.
  public let share: Int

  /// Creates a value from its parts.
  public init(name: String, share: Int) {
    self.name = name
    self.share = share
  }
}

/// The outcomes of one variant: its completed deliveries, and the events that devices reported of them.
///
/// A delivery that ended before its message was chosen (its device is retired, its push was canceled) is in no variant.
public struct VariantCounts: Sendable, Hashable {
  /// The variant; nil for the message itself.
  public let variant: PushVariant?
  /// The counts; those that are zero are left out.
  public let counts: [SeriesMetric: Int]

  /// Creates a value from its parts.
  public init(variant: PushVariant?, counts: [SeriesMetric: Int]) {
    self.variant = variant
    self.counts = counts
  }
}
