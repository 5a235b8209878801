/// A broadcast channel of an app.
public struct APNsChannel: Sendable {
  /// Whether the channel keeps the last message for devices that are not reachable.
  public enum StoragePolicy: Int, Sendable, Hashable {
    /// Nothing is kept.
    case none = 0
    /// The most recent message is kept for up to eight hours.
    case mostRecent = 1
  }

  /// The id, opaque Base64.
  public let id: String
  /// The app.
  public let bundleID: String
  /// The storage policy requested at creation; it cannot be changed.
  public let storagePolicy: StoragePolicy
  var received: Ring<ReceivedPush>

  /// What was broadcast on it, oldest first, as far as the ring reaches.
  public var broadcasts: [ReceivedPush] { received.elements }
}

/// All broadcast channels of an emulator.
public struct APNsChannels: Sendable {
  /// The most channels of one app, by Apple's page.
  public static let perAppMax = 10_000
  /// The most broadcasts kept for one channel.
  static let broadcastsKept = 100

  /// All channels, in the order they were made.
  public private(set) var all: [APNsChannel] = []
  private var counts: [String: Int] = [:]
  private var sequence = 0

  func find(_ bundleID: String, _ id: String) -> Int? {
    all.firstIndex { $0.id == id && $0.bundleID == bundleID }
  }

  func count(_ bundleID: String) -> Int { counts[bundleID] ?? 0 }

  subscript(index: Int) -> APNsChannel { all[index] }

  mutating func make(_ bundleID: String, id: String, _ policy: APNsChannel.StoragePolicy) {
    counts[bundleID, default: 0] += 1
    all.append(
      APNsChannel(
        id: id, bundleID: bundleID, storagePolicy: policy, received: Ring(capacity: Self.broadcastsKept)))
  }

  mutating func remove(_ index: Int) {
    counts[all[index].bundleID, default: 1] -= 1
    all.remove(at: index)
  }

  mutating func accept(_ request: GatewayRequest, at index: Int, id: String, nowMs: Int64) {
    sequence += 1
    all[index].received.append(
      ReceivedPush(sequence: sequence, timeMs: nowMs, id: id, replacementKey: nil, problem: nil, request: request))
  }
}
