/// Which devices a segment holds: conditions, joined by AND and OR, nested.
///
/// A condition over a member that a device does not have never holds, also `neq`, `not_contains` and `not_within`; only
/// `not_exists` does. Facts section 5 has the operators and the fields.
public indirect enum SegmentFilter: Sendable, Hashable {
  /// Every part holds; with no part, every device.
  case and([SegmentFilter])
  /// At least one part holds; with no part, no device.
  case or([SegmentFilter])
  /// None of them is true.
  case none([SegmentFilter])
  /// One condition.
  case condition(SegmentCondition)

  /// Every device.
  public static let everyone = SegmentFilter.and([])

  /// How deep groups are nested: 1 for a condition.
  public var depth: Int {
    switch self {
    case .and(let parts), .or(let parts), .none(let parts): 1 + (parts.map(\.depth).max() ?? 0)
    case .condition: 1
    }
  }

  /// How many conditions there are.
  public var conditions: Int {
    switch self {
    case .and(let parts), .or(let parts), .none(let parts): parts.reduce(0) { $0 + $1.conditions }
    case .condition: 1
    }
  }
}

/// One condition: a field, an operator, and what it is compared with.
public struct SegmentCondition: Sendable, Hashable {
  /// The field, as `SegmentField` names it.
  public var field: SegmentField
  /// The comparison.
  public var comparison: SegmentComparison

  /// Creates a value from its parts.
  public init(_ field: SegmentField, _ comparison: SegmentComparison) {
    self.field = field
    self.comparison = comparison
  }
}

/// The comparisons of the twelve operators.
public enum SegmentComparison: Sendable, Hashable {
  /// `eq`.
  case equal(AttributeValue)
  /// `neq`: it is there, and another.
  case notEqual(AttributeValue)
  /// `gt`.
  case greater(AttributeValue)
  /// `gte`.
  case greaterOrEqual(AttributeValue)
  /// `lt`.
  case less(AttributeValue)
  /// `lte`.
  case lessOrEqual(AttributeValue)
  /// `contains`: a part of a text, or a tag.
  case contains(String)
  /// `not_contains`.
  case notContains(String)
  /// `exists`.
  case exists
  /// `not_exists`.
  case notExists
  /// `within`: a time at most so many milliseconds ago.
  case within(milliseconds: Int64)
  /// `not_within`: a time, and not that.
  case notWithin(milliseconds: Int64)
}

/// What a condition looks at.
public enum SegmentField: Sendable, Hashable {
  /// A column of the device, or of its user.
  case column(SegmentColumn)
  /// An attribute of the device or of its user: `properties.plan`, `entitlements.premium`, `tags`, `email`.
  case attribute(String)
  /// Any entitlement; exists, contains.
  case entitlements
  /// The id that another system gave the user, by its label.
  case alias(String)

  /// What the names of aliases begin with.
  public static let aliases = "aliases."
}

/// The members that every device or user has.
public enum SegmentColumn: String, Sendable, Hashable, CaseIterable {
  /// The user, in the caller's words.
  case user = "id"
  /// The same under another name.
  case externalID = "external_id"
  /// The caller's own id of the device.
  case deviceName = "device_name"
  /// The kind of address.
  case type
  /// `ios` or `android`.
  case platform
  /// `production` or `development`.
  case environment
  /// The language tag.
  case locale
  /// The time zone.
  case timezone
  /// The app's version.
  case appVersion = "app_version"
  /// When the user was created; without a user, when the device was first registered.
  case createdAt = "created_at"
  /// When the user was first seen; without a user, when the device was first registered.
  case firstSeenAt = "first_seen_at"
  /// When the user was last seen; without a user, when the device was last registered.
  case lastSeenAt = "last_seen_at"
  /// When this device was last registered.
  case registeredAt = "registered_at"

  /// The type its values are compared as.
  public var isTimestamp: Bool {
    switch self {
    case .createdAt, .firstSeenAt, .lastSeenAt, .registeredAt: true
    default: false
    }
  }
}

/// The limits of the language.
public enum SegmentLimits {
  /// Groups within groups, a condition counted as one.
  public static let depthMax = 8
  /// Conditions in one segment.
  public static let conditionsMax = 50
  /// The longest span of `within`, ten years.
  public static let spanMax: Int64 = 3_660 * 86_400_000
  /// Segments of one app.
  public static let segmentsMax = 1_000
  /// Bytes of a segment's definition.
  public static let definitionBytesMax = 65_536
}
