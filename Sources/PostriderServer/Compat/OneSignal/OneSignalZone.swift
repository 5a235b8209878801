internal import TimeZones
internal import WireJSON

/// A user's `timezone_id`: it decides when messages arrive, so that a name without a clock is refused.
enum OneSignalZone {
  static func read(_ value: JSONValue, _ member: String) throws(Problem) -> JSONValue {
    guard let name = value.string else { return value }
    do throws(TimeZoneError) { _ = try ZoneDatabase.system.zone(name) } catch {
      throw OneSignalErrors.refusal(member, error.description)
    }
    return value
  }
}
