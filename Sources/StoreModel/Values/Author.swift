/// Who made a record: a key, a person, or a schedule.
///
/// Changes are submitted for whoever ``current`` names, so that no operation of the store needs a parameter for it.
public enum Author: Sendable, Hashable {
  /// A program that has an API key.
  case key(APIKeyID)
  /// A person who is signed in.
  case account(AccountID)
  /// A schedule, for the pushes it makes.
  case schedule(ScheduleID)

  /// For whom the task works; nil for the server itself.
  @TaskLocal public static var current: Author?

  /// How it is stored: the id, with the kind in the two lowest bits.
  package var stored: Int64 {
    switch self {
    case .key(let id): id.rawValue << 2 | 1
    case .account(let id): id.rawValue << 2 | 2
    case .schedule(let id): id.rawValue << 2 | 3
    }
  }

  /// Reads what ``stored`` wrote; nil for anything else.
  package init?(stored: Int64) {
    switch stored & 3 {
    case 1: self = .key(APIKeyID(rawValue: stored >> 2))
    case 2: self = .account(AccountID(rawValue: stored >> 2))
    case 3: self = .schedule(ScheduleID(rawValue: stored >> 2))
    default: return nil
    }
  }
}
