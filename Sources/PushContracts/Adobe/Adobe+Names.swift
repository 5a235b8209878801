internal import WireJSON

extension Adobe {
  /// A name of a sender's choice as a sentence says it: in quotes, so that an empty one is seen, and cut when it is long.
  static func quoted(_ name: String) -> String {
    guard name.utf8.count > 40 else { return JSON.minifiedText(.string(name)) }
    var text = ""
    for scalar in name.unicodeScalars.prefix(40) { text.unicodeScalars.append(scalar) }
    return JSON.minifiedText(.string(text + "…"))
  }

  /// A number with what it counts, as `1 picture` and `2 pictures`.
  static func counted(_ count: Int, _ name: String) -> String { "\(count) \(name)\(count == 1 ? "" : "s")" }
}
