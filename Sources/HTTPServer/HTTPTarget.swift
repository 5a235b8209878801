internal import Basics

/// A request target taken apart: the path's segments and the query's pairs, percent-decoded (RFC 3986).
public struct HTTPTarget: Sendable, Hashable {
  /// The path as sent, still percent-encoded, without the query.
  public let path: String
  /// The decoded segments between the slashes; `/` alone has none.
  ///
  /// `%2F` inside a segment stays inside it.
  public let segments: [String]
  /// The decoded query pairs in order; `+` means a space.
  public let query: HTTPQuery

  /// Takes a target apart.
  ///
  /// - Throws: ``HTTPTargetError`` when the form is not `/path?query` (or an absolute `http://…` URI), an escape is
  ///   broken, or decoded text is not UTF-8 or holds a NUL.
  public init(parsing text: Span<UInt8>) throws(HTTPTargetError) {
    var start = 0
    if text.isEmpty || text[0] != slash { start = try Self.skipAuthority(text) }
    var end = start
    while end < text.count && text[end] != question { end += 1 }
    path = Self.plainText(text, start..<end)
    var segments: [String] = []
    try Self.split(text, start..<end, at: slash) { range throws(HTTPTargetError) in
      if range.lowerBound > start { segments.append(try Self.decode(text, range, plusIsSpace: false)) }
    }
    // The part before the first slash is always empty, and so is the one after a trailing slash.
    if segments.last == "" { segments.removeLast() }
    self.segments = segments
    var query = HTTPQuery()
    if end < text.count {
      try Self.split(text, end + 1..<text.count, at: ampersand) { range throws(HTTPTargetError) in
        guard !range.isEmpty else { return }
        var cut = range.lowerBound
        while cut < range.upperBound && text[cut] != equals { cut += 1 }
        let name = try Self.decode(text, range.lowerBound..<cut, plusIsSpace: true)
        let valueStart = min(cut + 1, range.upperBound)
        query.pairs.append((name, try Self.decode(text, valueStart..<range.upperBound, plusIsSpace: true)))
      }
    }
    self.query = query
  }

  /// The offset of the path in `http://authority/path`, the form that proxies send (RFC 9112 section 3.2.2).
  private static func skipAuthority(_ text: Span<UInt8>) throws(HTTPTargetError) -> Int {
    var index = 0
    var slashes = 0
    while index < text.count {
      if text[index] == slash {
        slashes += 1
        if slashes == 3 { return index }
      } else if text[index] == question {
        break
      }
      index += 1
    }
    throw HTTPTargetError(description: "the request target must start with a slash")
  }

  private static func split(
    _ text: Span<UInt8>, _ range: Range<Int>, at separator: UInt8,
    _ body: (Range<Int>) throws(HTTPTargetError) -> Void
  ) throws(HTTPTargetError) {
    var start = range.lowerBound
    for index in range where text[index] == separator {
      try body(start..<index)
      start = index + 1
    }
    try body(start..<range.upperBound)
  }

  private static func plainText(_ text: Span<UInt8>, _ range: Range<Int>) -> String {
    unsafe String(unsafeUninitializedCapacity: range.count) { buffer in
      for (offset, index) in range.enumerated() { unsafe buffer[offset] = text[index] }
      return range.count
    }
  }

  private static func decode(
    _ text: Span<UInt8>, _ range: Range<Int>, plusIsSpace: Bool
  ) throws(HTTPTargetError) -> String {
    var needsWork = false
    for index in range where text[index] == percent || text[index] == plus || text[index] >= 0x80 { needsWork = true }
    if !needsWork { return plainText(text, range) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(range.count)
    var index = range.lowerBound
    while index < range.upperBound {
      let byte = text[index]
      if byte == percent {
        guard index + 2 < range.upperBound, let high = Hex.value(text[index + 1]), let low = Hex.value(text[index + 2])
        else { throw HTTPTargetError(description: "the request target has a broken percent escape at byte \(index)") }
        bytes.append(high << 4 | low)
        index += 3
      } else {
        bytes.append(plusIsSpace && byte == plus ? 0x20 : byte)
        index += 1
      }
    }
    guard !bytes.contains(0), let decoded = String(validating: bytes, as: UTF8.self) else {
      throw HTTPTargetError(description: "the request target does not decode to UTF-8 text without NUL")
    }
    return decoded
  }
}

/// The decoded pairs of a query, in order.
public struct HTTPQuery: Sendable, Hashable {
  /// The pairs in the order sent; a name without `=` has an empty value.
  public internal(set) var pairs: [(name: String, value: String)] = []

  /// The first value with this name.
  public subscript(name: String) -> String? { pairs.first { $0.name == name }?.value }

  /// Compares the pairs in order.
  public static func == (a: HTTPQuery, b: HTTPQuery) -> Bool {
    a.pairs.elementsEqual(b.pairs) { $0.name == $1.name && $0.value == $1.value }
  }

  /// Hashes the pairs in order.
  public func hash(into hasher: inout Hasher) {
    for pair in pairs {
      hasher.combine(pair.name)
      hasher.combine(pair.value)
    }
  }
}

/// Why a request target was refused; the description is fit to show to the client.
public struct HTTPTargetError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong.
  public let description: String
}

private let slash = UInt8(ascii: "/")
private let question = UInt8(ascii: "?")
private let ampersand = UInt8(ascii: "&")
private let equals = UInt8(ascii: "=")
private let percent = UInt8(ascii: "%")
private let plus = UInt8(ascii: "+")
