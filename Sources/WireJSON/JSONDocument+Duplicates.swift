internal import Basics

extension JSONDocument {
  /// The most repeated names that `duplicates` reports.
  public static let duplicatesMax = 100

  /// The repeated names in objects, each occurrence but the first, in the order of the text; at most `duplicatesMax`.
  public func duplicates() -> [JSONDuplicate] {
    guard hasDuplicates else { return [] }
    var names: [Int] = []
    var index = 0
    while index < used {
      let token = unsafe Token(word: words[index])
      if token.kind == .object {
        let repeated = repeatedNames(in: JSONNode(index: index))
        if !repeated.isEmpty { names += repeated.keys }
      }
      index += token.isContainer ? 2 : 1
    }
    return names.sorted().prefix(JSONDocument.duplicatesMax).map { name in
      let node = JSONNode(index: name)
      return JSONDuplicate(pointer: pointer(of: node), offset: sourceRange(of: node).lowerBound)
    }
  }

  /// Whether a name is repeated in any object: true where ``duplicates()`` has something to say.
  public var hasDuplicates: Bool { hasDuplicates(in: root) }

  /// Whether a name is repeated in an object, or in any below it.
  public func hasDuplicates(in node: JSONNode) -> Bool {
    var index = node.index
    let end = next(index)
    while index < end {
      let token = unsafe Token(word: words[index])
      if token.kind == .object, hasRepeatedNames(JSONNode(index: index)) { return true }
      index &+= token.isContainer ? 2 : 1
    }
    return false
  }

  /// Whether an object has two members of the same name.
  public func hasRepeatedNames(_ node: JSONNode) -> Bool {
    guard count(node) <= JSONDocument.pairwiseMembersMax else { return !repeatedBySorting(node).isEmpty }
    let first = node.index &+ 2
    let end = next(node.index)
    guard first < end, mayRepeatNames(first, end) else { return false }
    var name = next(first &+ 1)
    while name < end {
      let token = unsafe Token(word: words[name])
      var earlier = first
      while earlier < name {
        let other = unsafe Token(word: words[earlier])
        // Names without escapes that differ in length are two.
        if other.shape == token.shape || token.isMarked || other.isMarked, hasSameText(other, token) { return true }
        earlier = next(earlier &+ 1)
      }
      name = next(name &+ 1)
    }
    return false
  }

  /// False when the names between two positions of an object are certainly different: each has a bit of its own in a word, by its
  /// length and by its first and last bytes.
  private func mayRepeatNames(_ first: Int, _ end: Int) -> Bool {
    #if !_pointerBitWidth(_32)
      var seen: (low: UInt64, high: UInt64) = (0, 0)
      var name = first
      while name < end {
        let token = unsafe Token(word: words[name])
        if token.isMarked { return true }
        // Sound: zeros enough for eight bytes lie behind the source.
        let (text, count) = unsafe (source + token.offset, UInt64(truncatingIfNeeded: token.extent))
        let head = unsafe EightBytes.load(text)
        var hash =
          unsafe count < 8
          ? head & ((1 << (count &* 8)) &- 1) : head ^ EightBytes.load(text + (token.extent &- 8)) &<< 1
        hash = (hash ^ count) &* 0x9E37_79B9_7F4A_7C15
        let bit: UInt64 = 1 &<< (hash >> 58)
        if hash & 1 << 57 == 0 {
          if seen.low & bit != 0 { return true }
          seen.low |= bit
        } else {
          if seen.high & bit != 0 { return true }
          seen.high |= bit
        }
        name = next(name &+ 1)
      }
      return false
    #else
      return true
    #endif
  }

  /// The JSON pointer (RFC 6901) of a value, or of the member with this name; empty for the root.
  ///
  /// Names longer than 128 bytes are cut and end in `…`, so that a report about a hostile document stays short.
  /// - Complexity: O(*n*) in the number of values before this one.
  public func pointer(of node: JSONNode) -> String {
    var pointer = ""
    var container = 0
    while container < node.index {
      let isObject = unsafe Token(word: words[container]).kind == .object
      var child = container + 2
      var count = 0
      while next(isObject ? child + 1 : child) <= node.index {
        child = next(isObject ? child + 1 : child)
        count += 1
      }
      pointer += isObject ? JSONPointer.token(string(JSONNode(index: child)) ?? "") : "/\(count)"
      if child == node.index { break }
      container = isObject ? child + 1 : child
    }
    return pointer
  }

  /// Objects with at most this many members are compared pair by pair, larger ones by sorting.
  private static let pairwiseMembersMax = 16

  /// The tape indexes of names that occurred earlier in this object, each with that of its first occurrence.
  func repeatedNames(in node: JSONNode) -> [Int: Int] {
    let count = count(node)
    if count < 2 { return [:] }
    return count <= JSONDocument.pairwiseMembersMax ? repeatedByPairs(node) : repeatedBySorting(node)
  }

  private func repeatedByPairs(_ node: JSONNode) -> [Int: Int] {
    var repeated: [Int: Int] = [:]
    let first = node.index &+ 2
    let end = next(node.index)
    var name = next(first &+ 1)
    while name < end {
      var earlier = first
      while earlier < name {
        if unsafe hasSameText(Token(word: words[earlier]), Token(word: words[name])) {
          repeated[name] = earlier
          break
        }
        earlier = next(earlier &+ 1)
      }
      name = next(name &+ 1)
    }
    return repeated
  }

  private func repeatedBySorting(_ node: JSONNode) -> [Int: Int] {
    var names = members(of: node).map { (text: string($0.name) ?? "", index: $0.name.index) }
    names.sort {
      if $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) { return true }
      return $0.index < $1.index && $0.text.hasSameBytes(as: $1.text)
    }
    var repeated: [Int: Int] = [:]
    var first = 0
    for index in names.indices.dropFirst() {
      if names[index].text.hasSameBytes(as: names[first].text) {
        repeated[names[index].index] = names[first].index
      } else {
        first = index
      }
    }
    return repeated
  }

  @inline(__always)
  private func hasSameText(_ left: Token, _ right: Token) -> Bool {
    if left.isMarked || right.isMarked {
      return unsafe StringText.decode(left, source).hasSameBytes(as: StringText.decode(right, source))
    }
    return unsafe left.extent == right.extent && BytesEqual.isEqual(source + left.offset, content(right))
  }
}
