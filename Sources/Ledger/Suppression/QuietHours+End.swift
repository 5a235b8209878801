package import StoreModel
internal import TimeZones

extension QuietHours {
  /// When they end in a time zone, or nil outside of them; an unknown zone is treated as `zone`.
  package func end(at now: Timestamp, timezone: String?) -> Timestamp? {
    let database = ZoneDatabase.system
    let rules = timezone.flatMap { try? database.zone($0) } ?? (try? database.zone(zone)) ?? .utc
    let clock = rules.clock(at: now.seconds)
    let minute = clock.hour * 60 + clock.minute
    let isOn = from < to ? minute >= from && minute < to : minute >= from || minute < to
    guard isOn else { return nil }
    let midnight = clock.secondsOfClock - Int64(clock.hour * 3_600 + clock.minute * 60 + clock.second)
    let day = from > to && minute >= from ? midnight + 86_400 : midnight
    let instant = rules.instant(of: CivilTime(secondsOfClock: day + Int64(to) * 60)).seconds
    // A clock that is put back could show the end again; it is never in the past.
    return max(Timestamp(seconds: instant), now.adding(seconds: 60))
  }
}
