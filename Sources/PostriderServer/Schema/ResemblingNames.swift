internal import Basics

/// Names of members that are not known, and what they may have been meant to be.
enum ResemblingNames {
  /// The longest name that is compared; longer ones are not typing slips.
  private static let bytesMax = 64

  /// The known name that a mistyped one most likely means: a third of the letters may differ, and at most two.
  static func nearest(_ name: String, in known: some Sequence<String>) -> String? {
    let folded = fold(name)
    guard !folded.isEmpty, folded.count <= bytesMax else { return nil }
    var best: (name: String, distance: Int)?
    for candidate in known {
      let other = fold(candidate)
      let distance = EditDistance.between(folded, other)
      guard distance <= min(2, max(folded.count, other.count) / 3) else { continue }
      if best.map({ (distance, candidate) < ($0.distance, $0.name) }) ?? true { best = (candidate, distance) }
    }
    return best?.name
  }

  private static let beginnings = ["include", "exclude", "send_", "delay", "dry_run", "dryrun", "validate_only"]

  /// Whether a name that nobody knows may have been meant to decide who gets a push, when, or whether at all.
  static func mayDecide(_ name: String) -> Bool {
    let lower = name.lowercased()
    return beginnings.contains { lower.hasPrefix($0) } || isSwitch(name)
  }

  /// Whether a name is written as a switch for a platform: `isFireOS`.
  static func isSwitch(_ name: String) -> Bool {
    let bytes = Array(name.utf8.prefix(3))
    return bytes.count == 3 && name.hasPrefix("is") && (0x41...0x5A).contains(bytes[2])
  }

  /// Lower case without `_` and `-`, so that `sendAt` is `send_at`.
  private static func fold(_ name: String) -> [UInt8] {
    name.utf8.filter { $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "-") }
      .map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
  }
}
