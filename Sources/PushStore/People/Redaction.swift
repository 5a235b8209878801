internal import StoreModel

extension SegmentFilter {
  /// The same with another text wherever a condition names a user; nil when none does.
  func replacing(_ user: UserIdentity, by text: String) -> SegmentFilter? {
    switch self {
    case .and(let parts): Self.replacing(parts, user, text).map { .and($0) }
    case .or(let parts): Self.replacing(parts, user, text).map { .or($0) }
    case .none(let parts): Self.replacing(parts, user, text).map { SegmentFilter.none($0) }
    case .condition(let condition): condition.replacing(user, by: text).map { .condition($0) }
    }
  }

  private static func replacing(_ parts: [SegmentFilter], _ user: UserIdentity, _ text: String) -> [SegmentFilter]? {
    let replaced = parts.map { $0.replacing(user, by: text) }
    guard replaced.contains(where: { $0 != nil }) else { return nil }
    return zip(parts, replaced).map { $1 ?? $0 }
  }
}

extension SegmentCondition {
  fileprivate func replacing(_ user: UserIdentity, by text: String) -> SegmentCondition? {
    let field: String
    switch self.field {
    case .column(let column): field = column.rawValue
    case .attribute(let name): field = name
    case .alias(let label): field = SegmentField.aliases + label
    case .entitlements: return nil
    }
    let changed: SegmentComparison? =
      switch comparison {
      case .equal(.text(let value)) where user.isNamed(by: field, value): .equal(.text(text))
      case .notEqual(.text(let value)) where user.isNamed(by: field, value): .notEqual(.text(text))
      case .contains(let value) where user.isNamed(by: field, value): .contains(text)
      case .notContains(let value) where user.isNamed(by: field, value): .notContains(text)
      default: nil
      }
    return changed.map { SegmentCondition(self.field, $0) }
  }
}
