import Ledger
import StoreModel
import Testing

@Suite struct SuppressionVerdictTests {
  private static let noon = Timestamp(seconds: 1_795_176_000)

  private func verdict(
    flags: DeviceFlags = [], movedNumber: Int64 = 0, listedNumber: Int64? = nil, category: String? = nil,
    isUrgent: Bool = false, isFirst: Bool = true, rules: SuppressionRules = SuppressionRules(),
    refuses: Bool = false, counts: Bool = true
  ) throws -> (String, asked: [String]) {
    var suppression = Suppression(now: Self.noon)
    var asked: [String] = []
    let verdict = try suppression.verdict(
      DeviceFacts(device: 1, owner: 2, flags: flags, movedNumber: movedNumber, timezone: nil),
      SuppressedPush(listedNumber: listedNumber, category: category, isUrgent: isUrgent, expiresAt: nil),
      isFirst: isFirst, rules: rules,
      refusesCategory: {
        asked.append($0)
        return refuses
      },
      counts: { _ in
        asked.append("cap")
        return counts
      })
    switch verdict {
    case .send: return ("send", asked)
    case .refuse(let reason): return (reason, asked)
    case .hold: return ("hold", asked)
    }
  }

  @Test func aListThatIsOlderThanTheDevicesOwnerIsNotFollowed() throws {
    #expect(try verdict(movedNumber: 9, listedNumber: 8).0 == LocalReason.deviceMoved)
    #expect(try verdict(movedNumber: 9, listedNumber: 9).0 == "send")
    #expect(try verdict(movedNumber: 9).0 == "send")
  }

  @Test(arguments: [DeviceFlags.optedOut, .userOptedOut])
  func whoOptedOutGetsNothingHoweverUrgent(flag: DeviceFlags) throws {
    #expect(try verdict(flags: flag, isUrgent: true).0 == LocalReason.optedOut)
  }

  @Test func aCategoryIsAskedForOnlyWhereSomeAreRefused() throws {
    #expect(try verdict(category: "news", refuses: true) == ("send", []))
    #expect(try verdict(flags: .categories, category: "news", refuses: true) == (LocalReason.optedOut, ["news"]))
    #expect(try verdict(flags: .userCategories, category: "news") == ("send", ["news"]))
    #expect(try verdict(flags: .categories) == ("send", []))
  }

  @Test func quietHoursComeBeforeTheCapAndNeitherBindsWhatIsUrgent() throws {
    let quiet = SuppressionRules(
      quietHours: QuietHours(from: 0, to: 1_439, zone: "UTC"), frequencyCap: FrequencyCap(pushes: 1, windowMs: 1_000))
    #expect(try verdict(rules: quiet) == ("hold", []))
    #expect(try verdict(isUrgent: true, rules: quiet) == ("send", []))
    let cap = SuppressionRules(frequencyCap: FrequencyCap(pushes: 1, windowMs: 1_000))
    #expect(try verdict(rules: cap, counts: false) == (LocalReason.frequencyCap, ["cap"]))
    #expect(try verdict(isFirst: false, rules: cap, counts: false) == ("send", []))
  }

  @Test func aPushCountsOnceAndOldOnesNoMore() {
    let cap = FrequencyCap(pushes: 2, windowMs: 1_000)
    func at(_ ms: Int64) -> Timestamp { Timestamp(milliseconds: ms) }
    var recent = RecentPushes()
    #expect(recent.count(PushID(rawValue: 1), against: cap, at(5_000)) == .added)
    #expect(recent.count(PushID(rawValue: 1), against: cap, at(5_001)) == .counted)
    #expect(recent.count(PushID(rawValue: 2), against: cap, at(5_002)) == .added)
    recent = RecentPushes(recent.bytes)
    #expect(recent.count(PushID(rawValue: 3), against: cap, at(5_003)) == .capReached)
    #expect(recent.count(PushID(rawValue: 3), against: cap, at(6_001)) == .added)
    // A clock that was ahead by more than the window counts for nothing.
    #expect(recent.count(PushID(rawValue: 4), against: cap, at(1_000)) == .added)
  }
}
