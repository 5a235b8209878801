internal import Delivery
internal import PushStore
internal import Synchronization

/// What is wrong with the delivery at this moment, as the pipeline told of it.
final class DeliveryHealth: Sendable {
  /// What may be wrong.
  enum Subject: Sendable, Hashable {
    case gateway(AppID, Provider)
    case retirement(AppID)
    case store

    /// The app it is about; nil when it is about all.
    var app: AppID? {
      switch self {
      case .gateway(let app, _), .retirement(let app): app
      case .store: nil
      }
    }

    /// A stable name.
    var name: String {
      switch self {
      case .gateway: "gateway-unreachable"
      case .retirement: "retirement-halted"
      case .store: "store-trouble"
      }
    }
  }

  /// One trouble.
  struct Trouble: Sendable, Hashable {
    let subject: Subject
    let detail: String
    let since: Timestamp
  }

  private let troubles = Mutex<[Subject: Trouble]>([:])

  /// Takes note of an event.
  func note(_ event: DeliveryEvent, now: Timestamp) {
    switch event {
    case .gatewayUnreachable(let app, let provider, let reason):
      begin(.gateway(app, provider), "\(provider.name) cannot be reached: \(reason)", now)
    case .gatewayReachable(let app, let provider): end(.gateway(app, provider))
    case .retirementHalted(let app, let share):
      let percent = Int((share * 100).rounded())
      begin(
        .retirement(app),
        "\(percent) % of the devices are reported dead at once; none is retired until that is back to normal", now)
    case .retirementResumed(let app, _): end(.retirement(app))
    case .storeTrouble(let error): begin(.store, error.description, now)
    case .storeRecovered: end(.store)
    case .recovered, .appStopped, .pushFinished: break
    }
  }

  /// What is wrong with an app's delivery.
  func troubles(of app: AppID) -> [Trouble] {
    troubles.withLock { $0.values.filter { $0.subject.app == nil || $0.subject.app == app } }
      .sorted { ($0.since, $0.detail) < ($1.since, $1.detail) }
  }

  private func begin(_ subject: Subject, _ detail: String, _ now: Timestamp) {
    troubles.withLock { troubles in
      let since = troubles[subject]?.since ?? now
      troubles[subject] = Trouble(subject: subject, detail: detail, since: since)
    }
  }

  private func end(_ subject: Subject) { troubles.withLock { _ = $0.removeValue(forKey: subject) } }
}
