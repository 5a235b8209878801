import Testing

/// Reads a picture strictly, byte by byte: whole XML of the elements and attributes that pictures have, and no others.
///
/// It is made for pictures only and goes once over the bytes, so that a test can look at thousands of them.
struct InertPicture {
  private static let elements: Set<String> = [
    "svg", "defs", "linearGradient", "radialGradient", "stop", "g", "rect", "circle", "path", "text", "tspan",
  ]
  private static let attributes: Set<String> = [
    "xmlns", "viewBox", "width", "height", "role", "aria-label", "font-family", "id", "offset", "stop-color",
    "stop-opacity", "x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "rx", "fill", "fill-opacity", "stroke",
    "stroke-opacity", "stroke-width", "stroke-linecap", "stroke-linejoin", "d", "transform", "font-size",
    "font-weight", "text-anchor", "direction",
  ]
  private static let entities: Set<String> = ["amp", "lt", "gt", "quot", "#39"]

  private let bytes: [UInt8]
  private var index = 0
  private var open: [String] = []
  private var names: [[UInt8]: String] = [:]

  /// What is wrong with a picture; nil when nothing is.
  static func fault(in picture: String) -> String? {
    var reader = InertPicture(bytes: Array(picture.utf8))
    do throws(Fault) {
      try reader.read()
      return nil
    } catch {
      let around = reader.bytes[max(0, reader.index - 40)..<min(reader.bytes.count, reader.index + 40)]
      return "\(error.text) at byte \(reader.index): …\(String(decoding: around, as: UTF8.self))…"
    }
  }

  private struct Fault: Error { let text: String }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private mutating func read() throws(Fault) {
    var hasRoot = false
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "<") {
        guard !hasRoot || !open.isEmpty else { throw Fault(text: "more than one root") }
        hasRoot = true
        try tag()
      } else {
        let isText = open.last == "text" || open.last == "tspan"
        guard try character(until: UInt8(ascii: "<"), mayBeLetter: isText) else { break }
      }
    }
    guard open.isEmpty, hasRoot else { throw Fault(text: "\(open) is not closed") }
  }

  /// Goes over characters up to a sign; false at the end of the bytes.
  private mutating func character(until end: UInt8, mayBeLetter: Bool) throws(Fault) -> Bool {
    while index < bytes.count {
      let byte = bytes[index]
      if byte == end { return true }
      if byte < 0x20 && byte != 0x0A || byte == 0x7F { throw Fault(text: "a control") }
      if !mayBeLetter && byte != 0x0A && byte != 0x20 { throw Fault(text: "text outside of a text") }
      // U+202A to U+202E, U+2066 to U+2069: they turn the direction of what follows. U+FFFE and U+FFFF are no characters.
      if byte == 0xE2, bytes[index + 1] == 0x80, (0xAA...0xAE).contains(bytes[index + 2]) { throw Fault(text: "bidi") }
      if byte == 0xE2, bytes[index + 1] == 0x81, (0xA6...0xA9).contains(bytes[index + 2]) { throw Fault(text: "bidi") }
      if byte == 0xEF, bytes[index + 1] == 0xBF, bytes[index + 2] >= 0xBE { throw Fault(text: "a noncharacter") }
      if byte == UInt8(ascii: "<") || byte == UInt8(ascii: ">") { throw Fault(text: "a sign of markup") }
      index += 1
      if byte == UInt8(ascii: "&") { try entity() }
    }
    return false
  }

  private mutating func entity() throws(Fault) {
    guard Self.entities.contains(try word()), take(";") else { throw Fault(text: "an entity") }
  }

  private mutating func tag() throws(Fault) {
    index += 1
    if take("/") {
      guard try word() == open.popLast(), take(">") else { throw Fault(text: "an end tag that does not fit") }
      return
    }
    let name = try word()
    guard Self.elements.contains(name) else { throw Fault(text: "<\(name)>") }
    while take(" ") {
      let attribute = try word()
      guard Self.attributes.contains(attribute), take("="), take("\"") else { throw Fault(text: "\(attribute)=") }
      guard try character(until: UInt8(ascii: "\""), mayBeLetter: true) else { throw Fault(text: "no end") }
      index += 1
    }
    if take("/") {
      guard take(">") else { throw Fault(text: "a slash") }
      return
    }
    guard take(">") else { throw Fault(text: "a tag without its end") }
    open.append(name)
  }

  private mutating func take(_ sign: Unicode.Scalar) -> Bool {
    guard index < bytes.count, bytes[index] == UInt8(ascii: sign) else { return false }
    index += 1
    return true
  }

  /// Letters, digits, `-` and `#`; each name is made a string once.
  private mutating func word() throws(Fault) -> String {
    let from = index
    while index < bytes.count {
      let byte = bytes[index]
      guard byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26 || byte == 0x2D || byte == 0x23 else { break }
      index += 1
    }
    guard index > from else { throw Fault(text: "a name is missing") }
    let letters = Array(bytes[from..<index])
    if let known = names[letters] { return known }
    let name = String(decoding: letters, as: UTF8.self)
    names[letters] = name
    return name
  }
}

@Suite struct InertPictureTests {
  @Test(
    "what is no picture of ours is found",
    arguments: [
      (#"<svg x="1"><text>a &amp; b</text></svg>"# + "\n", nil),
      (#"<svg><script>alert(1)</script></svg>"#, "<script>"), (#"<svg onload="x"></svg>"#, "onload="),
      (#"<svg><text><b></text></svg>"#, "<b>"), (#"<svg><text>a</svg>"#, "an end tag that does not fit"),
      (#"<svg>"#, #"["svg"] is not closed"#), (#"<svg><text>&x;</text></svg>"#, "an entity"),
      (#"<svg><text>&amp</text></svg>"#, "an entity"), ("<svg><text>\u{1B}</text></svg>", "a control"),
      ("<svg><text>\u{202E}a</text></svg>", "bidi"), ("<svg><text>\u{2069}a</text></svg>", "bidi"),
      ("<svg><text>\u{FFFE}a</text></svg>", "a noncharacter"), ("<svg><text>]]></text></svg>", "a sign of markup"),
      ("<svg>a</svg>", "text outside of a text"), ("<svg></svg><svg></svg>", "more than one root"),
      (#"<svg x="1></svg>"#, "a sign of markup"), (#"<svg x='1'></svg>"#, "x="), ("<svg/", "a slash"),
      (#"<svg href="https://a.example"></svg>"#, "href="), (#"<svg><image x="1"/></svg>"#, "<image>"),
    ] as [(String, String?)])
  func faults(picture: String, fault: String?) {
    let found = InertPicture.fault(in: picture)
    #expect(fault.map { found?.hasPrefix("\($0) at byte ") == true } ?? (found == nil), "\(found ?? "nothing")")
  }
}
