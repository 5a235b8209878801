/// The filters of texts. Ranges are of `bytes`; what a filter writes is added there.
extension LiquidRenderer {
  private mutating func append(_ range: Range<Int>) {
    let start = bytes.count
    bytes.append(contentsOf: repeatElement(0, count: range.count))
    unsafe bytes.withUnsafeMutableBufferPointer { bytes in
      for offset in 0..<range.count { unsafe bytes[start + offset] = unsafe bytes[range.lowerBound + offset] }
    }
  }

  mutating func joined(_ left: Range<Int>, _ right: Range<Int>) -> Value {
    let start = bytes.count
    append(left)
    append(right)
    return held(from: start)
  }

  /// Where a text first occurs in another; every 64 bytes that are compared are a step.
  mutating func first(_ part: Range<Int>, in whole: Range<Int>) -> Int? {
    guard part.count <= whole.count else { return nil }
    guard !part.isEmpty else { return whole.lowerBound }
    var left = max(steps, 0) << 6
    let found = unsafe bytes.withUnsafeBufferPointer { bytes -> Int? in
      let head = unsafe bytes[part.lowerBound]
      for at in whole.lowerBound...(whole.upperBound - part.count) where unsafe bytes[at] == head {
        var offset = 1
        while offset < part.count, unsafe bytes[at + offset] == bytes[part.lowerBound + offset] { offset += 1 }
        if offset == part.count { return at }
        left -= offset
        if left < 0 { return nil }
      }
      return nil
    }
    steps = left >> 6 - whole.count >> 6
    if steps < 0 { fail(.steps) }
    return found
  }

  mutating func cased(_ filter: Filter, _ range: Range<Int>) -> Value {
    let start = bytes.count
    append(range)
    let isASCII = unsafe bytes.withUnsafeMutableBufferPointer { bytes in
      for index in start..<start + range.count {
        let byte = unsafe bytes[index]
        if byte >= 0x80 { return false }
        let isUpper = filter == .upcase || (filter == .capitalize && index == start)
        if isUpper ? byte >= 0x61 && byte <= 0x7A : byte >= 0x41 && byte <= 0x5A { unsafe bytes[index] = byte ^ 0x20 }
      }
      return true
    }
    if isASCII { return held(from: start) }
    bytes.removeSubrange(start...)
    let text = String(decoding: bytes[range], as: UTF8.self)
    let first = text.unicodeScalars.first.map { String($0) } ?? ""
    switch filter {
    case .upcase: bytes.append(contentsOf: text.uppercased().utf8)
    case .downcase: bytes.append(contentsOf: text.lowercased().utf8)
    default:
      let title = text.unicodeScalars.first?.properties.titlecaseMapping ?? first
      bytes.append(contentsOf: title.utf8)
      bytes.append(contentsOf: String(text.unicodeScalars.dropFirst()).lowercased().utf8)
    }
    return held(from: start)
  }

  /// Calls for each word.
  private func forEachWord(_ range: Range<Int>, _ body: (Range<Int>) -> Bool) {
    unsafe bytes.withUnsafeBufferPointer { bytes in
      var rest = unsafe Space.trimmedStart(range, bytes)
      while !rest.isEmpty {
        var end = rest.lowerBound
        while end < rest.upperBound, unsafe Space.count(bytes, at: end) == 0 { end += 1 }
        guard body(rest.lowerBound..<end) else { return }
        rest = unsafe Space.trimmedStart(end..<rest.upperBound, bytes)
      }
    }
  }

  private func words(_ range: Range<Int>) -> [Range<Int>] {
    var words: [Range<Int>] = []
    forEachWord(range) { word in
      words.append(word)
      return true
    }
    return words
  }

  mutating func squished(_ range: Range<Int>) -> Value {
    let words = words(range)
    let start = bytes.count
    for (index, word) in words.enumerated() {
      if index > 0 { bytes.append(0x20) }
      append(word)
    }
    return held(from: start)
  }

  enum Which { case all, first, last }

  mutating func replaced(_ text: Range<Int>, _ old: Range<Int>, with new: Range<Int>, _ which: Which) -> Value {
    let start = bytes.count
    var at = text.lowerBound
    if which == .last {
      guard let found = last(old, in: text) else { return .text(text) }
      at = found
      append(text.lowerBound..<at)
      append(new)
      append((at + old.count)..<text.upperBound)
      return held(from: start)
    }
    var isDone = false
    while !isDone, stop == nil, let found = first(old, in: at..<text.upperBound) {
      append(at..<found)
      append(new)
      at = found + old.count
      if old.isEmpty {
        guard at < text.upperBound else { return held(from: start) }
        let end = scalarEnd(at, text.upperBound)
        if which == .first { break }
        append(at..<end)
        at = end
      }
      isDone = which == .first
      steps -= 1
      if steps < 0 { fail(.steps) }
      if bytes.count > template.limits.heldBytesMax { fail(.held) }
    }
    append(at..<text.upperBound)
    return held(from: start)
  }

  private mutating func last(_ part: Range<Int>, in whole: Range<Int>) -> Int? {
    var found: Int?
    var at = whole.lowerBound
    if part.isEmpty { return whole.upperBound }
    while let next = first(part, in: at..<whole.upperBound) { (found, at) = (next, next + 1) }
    return found
  }

  private func scalarEnd(_ index: Int, _ end: Int) -> Int {
    var at = index + 1
    while at < end, bytes[at] & 0xC0 == 0x80 { at += 1 }
    return at
  }

  /// The index behind a number of scalars.
  private func index(_ range: Range<Int>, after count: Int) -> Int {
    var at = range.lowerBound
    var left = count
    while left > 0, at < range.upperBound {
      at = scalarEnd(at, range.upperBound)
      left -= 1
    }
    return at
  }

  /// What `slice` takes of so many elements; nil for nothing.
  private mutating func part(_ first: Value, _ second: Value, of count: Int) -> Range<Int>? {
    guard first.kind != .decimal, second.kind != .decimal else {
      fail(.argument)
      return nil
    }
    guard var start = argument(first) else { return nil }
    let length = second.kind == .unset || second.isNothing ? 1 : argument(second) ?? 0
    if start < 0 { start = start < -count ? -1 : start + count }
    guard start >= 0, start <= count, length > 0 else { return nil }
    return start..<min(count, start + min(length, count))
  }

  mutating func slice(text: Range<Int>, _ first: Value, _ second: Value) -> Value {
    guard let part = part(first, second, of: scalarsCount(text)) else { return .text(0..<0) }
    let start = index(text, after: part.lowerBound)
    return .text(start..<index(start..<text.upperBound, after: part.count))
  }

  mutating func slice(list: Value, _ first: Value, _ second: Value) -> Value {
    guard let part = part(first, second, of: Int(list.count)) else { return .list(start: 0, count: 0) }
    return keep(part.map { element(of: list, $0) })
  }

  mutating func split(_ text: Range<Int>, _ separator: Range<Int>) -> Value {
    var parts: [Value] = []
    if separator.isEmpty {
      var at = text.lowerBound
      while at < text.upperBound {
        let end = scalarEnd(at, text.upperBound)
        parts.append(.text(at..<end))
        at = end
      }
    } else if separator.count == 1, bytes[separator.lowerBound] == 0x20 {
      parts = words(text).map { .text($0) }
    } else {
      var at = text.lowerBound
      while let found = first(separator, in: at..<text.upperBound) {
        parts.append(.text(at..<found))
        at = found + separator.count
      }
      parts.append(.text(at..<text.upperBound))
      while parts.last?.count == 0 { parts.removeLast() }
    }
    return keep(parts)
  }

  mutating func truncated(_ text: Range<Int>, _ length: Value, _ ellipsis: Value) -> Value {
    guard let length = length.kind == .unset ? 50 : argument(length) else { return .text(text) }
    guard scalarsCount(text) > length else { return .text(text) }
    let start = bytes.count
    if ellipsis.kind == .unset { bytes.append(contentsOf: "...".utf8) }
    let end = ellipsis.kind == .unset ? start..<bytes.count : self.text(of: ellipsis)
    let kept = text.lowerBound..<index(text, after: max(length - scalarsCount(end), 0))
    return joined(kept, end)
  }

  mutating func truncatedWords(_ text: Range<Int>, _ count: Value, _ ellipsis: Value) -> Value {
    guard let count = count.kind == .unset ? 15 : argument(count).map({ max($0, 1) }) else { return .text(text) }
    let words = words(text)
    guard words.count > count else { return .text(text) }
    let end = ellipsis.kind == .unset ? nil : self.text(of: ellipsis)
    let start = bytes.count
    for (index, word) in words.prefix(count).enumerated() {
      if index > 0 { bytes.append(0x20) }
      append(word)
    }
    if let end { append(end) } else { bytes.append(contentsOf: "...".utf8) }
    return held(from: start)
  }
}
