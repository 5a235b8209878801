import PushPayload

/// What happens to a member of the app's data whose name is taken.
public enum ReservedAction: String, Sendable, Hashable {
  /// The member is carried, with a note, or with a warning when the app does not get it.
  case keep
  /// The member is left out, with a warning.
  case drop
  /// The message is refused on this platform.
  case refuse
}

/// A set of names that the app's data should not use on one platform.
public struct ReservedNames: Sendable, Hashable {
  /// The rule id of the finding.
  public var rule: String
  /// Names that are taken.
  public var names: [String]
  /// Prefixes that are taken.
  public var prefixes: [String]
  /// What happens to such a member.
  public var action: ReservedAction
  /// Why, and what to do: the end of the finding's sentence.
  public var advice: String
  /// True when the app does not get a member that is carried.
  var isLost = false

  /// Makes a set.
  public init(rule: String, names: [String], prefixes: [String] = [], action: ReservedAction, advice: String) {
    self.rule = rule
    self.names = names
    self.prefixes = prefixes
    self.action = action
    self.advice = advice
  }

  /// `aps` belongs to Apple's envelope.
  public static func aps(_ action: ReservedAction, advice: String) -> ReservedNames {
    ReservedNames(rule: "aps-reserved", names: ["aps"], action: action, advice: advice)
  }

  /// The names that FCM refuses or its client drops.
  ///
  /// Source: Firebase, REST `Message.data`, and its error page; the wider reading is taken, as refusing early is safe.
  public static let fcm = ReservedNames(
    rule: "fcm-data-reserved", names: ["from", "message_type"], prefixes: ["google", "gcm"], action: .refuse,
    advice: "FCM keeps from, message_type and every name that starts with google or gcm for itself; rename the key")

  /// The name that FCM carries and its client keeps from the app.
  public static let fcmUnseen: ReservedNames = {
    var names = ReservedNames(
      rule: "fcm-data-unseen", names: ["collapse_key"], action: .keep,
      advice: "the FCM client does not hand it to the app; rename the key")
    names.isLost = true
    return names
  }()

  func contains(_ name: String) -> Bool {
    for taken in names where taken == name { return true }
    for prefix in prefixes where name.utf8.starts(with: prefix.utf8) { return true }
    return false
  }
}

/// The reserved names of one platform behind a look at the first letter, since nearly every name is free.
struct ReservedNameTable: Sendable {
  private let sets: [ReservedNames]
  private let platform: Platform
  /// One bit per first byte, modulo 64, of a name or prefix that is taken.
  private let firstBytes: UInt64

  init(_ sets: [ReservedNames], _ platform: Platform) {
    self.sets = sets
    self.platform = platform
    var bits: UInt64 = 0
    for set in sets {
      for name in set.names + set.prefixes { bits |= ReservedNameTable.bit(name) }
    }
    firstBytes = bits
  }

  private static func bit(_ name: String) -> UInt64 {
    guard let first = name.utf8.first else { return 0 }
    return 1 << UInt64(first & 63)
  }

  /// False when the name is free for certain.
  func mayContain(_ name: String) -> Bool { firstBytes & ReservedNameTable.bit(name) != 0 }

  /// What to do with a member of this name; whatever is said of it is reported.
  func action(for name: String, in field: String, _ report: inout Report) -> ReservedAction {
    for set in sets where set.contains(name) {
      let severity: Severity
      let what: String
      switch set.action {
      case .keep: (severity, what) = (set.isLost ? .warning : .note, "is carried")
      case .drop: (severity, what) = (.warning, "is dropped")
      case .refuse: (severity, what) = (.error, "is refused")
      }
      report.add(
        rule: set.rule, severity: severity, field: FieldPath(members: field, name),
        message: "the data key \(name) \(what) on \(platform.title): \(set.advice)")
      return set.action
    }
    return .keep
  }
}
