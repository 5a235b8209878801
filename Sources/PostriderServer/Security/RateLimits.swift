internal import HTTPServer
internal import StoreModel
internal import Synchronization

/// How fast each key may be used: a bucket for each, filled at the key's rate and holding a tenth of a minute's worth.
///
/// Keys of scope `client` alone lie in an app that many people have, so each network has a bucket of its own under them.
final class RateLimits: Sendable {
  private struct Bucket: Sendable {
    var tokens: Double
    var filledAt: Int64
  }

  private struct User: Hashable, Sendable {
    let author: Author
    let network: [UInt8]
  }

  /// Buckets remembered at once; the full ones are forgotten first.
  private static let bucketsMax = 100_000

  private let buckets = Mutex<[User: Bucket]>([:])

  /// The seconds to wait, or nil when the request is permitted.
  func wait(_ caller: Caller, _ peer: HTTPPeer, perMinute: Int, now: Timestamp) -> Int64? {
    let user = User(author: caller.author, network: caller.scopes == .client ? peer.network : [])
    let perMs = Double(perMinute) / 60_000
    let room = max(1, Double(perMinute) / 10)
    return buckets.withLock { buckets in
      if buckets.count >= RateLimits.bucketsMax, buckets[user] == nil {
        RateLimits.forgetFull(&buckets, perMs, room, now)
      }
      var bucket = buckets[user] ?? Bucket(tokens: room, filledAt: now.milliseconds)
      // A clock that stepped back fills nothing and takes nothing away.
      let elapsed = max(0, now.milliseconds - bucket.filledAt)
      bucket.tokens = min(room, bucket.tokens + Double(elapsed) * perMs)
      bucket.filledAt = now.milliseconds
      defer { buckets[user] = bucket }
      guard bucket.tokens < 1 else {
        bucket.tokens -= 1
        return nil
      }
      return max(1, Int64(((1 - bucket.tokens) / perMs / 1_000).rounded(.up)))
    }
  }

  private static func forgetFull(
    _ buckets: inout [User: Bucket], _ perMs: Double, _ room: Double, _ now: Timestamp
  ) {
    buckets = buckets.filter { $0.value.tokens + Double(now.milliseconds - $0.value.filledAt) * perMs < room }
    if buckets.count >= bucketsMax { buckets.removeAll() }
  }
}
