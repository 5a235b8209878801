internal import Delivery
internal import PushPayload
internal import StoreModel

/// Devices of an audience that no credential of the app reaches, said by kind where the push is made: their deliveries
/// alone would say so later.
struct LackedCredentials {
  /// What becomes of devices for whose provider there is no credential at all.
  enum Fate {
    /// They were named, so that each has a delivery, which is rejected.
    case rejected
    /// They are left out of an audience that names no device. Counted among the newest devices of the app, or among all.
    case leftOut(amongNewest: Bool)
  }

  /// Of more devices the newest are looked at, and of a longer list its first: a count of a million would cost a second.
  static let newestMax = 1_000

  let entry: AppEntry
  /// The field of the request that names the devices; the request itself where none does.
  var field = "to"

  /// Whether the app has credentials for everything, so that there is nothing to look for.
  var hasAll: Bool { CredentialSlot.allCases.allSatisfy { entry.credentials[$0] != nil } }

  /// Lanes without a credential whose provider is reached in another environment: messages for them are written, and wait.
  var lanes: [LaneKey] {
    CredentialSlot.allCases.filter { entry.credentials[$0] == nil && entry.reaches($0.provider) }.map {
      $0.lane(of: entry.app.id)
    }
  }

  /// Looks for them in an audience of all devices, of a segment or of addresses, and warns.
  ///
  /// Listed users and devices are counted by the store when their push is created.
  func warn(of audience: Audience, _ store: any Store, now: Timestamp, into report: inout Report) throws(StoreError) {
    guard !hasAll else { return }
    let filter: SegmentFilter
    switch audience {
    case .all: filter = .everyone
    case .segment(let said, _): filter = said
    case .addresses(let addresses):
      let counts = Set(addresses).reduce(into: [:]) { $0[KindInEnvironment($1.kind, $1.environment), default: 0] += 1 }
      return warn(of: counts, .rejected, into: &report)
    case .users, .devices: return
    }
    let counts = try store.countNewestByKind(filter, app: entry.app.id, among: Self.newestMax, now: now)
    warn(of: counts, .leftOut(amongNewest: true), into: &report)
  }

  /// Counts the devices of the first users or devices that an audience lists, for a push that is not created yet, and warns.
  func warn(ofListed audience: Audience, _ store: any Store, into report: inout Report) throws(StoreError) {
    guard !hasAll else { return }
    let counts: [KindInEnvironment: Int]
    switch audience {
    case .users(let users):
      counts = try store.countByKind(users: Array(users.prefix(Self.newestMax)), app: entry.app.id, withOptedOut: false)
    case .devices(let devices):
      counts = try store.countByKind(devices: Array(devices.prefix(Self.newestMax)), app: entry.app.id)
    case .all, .segment, .addresses: return
    }
    warn(of: counts, .rejected, into: &report)
  }

  /// Warns of each kind of device among those counted that no credential reaches, or none in its environment.
  func warn(of counts: [KindInEnvironment: Int], _ fate: Fate, into report: inout Report) {
    // Tokens of Live Activities get no messages.
    warn(ofTargets: counts.filter { !$0.key.kind.isLiveActivity }, fate, into: &report)
  }

  /// The same of devices that get what is sent, whatever their kind.
  func warn(ofTargets counts: [KindInEnvironment: Int], _ fate: Fate, into report: inout Report) {
    let devices = counts.filter { $0.value > 0 }
    let lacking = devices.filter { !entry.reaches($0.key.kind.provider) }
    for (kind, count) in lacking.byKind.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      add(
        "\(count) \(who(count, fate)) of type \(kind.name), and the app has no \(kind.provider.name) credential:"
          + " \(fate.text(count)); set it with PUT /v1/apps/\(entry.app.name)/credentials before you send to them",
        to: &report)
    }
    let waiting = devices.filter { entry.reaches($0.key.kind.provider) && !entry.reaches($0.key) }
    for (target, count) in waiting.sorted(by: { $0.key.kind.rawValue < $1.key.kind.rawValue }) {
      guard let slot = CredentialSlot(provider: target.kind.provider, environment: target.environment) else { continue }
      add(
        "\(count) \(who(count, fate)) of type \(target.kind.name) in the environment \(target.environment.name), and the app"
          + " has no \"\(slot.rawValue)\" credential: \(count == 1 ? "its delivery waits" : "their deliveries wait") as"
          + " \(PipelineReason.noCredential) until there is one; set it with PUT /v1/apps/\(entry.app.name)/credentials, or"
          + " correct the environment of the \(count == 1 ? "device" : "devices")", to: &report)
    }
  }

  private func add(_ message: String, to report: inout Report) {
    report.add(rule: "push-audience", severity: .warning, field: field, message: message)
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

extension AppEntry {
  /// Whether pushes can be sent to devices of a kind in an environment; where a provider has one gateway for all, it is for
  /// every environment.
  func reaches(_ target: KindInEnvironment) -> Bool {
    guard let slot = CredentialSlot(provider: target.kind.provider, environment: target.environment) else {
      return reaches(target.kind.provider)
    }
    return credentials[slot] != nil
  }

  /// The kinds and environments of devices that no credential reaches.
  var unreachedTargets: Set<KindInEnvironment> {
    var targets: Set<KindInEnvironment> = []
    for kind in DeviceKind.all {
      for environment in DeviceEnvironment.allCases {
        let target = KindInEnvironment(kind, environment)
        if !reaches(target) { targets.insert(target) }
      }
    }
    return targets
  }

  /// Why a delivery is where it is: its own reason, or what keeps one that was not tried yet.
  ///
  /// Only the first delivery of a lane without a credential is tried and gets the reason; those behind it wait for the same.
  func reason(of row: DeliveryRecord) -> String {
    guard row.reason.isEmpty, row.state == .waiting, let kind = row.kind, let environment = row.environment,
      !reaches(KindInEnvironment(kind, environment))
    else { return row.reason }
    return PipelineReason.noCredential
  }
}
