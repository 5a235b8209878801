public import Liquid

/// What a text of a message is made of.
///
/// Most texts with placeholders have nothing but names: `Hi {{first_name|there}}`. They are cut once and filled in where they
/// are sent. Every other text with braces is in Liquid.
public enum MessageText: Sendable {
  /// A text that is the same for everybody.
  case plain
  /// Names, and their defaults.
  case placeholders(PlaceholderText)
  /// Liquid.
  case program(LiquidTemplate)

  /// Names that are looked up together with their member.
  public static let objects: Set<String> = ["user", "device", "push", "request"]

  /// Reads a text.
  ///
  /// - Throws: what is wrong with a text in Liquid.
  public init(_ text: String) throws(LiquidError) {
    guard Self.hasBraces(text) else {
      self = .plain
      return
    }
    let cut = PlaceholderText(text)
    let isCut = cut.parts.allSatisfy { part in
      if case .text(let piece) = part { !Self.hasBraces(piece) } else { true }
    }
    self = isCut ? .placeholders(cut) : .program(try Self.compile(text))
  }

  /// Whether a text with names only has a member of something, `user.first_name` or `cart.total`, which only Liquid looks up.
  public static func hasPath(_ cut: PlaceholderText) -> Bool {
    cut.parts.contains { part in
      guard case .placeholder(let name, _) = part else { return false }
      return name.utf8.contains(UInt8(ascii: ".")) && !deviceNames.contains(name)
    }
  }

  /// What a device registered, which has the same name in both kinds of text.
  private static let deviceNames: Set<String> = ["device.locale", "device.timezone", "device.app_version"]

  /// Compiles a text as Liquid, whatever it has.
  public static func compile(_ text: String) throws(LiquidError) -> LiquidTemplate {
    try LiquidTemplate(Array(text.utf8), objects: objects, fallbacks: true)
  }

  /// Whether a text has `{{` or `{%`.
  static func hasBraces(_ text: String) -> Bool {
    var isBehindBrace = false
    for byte in text.utf8 {
      if isBehindBrace, byte == UInt8(ascii: "{") || byte == UInt8(ascii: "%") { return true }
      isBehindBrace = byte == UInt8(ascii: "{")
    }
    return false
  }

  /// The name of what a text in Liquid reads, as recipients have it: `first_name` for `user.first_name`.
  public static func name(_ input: LiquidInput) -> String {
    guard input.path.count > 1, let root = input.path.first else { return input.name }
    let rest = input.path.dropFirst().joined(separator: ".")
    switch root {
    case "user": return rest == "id" ? "user" : rest
    case "device": return ["locale", "timezone", "app_version"].contains(rest) ? input.name : rest
    default: return input.name
    }
  }
}
