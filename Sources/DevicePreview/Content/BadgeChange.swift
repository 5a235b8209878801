public import Basics

/// What a notification does to the number on the app's icon.
public enum BadgeChange: Sendable, Hashable {
  /// Nothing.
  case none
  /// Sets it; 0 takes it away.
  case set(WholeNumber)
  /// Adds to it, never below 0: OneSignal's `badge_inc`.
  case add(WholeNumber)

  /// The number after the change.
  public func applied(to badge: WholeNumber) -> WholeNumber {
    switch self {
    case .none: return badge
    case .set(let number): return max(0, number)
    case .add(let number):
      let (sum, overflow) = badge.addingReportingOverflow(number)
      return overflow ? badge : max(0, sum)
    }
  }
}
