/// Days of the proleptic Gregorian calendar, counted from 1970-01-01.
///
/// The arithmetic counts years from March, so that the leap day comes last and one formula gives the lengths of months,
/// in eras of 400 years, which all have 146 097 days (Howard Hinnant, “chrono-compatible low-level date algorithms”).
public enum CivilDay {
  /// The number of days in a month, 1 to 12.
  public static func count(inMonth month: WholeNumber, of year: WholeNumber) -> WholeNumber {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Whether a year has a 29 February.
  public static func isLeap(_ year: WholeNumber) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

  /// Days since 1970-01-01, negative before.
  public static func days(_ year: WholeNumber, _ month: WholeNumber, _ day: WholeNumber) -> WholeNumber {
    let (era, yearOfEra) = (month <= 2 ? year - 1 : year).floored(by: 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// The date of a day.
  public static func date(_ days: WholeNumber) -> (year: WholeNumber, month: WholeNumber, day: WholeNumber) {
    let (era, dayOfEra) = (days + 719_468).floored(by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }

  /// The day of the week of a day: 0 is Sunday, 6 is Saturday.
  public static func weekday(_ days: WholeNumber) -> WholeNumber { (days + 4).floored(by: 7).remainder }
}

extension WholeNumber {
  /// Quotient and remainder of a division by a positive number, with the remainder never negative.
  @inlinable
  public func floored(by divisor: WholeNumber) -> (quotient: WholeNumber, remainder: WholeNumber) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
