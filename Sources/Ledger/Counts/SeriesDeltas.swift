package import StoreModel

/// Counts by minute that a transaction adds, written once when it commits, however many operations it holds.
package struct SeriesDeltas: Sendable {
  package struct Key: Hashable, Sendable {
    package let scope: Int64
    package let bucket: Int64
    package let metric: UInt8
  }

  /// The width of the stretches that are kept.
  package static let stepMs: Int64 = 60_000

  package private(set) var counts: [Key: Int] = [:]

  package init() {}

  /// Counts for the app, and for the push when it is a campaign.
  package mutating func add(
    _ count: Int, _ metric: SeriesMetric, app: AppID, push: PushID, isCampaign: Bool, at: Timestamp
  ) {
    guard count != 0 else { return }
    let bucket = Self.bucket(at)
    counts[Key(scope: -app.rawValue, bucket: bucket, metric: metric.rawValue), default: 0] += count
    guard isCampaign else { return }
    counts[Key(scope: push.rawValue, bucket: bucket, metric: metric.rawValue), default: 0] += count
  }

  package static func bucket(_ instant: Timestamp) -> Int64 { instant.milliseconds - instant.milliseconds % stepMs }

  package mutating func removeAll() { counts.removeAll(keepingCapacity: true) }
}
