package import StoreModel

/// What becomes of waits that were written by a clock that was ahead, and was set back.
package enum SetBackClock {
  /// When a delivery is due that was to wait until `due`: it waits as long as it was to wait, from now on.
  ///
  /// First attempts become due at once, because leasing checks quiet hours again; throttled ones keep their delay.
  package static func due(
    at due: Timestamp, writtenAt: Timestamp, isFirst: Bool, isThrottled: Bool, _ now: Timestamp
  ) -> Timestamp {
    guard !isFirst || isThrottled else { return now }
    return now.adding(milliseconds: max(0, due.milliseconds - writtenAt.milliseconds))
  }
}
