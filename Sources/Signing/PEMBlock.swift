/// One `-----BEGIN …-----` block of a PEM text, RFC 7468, parsed before OpenSSL reads it so that errors can be clear.
struct PEMBlock {
  let label: String
  /// The whole block with its BEGIN and END lines.
  let text: [UInt8]
  /// Whether the block has the header of a traditional encrypted key.
  let hasEncryptionHeader: Bool

  static let bytesMax = 256 * 1024

  /// Every block of a file, in order.
  ///
  /// - Parameters:
  ///   - bytes: the file.
  ///   - wanted: what the caller hopes for, for the message.
  static func all(_ bytes: [UInt8], wanted: String) throws(SigningError) -> [PEMBlock] {
    guard bytes.contains(where: { $0 > 0x20 }) else {
      throw SigningError(.empty, "the file is empty; expected \(wanted)")
    }
    guard bytes.count <= bytesMax else {
      throw SigningError(
        .badLength, "the file has \(bytes.count) bytes; no key or certificate file is over \(bytesMax)")
    }
    let text = String(decoding: bytes, as: UTF8.self)
    var blocks: [PEMBlock] = []
    var current: (label: String, lines: [Substring])?
    for line in text.split(whereSeparator: \.isNewline).map(trimmed) {
      if let label = name(in: line, after: "-----BEGIN ") {
        current = (label, [line])
      } else if let end = name(in: line, after: "-----END "), let open = current {
        guard end == open.label else {
          throw SigningError(.notPEM, "the PEM block \(open.label) ends as \(end); is a line missing?")
        }
        blocks.append(PEMBlock(label: end, lines: open.lines + [line]))
        current = nil
      } else {
        current?.lines.append(line)
      }
    }
    if let open = current {
      throw SigningError(.notPEM, "the PEM block \(open.label) has no END line; the file is cut off")
    }
    guard !blocks.isEmpty else { throw SigningError(.notPEM, notPEMMessage(bytes, wanted: wanted)) }
    return blocks
  }

  private init(label: String, lines: [Substring]) {
    self.label = label
    self.text = Array((lines.joined(separator: "\n") + "\n").utf8)
    self.hasEncryptionHeader = lines.contains { $0.hasPrefix("Proc-Type:") && $0.contains("ENCRYPTED") }
  }

  private static func trimmed(_ line: Substring) -> Substring {
    var line = line
    while let first = line.first, first == " " || first == "\t" || first == "\u{FEFF}" { line.removeFirst() }
    while let last = line.last, last == " " || last == "\t" { line.removeLast() }
    return line
  }

  private static func name(in line: Substring, after prefix: String) -> String? {
    guard line.hasPrefix(prefix), line.hasSuffix("-----") else { return nil }
    return String(line.dropFirst(prefix.count).dropLast(5))
  }

  private static func notPEMMessage(_ bytes: [UInt8], wanted: String) -> String {
    let first = bytes.first { $0 > 0x20 }
    if first == 0x7B {
      return "this is JSON, not PEM; expected \(wanted) (a service account file holds its key in \"private_key\")"
    }
    if bytes.first == 0x30 {
      return "this is binary (DER or PKCS#12), not PEM; expected \(wanted)"
    }
    return "no -----BEGIN line; expected \(wanted)"
  }
}
