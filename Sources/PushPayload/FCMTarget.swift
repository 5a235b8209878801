/// The target of an FCM message: exactly one of four.
public enum FCMTarget: Sendable, Hashable {
  /// One app instance, by registration token. Marked deprecated by Google, and what every guide uses.
  case token(String)
  /// One app instance, by Firebase installation ID.
  case fid(String)
  /// Every subscriber of a topic; the name without `/topics/`.
  case topic(String)
  /// A boolean expression over at most five topics.
  case condition(String)

  /// The member of `message` that holds the target.
  public var key: String {
    switch self {
    case .token: "token"
    case .fid: "fid"
    case .topic: "topic"
    case .condition: "condition"
    }
  }

  /// The value of that member.
  public var value: String {
    switch self {
    case .token(let value), .fid(let value), .topic(let value), .condition(let value): value
    }
  }

  /// The four member names.
  public static let keys = ["token", "fid", "topic", "condition"]

  /// Makes a target from its member name; nil when the name is none of the four.
  public init?(key: String, value: String) {
    switch key {
    case "token": self = .token(value)
    case "fid": self = .fid(value)
    case "topic": self = .topic(value)
    case "condition": self = .condition(value)
    default: return nil
    }
  }
}
