internal import Basics

/// Finds the word a person most likely meant.
package enum Nearest {
  /// The most bytes of a word for which another one is proposed; comparing takes the product of the lengths.
  package static let bytesMax = 64

  /// The nearest of `candidates` by edit distance, when it is near enough to be worth proposing.
  package static func match(_ word: String, among candidates: [String]) -> String? {
    guard word.utf8.count <= bytesMax else { return Optional.none }
    let letters = Array(word.utf8)
    let ranked = candidates.map { (distance: EditDistance.between(letters, Array($0.utf8)), word: $0) }
      .min { $0.distance < $1.distance }
    guard let ranked, ranked.distance <= max(1, letters.count / 3) else { return Optional.none }
    return ranked.word
  }
}
