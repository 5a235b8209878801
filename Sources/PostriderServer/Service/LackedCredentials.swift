internal import Delivery
internal import PushPayload
internal import PushStore

/// Devices of an audience that no credential of the app reaches, said by kind where the push is made: their deliveries
/// alone would say so later.
struct LackedCredentials {
  /// What becomes of such devices.
  enum Fate {
    /// They were named, so that each has a delivery, which is rejected.
    case rejected
    /// They are left out of an audience that names no device. Counted among the newest devices of the app, or among all.
    case leftOut(amongNewest: Bool)
  }

  /// Of more devices the newest are looked at: a count of a million would cost a second.
  static let newestMax = 1_000

  let entry: AppEntry

  /// Whether the app has credentials for everything, so that there is nothing to look for.
  var hasAll: Bool { Provider.allCases.allSatisfy(entry.reaches) }

  /// Looks for them in an audience of all devices or of a segment, and warns.
  func warn(of audience: Audience, _ store: any Store, now: Timestamp, into report: inout Report) throws(StoreError) {
    guard !hasAll else { return }
    let filter: SegmentFilter
    switch audience {
    case .all: filter = .everyone
    case .segment(let said, _): filter = said
    case .users, .devices, .addresses: return
    }
    let counts = try store.countNewestByKind(filter, app: entry.app.id, among: Self.newestMax, now: now)
    warn(of: counts, .leftOut(amongNewest: true), into: &report)
  }

  /// Warns of each kind of device among those counted that no credential reaches.
  func warn(of counts: [DeviceKind: Int], _ fate: Fate, into report: inout Report) {
    // Tokens of Live Activities get no messages.
    let lacking = counts.filter { $0.value > 0 && !$0.key.isLiveActivity && !entry.reaches($0.key.provider) }
    for (kind, count) in lacking.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      let who = "\(count) \(who(count, fate)) of type \(kind.name)"
      report.add(
        rule: "push-audience", severity: .warning, field: "to",
        message:
          "\(who), and the app has no \(kind.provider.name) credential: \(fate.text(count)); set it with PUT"
          + " /v1/apps/\(entry.app.name)/credentials before you send to them")
    }
  }

  private func who(_ count: Int, _ fate: Fate) -> String {
    switch fate {
    case .rejected: count == 1 ? "of the targeted devices is" : "of the targeted devices are"
    case .leftOut(amongNewest: false): count == 1 ? "device of the audience is" : "devices of the audience are"
    case .leftOut(amongNewest: true):
      count == 1
        ? "device of the audience, among the \(Self.newestMax) that the app registered last, is"
        : "devices of the audience, among the \(Self.newestMax) that the app registered last, are"
    }
  }
}

extension LackedCredentials.Fate {
  fileprivate func text(_ count: Int) -> String {
    switch self {
    case .rejected:
      count == 1
        ? "its delivery is rejected as \(PipelineReason.noCredential)"
        : "their deliveries are rejected as \(PipelineReason.noCredential)"
    case .leftOut: count == 1 ? "it is left out" : "they are left out"
    }
  }
}
