internal import Delivery
internal import StoreModel
internal import Synchronization

/// The current delivery troubles, as reported by the pipeline.
final class DeliveryHealth: Sendable {
  /// What may be wrong.
  enum Subject: Sendable, Hashable {
    case gateway(LaneKey)
    case retirement(AppID)
    case credential(LaneKey)
    case unusable(AppID, CredentialSlot)
    case store

    /// The affected app; nil for all apps.
    var app: AppID? {
      switch self {
      case .gateway(let lane), .credential(let lane): lane.app
      case .unusable(let app, _), .retirement(let app): app
      case .store: nil
      }
    }

    /// A stable name.
    var name: String {
      switch self {
      case .gateway: "gateway-unreachable"
      case .retirement: "retirement-halted"
      case .credential: "credential-doubted"
      case .unusable: "credential-unusable"
      case .store: "store-trouble"
      }
    }
  }

  /// One trouble.
  struct Trouble: Sendable, Hashable {
    let subject: Subject
    let detail: String
    let since: Timestamp
    /// When it was last reported; a trouble whose end is never reported expires some time later.
    let reportedAt: Timestamp

    /// How long a doubt about a credential lasts after its last report; while the cause persists, it is reported every
    /// ten minutes.
    private static let doubtMs: Int64 = 900_000

    func lasts(at now: Timestamp) -> Bool {
      guard case .credential = subject else { return true }
      return abs(now.milliseconds - reportedAt.milliseconds) < Self.doubtMs
    }
  }

  private let troubles = Mutex<[Subject: Trouble]>([:])

  /// Takes note of an event.
  func note(_ event: DeliveryEvent, now: Timestamp) {
    switch event {
    case .gatewayUnreachable(let lane, let reason):
      begin(.gateway(lane), "\(Self.name(lane)) cannot be reached: \(reason)", now)
    case .gatewayReachable(let lane): end(.gateway(lane))
    case .retirementHalted(let app, let share):
      let percent = Int((share * 100).rounded())
      begin(
        .retirement(app),
        "\(percent) % of the devices are reported dead at once; none is retired until that is back to normal", now)
    case .credentialDoubted(let lane, let reason):
      begin(.credential(lane), "\(Self.name(lane)) refused pushes because of a credential: \(reason)", now)
    case .retirementResumed(let app, _): end(.retirement(app))
    case .storeTrouble(let error): begin(.store, error.description, now)
    case .storeRecovered: end(.store)
    // Why a node waits is what the store says when it is asked whether it is ready.
    case .recovered, .providerStopped, .providerResumed, .pushFinished, .clockFollowed, .nodeWaits, .nodeWorks: break
    }
  }

  /// A credential was opened, or why it cannot be; nothing is sent with one that cannot.
  func noteCredential(_ app: AppID, _ slot: CredentialSlot, fault: String?, now: Timestamp) {
    guard let fault else { return end(.unusable(app, slot)) }
    begin(.unusable(app, slot), "the \(slot.rawValue) credential cannot be used: \(fault); save it again", now)
  }

  /// What is wrong with an app's delivery.
  func troubles(of app: AppID, now: Timestamp) -> [Trouble] {
    troubles.withLock { $0.values.filter { $0.subject.app == nil || $0.subject.app == app } }
      .filter { $0.lasts(at: now) }
      .sorted { ($0.since, $0.detail) < ($1.since, $1.detail) }
  }

  /// What the pipeline cannot do because of the store, once that has lasted for so long.
  func storeTrouble(lastingMs: Int64, now: Timestamp) -> Trouble? {
    guard let trouble = troubles.withLock({ $0[.store] }) else { return nil }
    return abs(now.milliseconds - trouble.since.milliseconds) >= lastingMs ? trouble : nil
  }

  /// A lane as the API names its credential.
  private static func name(_ lane: LaneKey) -> String {
    CredentialSlot(lane)?.rawValue ?? "\(lane.provider.name) \(lane.environment.name)"
  }

  private func begin(_ subject: Subject, _ detail: String, _ now: Timestamp) {
    troubles.withLock { troubles in
      let known = troubles[subject].flatMap { $0.lasts(at: now) ? $0 : nil }
      let since = known?.since ?? now
      troubles[subject] = Trouble(subject: subject, detail: detail, since: since, reportedAt: now)
    }
  }

  private func end(_ subject: Subject) { troubles.withLock { _ = $0.removeValue(forKey: subject) } }
}
