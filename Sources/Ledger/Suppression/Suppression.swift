package import StoreModel

/// What becomes of a delivery whose device could be sent to.
package enum SuppressionVerdict: Sendable {
  case send
  case refuse(String)
  case hold(until: Timestamp)
}

/// What suppression needs to know of a push.
package struct SuppressedPush: Sendable {
  /// The number of the list of its audience, when it was addressed to users, devices or tokens by name.
  package let listedNumber: Int64?
  package let category: String?
  package let isUrgent: Bool
  package let expiresAt: Timestamp?

  package init(listedNumber: Int64?, category: String?, isUrgent: Bool, expiresAt: Timestamp?) {
    self.listedNumber = listedNumber
    self.category = category
    self.isUrgent = isUrgent
    self.expiresAt = expiresAt
  }
}

/// Decides whether devices may be sent to at one time.
package struct Suppression: Sendable {
  private let now: Timestamp
  private var quietUntil: [String: Timestamp?] = [:]

  package init(now: Timestamp) { self.now = now }

  /// Whether a push may go to a device now.
  ///
  /// - Parameters:
  ///   - isFirst: whether it is the first try, which counts against a cap.
  ///   - refusesCategory: whether device or user refuse the push's category; asked only when they refuse some.
  ///   - counts: counts it against the cap; false when that is reached. Asked last.
  package mutating func verdict(
    _ facts: DeviceFacts, _ push: SuppressedPush, isFirst: Bool, rules: SuppressionRules,
    refusesCategory: (String) throws(StoreError) -> Bool, counts: (FrequencyCap) throws(StoreError) -> Bool
  ) throws(StoreError) -> SuppressionVerdict {
    if let number = push.listedNumber, number < facts.movedNumber { return .refuse(LocalReason.deviceMoved) }
    guard facts.flags.isDisjoint(with: [.optedOut, .userOptedOut]) else { return .refuse(LocalReason.optedOut) }
    if let category = push.category, !facts.flags.isDisjoint(with: [.categories, .userCategories]),
      try refusesCategory(category)
    {
      return .refuse(LocalReason.optedOut)
    }
    guard !push.isUrgent else { return .send }
    if let quiet = rules.quietHours, let until = quietEnd(quiet, facts.timezone) {
      // What expires before then expires at its own time.
      return .hold(until: min(until, push.expiresAt ?? until))
    }
    if isFirst, let cap = rules.frequencyCap, try !counts(cap) { return .refuse(LocalReason.frequencyCap) }
    return .send
  }

  /// When the quiet hours of a zone end; nil outside of them.
  private mutating func quietEnd(_ quiet: QuietHours, _ timezone: String?) -> Timestamp? {
    let key = timezone ?? ""
    if let known = quietUntil[key] { return known }
    let found = quiet.end(at: now, timezone: timezone)
    quietUntil[key] = .some(found)
    return found
  }
}
