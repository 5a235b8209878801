internal import GatewayPool

/// Whether sends get as far as a gateway.
///
/// One of many gateways that is away says nothing of the others, and no lane is closed for it; a lane with one gateway is closed
/// only after many failures. A proxy of our own that opens no tunnel, and a token endpoint that gives no token, are on the way
/// to all: operators are notified when that was the answer a few times in a row, and when anything gets through again.
struct WayOut {
  /// How many failures in a row say so.
  static let failuresMax = 5

  /// What fails on the way to every gateway.
  private static let common: Set<String> = [
    SendFailure.Cause.proxy.rawValue, SendFailure.Cause.tokenUnavailable.rawValue,
  ]

  private var failures = 0

  /// Whether operators know that nothing gets out.
  var isReported: Bool { failures >= Self.failuresMax }

  /// A send did not arrive; true when operators are to be notified.
  mutating func failed(_ reason: String) -> Bool {
    guard Self.common.contains(reason), failures < Self.failuresMax else { return false }
    failures += 1
    return isReported
  }

  /// A gateway answered; true when operators had been notified.
  mutating func answered() -> Bool {
    defer { failures = 0 }
    return isReported
  }
}
