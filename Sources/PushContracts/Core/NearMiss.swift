/// Finds the known name that a mistyped one most likely stands for.
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
      let distance = distance(folded, other)
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

  /// The number of insertions, removals, replacements and swaps of neighbours between two names.
  private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for i in 0..<left.count {
      var row = [i + 1]
      for j in 0..<right.count {
        var cost = min(last[j + 1] + 1, row[j] + 1, last[j] + (left[i] == right[j] ? 0 : 1))
        if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] { cost = min(cost, beforeLast[j - 1] + 1) }
        row.append(cost)
      }
      beforeLast = last
      last = row
    }
    return last[right.count]
  }
}
