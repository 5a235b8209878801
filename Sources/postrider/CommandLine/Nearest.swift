/// Finds the word a person most likely meant.
enum Nearest {
  /// The nearest of `candidates` by edit distance, when it is near enough to be worth proposing.
  static func match(_ word: String, among candidates: [String]) -> String? {
    let ranked = candidates.map { (distance: distance(word, $0), word: $0) }.min { $0.distance < $1.distance }
    guard let ranked, ranked.distance <= max(1, word.count / 3) else { return nil }
    return ranked.word
  }

  /// The number of single-character edits between two words (Levenshtein).
  static func distance(_ a: String, _ b: String) -> Int {
    let target = Array(b)
    var row = Array(0...target.count)
    for (i, x) in a.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, y) in target.enumerated() {
        let substitution = diagonal + (x == y ? 0 : 1)
        diagonal = row[j + 1]
        row[j + 1] = min(substitution, row[j + 1] + 1, row[j] + 1)
      }
    }
    return row[target.count]
  }
}
