internal import StoreModel

/// Locks of activations and their devices, so that what is read of one does not change before it is written: a state that comes
/// during a registration would be lost, and a blocked activation would be active again.
enum PowerAuthLocks {
  /// Runs `body` with the devices of the activations, which no other request changes meanwhile.
  static func with(
    _ ids: [String], _ c: CompatCall, _ body: ([Device]) async throws(Problem) -> Void
  ) async throws(Problem) {
    let seen = try devices(of: ids, c).map { "device \($0.id)" }
    let names = Set((ids + seen).map { "activation \(c.app) \($0)" })
    try await c.service.exclusively(Array(names), now: c.now) { () async throws(Problem) in
      try await body(try devices(of: ids, c))
    }
  }

  private static func devices(of ids: [String], _ c: CompatCall) throws(Problem) -> [Device] {
    var devices: [Device] = []
    for id in ids {
      if let device = try PowerAuthActivations.device(of: id, c), !devices.contains(where: { $0.id == device.id }) {
        devices.append(device)
      }
    }
    return devices
  }
}
