/// A text that is no text but points to a value: `@string/app_name`, `?attr/title`, `@null`.
enum AndroidReference: Sendable, Hashable {
  /// `@null`: no value.
  case null
  /// `@empty`: the empty value.
  case empty
  /// `@package:type/name`.
  case resource(package: String, type: String, name: String)
  /// `?attr/name`: a value of the theme, which a notification does not have.
  case attribute(String)

  /// Reads the text of a resource, white space around it cut; nil when it is only text.
  init?(_ raw: String) {
    switch raw {
    case "@null": self = .null
    case "@empty": self = .empty
    default:
      guard let first = raw.utf8.first else { return nil }
      let rest = raw.dropFirst()
      if first == UInt8(ascii: "?") {
        let parts = Parts(rest)
        guard parts.type.isEmpty || parts.type == "attr", !parts.name.isEmpty, parts.isWellFormed else { return nil }
        self = .attribute(raw)
      } else if first == UInt8(ascii: "@") {
        let parts = Parts(rest.hasPrefix("+") || rest.hasPrefix("*") ? rest.dropFirst() : rest)
        guard Self.types.contains(parts.type), !parts.name.isEmpty, parts.isWellFormed else { return nil }
        self = .resource(package: parts.package, type: parts.type, name: parts.name)
      } else {
        return nil
      }
    }
  }

  /// `package:type/name` in its parts.
  private struct Parts {
    var package = ""
    var type = ""
    var name = ""
    var isWellFormed = true

    init(_ text: Substring) {
      var rest = text
      if let colon = rest.firstIndex(of: ":") {
        package = String(rest[..<colon])
        rest = rest[rest.index(after: colon)...]
        if package.isEmpty { isWellFormed = false }
      }
      if let slash = rest.firstIndex(of: "/") {
        type = String(rest[..<slash])
        rest = rest[rest.index(after: slash)...]
        if type.isEmpty { isWellFormed = false }
      }
      name = String(rest)
    }
  }

  private static let types = [
    "anim", "animator", "array", "attr", "bool", "color", "dimen", "drawable", "font", "fraction", "id", "integer",
    "interpolator", "layout", "macro", "menu", "mipmap", "navigation", "plurals", "raw", "string", "style",
    "styleable", "transition", "xml",
  ]
}

/// The names of Android resources.
enum AndroidName {
  /// Whether the resource compiler takes a name: letters of any script, digits, `_`, `.` and `-`; a letter, `_` first.
  static func isValid(_ name: String) -> Bool {
    guard let first = name.unicodeScalars.first else { return false }
    guard first == "_" || first.properties.isXIDStart else { return false }
    return name.unicodeScalars.dropFirst().allSatisfy {
      $0 == "." || $0 == "-" || $0 == "_" || $0.properties.isXIDContinue
    }
  }
}
