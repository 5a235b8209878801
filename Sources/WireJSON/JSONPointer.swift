/// Writing JSON pointers (RFC 6901).
enum JSONPointer {
  /// Names longer than this are cut.
  static let maxNameBytes = 128

  /// A reference token with `~` and `/` escaped, behind its slash.
  static func token(_ name: String) -> String {
    var bytes: [UInt8] = [0x2F]
    for byte in cut(name).utf8 {
      switch byte {
      case 0x7E: bytes += [0x7E, 0x30]
      case 0x2F: bytes += [0x7E, 0x31]
      default: bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func cut(_ name: String) -> String {
    guard name.utf8.count > maxNameBytes else { return name }
    var end = name.utf8.index(name.startIndex, offsetBy: maxNameBytes)
    while name.utf8[end] & 0xC0 == 0x80 { end = name.utf8.index(before: end) }
    return name[..<end] + "…"
  }
}

/// The path to the offset where a scan stopped, read from the open containers on its tape.
///
/// `@safe`: it is made and used while the scan that it is of holds the memory.
@safe struct OpenPath {
  let source: UnsafePointer<UInt8>
  let words: UnsafePointer<UInt64>
  let used: Int

  /// The pointer of the current value in the innermost open container: the member whose name was read and whose value
  /// was not, or the next element when `countsNext`.
  func pointer(to container: Int, countsNext: Bool) -> String {
    var chain: [Int] = []
    var open = container
    while open != TapeScanner.none {
      chain.append(open)
      open = unsafe Token(word: words[open]).extent
    }
    chain.reverse()
    var pointer = ""
    for (level, index) in chain.enumerated() {
      let isInnermost = level == chain.count - 1
      pointer += lastChild(of: index, until: isInnermost ? used : chain[level + 1], countsNext || !isInnermost)
    }
    return pointer
  }

  /// Whether this is an open array that has no element yet.
  func isEmptyArray(_ container: Int) -> Bool {
    unsafe container != TapeScanner.none && container + 2 == used && Token(word: words[container]).kind == .array
  }

  /// The token of the child of an open container that is under way at tape index `end`; empty when there is none.
  private func lastChild(of open: Int, until end: Int, _ countsNext: Bool) -> String {
    let isObject = unsafe Token(word: words[open]).kind == .object
    var position = open + 2
    var name: Int?
    var count = 0
    while position < end {
      let token = unsafe Token(word: words[position])
      name = isObject && name == nil ? position : nil
      count += 1
      position = token.isContainer ? token.extent : position + 1
    }
    if isObject {
      return name.map { unsafe JSONPointer.token(StringText.decode(Token(word: words[$0]), source)) } ?? ""
    }
    return countsNext ? "/\(count)" : ""
  }
}
