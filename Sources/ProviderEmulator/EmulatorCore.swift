internal import HTTP2
internal import Synchronization

/// Everything an emulator knows, behind one lock: the gateways of all ports and the control API work on the same state.
final class EmulatorCore: Sendable {
  struct State: Sendable {
    var apns: APNsGateway
    var fcm: FCMGateway
    var oauth: OAuthEndpoint
    var web: WebPushGateway
    var hms: HuaweiGateway
    var devices: VirtualDevices
    var faults: FaultEngine
    var connectionFaults: [ConnectionFault] = []
    var counters = EmulatorCounters()
    var clockOffsetMs: Int64 = 0
    /// The one server that phones described from outside may report to.
    var reportServer: ReportServer?
    /// Makes up tokens; apart from the scenario's chance, so that making a device changes no verdict.
    var tokenRandom: EmulatorRandom
    /// Live connections by their number, for faults on demand.
    var connections: [UInt64: (provider: EmulatedProvider, connection: HTTP2ServerConnection)] = [:]
  }

  let state: Mutex<State>
  private let clock: @Sendable () -> Int64

  init(_ state: consuming sending State, clock: @escaping @Sendable () -> Int64) {
    self.state = Mutex(state)
    self.clock = clock
  }

  /// The emulator's time: the clock's, moved by the control API.
  func nowMs(_ state: borrowing State) -> Int64 { EmulatorTime.clamped(clock().saturatingAdding(state.clockOffsetMs)) }

  /// Moves the clock; nil, and nothing is moved, when it would leave the range of ``EmulatorTime``.
  func advance(_ state: inout State, byMs milliseconds: Int64) -> Int64? {
    let offset = state.clockOffsetMs.addingReportingOverflow(milliseconds)
    let now = clock().addingReportingOverflow(offset.partialValue)
    guard !offset.overflow, !now.overflow, EmulatorTime.range.contains(now.partialValue) else { return nil }
    state.clockOffsetMs = offset.partialValue
    return now.partialValue
  }

  func handleAPNs(
    _ request: GatewayRequest, _ connection: inout APNsConnection, _ response: inout GatewayResponse
  ) -> GatewayAction {
    state.withLock { state in
      let now = nowMs(state)
      let action = state.apns.handle(
        request, on: &connection, devices: &state.devices, faults: &state.faults, nowMs: now, response: &response)
      state.counters.count(.apns, action, response)
      return action
    }
  }

  /// FCM's API and the token endpoint share a port, as their paths differ.
  func handleGoogle(
    _ request: GatewayRequest, _ connection: inout FCMConnection, _ response: inout GatewayResponse
  ) -> GatewayAction {
    state.withLock { state in
      let now = nowMs(state)
      if let path = request.range(.path), request.matches(path, "/token") {
        let action = state.oauth.handle(request, faults: &state.faults, nowMs: now, response: &response)
        state.counters.count(.oauth, action, response)
        return action
      }
      let action = state.fcm.handle(
        request, on: &connection, oauth: state.oauth, devices: &state.devices, faults: &state.faults, nowMs: now,
        response: &response)
      state.counters.count(.fcm, action, response)
      return action
    }
  }

  /// - Parameter origin: scheme, host and port that the request was addressed to.
  func handleWeb(_ request: GatewayRequest, origin: String, _ response: inout GatewayResponse) -> GatewayAction {
    state.withLock { state in
      let action = state.web.handle(
        request, origin: origin, devices: &state.devices, faults: &state.faults, nowMs: nowMs(state),
        response: &response)
      state.counters.count(.web, action, response)
      return action
    }
  }

  /// Push Kit and Huawei's token endpoint share a port, as their paths differ.
  func handleHuawei(_ request: GatewayRequest, _ response: inout GatewayResponse) -> GatewayAction {
    state.withLock { state in
      let now = nowMs(state)
      if let path = request.range(.path), request.matches(path, HuaweiAuthority.path) {
        let action = state.hms.authority.handle(request, faults: &state.faults, nowMs: now, response: &response)
        state.counters.count(.hmsOAuth, action, response)
        return action
      }
      let action = state.hms.handle(
        request, devices: &state.devices, faults: &state.faults, nowMs: now, response: &response)
      state.counters.count(.hms, action, response)
      return action
    }
  }

  /// Counts an incoming connection and decides how it begins.
  func open(
    _ provider: EmulatedProvider, _ connection: HTTP2ServerConnection, certificates: FaultyCertificates
  ) -> HTTP2ConnectionPlan {
    state.withLock { state in
      state.connections[connection.id] = (provider, connection)
      state.counters.connections[provider, default: 0] += 1
      let terms = state.terms(of: provider)
      var plan = HTTP2ConnectionPlan()
      plan.settings = HTTP2Settings(
        maxConcurrentStreams: UInt32(clamping: terms.streams), initialWindowSize: 65_535)
      plan.acceptsNoALPN = terms.acceptsNoALPN
      for index in state.connectionFaults.indices where state.connectionFaults[index].strikes(provider) {
        plan = state.connectionFaults[index].plan(plan, certificates: certificates)
        return plan
      }
      return plan
    }
  }

  func close(_ connection: HTTP2ServerConnection) {
    state.withLock { _ = $0.connections.removeValue(forKey: connection.id) }
  }
}

extension EmulatorCore.State {
  /// What a new connection to a service may do.
  struct ConnectionTerms {
    let streams: Int
    let lifetime: ConnectionLifetime
    var acceptsNoALPN = false
  }

  func terms(of provider: EmulatedProvider) -> ConnectionTerms {
    switch provider {
    case .apns:
      ConnectionTerms(
        streams: apns.settings.streamsBeforeToken, lifetime: apns.settings.connectionLifetime,
        acceptsNoALPN: apns.settings.acceptsNoALPN)
    case .fcm, .oauth: ConnectionTerms(streams: fcm.settings.streams, lifetime: fcm.settings.connectionLifetime)
    case .web: ConnectionTerms(streams: web.settings.streams, lifetime: web.settings.connectionLifetime)
    case .hms, .hmsOAuth: ConnectionTerms(streams: hms.settings.streams, lifetime: hms.settings.connectionLifetime)
    }
  }
}
