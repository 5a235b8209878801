import Glibc

/// Which server a command asks, as whom, and for which app: from a flag, else the environment, else the config file.
struct APISettings: Sendable {
  /// Where a value was found.
  enum Source: Sendable, Hashable {
    case flag(String)
    case variable(String)
    case file(String)
    case builtIn

    /// In words, for people.
    var text: String {
      switch self {
      case .flag(let name): name
      case .variable(let name): "environment (\(name))"
      case .file(let path): path
      case .builtIn: "built in"
      }
    }
  }

  /// A value and where it was found.
  struct Setting: Sendable, Hashable {
    let value: String
    let source: Source
  }

  /// The server of `postrider serve` on this machine.
  static let urlDefault = "http://127.0.0.1:8787"

  /// What every command over the API takes.
  static let options = [
    Option(name: "--url", value: "URL", help: "The server; \(urlDefault) unless configured."),
    Option(name: "--key-file", value: "FILE", help: "A file with the API key; “-” reads standard input."),
    Option(name: "--ca", value: "FILE", help: "The certificate authority that vouches for the server, PEM."),
  ]

  private var settings: [ConfigFile.Name: Setting] = [:]

  /// Looks in all three: options, environment, file.
  init(_ arguments: Arguments) throws(Exit) {
    let file = try ConfigFile()
    for name in ConfigFile.Name.allCases { settings[name] = try APISettings.find(name, arguments, file) }
  }

  subscript(name: ConfigFile.Name) -> Setting? { settings[name] }

  /// The server's address without a slash at its end.
  var url: String {
    var url = self[.url]?.value ?? APISettings.urlDefault
    while url.hasSuffix("/") { url.removeLast() }
    return url
  }

  private static func find(
    _ name: ConfigFile.Name, _ arguments: Arguments, _ file: ConfigFile
  ) throws(Exit) -> Setting? {
    let found: Setting?
    if name == .key, let path = arguments.value("--key-file") {
      found = Setting(value: try key(inFile: path), source: .flag("--key-file"))
    } else if name != .key, let value = arguments.value("--\(name.rawValue)") {
      found = Setting(value: value, source: .flag("--\(name.rawValue)"))
    } else if let value = Environment.value(name.variable) {
      found = Setting(value: value, source: .variable(name.variable))
    } else {
      // The values of the file were checked when it was read.
      return file.values[name].map { Setting(value: $0, source: .file(file.path)) }
        ?? (name == .url ? Setting(value: urlDefault, source: .builtIn) : nil)
    }
    if let found { try ConfigFile.check(name, found.value, from: found.source.text) }
    return found
  }

  /// The first line of a file that only its owner may read, or of standard input.
  static func key(inFile path: String) throws(Exit) -> String {
    let bytes = try PrivateFile.read(path, bytesMax: 4096)
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").first?.trimmed ?? ""
  }
}
