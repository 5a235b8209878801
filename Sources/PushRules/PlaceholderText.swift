/// A text cut at its placeholders: `Hello {{first_name|there}}!`.
///
/// The one syntax of placeholders, for checking templates and for sending them: two braces, a name of letters, digits and
/// `_ . -`, and, behind a bar, a default for recipients without a value. Spaces around both do not count.
public struct PlaceholderText: Sendable, Hashable {
  /// A piece of the text.
  public enum Part: Sendable, Hashable {
    /// Text as it is.
    case text(String)
    /// A value of the recipient's, and the default without one.
    case placeholder(name: String, fallback: String)
  }

  /// The pieces, in order; no two texts in a row.
  public let parts: [Part]
  /// The names of the placeholders that say nothing of a recipient without a value: `{{name}}`, and neither `{{name|there}}`
  /// nor `{{name|}}`.
  public let namesWithoutFallback: Set<String>

  /// Cuts a text.
  public init(_ text: String) {
    let bytes = Array(text.utf8)
    var parts: [Part] = []
    var bare: Set<String> = []
    var (start, index) = (0, 0)
    while index < bytes.count {
      guard let found = TemplateText.placeholder(in: bytes, at: index) else {
        index += 1
        continue
      }
      if index > start { parts.append(.text(String(decoding: bytes[start..<index], as: UTF8.self))) }
      parts.append(
        .placeholder(name: found.name, fallback: String(decoding: bytes[found.fallback], as: UTF8.self)))
      if !bytes[index..<found.end].contains(UInt8(ascii: "|")) { bare.insert(found.name) }
      (start, index) = (found.end, found.end)
    }
    if start < bytes.count { parts.append(.text(String(decoding: bytes[start...], as: UTF8.self))) }
    self.parts = parts
    namesWithoutFallback = bare
  }

  /// Whether there is a placeholder.
  public var isTemplate: Bool { parts.contains { if case .placeholder = $0 { true } else { false } } }

  /// The text with each placeholder replaced.
  public func text(_ value: (_ name: String, _ fallback: String) -> String) -> String {
    var text = ""
    for part in parts {
      switch part {
      case .text(let piece): text += piece
      case .placeholder(let name, let fallback): text += value(name, fallback)
      }
    }
    return text
  }
}
