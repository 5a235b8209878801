/// Sentences of a vendor's, which may name what no request had: ids and addresses that the vendor has found.
extension ShadowShape {
  private static let wordBytesMax = 24
  /// A number that is longer is somebody's, such as a user's or a phone's.
  private static let digitsMax = 3

  /// The sentence with `…` instead of each word that may be an id, and of what is in quotation marks.
  static func withoutIDs(_ sentence: String) -> String {
    var left = ""
    var word = ""
    var quote: Character?
    func end() {
      left += mayBeID(word) ? "…" : word
      word = ""
    }
    for character in sentence {
      if let mark = quote {
        if character == mark {
          left += "…\(mark)"
          quote = nil
        }
      } else if character == "\"" || character == "'" && word.isEmpty {
        end()
        left.append(character)
        quote = character
      } else if character.isLetter || character.isNumber || "@._+-'".contains(character) {
        word.append(character)
      } else {
        end()
        left.append(character)
      }
    }
    end()
    // A mark that is never closed may have been an apostrophe, or the beginning of an id that was cut off.
    return quote == nil ? left : left + "…"
  }

  private static func mayBeID(_ word: String) -> Bool {
    if word.contains("@") || word.utf8.count > wordBytesMax { return true }
    guard word.contains(where: \.isNumber) else { return false }
    return word.utf8.count > digitsMax || !word.allSatisfy(\.isNumber)
  }
}
