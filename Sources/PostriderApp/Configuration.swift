/// Which server and app the client reports to.
public struct PostriderConfiguration: Sendable {
  /// The server, such as `https://push.example.com`; `http` is accepted for loopback only.
  public var server: String
  /// The app's name on the server.
  public var app: String
  /// An API key of the scope `client`.
  public var key: String
  /// The members of a payload that may have a link, the first wins; a period leads into a nested object.
  public var linkKeys = ["deep_link", "link", "url", "adb_uri", "custom.u"]
  /// Supplies the signed identity (a JWT) of the user whom the device is registered for.
  ///
  /// It is sent as the header `Postrider-Identity`. `refresh` is true after the server refused the last one. Call `done`
  /// once, on any thread, with nil when there is none now: the registration is then tried again later, as after 30 seconds
  /// without a call.
  public var identity:
    (@Sendable (_ user: String, _ refresh: Bool, _ done: @escaping @Sendable (String?) -> Void) -> Void)?

  /// A configuration for an app of a server.
  public init(server: String, app: String, key: String) {
    self.server = server.hasSuffix("/") ? String(server.dropLast()) : server
    self.app = app
    self.key = key
  }

  /// Why it cannot be used; nil when it can.
  package var problem: String? {
    guard isAllowed else { return "the server must be an https URL, or http on loopback" }
    guard (1...100).contains(app.utf8.count), app.utf8.allSatisfy({ Self.isName($0) }) else {
      return "the app's name is not one"
    }
    guard (1...300).contains(key.utf8.count), key.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
      return "the key is not one"
    }
    return nil
  }

  func path(_ end: String) -> String { "/v1/apps/\(app)/\(end)" }

  /// What a registration belongs to: another server or app does not know it.
  var target: String { server + path("") }

  private var isAllowed: Bool {
    let scheme = server.hasPrefix("https://") ? "https://" : "http://"
    let (host, rest) = split(after: scheme)
    let isLoopback = ["localhost", "127.0.0.1", "[::1]"].contains(host)
    return server.hasPrefix(scheme) && isRest(rest) && (scheme == "https://" ? isHost(host) : isLoopback)
  }

  /// The host, and the port and path behind it.
  private func split(after scheme: String) -> (host: String, rest: Substring) {
    let text = server.dropFirst(scheme.count)
    let bracket = text.hasPrefix("[") ? text.firstIndex(of: "]").map { text.index(after: $0) } : nil
    let end = bracket ?? text.firstIndex { $0 == ":" || $0 == "/" } ?? text.endIndex
    return (String(text[..<end]), text[end...])
  }

  private func isHost(_ host: String) -> Bool {
    if host.hasPrefix("[") {
      return host.utf8.count > 2 && host.hasSuffix("]")
        && host.utf8.dropFirst().dropLast().allSatisfy {
          Self.isHex($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".")
        }
    }
    return !host.isEmpty && host.utf8.allSatisfy { Self.isName($0) && $0 != UInt8(ascii: "_") }
  }

  /// An optional port and path.
  private func isRest(_ rest: Substring) -> Bool {
    let slash = rest.firstIndex(of: "/") ?? rest.endIndex
    let port = rest[..<slash]
    let hasPort =
      port.hasPrefix(":") && (2...6).contains(port.utf8.count) && port.utf8.dropFirst().allSatisfy { Self.isDigit($0) }
    guard port.isEmpty || hasPort else { return false }
    return rest[slash...].utf8.allSatisfy { Self.isName($0) || $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  private static func isHex(_ byte: UInt8) -> Bool { isDigit(byte) || (0x61...0x66).contains(byte | 0x20) }

  private static func isName(_ byte: UInt8) -> Bool {
    isDigit(byte) || (0x61...0x7a).contains(byte | 0x20) || [0x2d, 0x2e, 0x5f].contains(byte)
  }
}
