/// The rules of one time zone: conversion between UTC and local time.
///
/// Read from the bytes of a TZif file (RFC 9636): the changes it lists, and after them the rule of its footer.
public struct ZoneRules: Sendable, Hashable {
  /// The name, such as `Europe/Vienna`.
  public let name: String
  /// Times at which the offset changes, ascending, and the offset from then on.
  let changes: [Change]
  /// The offset before the first change.
  let first: Int
  /// What holds from the last listed change on.
  let footer: PosixZone?

  struct Change: Sendable, Hashable {
    let at: Int64
    let offset: Int
  }

  /// UTC: no change ever.
  public static let utc = ZoneRules(name: "UTC", changes: [], first: 0, footer: nil)

  init(name: String, changes: [Change], first: Int, footer: PosixZone?) {
    self.name = name
    self.changes = changes
    self.first = first
    self.footer = footer
  }

  /// Reads the bytes of a TZif file of version 1 to 4.
  ///
  /// - Throws: `TimeZoneError` when they are none, are cut short or count leap seconds.
  public init(name: String, tzif bytes: [UInt8]) throws(TimeZoneError) {
    guard let file = TZifFile(bytes) else {
      throw TimeZoneError("the file of the time zone \(name) is damaged; reinstall the tzdata package")
    }
    guard !file.countsLeapSeconds else {
      throw TimeZoneError("the time zone \(name) counts leap seconds, which clocks here do not; leave out \"right/\"")
    }
    self.init(name: name, changes: file.changes, first: file.first, footer: file.footer)
  }

  /// Seconds east of Greenwich at a time, given in seconds since 1970.
  public func offset(at seconds: Int64) -> Int {
    guard let last = changes.last, seconds < last.at else {
      if let footer { return footer.offset(at: seconds) }
      return changes.last?.offset ?? first
    }
    // The last change at or before that time.
    var (low, high) = (0, changes.count)
    while low < high {
      let middle = (low + high) / 2
      if changes[middle].at <= seconds { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? first : changes[low - 1].offset
  }

  /// The local time at a time given in seconds since 1970.
  public func clock(at seconds: Int64) -> CivilTime {
    CivilTime(secondsOfClock: seconds + Int64(offset(at: seconds)))
  }

  /// When a wall clock shows a time.
  public func instant(of time: CivilTime) -> LocalTimeResolution {
    let clock = time.secondsOfClock
    var found: [Int64] = []
    var skipped = clock - Int64(offset(at: clock - Self.offsetMax))
    var start = clock - Self.offsetMax
    // For each period of constant offset around it: the local time occurs when its UTC time is within the period.
    while start <= clock + Self.offsetMax {
      let offset = offset(at: start)
      let end = change(after: start) ?? .max
      let instant = clock - Int64(offset)
      if instant >= start && instant < end { found.append(instant) }
      // The last stretch that ends before it would show the time is the one before the gap.
      if instant >= end { skipped = instant }
      guard end <= clock + Self.offsetMax else { break }
      start = end
    }
    guard let first = found.first else { return .skipped(skipped) }
    return found.count > 1 ? .repeated(first, found[found.count - 1]) : .once(first)
  }

  /// The first change of the offset after a time, or nil when there is none.
  public func change(after seconds: Int64) -> Int64? {
    var (low, high) = (0, changes.count)
    while low < high {
      let middle = (low + high) / 2
      if changes[middle].at <= seconds { low = middle + 1 } else { high = middle }
    }
    if low < changes.count { return changes[low].at }
    return footer?.change(after: seconds)
  }

  /// No clock is further from Greenwich than this; a bound with room (26 hours, RFC 9636 3.2).
  private static let offsetMax: Int64 = 26 * 3_600
}

/// When a wall clock shows a time: once, as a rule.
public enum LocalTimeResolution: Sendable, Hashable {
  /// At this time, in seconds since 1970.
  case once(Int64)
  /// Never: the clock was set forward past it. The value is computed with the offset before the change: 02:30 of a
  /// skipped hour is 03:30 (RFC 5545 3.3.5).
  case skipped(Int64)
  /// Twice or more, because the clock was set back; the first and the last time.
  case repeated(Int64, Int64)

  /// The time that is used: the first when it occurs twice, and for a skipped time the one computed with the offset
  /// before the change (both RFC 5545 3.3.5).
  public var seconds: Int64 {
    switch self {
    case .once(let instant), .skipped(let instant), .repeated(let instant, _): instant
    }
  }
}

/// Why a time zone cannot be used: what, where and what to do.
public struct TimeZoneError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The message.
  public let description: String

  init(_ description: String) { self.description = description }
}
