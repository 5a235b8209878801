internal import Basics

/// Finds the word a person most likely meant.
package enum Nearest {
  /// The nearest of `candidates` by edit distance, when it is near enough to be worth proposing.
  package static func match(_ word: String, among candidates: [String]) -> String? {
    let letters = Array(word.utf8)
    let ranked = candidates.map { (distance: EditDistance.between(letters, Array($0.utf8)), word: $0) }
      .min { $0.distance < $1.distance }
    guard let ranked, ranked.distance <= max(1, word.count / 3) else { return nil }
    return ranked.word
  }
}
