internal import Basics

/// Finds the known name that a mistyped one most likely means.
enum NearMiss {
  /// The longest name that is compared; longer ones are not typing slips.
  static let nameBytesMax = 64

  /// The nearest of `known` to `name`; nil when none is near enough to suggest.
  static func of(_ name: String, in known: [String]) -> String? {
    let folded = fold(name)
    guard !folded.isEmpty, folded.count <= nameBytesMax else { return nil }
    var best: (name: String, distance: Int)?
    for candidate in known {
      let other = fold(candidate)
      // A third of the letters may differ, and at most two: "tilte" is title, "tag" is not "data".
      let limit = min(2, max(folded.count, other.count) / 3)
      // The distance is no less than what one is longer by.
      guard abs(folded.count - other.count) <= limit else { continue }
      let distance = EditDistance.between(folded, other)
      if distance <= limit, best.map({ distance < $0.distance }) ?? true { best = (candidate, distance) }
    }
    return best?.name
  }

  /// Lower case without `_` and `-`, so that `channelId` meets `channel_id`.
  private static func fold(_ name: String) -> [UInt8] {
    var folded: [UInt8] = []
    for byte in name.utf8 where byte != UInt8(ascii: "_") && byte != UInt8(ascii: "-") {
      folded.append(byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte)
    }
    return folded
  }
}
