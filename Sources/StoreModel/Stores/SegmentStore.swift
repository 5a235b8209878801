/// Saved segments, and who is in a segment.
public protocol SegmentStore: Sendable {
  /// Saves a segment under a new name. Throws `conflict` when the name is taken, `notFound` (app), `invalid`.
  func createSegment(
    app: AppID, name: String, title: String, definition: [UInt8], now: Timestamp
  ) throws(StoreError) -> Segment
  /// An app's segments, by name.
  func segments(app: AppID) throws(StoreError) -> [Segment]
  /// The segment with a name, or nil.
  func segment(app: AppID, named name: String) throws(StoreError) -> Segment?
  /// Changes a segment; nil keeps what there is. Throws `notFound`, `invalid`.
  func updateSegment(
    _ id: SegmentID, title: String?, definition: [UInt8]?, now: Timestamp
  ) throws(StoreError) -> Segment
  /// Forgets a segment; pushes that have started keep who was meant. Throws `notFound`.
  func deleteSegment(_ id: SegmentID) throws(StoreError)
  /// Counts the active devices in a segment, and shows the first of them. Reads every device of the app: up to a second for
  /// a million.
  func count(
    _ filter: SegmentFilter, app: AppID, sample: Int, now: Timestamp
  ) throws(StoreError) -> SegmentCount
  /// The active devices of a segment behind `after`, by key, with what is known of each; at most `limit`. Looks at as many
  /// devices as it takes to find them.
  func audience(
    _ filter: SegmentFilter, app: AppID, after: DeviceID?, limit: Int, now: Timestamp
  ) throws(StoreError) -> [AudienceMember]
  /// The last active device of an app, by key, or nil.
  func lastDevice(app: AppID) throws(StoreError) -> DeviceID?
  /// Counts the active devices in a segment by kind and environment; what has none is left out. Reads every device of the
  /// app.
  func countByKindInEnvironment(
    _ filter: SegmentFilter, app: AppID, now: Timestamp
  ) throws(StoreError) -> [KindInEnvironment: Int]
  /// The same of the app's `limit` newest active devices alone, which costs no more in a large app.
  func countNewestByKind(
    _ filter: SegmentFilter, app: AppID, among limit: Int, now: Timestamp
  ) throws(StoreError) -> [KindInEnvironment: Int]
  /// The same of the active devices of listed users, with or without those that are opted out of all.
  func countByKind(users: [String], app: AppID, withOptedOut: Bool) throws(StoreError) -> [KindInEnvironment: Int]
  /// The same of listed devices, without those that are opted out of all.
  func countByKind(devices: [DeviceID], app: AppID) throws(StoreError) -> [KindInEnvironment: Int]
  /// Throws `notFound` for the first of listed devices that the app does not have, as the creation of a push to them does.
  func requireDevices(_ devices: [DeviceID], app: AppID) throws(StoreError)
}

extension SegmentStore {
  /// Counts the active devices in a segment by kind.
  public func countByKind(
    _ filter: SegmentFilter, app: AppID, now: Timestamp
  ) throws(StoreError) -> [DeviceKind: Int] {
    try countByKindInEnvironment(filter, app: app, now: now).byKind
  }
}

extension [KindInEnvironment: Int] {
  /// The sums by kind.
  public var byKind: [DeviceKind: Int] { reduce(into: [:]) { $0[$1.key.kind, default: 0] += $1.value } }
}

/// A saved segment.
public struct Segment: Sendable, Hashable {
  /// The key.
  public let id: SegmentID
  /// The app it belongs to.
  public let app: AppID
  /// The name, unique in the app.
  public let name: String
  /// The display name.
  public let title: String
  /// Who is in it, in the caller's language, opaque to the store.
  public let definition: [UInt8]
  /// When it was saved.
  public let createdAt: Timestamp
  /// When it was last changed.
  public let updatedAt: Timestamp
  /// Who made it, or nil.
  public let author: Author?

  /// Creates a value from its parts.
  package init(
    id: SegmentID, app: AppID, name: String, title: String, definition: [UInt8], createdAt: Timestamp,
    updatedAt: Timestamp, author: Author?
  ) {
    self.id = id
    self.app = app
    self.name = name
    self.title = title
    self.definition = definition
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.author = author
  }
}

/// The key of a saved segment.
public typealias SegmentID = RowID<Segment>

/// The size of a segment at a point in time.
public struct SegmentCount: Sendable, Hashable {
  /// Active devices that messages go to.
  public let devices: Int
  /// Active tokens of Live Activities, which get their own sends and no messages.
  public let activityTokens: Int
  /// The first of them, by key.
  public let sample: [Device]

  /// Creates a value from its parts.
  package init(devices: Int, activityTokens: Int, sample: [Device]) {
    self.devices = devices
    self.activityTokens = activityTokens
    self.sample = sample
  }
}
