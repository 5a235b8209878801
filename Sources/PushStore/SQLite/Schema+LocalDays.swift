internal import StoreModel

extension Schema {
  /// Times of day at which each device gets a push (`LocalStart.Day.code`); null for a local time of one day.
  static let localDays = """
    ALTER TABLE push_plans ADD COLUMN local_day INTEGER;
    """
}

extension LocalStart {
  /// The columns of a plan; `local_clock` is not null.
  init(_ row: borrowing Statement, clock: Int32, zone: Int32, day: Int32) {
    self.init(clock: row.int64(clock), zone: row.text(zone), day: row.isNull(day) ? nil : Day(code: row.int(day)))
  }
}

extension LocalStart.Day {
  /// A second of the day, or the number after the last one.
  var code: Int64 {
    switch self {
    case .time(let seconds): Int64(seconds)
    case .lastActive: 86_400
    }
  }

  init(code: Int) { self = code < 86_400 ? .time(code) : .lastActive }
}
