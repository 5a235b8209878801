internal import GatewayPool

/// Whether sends get out to any gateway of a provider that has many.
///
/// One of them that is away says nothing of the others, and no lane is closed for it. A proxy of our own that opens no tunnel
/// is on the way to all: operators are told when that was the answer so often in a row, and when anything gets through again.
struct WayOut {
  /// How many failures in a row say so.
  static let failuresMax = 5

  private var failures = 0

  /// A send did not arrive; true when operators are to be told.
  mutating func failed(_ reason: String) -> Bool {
    guard reason == SendFailure.Cause.proxy.rawValue, failures < Self.failuresMax else { return false }
    failures += 1
    return failures == Self.failuresMax
  }

  /// A gateway answered; true when operators had been told.
  mutating func answered() -> Bool {
    defer { failures = 0 }
    return failures >= Self.failuresMax
  }
}
