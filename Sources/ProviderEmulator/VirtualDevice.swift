public import PushContracts

/// One push as it arrived at a virtual device.
public struct ReceivedPush: Sendable {
  /// Counts all pushes of the emulator, from 1.
  public let sequence: Int
  /// When it arrived, in milliseconds since 1970-01-01 UTC.
  public let timeMs: Int64
  /// The `apns-id`, or the last part of FCM's message name.
  public let id: String
  /// What makes a later push replace this one on the device: the collapse id (APNs) or the tag (FCM); nil when nothing.
  public let replacementKey: String?
  /// Why the browser could not decrypt it, and dropped it; nil when it could, and for other devices.
  public let problem: String?
  let request: GatewayRequest

  /// The body, byte for byte.
  public var payload: [UInt8] { Array(request.body) }

  /// The header fields in the order they came, pseudo-headers first; `authorization` without its credential.
  public var headers: [(name: String, value: String)] { request.fieldTexts }
}

/// An app on a device that exists only in the emulator.
public struct VirtualDevice: Sendable {
  /// Whether the token is still registered.
  public enum Registration: Sendable, Hashable {
    /// Pushes are delivered.
    case active
    /// The app was removed at this time (ms since 1970): APNs says `Unregistered`, FCM `UNREGISTERED`.
    case unregistered(sinceMs: Int64)
    /// The token has expired at this time (ms since 1970): APNs says `ExpiredToken`, FCM `UNREGISTERED`.
    case expired(sinceMs: Int64)
  }

  /// One that has devices, so no token endpoint.
  public let provider: EmulatedProvider
  /// The device token (lower-case hexadecimal), registration token, or last part of the endpoint.
  public let token: String
  /// The bundle IDs the token belongs to; empty for any.
  public var topics: [String] = []
  /// The APNs environment the token belongs to; nil for any.
  public var environment: APNsEnvironment?
  /// The Firebase projects whose senders may reach it; empty for any.
  public var projects: [String] = []
  /// What FCM reaches it over; nil for Android, and for the devices of other services.
  public var carrier: FCMCarrier?
  /// The FCM topics it has subscribed to.
  public var subscriptions: Set<String> = []
  /// The keys of a browser's subscription; nil for other devices.
  public internal(set) var browser: VirtualBrowser?
  /// Whether the token is still registered.
  public var registration = Registration.active
  /// What the next pushes to it meet, one step each; see ``DeviceScript``.
  public var script = DeviceScript()
  /// How many pushes were accepted for it, kept or not.
  public internal(set) var acceptedCount = 0

  /// Whether its screen is a browser's.
  var isBrowser: Bool { provider.row.hasBrowsers || carrier?.isBrowser == true }

  var received: Ring<ReceivedPush>
  var minuteQuota = QuotaWindow(lengthMs: 60_000)
  var hourQuota = QuotaWindow(lengthMs: 3_600_000)

  init(provider: EmulatedProvider, token: String, keeping capacity: Int) {
    self.provider = provider
    self.token = token
    received = Ring(capacity: capacity)
  }

  /// What it received, oldest first, as far as the ring reaches.
  public var receivedPushes: [ReceivedPush] { received.elements }

  /// The notifications that are still on its screen: of pushes with the same collapse id or tag only the last one.
  public var currentPushes: [ReceivedPush] {
    var replaced: Set<String> = []
    var current: [ReceivedPush] = []
    for push in received.elements.reversed() {
      if let key = push.replacementKey, !replaced.insert(key).inserted { continue }
      current.append(push)
    }
    return current.reversed()
  }
}

/// A fixed window in which only so many things may happen.
struct QuotaWindow: Sendable {
  let lengthMs: Int64
  private var startMs: Int64 = .min
  private var used = 0

  init(lengthMs: Int64) { self.lengthMs = lengthMs }

  /// Takes one; false when the window is used up.
  mutating func take(limit: Int, nowMs: Int64) -> Bool {
    if startMs == .min || nowMs.saturatingSubtracting(startMs) >= lengthMs || nowMs < startMs {
      startMs = nowMs
      used = 0
    }
    guard used < limit else { return false }
    used += 1
    return true
  }

  /// Milliseconds until the next window.
  func leftMs(nowMs: Int64) -> Int64 {
    startMs == .min ? 0 : max(0, startMs.saturatingAdding(lengthMs).saturatingSubtracting(nowMs))
  }
}
