package import StoreModel

/// What decides about a delivery of a push whose try did not end it.
package struct PushFate: Sendable {
  package let app: AppID
  package let state: PushState
  package let policy: UnknownPolicy
  package let pushClass: PushClass
  /// Whether the server that a backup was made of may have sent it.
  package let isRestored: Bool

  package init(app: AppID, state: PushState, policy: UnknownPolicy, pushClass: PushClass, isRestored: Bool) {
    self.app = app
    self.state = state
    self.policy = policy
    self.pushClass = pushClass
    self.isRestored = isRestored
  }

  /// Whether a delivery whose outcome is unknown is sent again.
  package var resendsUnknown: Bool { policy == .resend && !state.isOver }

  /// The queue in which a delivery waits to be sent again after its process died; nil when it is left.
  ///
  /// - Parameter address: as its device is now; one whose device is gone is refused in the lane of production.
  package func resendQueue(_ address: DeviceAddress?) -> Int64? {
    guard resendsUnknown else { return nil }
    let lane = address?.lane(of: app) ?? LaneKey(app: app, provider: .apns, environment: .production)
    return lane.queue(pushClass)
  }
}

/// The row that a delivery becomes when it leaves the wire.
package struct WireEnd: Sendable {
  package let state: DeliveryState
  /// Whether the try counts: not what expired before it was sent, nor what was never on the wire.
  package let counts: Bool
  /// Whether its outcome is unknown.
  package let isUnknown: Bool
  package let notBefore: Timestamp?
  /// Where it waits (see `LaneKey.queue`).
  package let queue: Int64?
  package let providerID: String?

  /// What counts it; nil while it waits.
  package var metric: SeriesMetric? { SeriesMetric(rawValue: state.rawValue) }

  /// What a result makes of a delivery, by the table of transitions.
  ///
  /// - Parameters:
  ///   - fate: asked only where it decides.
  ///   - isUncertain: whether an earlier attempt may have been processed; asked only where it decides.
  package init(
    _ result: DeliveryResult, fate: () throws(StoreError) -> PushFate, isUncertain: () throws(StoreError) -> Bool
  ) throws(StoreError) {
    let (event, notBefore) = try Self.event(of: result, fate)
    var mayHaveArrived = false
    if event.dependsOnMemory { mayHaveArrived = try fate().isRestored }
    if event.dependsOnMemory, !mayHaveArrived { mayHaveArrived = try isUncertain() }
    guard let state = Transitions.state(after: event, from: .inFlight, isUncertain: mayHaveArrived) else {
      throw StoreError(.bug, "a delivery on the wire cannot be \(event.rawValue)", advice: "report this")
    }
    self.state = state
    self.notBefore = notBefore
    counts = result.isAttempt
    isUnknown = event == .lostResend || event == .lostLeave
    if state == .waiting {
      let push = try fate()
      let lane = LaneKey(
        app: push.app, provider: result.provider, environment: result.environment, isForChannels: result.isForChannel)
      queue = lane.queue(push.pushClass)
    } else {
      queue = nil
    }
    if case .accepted(let name) = result.change { providerID = name } else { providerID = nil }
  }

  /// What happened to a delivery, and when it may be sent again.
  private static func event(
    of result: DeliveryResult, _ fate: () throws(StoreError) -> PushFate
  ) throws(StoreError) -> (LedgerEvent, Timestamp?) {
    switch result.change {
    case .accepted: return (.accepted, nil)
    // Without a status it was not the provider that refused it.
    case .rejected: return (result.status == 0 ? .ruledOut : .refused, nil)
    case .abandoned: return (.ruledOut, nil)
    case .expired: return (.expired, nil)
    case .retry(let instant), .release(let instant):
      switch try fate().state {
      case .expired: return (.expired, nil)
      case let state where state.isOver: return (.cancelled, nil)
      default: return (.returned, instant)
      }
    case .unknown(let instant):
      guard let instant, try fate().resendsUnknown else { return (.lostLeave, nil) }
      return (.lostResend, instant)
    }
  }
}

extension DeliveryResult {
  fileprivate var isAttempt: Bool {
    switch change {
    case .accepted, .rejected, .abandoned, .retry, .unknown: true
    case .expired, .release: false
    }
  }
}
