/// How long a request's body is (RFC 9112 section 6.3).
package enum BodyFraming: Sendable, Hashable {
  case none
  case length(Int)
  case chunked
}

/// A request's head, every byte of which has been checked against RFC 9112.
///
/// What two readers could understand differently is refused, because a proxy in front may be the other reader
/// (section 11.2).
package struct RequestHead: Sendable {
  package let method: HTTPMethod
  /// The target, or why it cannot be used; the framing is sound either way.
  package let target: Result<HTTPTarget, HTTPTargetError>
  package let headers: HTTPHeaders
  package let isHTTP10: Bool
  package let framing: BodyFraming
  let keepsAlive: Bool
  let expectsContinue: Bool

  /// Reads a head that ends with an empty line.
  package init(parsing text: Span<UInt8>) throws(HTTPFault) {
    let lineEnd = try Self.lineEnd(text, from: 0)
    let words = try RequestLine(text, 0..<lineEnd)
    let headers = try Self.fields(text, from: lineEnd + 2)
    method = HTTPMethod(rawValue: Self.text(text, words.method))
    target = Self.target(text.extracting(words.target))
    self.headers = headers
    isHTTP10 = words.isHTTP10
    try Self.checkHost(headers, words, text)
    framing = try Self.framing(headers, isHTTP10: words.isHTTP10)
    expectsContinue = try Self.expectsContinue(headers)
    keepsAlive =
      !headers.lists("close", in: "Connection") && (!isHTTP10 || headers.lists("keep-alive", in: "Connection"))
  }

  private static func target(_ text: Span<UInt8>) -> Result<HTTPTarget, HTTPTargetError> {
    do throws(HTTPTargetError) { return .success(try HTTPTarget(parsing: text)) } catch { return .failure(error) }
  }

  static func text(_ text: Span<UInt8>, _ range: Range<Int>) -> String {
    unsafe String(unsafeUninitializedCapacity: range.count) { buffer in
      for (offset, index) in range.enumerated() { unsafe buffer[offset] = text[index] }
      return range.count
    }
  }

  /// The index of the CRLF that ends a line; a CR or LF alone ends nothing (section 2.2).
  private static func lineEnd(_ text: Span<UInt8>, from start: Int) throws(HTTPFault) -> Int {
    var index = start
    while index < text.count, text[index] != ASCII.cr, text[index] != ASCII.lf { index += 1 }
    guard index + 1 < text.count, text[index] == ASCII.cr, text[index + 1] == ASCII.lf else { throw .bareLineEnd }
    return index
  }

  private static func fields(_ text: Span<UInt8>, from start: Int) throws(HTTPFault) -> HTTPHeaders {
    var headers = HTTPHeaders(block: text.extracting(start..<text.count))
    var at = start
    while true {
      let end = try lineEnd(text, from: at)
      if end == at { return headers }
      guard headers.count < HTTPLimits.fieldsMax else { throw .tooManyFields }
      let field = try FieldLine(text, at..<end)
      headers.append(
        name: field.name.lowerBound - start..<field.name.upperBound - start,
        value: field.value.lowerBound - start..<field.value.upperBound - start)
      at = end + 2
    }
  }

  /// Exactly one `Host` in HTTP/1.1 (section 3.2); an absolute target must name the same one (section 3.2.2).
  private static func checkHost(_ headers: HTTPHeaders, _ line: RequestLine, _ text: Span<UInt8>) throws(HTTPFault) {
    let count = headers.occurrences(of: "Host")
    guard count == 1 || count == 0 && line.isHTTP10 else { throw .hostCount }
    let host = headers.valueBytes("Host") ?? []
    for byte in host where !ASCII.isHostByte(byte) { throw .badHost }
    guard let authority = line.authority else { return }
    guard count == 0 || host.count == authority.count else { throw .otherHost }
    for (byte, index) in zip(host, authority) where ASCII.lowered(byte) != ASCII.lowered(text[index]) {
      throw .otherHost
    }
  }

  private static func framing(_ headers: HTTPHeaders, isHTTP10: Bool) throws(HTTPFault) -> BodyFraming {
    let lengths = headers.occurrences(of: "Content-Length")
    let codings = headers.occurrences(of: "Transfer-Encoding")
    guard lengths + codings <= 1 else { throw .ambiguousLength }
    if let coding = headers.valueBytes("Transfer-Encoding") {
      // HTTP/1.0 knows no chunks: whoever passed this on may have read the body otherwise (section 6.1).
      guard !isHTTP10 else { throw .ambiguousLength }
      guard headers.lists("chunked", in: "Transfer-Encoding") else { throw .unknownCoding }
      guard coding.count == 7 else { throw .badCoding }
      return .chunked
    }
    guard let digits = headers.valueBytes("Content-Length") else { return .none }
    return .length(try length(digits))
  }

  /// Digits and nothing else (section 6.2): no sign, no list, no space.
  private static func length(_ digits: ArraySlice<UInt8>) throws(HTTPFault) -> Int {
    guard !digits.isEmpty else { throw .badLength }
    var value = 0
    for digit in digits {
      guard ASCII.isDigit(digit) else { throw .badLength }
      let (tens, over) = value.multipliedReportingOverflow(by: 10)
      let (sum, overToo) = tens.addingReportingOverflow(Int(digit - ASCII.zero))
      guard !over, !overToo else { throw .badLength }
      value = sum
    }
    return value
  }

  /// Only one expectation exists (RFC 9110 section 10.1.1).
  private static func expectsContinue(_ headers: HTTPHeaders) throws(HTTPFault) -> Bool {
    guard let value = headers.valueBytes("Expect") else { return false }
    guard headers.occurrences(of: "Expect") == 1, value.count == 12, headers.lists("100-continue", in: "Expect") else {
      throw .unknownExpectation
    }
    return true
  }
}

/// `method SP target SP version` (RFC 9112 section 3).
struct RequestLine {
  let method: Range<Int>
  let target: Range<Int>
  /// The host and port of an absolute target.
  let authority: Range<Int>?
  let isHTTP10: Bool

  init(_ text: Span<UInt8>, _ line: Range<Int>) throws(HTTPFault) {
    var index = line.lowerBound
    while index < line.upperBound, ASCII.isToken(text[index]) { index += 1 }
    guard index > line.lowerBound, index < line.upperBound, text[index] == ASCII.space else { throw .badRequestLine }
    method = line.lowerBound..<index
    let start = index + 1
    index = start
    while index < line.upperBound, ASCII.isTargetByte(text[index]) { index += 1 }
    guard index > start, index < line.upperBound, text[index] == ASCII.space else { throw .badRequestLine }
    target = start..<index
    isHTTP10 = try Self.version(text, index + 1..<line.upperBound)
    authority = try Self.authority(text, target)
  }

  /// Whether it is 1.0; a higher minor version is treated as 1.1 (RFC 9110 section 2.5).
  private static func version(_ text: Span<UInt8>, _ range: Range<Int>) throws(HTTPFault) -> Bool {
    let name: StaticString = "HTTP/"
    guard range.count == 8 else { throw .badRequestLine }
    let isNamed = name.withUTF8Buffer { name in
      (0..<name.count).allSatisfy { unsafe name[$0] == text[range.lowerBound + $0] }
    }
    let (major, dot, minor) = (text[range.lowerBound + 5], text[range.lowerBound + 6], text[range.lowerBound + 7])
    guard isNamed, ASCII.isDigit(major), dot == UInt8(ascii: "."), ASCII.isDigit(minor) else { throw .badRequestLine }
    guard major == UInt8(ascii: "1") else { throw .unknownVersion }
    return minor == ASCII.zero
  }

  /// The authority of `http://authority/path`, nil for `/path`; other forms are the target's own fault.
  private static func authority(_ text: Span<UInt8>, _ target: Range<Int>) throws(HTTPFault) -> Range<Int>? {
    guard text[target.lowerBound] != UInt8(ascii: "/") else { return nil }
    for scheme in ["http://", "https://"] as [StaticString] {
      let count = scheme.utf8CodeUnitCount
      guard target.count > count else { continue }
      let isScheme = scheme.withUTF8Buffer { scheme in
        (0..<count).allSatisfy { unsafe ASCII.lowered(text[target.lowerBound + $0]) == scheme[$0] }
      }
      guard isScheme else { continue }
      let start = target.lowerBound + count
      var end = start
      while end < target.upperBound, text[end] != UInt8(ascii: "/"), text[end] != UInt8(ascii: "?") { end += 1 }
      guard end > start else { throw .badRequestLine }
      for index in start..<end where !ASCII.isHostByte(text[index]) { throw .badRequestLine }
      return start..<end
    }
    // The star and an authority alone are forms of methods that are not served (section 3.2).
    throw .badTargetForm
  }
}

/// `name: value` (RFC 9112 section 5), without the space around the value.
struct FieldLine {
  let name: Range<Int>
  let value: Range<Int>

  init(_ text: Span<UInt8>, _ line: Range<Int>) throws(HTTPFault) {
    var index = line.lowerBound
    guard !ASCII.isBlank(text[index]) else { throw .foldedLine }
    while index < line.upperBound, ASCII.isToken(text[index]) { index += 1 }
    guard index > line.lowerBound, index < line.upperBound, text[index] == UInt8(ascii: ":") else {
      throw .badFieldName
    }
    name = line.lowerBound..<index
    var (start, end) = (index + 1, line.upperBound)
    while start < end, ASCII.isBlank(text[start]) { start += 1 }
    while end > start, ASCII.isBlank(text[end - 1]) { end -= 1 }
    for index in start..<end where !ASCII.isFieldByte(text[index]) { throw .badFieldValue }
    value = start..<end
  }
}

/// Classes of bytes (RFC 9110 section 5.6, RFC 3986 section 3.2).
enum ASCII {
  static let cr: UInt8 = 0x0D
  static let lf: UInt8 = 0x0A
  static let space: UInt8 = 0x20
  static let zero = UInt8(ascii: "0")

  static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
  static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
  static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }
  static func lowered(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }
  /// The text of a value: printable, blank, or beyond ASCII.
  static func isFieldByte(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7F || byte == 0x09 }
  static func isToken(_ byte: UInt8) -> Bool { isLetter(byte) || isDigit(byte) || contains("!#$%&'*+-.^_`|~", byte) }
  /// Visible, and no fragment: that part of an address is never sent (RFC 9112 section 3.2).
  static func isTargetByte(_ byte: UInt8) -> Bool { byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "#") }
  static func isHostByte(_ byte: UInt8) -> Bool {
    isLetter(byte) || isDigit(byte) || contains("-._~%!$&'()*+,;=:[]", byte)
  }

  private static func contains(_ set: StaticString, _ byte: UInt8) -> Bool {
    set.withUTF8Buffer { unsafe $0.contains(byte) }
  }
}
