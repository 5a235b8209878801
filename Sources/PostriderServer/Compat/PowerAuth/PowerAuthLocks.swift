internal import PushStore
internal import Synchronization

/// Locks of activations and their devices, so that what is read of one does not change before it is written: a state that comes
/// during a registration would be lost, and a blocked activation would be active again.
final class PowerAuthLocks: Sendable {
  private final class Lock: Sendable {
    let mutex = Mutex(())
  }

  private let locks = (0..<64).map { _ in Lock() }

  /// Runs `body` with the devices of the activations, which no other request changes meanwhile.
  func with(
    _ ids: [String], _ c: CompatCall, _ body: ([Device]) throws(Problem) -> Void
  ) throws(Problem) {
    let seen = try devices(of: ids, c).map { "device \($0.id)" }
    let indices = Set((ids + seen).map { Int(UInt(bitPattern: $0.hashValue) % UInt(locks.count)) })
    // In one order in every request, so that none waits for another one that waits for it.
    try nested(indices.sorted()[...]) { () throws(Problem) in try body(try devices(of: ids, c)) }
  }

  private func nested(_ indices: ArraySlice<Int>, _ body: () throws(Problem) -> Void) throws(Problem) {
    guard let first = indices.first else { return try body() }
    try locks[first].mutex.withLock { _ throws(Problem) in try nested(indices.dropFirst(), body) }
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
