internal import HTTP2
internal import Synchronization

/// Everything an emulator knows, behind one lock: the gateways of all ports and the control API work on the same state.
final class EmulatorCore: Sendable {
  struct State: Sendable {
    var services: EmulatedGateways
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

  /// Answers a request to a service, found once for each port.
  func handle(
    _ handler: EmulatedService.Handler, _ request: GatewayRequest, _ connection: inout GatewayConnection,
    _ response: inout GatewayResponse
  ) -> GatewayAction {
    state.withLock { state in
      let now = nowMs(state)
      return handler(&state, request, &connection, &response, now)
    }
  }

  /// Counts an incoming connection and decides how it begins.
  func open(
    _ provider: EmulatedProvider, _ connection: HTTP2ServerConnection, certificates: FaultyCertificates
  ) -> HTTP2ConnectionBehavior {
    state.withLock { state in
      state.connections[connection.id] = (provider, connection)
      state.counters.connections[provider, default: 0] += 1
      let terms = provider.row.terms(state)
      var behavior = HTTP2ConnectionBehavior()
      behavior.settings = HTTP2Settings(
        maxConcurrentStreams: UInt32(clamping: terms.streams), initialWindowSize: 65_535)
      behavior.acceptsNoALPN = terms.acceptsNoALPN
      for index in state.connectionFaults.indices where state.connectionFaults[index].strikes(provider) {
        behavior = state.connectionFaults[index].behavior(behavior, certificates: certificates)
        return behavior
      }
      return behavior
    }
  }

  func close(_ connection: HTTP2ServerConnection) {
    state.withLock { _ = $0.connections.removeValue(forKey: connection.id) }
  }
}
