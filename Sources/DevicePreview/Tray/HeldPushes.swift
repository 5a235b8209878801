public import Basics
public import PushPayload

/// The pushes that a provider keeps for a device that is away.
///
/// APNs keeps one for each app, the last. FCM keeps one for each of at most four collapse keys, and up to a hundred
/// without a key; one more of those, and it forgets them all and tells the app so. Both forget what has expired.
/// Source: Apple, “Sending notification requests to APNs”; Firebase, “Non-collapsible and collapsible messages”.
public struct HeldPushes<Push: Sendable>: Sendable {
  /// A push that waits.
  private struct Held: Sendable {
    let push: Push
    let key: ByteKey?
    let expires: WholeNumber?
  }

  /// The outcome of a push for a device that is away.
  public enum Outcome: String, Sendable, Hashable, CaseIterable {
    /// It waits.
    case held
    /// It has replaced an earlier one that waited.
    case replaced
    /// It is not kept: its sender asked for one attempt.
    case dropped
    /// There were too many, and all without a key are forgotten.
    case overflowed
  }

  /// The most collapse keys that FCM keeps a push for.
  public static var keysMax: Int { 4 }
  /// The most pushes without a collapse key that FCM keeps.
  public static var ungroupedMax: Int { 100 }

  /// The platform of the device.
  public let platform: Platform
  /// True when FCM forgot pushes since the device was last there: its app is notified (`onDeletedMessages`).
  public private(set) var hasForgotten = false
  private var held: [Held] = []

  /// Keeps nothing yet.
  public init(platform: Platform) { self.platform = platform }

  /// How many pushes wait.
  public var count: Int { held.count }

  /// Keeps a push.
  ///
  /// - Parameters:
  ///   - push: the push.
  ///   - key: the app's topic (APNs) or the collapse key (FCM).
  ///   - lifetime: how many seconds it is kept; 0 for one attempt only, nil for as long as the provider likes.
  ///   - now: the time, in seconds since 1970.
  public mutating func hold(_ push: Push, key: String?, lifetime: WholeNumber?, now: WholeNumber) -> Outcome {
    if let lifetime, lifetime <= 0 { return .dropped }
    forgetExpired(now: now)
    let expires = lifetime.flatMap { lifetime -> WholeNumber? in
      let (end, isNever) = now.addingReportingOverflow(lifetime)
      return isNever ? nil : end
    }
    let rules = TrayRules.all[platform]
    let entry = Held(push: push, key: (key ?? rules.heldKey).map(ByteKey.init), expires: expires)
    guard let key = entry.key else { return holdUngrouped(entry) }
    let before = held.count
    held.removeAll { $0.key == key }
    let isReplaced = held.count < before
    held.append(entry)
    if !isReplaced { keepKeys(atMost: rules.heldKeysMax) }
    return isReplaced ? .replaced : .held
  }

  private mutating func holdUngrouped(_ entry: Held) -> Outcome {
    guard held.count(where: { $0.key == nil }) < HeldPushes.ungroupedMax else {
      held.removeAll { $0.key == nil }
      hasForgotten = true
      return .overflowed
    }
    held.append(entry)
    return .held
  }

  /// Of more keys the oldest is forgotten; which one FCM forgets it does not say.
  private mutating func keepKeys(atMost keysMax: Int) {
    guard held.count(where: { $0.key != nil }) > keysMax,
      let oldest = held.firstIndex(where: { $0.key != nil })
    else { return }
    held.remove(at: oldest)
    hasForgotten = true
  }

  /// The device is there again: what waits and has not expired, oldest first.
  public mutating func release(now: WholeNumber) -> [Push] {
    forgetExpired(now: now)
    let pushes = held.map { $0.push }
    held.removeAll()
    hasForgotten = false
    return pushes
  }

  private mutating func forgetExpired(now: WholeNumber) {
    held.removeAll { entry in entry.expires.map { $0 <= now } ?? false }
  }
}
