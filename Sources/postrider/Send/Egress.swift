import HTTP2

/// The HTTP proxy on the way to providers: from the options, or from the environment.
enum Egress {
  /// How a command names it.
  static let options = [
    Option(
      name: "--proxy", value: "PROXY",
      help: "The HTTP proxy on the way out, asked with CONNECT: HOST:PORT, http://USER:PASSWORD@HOST:PORT, or direct "
        + "for none. POSTRIDER_PROXY unless given."),
    Option(
      name: "--proxy-file", value: "FILE",
      help: "A file with the same in its first line, for a password; POSTRIDER_PROXY_FILE unless given."),
  ]

  private static let directText = "direct"

  /// The proxy; nil for none.
  ///
  /// - Parameters:
  ///   - isNamed: whether the command names its gateway, such as an emulator: the environment then does not count.
  ///   - take: reads a variable of the environment.
  static func proxy(
    _ arguments: Arguments, isNamed: Bool = false, take: (String) -> String? = Environment.value
  ) throws(Exit) -> HTTP2Proxy? {
    // Out of the environment in any case, where the caller has it so.
    let (text, path) = (take("POSTRIDER_PROXY"), take("POSTRIDER_PROXY_FILE"))
    if let given = arguments.value("--proxy") {
      guard !arguments.has("--proxy-file") else { throw .usage("--proxy and --proxy-file: give one of them") }
      return try read(given, "--proxy")
    }
    if let path = arguments.value("--proxy-file") { return try read(file: path, "--proxy-file") }
    guard !isNamed else { return nil }
    if let path, !path.isEmpty {
      guard text?.isEmpty ?? true else { throw .usage("POSTRIDER_PROXY and POSTRIDER_PROXY_FILE: set one of them") }
      return try read(file: path, "POSTRIDER_PROXY_FILE")
    }
    return try text.flatMap { (text) throws(Exit) in text.isEmpty ? nil : try read(text, "POSTRIDER_PROXY") }
  }

  private static func read(file path: String, _ name: String) throws(Exit) -> HTTP2Proxy? {
    let line = try Terminal.read(path).prefix { $0 != 0x0A && $0 != 0x0D }
    return try read(String(decoding: line, as: UTF8.self), "\(name) \(path)")
  }

  /// Reads a text of which nothing is repeated: it may have a password.
  private static func read(_ text: String, _ name: String) throws(Exit) -> HTTP2Proxy? {
    guard text != directText else { return nil }
    do throws(HTTP2ProxyError) { return try HTTP2Proxy(text) } catch { throw .usage("\(name): \(error)") }
  }
}
