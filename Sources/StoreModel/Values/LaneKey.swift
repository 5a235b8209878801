/// A delivery lane: the devices of an app that one provider serves in one environment, or its broadcast channels there.
///
/// A gateway that is down, a credential that was refused and a sender that is full affect one lane, never the others.
public struct LaneKey: Sendable, Hashable {
  /// The app.
  public let app: AppID
  /// The provider.
  public let provider: Provider
  /// The environment.
  public let environment: DeviceEnvironment
  /// Whether it leads to the provider's broadcast channels, which have a gateway of their own.
  public let isForChannels: Bool

  /// Creates a value from its parts.
  public init(app: AppID, provider: Provider, environment: DeviceEnvironment, isForChannels: Bool = false) {
    self.app = app
    self.provider = provider
    self.environment = environment
    self.isForChannels = isForChannels
  }

  /// The lane of an address of a kind.
  public init(_ app: AppID, _ kind: DeviceKind, _ environment: DeviceEnvironment) {
    self.init(app: app, provider: kind.provider, environment: environment, isForChannels: kind.isChannel)
  }

  /// Its number: always above zero.
  package var number: Int64 { app.rawValue << 6 | Int64(slot) }

  /// The lane number that is stored with its waiting deliveries, by the class of their push.
  ///
  /// Transactional pushes have a queue of their own in each lane, which is leased first: otherwise they would wait
  /// behind all the deliveries of a campaign that were deferred while the lane was closed.
  package func queue(_ pushClass: PushClass) -> Int64 {
    pushClass == .transactional ? number | Self.transactional : number
  }

  /// Its queues, in the order in which they are taken.
  package var queues: [Int64] { [queue(.transactional), queue(.campaign)] }

  /// The bit of a number that no provider uses.
  private static let transactional: Int64 = 1 << 5

  /// Reads a number as `number` or `queue` writes it.
  package init?(number: Int64) {
    let service = UInt8(truncatingIfNeeded: number >> 2 & 7)
    let isForChannels = service == LaneSlots.channels
    guard number > 0, let provider = isForChannels ? DeviceKind.iosBroadcast.provider : Provider(rawValue: service),
      let environment = DeviceEnvironment(rawValue: UInt8(truncatingIfNeeded: number & 3))
    else { return nil }
    self.init(
      app: AppID(rawValue: number >> 6), provider: provider, environment: environment, isForChannels: isForChannels)
  }

  /// The lane of a device, from the columns of its row.
  package init(_ app: AppID, kind: Int, environment: Int) {
    let kind = DeviceKind(rawValue: UInt8(truncatingIfNeeded: kind)) ?? .ios
    let environment = DeviceEnvironment(rawValue: UInt8(truncatingIfNeeded: environment)) ?? .production
    self.init(app, kind, environment)
  }

  /// Provider and environment, 0 to 31.
  fileprivate var slot: UInt8 { (isForChannels ? LaneSlots.channels : provider.rawValue) << 2 | environment.rawValue }
}

/// A set of an app's lanes in one word.
package struct LaneSlots {
  private var bits: UInt64 = 0

  package init() {}

  package var isEmpty: Bool { bits == 0 }

  /// The number instead of a provider's, in the lanes of channels.
  fileprivate static let channels: UInt8 = 7

  package mutating func insert(_ lane: LaneKey) { bits |= 1 << UInt64(lane.slot) }

  package func contains(_ address: DeviceAddress) -> Bool { contains(address.kind, address.environment) }

  package func contains(_ kind: DeviceKind, _ environment: DeviceEnvironment) -> Bool {
    bits & 1 << UInt64(LaneKey(AppID(rawValue: 0), kind, environment).slot) != 0
  }
}

extension DeviceAddress {
  /// The lane of an app that this address is served by.
  package func lane(of app: AppID) -> LaneKey { LaneKey(app, kind, environment) }
}

/// Why a lane is stopped: its provider refused the app's credential.
public struct LaneStop: Sendable, Hashable {
  /// The lane.
  public let lane: LaneKey
  /// The provider's reason.
  public let reason: String
  /// When the first refusal came.
  public let since: Timestamp
  /// Refusals in a row, from 1; several within one try count once.
  public let refusals: Int
  /// When a few sends are tried again.
  public let retryAt: Timestamp

  /// Creates a value from its parts.
  public init(lane: LaneKey, reason: String, since: Timestamp, refusals: Int, retryAt: Timestamp) {
    self.lane = lane
    self.reason = reason
    self.since = since
    self.refusals = refusals
    self.retryAt = retryAt
  }
}

/// Deliveries and pushes with a due time.
public struct WaitingWork: Sendable, Hashable {
  /// A lane and when its first delivery is due.
  public struct Due: Sendable, Hashable {
    /// The lane.
    public let lane: LaneKey
    /// When its first delivery is due.
    public let at: Timestamp

    /// Creates a value from its parts.
    package init(lane: LaneKey, at: Timestamp) {
      self.lane = lane
      self.at = at
    }
  }

  /// The lanes with deliveries that wait for a retry, or for their lane to open.
  public var lanes: [Due] = []
  /// When the next scheduled push starts or the next unfinished one expires, or nil.
  public var nextChange: Timestamp?

  /// Nothing.
  public init() {}

  /// Adds a queue, app by app: its lane is due when the first of its queues is.
  package mutating func add(_ due: Due) {
    let ofApp = lanes.lastIndex { $0.lane.app != due.lane.app }.map { $0 + 1 } ?? 0
    guard let known = lanes[ofApp...].firstIndex(where: { $0.lane == due.lane }) else { return lanes.append(due) }
    if due.at < lanes[known].at { lanes[known] = due }
  }

  /// When the first of all this is due, or nil.
  public var first: Timestamp? { (lanes.map(\.at) + (nextChange.map { [$0] } ?? [])).min() }
}
