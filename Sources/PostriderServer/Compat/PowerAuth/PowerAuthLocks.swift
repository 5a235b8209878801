internal import PushStore

/// Locks of activations and their devices, so that what is read of one does not change before it is written: a state that comes
/// during a registration would be lost, and a blocked activation would be active again.
final class PowerAuthLocks: Sendable {
  private let locks = CompatLocks()

  /// Runs `body` with the devices of the activations, which no other request changes meanwhile.
  func with(
    _ ids: [String], _ c: CompatCall, _ body: ([Device]) throws(Problem) -> Void
  ) throws(Problem) {
    let seen = try devices(of: ids, c).map { "device \($0.id)" }
    try locks.with(ids + seen) { () throws(Problem) in try body(try devices(of: ids, c)) }
  }

  private func devices(of ids: [String], _ c: CompatCall) throws(Problem) -> [Device] {
    var devices: [Device] = []
    for id in ids {
      if let device = try PowerAuthActivations.device(of: id, c), !devices.contains(where: { $0.id == device.id }) {
        devices.append(device)
      }
    }
    return devices
  }
}
