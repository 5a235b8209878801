package import StoreModel
internal import TimeZones

/// When the clocks of many time zones show one time, or one time of day, or when many devices were used last.
package struct ZoneInstants: Sendable {
  package let local: LocalStart
  private var known: [String: Timestamp] = [:]

  package init(_ local: LocalStart) { self.local = local }

  /// The start time for a device's time zone, and for when its app last registered it; an unknown zone is treated as none.
  ///
  /// A device that nobody knows was never used: it gets the push at the beginning.
  package mutating func instant(in name: String?, seenAt: Timestamp?) -> Timestamp {
    if local.day == .lastActive {
      guard let seenAt else { return Timestamp(seconds: local.clock) }
      let later = (seenAt.seconds - local.clock) % 86_400
      return Timestamp(seconds: local.clock + (later < 0 ? later + 86_400 : later))
    }
    let name = name ?? local.zone
    if let instant = known[name] { return instant }
    let database = ZoneDatabase.system
    let instant = instant((try? database.zone(name)) ?? (try? database.zone(local.zone)) ?? .utc)
    known[name] = instant
    return instant
  }

  private func instant(_ rules: ZoneRules) -> Timestamp {
    guard case .time(let seconds) = local.day else {
      return Timestamp(seconds: rules.instant(of: CivilTime(secondsOfClock: local.clock)).seconds)
    }
    let clock = rules.clock(at: local.clock).secondsOfClock
    let midnight = clock - ((clock % 86_400) + 86_400) % 86_400
    var instant = local.clock
    // Today's, when it is still to come; a clock may have no time of a day that it skips.
    for day in 0...2 as ClosedRange<Int64> {
      instant = rules.instant(of: CivilTime(secondsOfClock: midnight + day * 86_400 + Int64(seconds))).seconds
      if instant >= local.clock { break }
    }
    return Timestamp(seconds: max(instant, local.clock))
  }
}
